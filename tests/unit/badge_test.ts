import { NO_TRUST } from "../../lib/words/signer.ts";
import assert from "node:assert/strict";
import { memo } from "../../lib/badge/memo.ts";
import {
  askedLabel,
  type Badge,
  badgeOf,
  type BadgeOptions,
  type BadgeSubject,
  badgeText,
  messageText,
  type Requirement,
  type Standing,
  standingBadge,
  type Tone,
} from "../../lib/badge/model.ts";
import { glossOf, LABEL, PALETTE, THEMES } from "../../lib/badge/palette.ts";
import { compactPath } from "../../lib/badge/path.ts";
import { shieldsOf } from "../../lib/badge/shields.ts";
import { ISSUER, reason, report } from "../support/badges.ts";

const DOSSIER = {
  challenges: 24,
  answered: 24,
  passed: 19,
  required: 18,
  unreplayed: 3,
  replayedPasses: 16,
  formatOnly: 0,
};

/** Five admissions of six passed. */
function dossier(changes: Partial<BadgeSubject>): BadgeSubject {
  const passed = { outcome: "verified", verdict: "pass" } as const;
  return {
    ...report({ kind: "dossier", verdict: null }),
    members: [passed, passed, passed, passed, passed, { outcome: "verified", verdict: "fail" }],
    ...changes,
  };
}

const WORDING: [
  name: string,
  subject: BadgeSubject,
  text: string,
  tone: Badge["tone"],
  title: string,
][] = [
  [
    "verified pass",
    report({}),
    "clankdar: 3/4 passed",
    "pass",
    "Admission: 3 of 4 challenges passed, 3 required: passed. All 4 answers were replayed.",
  ],
  [
    "claimed pass",
    report({ outcome: "issuer-claimed" }, { unreplayed: 2, replayedPasses: 2 }),
    "clankdar: 3/4 passed · 2 unreplayed",
    "claimed",
    "Admission: 3 of 4 challenges passed, 3 required: passed. " +
    "2 receipts unreplayed: they rest on the issuer's word.",
  ],
  [
    "claimed pass that rests on the issuer",
    report(
      { outcome: "issuer-claimed", observations: ["pass-rests-on-issuer"] },
      { unreplayed: 1, replayedPasses: 2 },
    ),
    "clankdar: 3/4 passed · 1 unreplayed",
    "claimed",
    "Admission: 3 of 4 challenges passed, 3 required: passed. " +
    "1 receipt unreplayed: it rests on the issuer's word. " +
    "Replay alone does not establish the pass.",
  ],
  [
    "verified fail",
    report({ verdict: "fail" }, { passed: 1, replayedPasses: 1 }),
    "clankdar: 1/4 passed · failed",
    "fail",
    "Admission: 1 of 4 challenges passed, 3 required: failed. All 4 answers were replayed.",
  ],
  [
    "claimed fail",
    report({ outcome: "issuer-claimed", verdict: "fail" }, { passed: 1, unreplayed: 2 }),
    "clankdar: 1/4 passed · failed · 2 unreplayed",
    "claimed",
    "Admission: 1 of 4 challenges passed, 3 required: failed. " +
    "2 receipts unreplayed: they rest on the issuer's word.",
  ],
  [
    "nothing answered",
    report({ verdict: "fail" }, { answered: 0, passed: 0, replayedPasses: 0 }),
    "clankdar: 0/4 passed · failed",
    "fail",
    "Admission: 0 of 4 challenges passed, 3 required: failed. No challenge was answered.",
  ],
  [
    "lone receipt",
    report({ kind: "receipt" }, { challenges: 1, answered: 1, passed: 1, required: 1 }),
    "clankdar: 1/1 passed",
    "pass",
    "Receipt: 1 of 1 challenge passed, 1 required: passed. The answer was replayed.",
  ],
  [
    "house suite",
    report({ suite: "touchstone-algal-v1" }),
    "touchstone: 3/4 passed",
    "pass",
    "Admission: 3 of 4 challenges passed, 3 required: passed. All 4 answers were replayed.",
  ],
  [
    "run without a verdict",
    report({ kind: "run", verdict: null, observations: ["unsigned"] }),
    "clankdar: 3/4 passed · self-reported",
    "reported",
    "Run: 3 of 4 challenges passed. All 4 answers were replayed. It is not signed.",
  ],
  [
    "run without a manifest",
    report(
      { kind: "run", outcome: "issuer-claimed", verdict: null, observations: ["unsigned"] },
      { challenges: 100, answered: 100, passed: 87, required: 0, unreplayed: 100 },
    ),
    "clankdar: 87/100 passed · self-reported · 100 unreplayed",
    "claimed",
    "Run: 87 of 100 challenges passed. " +
    "100 rows unreplayed: they rest on the reporter's word. It is not signed.",
  ],
  [
    "dossier",
    dossier({ outcome: "verified", counts: { ...DOSSIER, unreplayed: 0 } }),
    "clankdar: 5/6 admissions passed",
    "partial",
    "Dossier: 5 of 6 admissions passed, with 19 of 24 challenges. All 24 answers were replayed.",
  ],
  [
    "dossier with unreplayed receipts",
    dossier({ outcome: "issuer-claimed", counts: DOSSIER }),
    "clankdar: 5/6 admissions passed · 3 unreplayed",
    "claimed",
    "Dossier: 5 of 6 admissions passed, with 19 of 24 challenges. " +
    "3 receipts unreplayed: they rest on the issuer's word.",
  ],
  [
    "dossier of one admission",
    dossier({
      outcome: "verified",
      verdict: "pass",
      counts: { ...DOSSIER, challenges: 4, answered: 4, passed: 3, unreplayed: 0 },
      members: [{ outcome: "verified", verdict: "pass" }],
    }),
    "clankdar: 1/1 admission passed",
    "pass",
    "Dossier: 1 of 1 admission passed, with 3 of 4 challenges. All 4 answers were replayed.",
  ],
  [
    "sound log",
    report({ kind: "tlog", verdict: null, counts: null, suite: null }),
    "clankdar: verified",
    "neutral",
    "This transparency log is verified.",
  ],
  [
    "claimed without counts",
    report({ kind: "tlog", outcome: "issuer-claimed", verdict: null, counts: null }),
    "clankdar: issuer-claimed",
    "claimed",
    "This transparency log is only claimed by its issuer.",
  ],
  [
    "invalid",
    report({
      outcome: "invalid",
      verdict: null,
      counts: null,
      reason: reason("receipt-invalid", "prompt-mismatch"),
    }),
    "clankdar: invalid",
    "invalid",
    "This admission is invalid (receipt-invalid: prompt-mismatch).",
  ],
  [
    "unrecognised",
    report({ kind: "unknown", outcome: "invalid", verdict: null, counts: null, suite: null }),
    "clankdar: invalid",
    "invalid",
    "This document is invalid.",
  ],
  [
    "exposed",
    report({
      outcome: "invalid",
      verdict: null,
      observations: ["exposed"],
      reason: reason("prompt-mismatch"),
    }),
    "clankdar: invalid · pool contradicts",
    "invalid",
    "This admission is invalid (prompt-mismatch). The disclosed pool contradicts it.",
  ],
  [
    "exposed, with other receipts unreplayed",
    report({ outcome: "invalid", verdict: null, observations: ["exposed"] }, { unreplayed: 1 }),
    "clankdar: invalid · pool contradicts · 1 unreplayed",
    "invalid",
    "This admission is invalid. The disclosed pool contradicts it. " +
    "1 receipt unreplayed: it rests on the issuer's word.",
  ],
  [
    "budget exceeded",
    report({ outcome: null, verdict: null, counts: null, reason: reason("budget-exceeded") }),
    "clankdar: checking",
    "neutral",
    "This admission is still being checked (budget-exceeded).",
  ],
  [
    "evaluator missing",
    report({ outcome: null, verdict: null, counts: null, reason: reason("evaluator-missing") }),
    "clankdar: not finished",
    "neutral",
    "The check of this admission could not be finished (evaluator-missing).",
  ],
  [
    "a report that contradicts itself is never shown as replayed",
    report({ outcome: "verified" }, { unreplayed: 1 }),
    "clankdar: 3/4 passed · 1 unreplayed",
    "claimed",
    "Admission: 3 of 4 challenges passed, 3 required: passed. " +
    "1 receipt unreplayed: it rests on the issuer's word.",
  ],
];

for (const [name, given, text, tone, title] of WORDING) {
  Deno.test(`badge wording: ${name}`, () => {
    const badge = badgeOf(given);
    assert.equal(badgeText(badge), text);
    assert.equal(badge.tone, tone);
    assert.equal(badge.title, title);
    assert.equal(badge.unreplayed, given.counts?.unreplayed ?? 0);
    assert.equal(badge.transient, given.outcome === null);
  });
}

const STANDING: [Standing, Tone, transient: boolean][] = [
  ["checking", "neutral", true],
  ["not found", "neutral", true],
  ["unreachable", "neutral", true],
  ["gone", "neutral", false],
  ["ambiguous", "neutral", false],
  ["conflicting", "invalid", false],
];

Deno.test("a badge without a result says what there is instead", () => {
  for (const [standing, tone, transient] of STANDING) {
    const badge = standingBadge(standing);
    assert.equal(badgeText(badge), `clankdar: ${standing}`);
    assert.equal(badge.tone, tone);
    assert.equal(badge.transient, transient);
    assert.equal(badge.link, null);
    assert.match(badge.title, /^[A-Z].*\.$/);
    const named = standingBadge(standing, {
      label: { text: "mine", names: [], claims: [] },
      link: "/r/x",
    });
    assert.equal(badgeText(named), `mine: ${standing}`);
    assert.equal(named.link, "/r/x");
  }
});

const REFUSALS: [Requirement, text: string, sentence: string][] = [
  ["issuer", "not accepted · other issuer", "it is not signed by the issuer asked for."],
  ["policy", "not accepted · other policy", "its policy is not the one asked for."],
  ["context", "not accepted · other context", "its context is not the one asked for."],
  ["session", "not accepted · other session", "its session is not the one asked for."],
  ["replayed", "not accepted · unreplayed", "part of it rests on the issuer's word."],
  ["stale", "not accepted · stale", "the time of its decision is not within the time asked for."],
];

Deno.test("what isn't accepted says the first requirement that is not met", () => {
  for (const [index, [first, text, sentence]] of REFUSALS.entries()) {
    const failed = REFUSALS.slice(index).map(([requirement]) => requirement);
    const acceptance = { accepted: false, failed };
    const badge = badgeOf(report({}), { acceptance });
    assert.equal(messageText(badge), text);
    assert.equal(badge.tone, "refused");
    assert.ok(badge.title.startsWith(`Not accepted: ${sentence} Admission: 3 of 4 challenges`));
    const claimed = badgeOf(report({ outcome: "issuer-claimed" }, { unreplayed: 2 }), {
      acceptance,
    });
    assert.equal(
      messageText(claimed),
      first === "replayed" ? "not accepted · 2 unreplayed" : `${text} · 2 unreplayed`,
    );
    assert.equal(claimed.tone, "refused");
    assert.match(claimed.title, /2 receipts unreplayed: they rest on the issuer's word\./);
  }
});

Deno.test("acceptance changes nothing where it is met, or where there is no sound result", () => {
  const met = { accepted: true, failed: [] };
  const unmet = { accepted: false, failed: ["invalid", "issuer", "stale"] } as const;
  const sound = report({});
  assert.deepEqual(badgeOf(sound, { acceptance: met }), badgeOf(sound));
  const invalid = report({ outcome: "invalid", verdict: null, counts: null });
  assert.deepEqual(badgeOf(invalid, { acceptance: unmet }), badgeOf(invalid));
  const checking = report({ outcome: null, verdict: null, counts: null });
  assert.deepEqual(badgeOf(checking, { acceptance: unmet }), badgeOf(checking));
});

const NAMED = { ...ISSUER, name: "Clankdar staging" };
const OTHER = { publicKey: "B".repeat(43), keyId: "0000111122223333" };
const met = { accepted: true, failed: [] };

const SIGNATURES: [BadgeSubject, BadgeOptions, sentence: string][] = [
  [
    report({ issuer: ISSUER }),
    {},
    "Signed by key fbed0123456789ab, not compared with a known issuer.",
  ],
  [report({ issuer: NAMED }), {}, "Signed by Clankdar staging (key fbed0123456789ab)."],
  [
    report({ issuer: NAMED }),
    { acceptance: met, issuerAsked: true },
    "Signed as asked for, by key fbed0123456789ab.",
  ],
  [
    report({ issuer: ISSUER }),
    { acceptance: { accepted: false, failed: ["issuer"] }, issuerAsked: true },
    "Signed by key fbed0123456789ab.",
  ],
  [
    { ...report({}), kind: "bundle", issuers: [ISSUER, OTHER] },
    {},
    "Signed by keys fbed0123456789ab, 0000111122223333, not compared with a known issuer.",
  ],
  [
    { ...report({}), kind: "bundle", issuers: [ISSUER, OTHER, OTHER, OTHER, OTHER] },
    {},
    "Signed by keys fbed0123456789ab, 0000111122223333, 0000111122223333 and 2 more, " +
    "not compared with a known issuer.",
  ],
];

Deno.test("the title names the key, and whether anybody compared it", () => {
  for (const [subject, options, sentence] of SIGNATURES) {
    const { title } = badgeOf(subject, options);
    assert.ok(title.endsWith(` ${sentence}`), title);
  }
  assert.doesNotMatch(badgeOf(report({})).title, /[Ss]igned/);
});

Deno.test("a label of the embedder replaces the suite's name, within 40 characters", async () => {
  const labelled = async (label: string) =>
    badgeOf(report({}), { label: await askedLabel(label, NO_TRUST) }).label;
  assert.equal(await labelled("my model"), "my model");
  assert.equal(await labelled("a".repeat(41)), `${"a".repeat(39)}…`);
  assert.equal(await labelled("😀".repeat(40)), "😀".repeat(40));
  assert.equal(await labelled("a\u0000b\u202e"), "ab");
  for (const blank of ["", "  ", "\t\u00a0", "\u200b"]) {
    assert.equal(await labelled(blank), "clankdar");
  }
});

Deno.test("a badge leads to the page of its result", () => {
  assert.equal(badgeOf(report({ id: "a".repeat(64) })).link, `/r/${"a".repeat(64)}`);
  assert.equal(badgeOf(report({ id: null })).link, null);
});

Deno.test("badge shields JSON", () => {
  assert.deepEqual(shieldsOf(badgeOf(report({}))), {
    schemaVersion: 1,
    label: "clankdar",
    message: "3/4 passed",
    color: PALETTE.pass.ground,
    labelColor: LABEL.ground,
    cacheSeconds: 300,
  });
  const claimed = badgeOf(report({ outcome: "issuer-claimed" }, { unreplayed: 2 }));
  assert.deepEqual(shieldsOf(claimed), {
    schemaVersion: 1,
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed",
    color: PALETTE.claimed.ground,
    labelColor: LABEL.ground,
    isError: true,
    cacheSeconds: 300,
  });
  assert.equal(shieldsOf(badgeOf(report({ outcome: "invalid" }))).isError, true);
  assert.equal("isError" in shieldsOf(standingBadge("checking")), false);
  assert.equal(shieldsOf(standingBadge("gone"), 3600).cacheSeconds, 3600);
});

/** WCAG 2.1, relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  assert.match(colour, /^#[0-9a-f]{6}$/);
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

Deno.test("text stands out from its ground, in every style, tone and theme", () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  const texts: [where: string, text: string, ground: string][] = [];
  for (const [name, { text, ground }] of [["label", LABEL], ...Object.entries(PALETTE)] as const) {
    texts.push([name, text, ground]);
    for (const end of glossOf(ground)) texts.push([`${name}, plastic`, text, end]);
  }
  for (const [name, { text, muted, ground }] of Object.entries(THEMES)) {
    texts.push([`${name} card`, text, ground], [`${name} card, muted`, muted, ground]);
  }
  for (const [where, text, ground] of texts) {
    assert.ok(contrast(text, ground) >= 4.5, `${where}: ${contrast(text, ground)}`);
  }
});

Deno.test("marks stand out, and tones differ without their hue", () => {
  for (const [tone, { mark }] of Object.entries(PALETTE)) {
    assert.ok(contrast(LABEL.ground, mark) >= 4.5, `${tone}: mark`);
    // WCAG 2.1, 1.4.11: graphics.
    for (const end of glossOf(LABEL.ground)) assert.ok(contrast(end, mark) >= 3, tone);
  }
  for (const { ground, marks } of Object.values(THEMES)) {
    for (const mark of Object.values(marks)) assert.ok(contrast(ground, mark) >= 3, mark);
  }
  assert.ok(contrast(PALETTE.pass.ground, PALETTE.claimed.ground) >= 3);
  const grounds = Object.values(PALETTE).map(({ ground }) => ground);
  assert.equal(new Set(grounds).size, grounds.length);
});

Deno.test("no colour is one of the placeholders of the drawing", () => {
  for (const colour of JSON.stringify([LABEL, PALETTE, THEMES]).match(/#[0-9a-f]{6}/g)!) {
    assert.doesNotMatch(colour, /^#000[123]/);
  }
});

Deno.test("badge paths: compaction", () => {
  const cases: [string, string][] = [
    ["M10.2 20.4L10.2 20.4L15.2 20.4L15.2 30.4L10.2 30.4L10.2 20.4Z", "m10 20h5v10h-5z"],
    ["M0 0L3 4L6 8", "m0 0l3 4 3 4"],
    ["M5,5 h10 v-10 a3,3 0 0 1 -3,3 a0,0 0 0 1 0,0", "m5 5h10v-10a3 3 0 0 1-3 3"],
    ["M0 0Q10 0 10 10Q10 20 0 20Z", "m0 0q10 0 10 10t-10 10z"],
    // The second contour starts from where the first was closed; one of a single point goes.
    ["M1 1L9 1L9 9ZM4 4L4 4ZM3 3L5 3L5 5Z", "m1 1h8v8zm2 2h2v2z"],
    ["M0 0C1 1 2 2 3 3", "M0 0C1 1 2 2 3 3"],
    ["L1 1", "L1 1"],
    ["", ""],
  ];
  for (const [given, wanted] of cases) assert.equal(compactPath(given), wanted);
});

Deno.test("badge memo: bounded, shared, forgets failures", async () => {
  const made: string[] = [];
  const remember = memo<string>(2);
  const get = (key: string) =>
    remember(key, () => {
      made.push(key);
      return Promise.resolve(key);
    });
  await Promise.all([get("a"), get("a"), get("b")]);
  await get("a");
  await get("c");
  await get("a");
  await get("b");
  assert.deepEqual(made, ["a", "b", "c", "b"]);

  let calls = 0;
  const failing = () => remember("x", () => Promise.reject(new Error(`${++calls}`)));
  await assert.rejects(failing());
  await assert.rejects(failing());
  assert.equal(calls, 2);
});

Deno.test("badge message is joined with a middle dot", () => {
  assert.equal(messageText({ message: ["1/4 passed", "failed"] }), "1/4 passed · failed");
});
