/** What a card says besides. How it looks is in its golden pictures. */
import assert from "node:assert/strict";
import { bundleOf } from "../../../lib/badge/bundle.ts";
import { cardOf, type CardSubject, cardSubject } from "../../../lib/badge/card.ts";
import { badgeOf, type BadgeOptions } from "../../../lib/badge/model.ts";
import {
  FLOOR,
  ISSUER,
  plainLabel,
  reason,
  report,
  row,
  rows,
  STRANGER,
  TRUST,
} from "../../support/badges.ts";

const card = (subject: CardSubject, options: BadgeOptions = {}) =>
  cardOf(subject, { trust: TRUST, ...options }).card!;

const POLICY = { suite: "algal", cells: ["algal:t1"], challenges: 4, minPass: 3, ttlSeconds: 180 };

const ADMISSION: CardSubject = report({
  issuer: ISSUER,
  policy: POLICY,
  decidedAt: "2026-01-31T23:59:59Z",
  receipts: rows("ppfp"),
});

Deno.test("a card says suite, policy, day, challenges and key", () => {
  assert.deepEqual(card(ADMISSION), {
    subject: "admission · clankdar-algal-v1",
    facts: ["own floor: 3 of 4 required", "2026-01-31"],
    picture: {
      kind: "marks",
      marks: [
        { state: "passed", name: "algal:t1" },
        { state: "passed", name: "t2" },
        { state: "failed", name: "h:t2" },
        { state: "passed", name: "h:t3" },
      ],
    },
    legend: [{ state: "passed", text: "3 passed" }, { state: "failed", text: "1 failed" }],
    issuer: "signed by Clankdar staging",
  });
  const { card: _, ...badge } = cardOf(ADMISSION, { trust: TRUST, label: plainLabel("mine") });
  assert.deepEqual(badge, badgeOf(ADMISSION, { trust: TRUST, label: plainLabel("mine") }));
  assert.deepEqual(card({ ...ADMISSION, policy: FLOOR }).facts, [
    "floor algal-floor-v1",
    "2026-01-31",
  ]);
});

Deno.test("a card's marks tell passed, failed, unanswered and unreplayed apart", () => {
  const subject: CardSubject = report({
    outcome: "issuer-claimed",
    receipts: [...rows("pfu-"), { ...row("u"), pass: false }],
  }, { challenges: 5, answered: 4, passed: 2, unreplayed: 2, replayedPasses: 1 });
  const { picture, legend } = card(subject);
  assert.deepEqual(picture?.kind === "marks" && picture.marks.map(({ state }) => state), [
    "passed",
    "failed",
    "unreplayed",
    "unanswered",
    "unreplayed-failed",
  ]);
  assert.deepEqual(legend.map(({ text }) => text), [
    "1 passed",
    "1 failed",
    "2 unreplayed",
    "1 unanswered",
  ]);
});

Deno.test("marks that don't add up to the counts are not drawn: the counts are", () => {
  const claimed: CardSubject = report(
    { outcome: "issuer-claimed", receipts: rows("pppp") },
    { unreplayed: 2, replayedPasses: 1 },
  );
  assert.deepEqual(card(claimed).picture, {
    kind: "shares",
    shares: [
      { state: "passed", count: 1 },
      { state: "unreplayed", count: 2 },
      { state: "failed", count: 1 },
    ],
  });
  const many: CardSubject = report(
    { receipts: rows("p".repeat(17)) },
    { challenges: 17, answered: 17, passed: 17, replayedPasses: 17 },
  );
  assert.deepEqual(card(many).picture, {
    kind: "shares",
    shares: [{ state: "passed", count: 17 }],
  });
  const absurd: CardSubject = report({}, { challenges: 1, unreplayed: 3, replayedPasses: 0 });
  assert.equal(card(absurd).picture, null);
});

Deno.test("what is right by itself doesn't count in an invalid document", () => {
  const invalid: CardSubject = report({
    outcome: "invalid",
    verdict: null,
    policy: POLICY,
    receipts: rows("ppxu"),
    reason: reason("receipt-invalid", "prompt-mismatch"),
  });
  const { picture, facts } = card(invalid);
  assert.deepEqual(picture?.kind === "marks" && picture.marks.map(({ state }) => state), [
    "void",
    "void",
    "invalid",
    "unreplayed",
  ]);
  assert.deepEqual(facts, ["receipt-invalid: prompt-mismatch"]);
  assert.equal(card(report({ outcome: "invalid", counts: null })).picture, null);
});

Deno.test("a card that isn't accepted says what the result would have been", () => {
  const acceptance = { accepted: false, failed: ["issuer"] } as const;
  const refused = cardOf(
    {
      ...ADMISSION,
      issuer: STRANGER,
      outcome: "issuer-claimed",
      counts: { ...ADMISSION.counts!, unreplayed: 1 },
    },
    { trust: TRUST, acceptance, issuerAsked: true },
  );
  assert.deepEqual(refused.message, [
    "not accepted",
    "other issuer",
    "1 unreplayed",
    "unknown issuer",
  ]);
  assert.deepEqual(refused.card!.facts, ["Passed: 3 of 4, 3 required", "2026-01-31"]);
  assert.equal(refused.card!.issuer, "signed by an unknown issuer, key 00001111…");
  const met = { acceptance: { accepted: true, failed: [] }, issuerAsked: true };
  assert.equal(
    card({ ...ADMISSION, issuer: STRANGER }, met).issuer,
    "signed by an unknown issuer, key 00001111…, the key this link asks for",
  );
  assert.equal(card(ADMISSION).issuer, "signed by Clankdar staging");
});

Deno.test("a run's card has a column for each cell, a legacy run's one hollow bar", () => {
  const run: CardSubject = {
    ...report(
      { kind: "run", verdict: null, observations: ["unsigned"] },
      { challenges: 20, answered: 20, passed: 12, required: 0, replayedPasses: 12 },
    ),
    run: {
      adapter: `solver ${"x".repeat(50)}`,
      cells: [{ passed: 8, rows: 10 }, { passed: 4, rows: 10 }],
    },
  };
  assert.deepEqual(card(run).picture, {
    kind: "columns",
    columns: [{ passed: 8, total: 10 }, { passed: 4, total: 10 }],
  });
  assert.deepEqual(card(run).facts, [`says it is solver ${"x".repeat(24)}…`]);
  assert.equal(card(run).issuer, "self-reported: nobody signed it");
  const legacy: CardSubject = {
    ...run,
    outcome: "issuer-claimed",
    counts: { ...run.counts!, answered: 18, unreplayed: 20, replayedPasses: 0 },
  };
  assert.deepEqual(card(legacy).picture, {
    kind: "shares",
    shares: [{ state: "unreplayed", count: 20 }],
  });
});

Deno.test("the card of a dossier or bundle has a mark for each member", () => {
  const admissions = ["a", "b"].map((prefix, index) =>
    report({
      id: `${index}`.repeat(64),
      issuer: ISSUER,
      sessionId: `gs_${prefix}`,
      receipts: rows("ppfp", prefix),
    })
  );
  admissions[1]!.outcome = "issuer-claimed";
  admissions[1]!.counts!.unreplayed = 1;
  const bundle = card(bundleOf(admissions));
  assert.equal(bundle.subject, "2 documents · clankdar-algal-v1");
  assert.deepEqual(bundle.facts, ["2 of 2 documents passed"]);
  assert.deepEqual(bundle.picture, {
    kind: "marks",
    marks: [{ state: "passed", name: null }, { state: "unreplayed", name: null }],
  });
  // One document, not one receipt: another number than the one in the message.
  assert.deepEqual(bundle.legend.map(({ text }) => text), [
    "1 passed",
    "1 with unreplayed receipts",
  ]);
});

Deno.test("the suite that an invalid document names is cut", () => {
  const { subject } = card(report({ outcome: "invalid", counts: null, suite: "s".repeat(5000) }));
  assert.equal(subject, `admission · ${"s".repeat(31)}…`);
});

Deno.test("what a card is made of can be kept without the report's long texts", () => {
  const full = report({
    issuer: ISSUER,
    policy: POLICY,
    decidedAt: "2026-01-31T00:00:00Z",
    receipts: rows("ppfp").map((one) => ({ ...one, response: "x".repeat(60_000) })),
  });
  const kept = cardSubject(full);
  assert.deepEqual(
    cardOf(kept, { label: plainLabel("mine") }),
    cardOf(full, { label: plainLabel("mine") }),
  );
  assert.ok(JSON.stringify(kept).length < 2_000);
  assert.deepEqual(structuredClone(kept), kept);
});

Deno.test("the card of what came to no sound result names no signer, and denies none", () => {
  const rejected = [
    report({ outcome: "invalid", verdict: null, counts: null, reason: reason("receipt-invalid") }),
    report({ outcome: null, verdict: null, counts: null, reason: reason("evaluator-missing") }),
  ];
  for (const subject of rejected) {
    const { card, title } = cardOf(subject, { trust: TRUST });
    assert.equal(card!.issuer, null);
    assert.doesNotMatch(`${JSON.stringify(card)} ${title}`, /[Ss]igned|staging/);
  }
});
