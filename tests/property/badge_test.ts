import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { bundleOf } from "../../lib/badge/bundle.ts";
import { cardOf, type CardSubject } from "../../lib/badge/card.ts";
import { markPath, type Shape, SHAPES } from "../../lib/badge/marks.ts";
import {
  type Badge,
  type BadgeOptions,
  badgeText,
  messageText,
  type Requirement,
} from "../../lib/badge/model.ts";
import { glossOf, PALETTE, THEMES } from "../../lib/badge/palette.ts";
import { compactPath } from "../../lib/badge/path.ts";
import { renderBadge } from "../../lib/badge/render.ts";
import { shieldsOf } from "../../lib/badge/shields.ts";
import { COLOUR_THEMES, renderSvg, type Style, STYLES } from "../../lib/badge/svg.ts";
import { saidLabel } from "../../lib/badge/text.ts";
import type { ReceiptReport, Report } from "../../lib/verify/report.ts";
import {
  decodePng,
  ISSUER,
  plainLabel,
  REVOKED,
  ROTATED,
  SAMPLE,
  STRANGER,
  TRUST,
} from "../support/badges.ts";

const count = fc.nat({ max: 20_000 });
const code = fc.constantFrom(
  "receipt-invalid",
  "prompt-mismatch",
  "budget-exceeded",
  "evaluator-missing",
);
const reason = fc.record({
  code,
  message: fc.string(),
  path: fc.string(),
  inner: fc.option(fc.record({ code, message: fc.string(), path: fc.string() }), {
    nil: undefined,
  }),
}).map(({ inner, ...outer }) => inner === undefined ? outer : { ...outer, inner });

const issuer = fc.constantFrom(
  null,
  ISSUER,
  ROTATED,
  REVOKED,
  SAMPLE,
  STRANGER,
);

const receipt: fc.Arbitrary<ReceiptReport> = fc.record({
  challengeId: fc.constantFrom("gc_1", "gc_2", "gc_3", "gc_4"),
  cell: fc.constantFrom("algal:t1", "h:algal:t2", "sat:t4"),
  seed: fc.option(fc.nat({ max: 2 })),
  response: fc.option(fc.string()),
  expected: fc.option(fc.string()),
  pass: fc.constantFrom(true, false, null),
  formatOnly: fc.boolean(),
  outcome: fc.constantFrom("verified", "issuer-claimed", "invalid", "unanswered", null),
  reason: fc.constant(null),
  checks: fc.constant([]),
});

const sums = fc.record({
  challenges: count,
  answered: count,
  passed: count,
  required: count,
  unreplayed: fc.oneof(fc.constant(0), count),
  replayedPasses: count,
  formatOnly: count,
});

/** Any report the type allows, also ones that contradict themselves. */
const anyReport: fc.Arbitrary<Report> = fc.record({
  id: fc.option(fc.constantFrom("0".repeat(64), "1".repeat(64), "2".repeat(64))),
  kind: fc.constantFrom("receipt", "admission", "dossier", "tlog", "run", "unknown"),
  outcome: fc.constantFrom("verified", "issuer-claimed", "invalid", null),
  verdict: fc.constantFrom("pass", "fail", null),
  counts: fc.option(sums),
  reason: fc.option(reason),
  observations: fc.subarray(["exposed", "unsigned", "pass-rests-on-issuer", "issuer-unknown"]),
  issuer,
  suite: fc.constantFrom("clankdar-algal-v1", "clankdar-agent-v1", "touchstone-algal-v1", null),
  sessionId: fc.constantFrom("gs_1", "gs_2"),
  pools: fc.constant([]),
  evaluator: fc.constant(null),
  checks: fc.constant([]),
  receipts: fc.array(receipt, { maxLength: 5 }),
});

/** As {@link anyReport}, but the receipts and the counts say the same. */
const consistentReport: fc.Arbitrary<Report> = anyReport.map((report) => {
  const { receipts } = report;
  const number = (holds: (row: ReceiptReport) => boolean) => receipts.filter(holds).length;
  const unreplayed = number(({ outcome }) => outcome === "issuer-claimed");
  const outcome = receipts.some((row) => row.outcome === "invalid" || row.outcome === null)
    ? "invalid"
    : unreplayed > 0
    ? "issuer-claimed"
    : "verified";
  return {
    ...report,
    outcome,
    verdict: outcome === "invalid" ? null : report.verdict,
    counts: {
      challenges: receipts.length,
      answered: number((row) => row.outcome !== "unanswered"),
      passed: number((row) => row.pass === true && /verified|claimed/.test(`${row.outcome}`)),
      required: 1,
      unreplayed,
      replayedPasses: number((row) => row.pass === true && row.outcome === "verified"),
      formatOnly: 0,
    },
  };
});

const member = fc.record({
  outcome: fc.constantFrom("verified", "issuer-claimed", "invalid", null),
  verdict: fc.constantFrom("pass", "fail", null),
});

const report = fc.oneof(anyReport, consistentReport);

const subject: fc.Arbitrary<CardSubject> = fc.oneof(
  report,
  fc.tuple(report, fc.array(member, { maxLength: 20 })).map(([given, members]) => ({
    ...given,
    members,
  })),
  fc.array(report, { minLength: 2, maxLength: 4 }).map(bundleOf),
);

const REQUIREMENTS: Requirement[] = [
  "invalid",
  "sha256",
  "issuer",
  "policy",
  "context",
  "session",
  "replayed",
  "stale",
];

const options: fc.Arbitrary<BadgeOptions> = fc.record({
  acceptance: fc.option(
    fc.subarray(REQUIREMENTS).chain((failed) =>
      fc.record({ accepted: fc.constant(failed.length === 0), failed: fc.constant(failed) })
    ),
    { nil: undefined },
  ),
  issuerAsked: fc.boolean(),
  trust: fc.constantFrom(TRUST, undefined),
  seen: fc.option(fc.constant("seen 3 h ago"), { nil: undefined }),
  label: fc.option(
    fc.string({ unit: "grapheme" }).map((text) => plainLabel(saidLabel(text) || "x")),
    {
      nil: undefined,
    },
  ),
});

const look = fc.record({
  style: fc.constantFrom(...STYLES),
  theme: fc.constantFrom(...COLOUR_THEMES),
});

/** The tones that say: all of this was replayed. */
const REPLAYED = ["pass", "partial", "fail"] as const;

/** Side of the mark in the pixels of each style; the card's is that of its picture too. */
const SIDES = { "flat": 10, "flat-square": 10, "plastic": 10, "for-the-badge": 12, "card": 16 };

/** Whether a path is the style's mark of this shape, wherever it stands. */
function isMark(d: string, shape: Shape, style: Style, svg: string): boolean {
  const [, height = 0, units = 0] =
    / height="(\d+)" viewBox="0 0 \d+ (\d+)"/.exec(svg)?.map(Number) ?? [];
  const side = SIDES[style] * units / height;
  const bare = (path: string) => path.replace(/^m\d+ \d+/, "");
  return bare(d) === bare(compactPath(markPath(shape, 0, 0, side)));
}

function paths(svg: string): { fill: string; d: string }[] {
  return [...svg.matchAll(/<path fill="([^"]*)"[^>]* d="([^"]*)"/g)].map(([, fill, d]) => ({
    fill: fill!,
    d: d!,
  }));
}

/** Nothing about the badge as a whole has the shape or a colour of a replayed one. */
function assertNotReplayed(badge: Badge, svg: string, style: Style): void {
  assert.ok(!REPLAYED.some((tone) => tone === badge.tone));
  const drawn = paths(svg);
  assert.ok(drawn.some(({ d }) => isMark(d, SHAPES[badge.tone], style, svg)), "its own mark");
  const marks = drawn.filter(({ d }) =>
    REPLAYED.some((tone) => isMark(d, SHAPES[tone], style, svg))
  );
  if (style !== "card") {
    assert.deepEqual(marks, []);
    for (const tone of REPLAYED) {
      const { ground, mark } = PALETTE[tone];
      for (const colour of [ground, mark, ...glossOf(ground)]) assert.ok(!svg.includes(colour));
    }
    return;
  }
  // Single challenges may be replayed, and only they; never in colour when the whole is refused.
  const picture = badge.card?.picture;
  const states = picture?.kind === "marks" ? picture.marks.map(({ state }) => state) : [];
  const replayed = states.filter((state) => state === "passed" || state === "failed").length;
  assert.equal(marks.length, replayed);
  const colours = Object.values(THEMES).flatMap(({ marks }) => REPLAYED.map((tone) => marks[tone]));
  const coloured = drawn.filter(({ fill }) => colours.includes(fill));
  if (badge.tone === "refused") assert.deepEqual(coloured, []);
  // The stripe and the capsules are round, marks are not.
  for (const { d } of coloured) assert.doesNotMatch(d, /a/);
}

Deno.test("badge property: nothing unreplayed looks replayed, and its number is in sight", async () => {
  await fc.assert(
    fc.asyncProperty(subject, options, look, async (given, asked, { style, theme }) => {
      const badge = cardOf(given, asked);
      const shields = shieldsOf(badge);
      const svg = await renderSvg(badge, style, theme);
      const name = /^<svg[^>]* aria-label="([^"]*)"/.exec(svg)?.[1] ?? "";
      const title = /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? "";
      const unreplayed = given.counts?.unreplayed ?? 0;

      assert.equal(unescape(name), badgeText(badge));
      assert.equal(shields.message, messageText(badge));
      assert.equal(shields.label, badge.label);
      if (unreplayed > 0) {
        assert.ok(badge.message.includes(`${unreplayed} unreplayed`));
        assert.match(shields.message, new RegExp(`(^| )${unreplayed} unreplayed( |$)`));
        assert.match(name, new RegExp(` ${unreplayed} unreplayed( |$)`));
        assert.match(title, new RegExp(` ${unreplayed} (receipt|row)s? unreplayed`));
        assert.doesNotMatch(badge.title, /\breplayed\b/);
      } else {
        assert.doesNotMatch(`${shields.message} ${badge.title}`, /\d unreplayed/);
      }

      const sound = given.outcome === "verified" || given.outcome === "issuer-claimed";
      const refused = sound && asked.acceptance !== undefined && !asked.acceptance.accepted;
      const unsigned = given.kind === "run" || given.observations.includes("unsigned") ||
        given.observations.includes("partly-unsigned");
      const replayed = given.outcome === "verified" && unreplayed === 0 && !refused && !unsigned;
      if (!replayed) {
        assertNotReplayed(badge, svg, style);
        for (const tone of REPLAYED) assert.notEqual(shields.color, PALETTE[tone].ground);
      }
      const signers = given.issuers ?? (given.issuer === null ? [] : [given.issuer]);
      const vouched = asked.trust === TRUST && signers.length > 0 &&
        signers.every(({ publicKey }) =>
          publicKey === ISSUER.publicKey || publicKey === ROTATED.publicKey
        );
      if (badge.tone === "pass") {
        assert.ok(replayed && given.verdict === "pass" && vouched && asked.seen === undefined);
      }
      if (sound && !vouched && !unsigned && given.counts !== null) {
        assert.match(shields.message, /unknown issuer|issuer revoked|sample key/);
      }
      if (!sound) assert.doesNotMatch(shields.message, /issuer$|issuer revoked|sample key/);
      if (refused) assert.equal(badge.message[0], "not accepted");
      if (given.outcome === "invalid") {
        assert.match(badge.message[0]!, /^(invalid|conflicting|not a receipt)$/);
      }
      if (unsigned && sound && !refused) assert.match(shields.message, /self-reported/);
      if (given.suite === "touchstone-algal-v1" && asked.label === undefined) {
        assert.doesNotMatch(name, /clankdar/i);
      }
      assert.equal(badge.transient, given.outcome === null);
      assert.match(badge.title, /^[A-Z0-9].*\.$/);
    }),
    { numRuns: 600 },
  );
});

Deno.test("badge property: no pixel of an unreplayed badge has a replayed badge's ground", async () => {
  const grounds = new Set(REPLAYED.map((tone) => parseInt(PALETTE[tone].ground.slice(1), 16)));
  const unreplayed = report.map((given): Report => ({
    ...given,
    counts: { ...given.counts ?? NOTHING, unreplayed: 1 + (given.counts?.unreplayed ?? 0) },
  }));
  await fc.assert(
    fc.asyncProperty(
      unreplayed,
      options,
      fc.constantFrom("flat", "flat-square", "for-the-badge"),
      async (given, asked, style) => {
        const badge = cardOf(given, asked);
        const { body } = await renderBadge(badge, { style, format: "png", scale: 1 });
        const { data } = decodePng(body as Uint8Array);
        for (let at = 0; at < data.length; at += 4) {
          const colour = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
          if (grounds.has(colour)) assert.fail(`${badgeText(badge)}: ${colour.toString(16)}`);
        }
      },
    ),
    { numRuns: 100 },
  );
});

const NOTHING = {
  challenges: 1,
  answered: 1,
  passed: 1,
  required: 1,
  unreplayed: 0,
  replayedPasses: 0,
  formatOnly: 0,
};

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function unescape(text: string): string {
  return text.replace(/&(#?\w+);/g, (_, name: string) => ENTITIES[name]!);
}
