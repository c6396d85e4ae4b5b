/** Several documents as one badge. */
import type { ReasonCode } from "../../../lib/protocol/codes.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type BundledReport, bundleId, bundleOf } from "../../../lib/badge/bundle.ts";
import { badgeOf, messageText } from "../../../lib/badge/model.ts";
import type { Counts, Report } from "../../../lib/verify/report.ts";
import { ISSUER, reason, report, row, rows, TRUST } from "../../support/badges.ts";

const OTHER = { publicKey: "B".repeat(43), keyId: "0000111122223333" };

const id = (digit: string) => digit.repeat(64);

/** An admission of four challenges named `prefix_0` to `prefix_3`. */
function admission(
  digit: string,
  prefix: string,
  changes: Partial<Report> = {},
  counts: Partial<Counts> = {},
): BundledReport {
  return report({
    id: id(digit),
    issuer: ISSUER,
    sessionId: `gs_${prefix}`,
    receipts: rows("ppfp", prefix),
    ...changes,
  }, counts);
}

/** A receipt of the challenge `challengeId`, passed and replayed. */
function receipt(
  digit: string,
  challengeId: string,
  changes: Partial<Report> = {},
  counts: Partial<Counts> = {},
): BundledReport {
  return report({
    id: id(digit),
    kind: "receipt",
    issuer: ISSUER,
    receipts: [row("p", "algal:t1", challengeId)],
    ...changes,
  }, { challenges: 1, answered: 1, passed: 1, required: 1, replayedPasses: 1, ...counts });
}

const CLAIMED = {
  changes: { outcome: "issuer-claimed", receipts: rows("pfuu", "c") },
  counts: { unreplayed: 2, replayedPasses: 1 },
} as const;

const text = (reports: readonly BundledReport[]) =>
  messageText(badgeOf(bundleOf(reports), { trust: TRUST }));

Deno.test("a bundle's id is the hash of its documents' ids, sorted, one a line", () => {
  const wanted = createHash("sha256").update(`${id("1")}\n${id("2")}\n${id("a")}`).digest("hex");
  assert.equal(bundleId([id("a"), id("1"), id("2")]), wanted);
  assert.equal(bundleId([id("2"), id("a"), id("1"), id("a")]), wanted);
  assert.notEqual(bundleId([id("1"), id("2")]), wanted);
  assert.equal(bundleId([id("1"), null]), null);
  assert.equal(
    bundleOf([admission("a", "a"), admission("1", "b"), admission("2", "c")]).id,
    wanted,
  );
});

Deno.test("a bundle sums its documents", () => {
  const bundle = bundleOf([
    admission("1", "a"),
    admission("2", "c", CLAIMED.changes, CLAIMED.counts),
    receipt("3", "gc_alone"),
  ]);
  assert.equal(bundle.kind, "bundle");
  assert.equal(bundle.outcome, "issuer-claimed");
  assert.equal(bundle.verdict, "pass");
  assert.deepEqual(bundle.counts, {
    challenges: 9,
    answered: 9,
    passed: 7,
    required: 7,
    unreplayed: 2,
    replayedPasses: 5,
    formatOnly: 0,
  });
  const badge = badgeOf(bundle, { trust: TRUST });
  assert.equal(messageText(badge), "7/9 passed · 2 unreplayed");
  assert.equal(badge.tone, "claimed");
  assert.equal(
    badge.title,
    "3 documents together: 7 of 9 challenges passed. 2 receipts unreplayed: they rest on the " +
      "issuer's word. Suite clankdar-algal-v1. " +
      "Signed by Clankdar staging (key fbed0123456789ab).",
  );
});

Deno.test("a bundle of which some failed says how many, and is no pass", () => {
  const failed = admission("2", "b", { verdict: "fail" }, { passed: 1, replayedPasses: 1 });
  const badge = badgeOf(bundleOf([admission("1", "a"), failed]), { trust: TRUST });
  assert.equal(messageText(badge), "4/8 passed · 1 of 2 failed");
  assert.equal(badge.tone, "partial");
  const all = badgeOf(bundleOf([failed, { ...failed, id: id("3"), sessionId: "gs_x" }]), {
    trust: TRUST,
  });
  assert.equal(messageText(all), "2/8 passed · 2 of 2 failed");
  assert.equal(all.tone, "fail");
  assert.equal(
    badgeOf(bundleOf([admission("1", "a"), admission("2", "b")]), { trust: TRUST }).tone,
    "pass",
  );
});

Deno.test("what comes twice counts once", () => {
  const one = admission("1", "a");
  assert.deepEqual(bundleOf([one, structuredClone(one)]), one);
  const inside = [
    receipt("2", "a_0"),
    receipt("3", "a_1", { receipts: [row("p", "algal:t2", "a_1")] }),
  ];
  // Receipts before their admission too.
  for (const reports of [[one, ...inside], [...inside, one], [inside[0]!, one, one, inside[1]!]]) {
    const bundle = bundleOf(reports);
    assert.deepEqual(bundle.counts, one.counts);
    assert.equal(bundle.id, bundleId([id("1"), id("2"), id("3")]));
    assert.equal(text(reports), "3/4 passed");
  }
  // One challenge, two documents that say the same of it.
  assert.equal(text([receipt("2", "x"), receipt("3", "x"), receipt("4", "y")]), "2/2 passed");
});

Deno.test("a receipt of another issuer is not inside an admission, whatever its id says", () => {
  const foreign = receipt("2", "a_0", { issuer: OTHER });
  assert.equal(text([admission("1", "a"), foreign]), "4/5 passed · unknown issuer");
  const { title } = badgeOf(bundleOf([admission("1", "a"), foreign]), { trust: TRUST });
  assert.match(
    title,
    /Signed with the keys fbed0123456789ab, 0000111122223333\. One of them is of an unknown/,
  );
});

Deno.test("one key that says two different things is a finding, and nothing of it counts", () => {
  const contradictions: BundledReport[][] = [
    // Two admissions of one session.
    [admission("1", "a"), admission("2", "a")],
    // A receipt that differs from the one in its admission, or answers what stayed unanswered.
    [admission("1", "a"), receipt("2", "a_2")],
    [admission("1", "a", { receipts: rows("-pfp", "a") }), receipt("2", "a_0")],
    [
      receipt("1", "x"),
      receipt("2", "x", { receipts: [{ ...row("p", "algal:t1", "x"), response: "ANSWER: 2" }] }),
    ],
  ];
  for (const reports of contradictions) {
    const badge = badgeOf(bundleOf(reports), { trust: TRUST });
    assert.equal(messageText(badge), "conflicting");
    assert.equal(badge.tone, "invalid");
    assert.equal(badge.transient, false);
    assert.match(badge.title, /^One key signed different .*: the issuer contradicts itself/);
  }
  const sessions = [admission("1", "a"), admission("2", "a", { issuer: OTHER })];
  assert.equal(text(sessions), "6/8 passed · unknown issuer");
  const claimed = admission("2", "a", CLAIMED.changes, CLAIMED.counts);
  assert.equal(text([admission("1", "a"), claimed]), "conflicting · 2 unreplayed");
});

Deno.test("one invalid document makes the bundle invalid, with the reason", () => {
  const invalid = admission("2", "b", {
    outcome: "invalid",
    verdict: null,
    counts: null,
    reason: reason("receipt-invalid", "prompt-mismatch"),
  });
  const badge = badgeOf(bundleOf([admission("1", "a"), invalid]), { trust: TRUST });
  assert.equal(messageText(badge), "invalid");
  assert.equal(badge.tone, "invalid");
  assert.match(
    badge.title,
    /^This set of documents is invalid \(receipt-invalid: prompt-mismatch\)/,
  );
  const exposed = { ...invalid, observations: ["exposed"] };
  assert.equal(text([admission("1", "a"), exposed]), "invalid · pool contradicts");
  // What is unreplayed stays in sight.
  const claimed = admission("3", "c", CLAIMED.changes, CLAIMED.counts);
  assert.equal(text([claimed, invalid]), "invalid · 2 unreplayed");
  // Neither an unfinished check nor a contradiction comes before it.
  const unfinished = admission("4", "d", { outcome: null, verdict: null, counts: null });
  assert.equal(text([unfinished, invalid]), "invalid");
  assert.equal(text([admission("1", "a"), admission("5", "a"), invalid]), "invalid");
  const unknown = report({ id: null, kind: "unknown", outcome: "invalid", counts: null });
  assert.equal(bundleOf([admission("1", "a"), unknown]).id, null);
  assert.equal(text([admission("1", "a"), unknown]), "not a receipt");
  // A forgery is told before what is no receipt at all.
  assert.equal(text([unknown, invalid]), "invalid");
});

Deno.test("one unfinished document leaves the bundle unfinished", () => {
  const open = (digit: string, code: ReasonCode) =>
    admission(digit, digit, { outcome: null, verdict: null, counts: null, reason: reason(code) });
  const checking = badgeOf(bundleOf([admission("1", "a"), open("2", "budget-exceeded")]), {
    trust: TRUST,
  });
  assert.equal(messageText(checking), "checking");
  assert.equal(checking.transient, true);
  assert.equal(
    text([open("2", "budget-exceeded"), open("3", "evaluator-missing"), admission("1", "a")]),
    "not finished",
  );
});

Deno.test("runs in a bundle are self-reported, all of it or part of it", () => {
  const run = (digit: string) =>
    report(
      { id: id(digit), kind: "run", verdict: null, observations: ["unsigned"] },
      { challenges: 10, answered: 10, passed: 9, required: 0, replayedPasses: 9 },
    );
  const runs = badgeOf(bundleOf([run("1"), run("2")]), { trust: TRUST });
  assert.equal(messageText(runs), "18/20 passed · self-reported");
  assert.equal(runs.tone, "reported");
  const mixed = badgeOf(bundleOf([run("1"), admission("2", "a")]), { trust: TRUST });
  assert.equal(messageText(mixed), "12/14 passed · partly self-reported");
  assert.equal(mixed.tone, "reported");
  assert.match(mixed.title, /Nobody signed a part of it\./);
});

Deno.test("a bundle goes by the house suite's name as soon as a part of it does", () => {
  const clankdar = admission("1", "a");
  const house = admission("2", "b", { suite: "touchstone-algal-v1" });
  assert.equal(badgeOf(bundleOf([clankdar, house]), { trust: TRUST }).label, "touchstone");
  assert.equal(
    badgeOf(bundleOf([clankdar, admission("2", "b")]), { trust: TRUST }).label,
    "clankdar",
  );
});

Deno.test("a bundle of nothing is no pass, and one of logs alone has no score", () => {
  const empty = bundleOf([]);
  assert.equal(empty.outcome, "invalid");
  assert.equal(messageText(badgeOf(empty, { trust: TRUST })), "not a receipt");
  const log = (digit: string) =>
    report({ id: id(digit), kind: "tlog", verdict: null, counts: null, suite: null });
  const logs = badgeOf(bundleOf([log("1"), log("2")]), { trust: TRUST });
  assert.equal(messageText(logs), "verified");
  assert.equal(logs.tone, "neutral");
  const one = badgeOf(bundleOf([log("1"), admission("2", "a")]), { trust: TRUST });
  assert.equal(messageText(one), "3/4 passed");
  assert.equal(one.tone, "pass");
});
