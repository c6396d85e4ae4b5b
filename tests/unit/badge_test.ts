import assert from "node:assert/strict";
import { memo } from "../../lib/badge/memo.ts";
import {
  type Badge,
  badgeOf,
  badgeText,
  checkingBadge,
  messageText,
  notFoundBadge,
} from "../../lib/badge/model.ts";
import { LABEL, PALETTE } from "../../lib/badge/palette.ts";
import { compactPath } from "../../lib/badge/path.ts";
import { shieldsOf } from "../../lib/badge/shields.ts";
import { drawable, drawableLabel } from "../../lib/badge/text.ts";
import type { Counts, Report } from "../../lib/verify/report.ts";

const FULL: Counts = {
  challenges: 4,
  answered: 4,
  passed: 3,
  required: 3,
  unreplayed: 0,
  replayedPasses: 3,
  formatOnly: 0,
};

function report(changes: Partial<Report>, counts: Partial<Counts> = {}): Report {
  return {
    id: "0".repeat(64),
    kind: "admission",
    outcome: "verified",
    verdict: "pass",
    counts: { ...FULL, ...counts },
    reason: null,
    observations: [],
    issuer: null,
    suite: "clankdar-algal-v1",
    pools: [],
    evaluator: null,
    checks: [],
    receipts: [],
    ...changes,
  };
}

const reason = (code: string, inner?: string) => ({
  code,
  message: "for people",
  path: "",
  ...(inner === undefined ? {} : { inner: { code: inner, message: "for people", path: "x" } }),
});

const WORDING: [name: string, report: Report, text: string, tone: Badge["tone"], title: string][] =
  [
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
      "clankdar: 3/4 passed",
      "neutral",
      "Run: 3 of 4 challenges passed. All 4 answers were replayed. It is not signed.",
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
      report({ kind: "run", outcome: "issuer-claimed", verdict: null, counts: null }),
      "clankdar: issuer-claimed",
      "claimed",
      "This run is only claimed by its issuer.",
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

Deno.test("badge wording: no report", () => {
  assert.equal(badgeText(notFoundBadge()), "clankdar: not found");
  assert.equal(badgeText(checkingBadge()), "clankdar: checking");
  for (const badge of [notFoundBadge(), checkingBadge()]) {
    assert.equal(badge.tone, "neutral");
    assert.equal(badge.transient, true);
  }
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
  assert.equal("isError" in shieldsOf(checkingBadge()), false);
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

Deno.test("badge colours: contrast", () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  assert.ok(contrast(LABEL.ground, LABEL.text) >= 4.5);
  for (const [tone, { ground, text, mark }] of Object.entries(PALETTE)) {
    assert.ok(contrast(ground, text) >= 4.5, `${tone}: text ${contrast(ground, text)}`);
    assert.ok(contrast(LABEL.ground, mark) >= 4.5, `${tone}: mark`);
  }
  // Told apart without hue as well.
  assert.ok(contrast(PALETTE.pass.ground, PALETTE.claimed.ground) >= 3);
  const grounds = Object.values(PALETTE).map(({ ground }) => ground);
  assert.equal(new Set(grounds).size, grounds.length);
});

Deno.test("badge text: nothing that draws nothing", () => {
  assert.equal(drawable("a\tb\nc\0d\u007f"), "a\ufffdb\ufffdc\ufffdd\ufffd");
  assert.equal(drawable("x\u202ey\u200bz\u3164\ufeff\u2800"), "x\ufffdy\ufffdz\ufffd\ufffd\ufffd");
  assert.equal(drawable("\ud800a\udc00"), "\ufffda\ufffd");
  assert.equal(drawable("e\u0301 \u0301"), "\u00e9 \ufffd");
  assert.equal(drawable("no\u00a0break"), "no break");
  assert.equal(drawable("<b> & 漢 😀 Ωж"), "<b> & 漢 😀 Ωж");
  assert.equal([...drawableLabel("😀".repeat(41))].length, 40);
  assert.equal(drawableLabel("a".repeat(40)), "a".repeat(40));
  assert.equal(drawableLabel("a".repeat(1e6)), `${"a".repeat(39)}…`);
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
