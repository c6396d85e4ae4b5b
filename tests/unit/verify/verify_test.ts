/** What reports say beyond outcome and code: observations, counts, silence about unsigned content. */
import assert from "node:assert/strict";
import { createReferences, EvaluatorUnavailable } from "../../../lib/evaluator/reference.ts";
import { createKey } from "../../../lib/issuer/keys.ts";
import { mintAdmission, type Minted, mintReceipt } from "../../../lib/issuer/mint.ts";
import { createPool } from "../../../lib/issuer/pool.ts";
import { signEnvelope } from "../../../lib/issuer/receipt.ts";
import { poolKeyOf, readPool } from "../../../lib/protocol/pool.ts";
import { verifyDocument } from "../../../lib/verify/verify.ts";
import { HOUSE_EVALUATOR } from "../../../lib/suites/suites.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

const verifier = createVerifyContext("auto");
const { references } = verifier;

const admission = (request: Partial<Parameters<typeof mintAdmission>[0]>) =>
  mintAdmission({
    cells: ["algal:t1", "algal:t2"],
    answers: ["right", "right", "right"],
    minPass: 2,
    references,
    ...request,
  });

/** The same admission with an edited body, signed again by the same key. */
async function resigned(minted: Minted, edit: (body: Body) => void) {
  const body = JSON.parse(minted.envelope.payload) as Body;
  edit(body);
  return await signEnvelope(minted.envelope.protocol, minted.key, body);
}
type Body = Record<string, unknown> & {
  verdict: Record<string, unknown>;
  receipts: unknown[];
};

Deno.test("a plain admission of an unknown issuer", async () => {
  const minted = await admission({});
  const report = await verifyDocument(minted.envelope, verifier);
  assert.equal(report.outcome, "verified");
  assert.deepEqual(report.observations, ["issuer-unknown"]);
  assert.equal(report.evaluator?.official, false);
  assert.equal(report.evaluator?.used, report.evaluator?.pinned, "the house suite pins our own");
  assert.equal(report.issuer?.name, undefined);

  const issuers = new Map([[minted.key.publicKey.text, "House"]]);
  const known = await verifyDocument(minted.envelope, { ...verifier, issuers });
  assert.deepEqual(known.observations, []);
  assert.equal(known.issuer?.name, "House");
});

Deno.test("wrapped documents are unwrapped, and the report says so", async () => {
  const { envelope } = await admission({});
  const report = await verifyDocument({ admission: envelope, receipts: [] }, verifier);
  assert.equal(report.outcome, "verified");
  assert.ok(report.observations.includes("unwrapped"));
});

Deno.test("an issuer that is its own subject", async () => {
  const key = createKey();
  const report = await verifyDocument(
    (await admission({ key, subjectKey: key })).envelope,
    verifier,
  );
  assert.equal(report.outcome, "verified");
  assert.equal(report.subjectKey, key.publicKey.text);
  assert.ok(report.observations.includes("self-issued"));
});

Deno.test("a subject that looks like a key needs that key's proof", async () => {
  const subjectKey = createKey();
  const subject = subjectKey.publicKey.text;
  const observed = async (request: Parameters<typeof admission>[0]) =>
    (await verifyDocument((await admission(request)).envelope, verifier)).observations
      .includes("subject-claim-unproven");
  assert.equal(await observed({ subject, subjectKey }), false);
  assert.equal(await observed({ subject }), true);
  assert.equal(await observed({ subject, subjectKey: createKey() }), true);
  assert.equal(await observed({ subject: "somebody" }), false);
});

Deno.test("a pass that rests on the issuer's word, until the pool is disclosed", async () => {
  const minted = await admission({ cells: ["h:algal:t1", "algal:t2", "h:algal:t1"] });
  const claimed = await verifyDocument(minted.envelope, verifier);
  assert.equal(claimed.outcome, "issuer-claimed");
  assert.equal(claimed.verdict, "pass");
  assert.equal(claimed.reason, null);
  assert.deepEqual(
    [claimed.counts?.passed, claimed.counts?.unreplayed, claimed.counts?.replayedPasses],
    [3, 2, 1],
  );
  assert.ok(claimed.observations.includes("pass-rests-on-issuer"));
  assert.deepEqual(claimed.pools, [{ poolKey: minted.pool!.poolKey, disclosed: false }]);
  const unreplayed = claimed.receipts.filter((r) => r.outcome === "issuer-claimed");
  assert.deepEqual(unreplayed.map((r) => r.reason?.code), ["pool-undisclosed", "pool-undisclosed"]);

  const disclosed = await verifyDocument(minted.envelope, verifier, [minted.pool!]);
  assert.equal(disclosed.outcome, "verified");
  assert.equal(disclosed.counts?.unreplayed, 0);
  assert.equal(disclosed.counts?.replayedPasses, 3);
  assert.ok(!disclosed.observations.includes("pass-rests-on-issuer"));
  assert.deepEqual(disclosed.pools, [{ poolKey: minted.pool!.poolKey, disclosed: true }]);
});

Deno.test("a pool that contradicts exposes the admission; a broken one was never whole", async () => {
  const honest = await admission({ cells: ["h:algal:t1"], answers: ["right"], minPass: 1 });
  // Minted with the labels of one pool under the key of another: the puzzles aren't the committed ones.
  const other = createPool("touchstone", ["algal:t1"]);
  const forged = await admission({
    cells: ["h:algal:t1"],
    answers: ["right"],
    minPass: 1,
    pool: { ...honest.pool!, poolKey: other.poolKey },
  });
  const before = await verifyDocument(forged.envelope, verifier);
  assert.equal(before.outcome, "issuer-claimed");
  const after = await verifyDocument(forged.envelope, verifier, [other]);
  assert.equal(after.outcome, "invalid");
  assert.equal(after.reason?.code, "receipt-invalid");
  assert.equal(after.reason?.inner?.code, "prompt-mismatch");
  assert.ok(after.observations.includes("exposed"));

  const broken = await resigned(honest, (body) => body.verdict.passed = 0);
  const report = await verifyDocument(broken, verifier, [honest.pool!]);
  assert.equal(report.reason?.code, "verdict-mismatch");
  assert.ok(!report.observations.includes("exposed"));
});

Deno.test("exposed only if the check without the pool came to an end", async () => {
  const other = createPool("touchstone", ["algal:t1"]);
  const forged = await admission({
    cells: ["h:algal:t1", "algal:t2"],
    answers: ["right", "right"],
    minPass: 1,
    pool: { ...createPool("touchstone", ["algal:t1"]), poolKey: other.poolKey },
  });
  // The evaluator answers the two programs of the check with the pool, and is gone for the second.
  let left = 2;
  const failing = {
    ...references,
    evaluate: (...args: Parameters<typeof references.evaluate>) =>
      left-- > 0
        ? references.evaluate(...args)
        : Promise.reject(new EvaluatorUnavailable("evaluator-missing", "gone")),
  };
  const report = await verifyDocument(forged.envelope, { ...verifier, references: failing }, [
    other,
  ]);
  assert.equal(report.outcome, "invalid");
  assert.ok(!report.observations.includes("exposed"));
  const whole = await verifyDocument(forged.envelope, verifier, [other]);
  assert.ok(whole.observations.includes("exposed"));
});

Deno.test("a label whose constant is zero leaves the published stream", async () => {
  // A label found by search; its constant is 0 (vectors/protocol/pools.jsonl).
  const cells = [{ family: "algal", tier: 1, label: "touchstone-shared-000o3hMJA" }];
  const poolKey = poolKeyOf("touchstone", cells);
  const read = readPool({ protocol: "clankdar-holdout-v1", suite: "touchstone", poolKey, cells });
  assert.ok(read.ok);
  const minted = await admission({ cells: ["h:algal:t1"], pool: read.pool });
  const observed = async (pools: typeof read.pool[]) =>
    (await verifyDocument(minted.envelope, verifier, pools)).observations;
  assert.ok((await observed([read.pool])).includes("label-mix-zero"));
  assert.ok(!(await observed([])).includes("label-mix-zero"), "not known before disclosure");
});

Deno.test("answered after the decision, and asked twice", async () => {
  const minted = await admission({});
  const early = await resigned(minted, (body) => body.verdict.decidedAt = "2020-01-01T00:00:00Z");
  const report = await verifyDocument(early, verifier);
  assert.equal(report.outcome, "verified");
  assert.ok(report.observations.includes("answered-after-decision"));

  // The issuer's randomness gives every challenge the same seed.
  let ids = 0;
  const random = (bytes: number) =>
    bytes === 4 ? new Uint8Array([0, 0, 0, 1]) : new Uint8Array(bytes).fill(++ids);
  const repeated = await admission({ cells: ["algal:t1"], random });
  const twice = await verifyDocument(repeated.envelope, verifier);
  assert.equal(twice.outcome, "verified");
  assert.ok(twice.observations.includes("repeated-instance"));
});

Deno.test("before the signature has verified, nothing of the content is repeated", async () => {
  const { envelope } = await admission({ context: "a secret of somebody's" });
  const other = await admission({});
  for (
    const document of [
      { ...envelope, signature: other.envelope.signature },
      { ...envelope, payload: envelope.payload.replace('"kind":"admission"', '"kind":"receipt"') },
      { ...envelope, payload: envelope.payload.slice(0, -1) },
    ]
  ) {
    const report = await verifyDocument(document, verifier);
    assert.equal(report.outcome, "invalid");
    assert.equal(report.counts, null);
    assert.deepEqual(report.receipts, []);
    assert.ok(!JSON.stringify(report).includes("a secret"));
    assert.match(report.id!, /^[0-9a-f]{64}$/);
  }
});

Deno.test("one invalid receipt: its row says why, the sound ones still count", async () => {
  const minted = await admission({ answers: ["right", "wrong", "right"] });
  const edited = await resigned(minted, (body) => {
    const receipt = body.receipts[1] as { payload: string };
    receipt.payload = receipt.payload.replace('"pass":false', '"pass":true');
  });
  const report = await verifyDocument(edited, verifier);
  assert.equal(report.outcome, "invalid");
  assert.equal(report.reason?.path, "receipts[1]");
  assert.equal(report.reason?.inner?.code, "signature-invalid");
  assert.equal(report.verdict, null);
  assert.equal(report.counts?.passed, 2);
  assert.deepEqual(report.receipts.map((r) => r.outcome), ["verified", "invalid", "verified"]);
});

Deno.test("a lone receipt counts as one challenge", async () => {
  const { envelope } = await mintReceipt({ cell: "algal:t3", answer: "wrong", references });
  const report = await verifyDocument(envelope, verifier);
  assert.equal(report.kind, "receipt");
  assert.equal(report.outcome, "verified");
  assert.equal(report.verdict, "fail");
  assert.deepEqual(report.counts, {
    challenges: 1,
    answered: 1,
    passed: 0,
    required: 1,
    unreplayed: 0,
    replayedPasses: 0,
    formatOnly: 0,
  });
  assert.equal(report.receipts.length, 1);
  assert.equal(report.receipts[0]!.outcome, "verified");
});

Deno.test("an evaluator that can't be trusted leaves a check unfinished, never invalid", async () => {
  const { envelope } = await admission({});
  const broken = createReferences({
    own: () => Promise.resolve(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
    official: () => Promise.resolve(null),
    mode: "auto",
    ownPin: HOUSE_EVALUATOR,
    officialPin: "0".repeat(64),
  });
  const report = await verifyDocument(envelope, { ...verifier, references: broken });
  assert.equal(report.outcome, null);
  assert.equal(report.reason?.code, "evaluator-hash-mismatch");
  assert.equal(report.verdict, null);
  assert.equal(report.counts, null);
});
Deno.test("a fault of ours is reported as unfinished, and told to the operator", async () => {
  const { envelope } = await admission({});
  const faults: unknown[] = [];
  const faulty = {
    ...verifier,
    references: {
      ...references,
      evaluate: () => Promise.reject(new TypeError("a bug")),
    },
    onFault: (error: unknown) => faults.push(error),
  };
  const report = await verifyDocument(envelope, faulty);
  assert.equal(report.outcome, null);
  assert.equal(report.reason?.code, "internal-error");
  assert.equal(faults.length, 1);
});
