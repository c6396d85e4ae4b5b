import assert from "node:assert/strict";
import { sha256Hex } from "../../../lib/encoding/digest.ts";
import { IssuerError } from "../../../lib/issuer/error.ts";
import { createKey, readKeyPair, toJwk } from "../../../lib/issuer/keys.ts";
import { mintAdmission, mintReceipt } from "../../../lib/issuer/mint.ts";
import { createPool, toPoolFile } from "../../../lib/issuer/pool.ts";
import { randomIndex, seededRandom } from "../../../lib/issuer/random.ts";
import {
  answer,
  closeSession,
  openSession,
  publicChallenges,
  readSession,
  type SessionRequest,
} from "../../../lib/issuer/session.ts";
import { createSubjectProof } from "../../../lib/issuer/subject.ts";
import { isMixZero, readPool } from "../../../lib/protocol/pool.ts";
import { verifyDocument } from "../../../lib/verify/verify.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

const verifier = createVerifyContext("auto");
const { references } = verifier;
const NOW = Date.UTC(2026, 2, 3, 4, 5, 6, 789);

const refuses = (code: string) => (error: unknown) =>
  error instanceof IssuerError && error.code === code;

function request(changes: Partial<SessionRequest> = {}): SessionRequest {
  return {
    key: createKey(),
    policy: {
      suite: "touchstone",
      cells: ["algal:t1"],
      challenges: 2,
      minPass: 1,
      ttlSeconds: 60,
    },
    now: NOW,
    references,
    ...changes,
  };
}

Deno.test("a key survives its JSON, and its id is the one of the spec", () => {
  const key = createKey();
  const jwk = toJwk(key);
  assert.deepEqual(Object.keys(jwk), ["kty", "crv", "x", "d", "keyId"]);
  assert.equal(jwk.keyId, sha256Hex(key.publicKey.bytes).slice(0, 16));
  assert.deepEqual(readKeyPair(JSON.parse(JSON.stringify(jwk))), key);
});

Deno.test("a key file with foreign halves, or none, is refused without repeating it", () => {
  const jwk = toJwk(createKey());
  const bad: unknown[] = [
    null,
    [],
    "x",
    {},
    { ...jwk, d: undefined },
    { ...jwk, d: jwk.d + "A" },
    { ...jwk, crv: "X25519" },
    { ...jwk, x: createKey().publicKey.text },
  ];
  for (const value of bad) {
    assert.throws(() => readKeyPair(value), (error) => {
      assert(error instanceof IssuerError && error.code === "key-malformed");
      return !error.message.includes(jwk.d);
    });
  }
});

Deno.test("a seeded stream repeats itself, and another text gives another", () => {
  const [a, b, c] = [seededRandom("a"), seededRandom("a"), seededRandom("b")];
  const first = a(40);
  assert.deepEqual(first, b(40));
  assert.notDeepEqual(a(40), first);
  assert.notDeepEqual(c(40), first);
});

Deno.test("an index repeats draws that would favour small numbers", () => {
  // 2^32 = 3 · 1431655765 + 1, so 0xffffffff is the one draw too many.
  const draws = [[255, 255, 255, 255], [0, 0, 0, 5]];
  assert.equal(randomIndex(() => Uint8Array.from(draws.shift()!), 3), 2);
  assert.equal(draws.length, 0);
});

Deno.test("a pool has labels of at least 128 bits and the key of the spec's example", () => {
  const pool = createPool("touchstone", ["algal:t2", "h:algal:t1"]);
  assert.deepEqual(pool.cells.map(({ family, tier }) => [family, tier]), [["algal", 2], [
    "algal",
    1,
  ]]);
  for (const cell of pool.cells) {
    assert.match(cell.label, /^[A-Za-z0-9_-]{32}$/);
    assert(!isMixZero(cell));
  }
  assert.deepEqual(readPool(toPoolFile(pool)), { ok: true, pool });
  assert.equal(
    createPool("frontier", ["sat:t4"], { labels: ["A".repeat(22)] }).poolKey,
    "bdec7235897a9a630b51f10949c8f4d688afe6de36e4058c6c84319f666f79b9",
  );
});

Deno.test("a pool that would be invalid isn't made", () => {
  const cases: [string, string[], string[] | undefined, string][] = [
    ["nonsense", ["algal:t1"], undefined, "pool-suite-unknown"],
    ["touchstone", ["algal:t4"], undefined, "cell-unknown"],
    ["touchstone", ["algal"], undefined, "cell-unknown"],
    ["touchstone", [], undefined, "pool-malformed"],
    ["touchstone", ["algal:t1", "algal:t1"], undefined, "pool-cell-duplicate"],
    ["touchstone", ["algal:t1"], ["short"], "label-malformed"],
    ["touchstone", ["algal:t1"], [], "label-malformed"],
  ];
  for (const [suite, cells, labels, code] of cases) {
    assert.throws(() => createPool(suite, cells, labels ? { labels } : {}), refuses(code));
  }
});

Deno.test("only the house suite can be minted", async () => {
  for (const suite of ["algal", "v2", "frontier", "agent", "touchstone-algal-v1", ""]) {
    const policy = { ...request().policy, suite };
    await assert.rejects(openSession(request({ policy })), refuses("suite-not-mintable"));
  }
});

Deno.test("a session that would make an invalid document isn't opened", async () => {
  const { policy } = request();
  const heldout = { ...policy, cells: ["h:algal:t1"] };
  const cases: [Partial<SessionRequest>, string][] = [
    [{ policy: { ...policy, cells: [] } }, "policy-malformed"],
    [{ policy: { ...policy, cells: ["algal:t01"] } }, "policy-malformed"],
    [{ policy: { ...policy, minPass: 3 } }, "policy-malformed"],
    [{ policy: { ...policy, challenges: 17 } }, "policy-malformed"],
    [{ policy: { ...policy, ttlSeconds: 9 } }, "policy-malformed"],
    [{ policy: { ...policy, cells: ["algal:t9"] } }, "policy-cell-unknown"],
    [{ policy: heldout }, "pool-missing"],
    [{ policy: heldout, pool: createPool("touchstone", ["algal:t2"]) }, "policy-cell-not-in-pool"],
    [{ policy: heldout, pool: createPool("algal", ["algal:t1"]) }, "pool-suite-mismatch"],
    [{ subject: "" }, "payload-malformed"],
    [{ subject: "x".repeat(257) }, "payload-malformed"],
    [{ context: "x".repeat(257) }, "payload-malformed"],
    [{ context: "\ud800" }, "payload-malformed"],
    [{ draws: ["algal:t1"] }, "policy-malformed"],
    [{ draws: ["algal:t1", "algal:t2"] }, "policy-malformed"],
  ];
  for (const [changes, code] of cases) {
    await assert.rejects(openSession(request(changes)), refuses(code), code);
  }
});

Deno.test("cells are drawn with replacement out of all of the policy's", async () => {
  const cells = ["algal:t1", "algal:t2", "algal:t3"];
  const policy = { ...request().policy, cells, challenges: 16 };
  const random = seededRandom("draws");
  const session = await openSession(request({ policy, random }));
  const tiers = publicChallenges(session).map(({ tier }) => tier);
  assert.deepEqual([...new Set(tiers)].sort(), [1, 2, 3]);
});

Deno.test("what is handed out holds no seed, answer or label", async () => {
  const pool = createPool("touchstone", ["algal:t1"]);
  const policy = { ...request().policy, cells: ["h:algal:t1"] };
  const session = await openSession(request({ policy, pool }));
  for (const challenge of publicChallenges(session)) {
    assert.deepEqual(Object.keys(challenge).sort(), [
      "challengeId",
      "expiresAt",
      "family",
      "heldout",
      "kind",
      "nonce",
      "prompt",
      "protocol",
      "seedCommit",
      "sessionId",
      "suiteVersion",
      "tier",
      "verifier",
    ]);
  }
  const label = pool.cells[0]!.label;
  assert(!JSON.stringify(session).includes(label), "a session needs no label once it is open");
});

Deno.test("a session survives its JSON, and other JSON isn't taken for one", async () => {
  const session = await openSession(request({ subject: "s", context: "c" }));
  assert.deepEqual(readSession(JSON.parse(JSON.stringify(session))), session);
  for (const value of [null, {}, [], { ...session, items: [] }, { ...session, extra: 1 }]) {
    assert.throws(() => readSession(value), refuses("session-malformed"));
  }
});

Deno.test("the deadline itself is in time, a millisecond later nothing is taken or decided", async () => {
  const asked = request();
  const session = await openSession(asked);
  const id = session.items[0]!.challenge.challengeId;
  const deadline = NOW + 60_000;
  assert.equal(session.items[0]!.challenge.expiresAt, new Date(deadline).toISOString());
  const { session: answered } = await answer(session, id, "1", deadline);
  await assert.rejects(answer(session, id, "1", deadline + 1), refuses("session-expired"));
  await assert.rejects(
    closeSession(answered, asked.key, deadline + 1),
    refuses("session-expired"),
  );
  const { admission } = await closeSession(answered, asked.key, deadline);
  assert.equal((await verifyDocument(admission, verifier)).outcome, "verified");
});

Deno.test("the first answer counts, also one in the wrong format", async () => {
  const asked = request();
  const opened = await openSession(asked);
  const [first, second] = opened.items.map(({ challenge }) => challenge.challengeId);
  const { session, accepted } = await answer(opened, first!, "about five", NOW);
  assert.equal(accepted, false);
  const right = opened.items[0]!.expected;
  await assert.rejects(answer(session, first!, right, NOW), refuses("already-answered"));
  await assert.rejects(answer(session, "att_AAAAAAAAAAAA", "1", NOW), refuses("challenge-unknown"));
  await assert.rejects(
    answer(session, second!, "1".repeat(8193), NOW),
    refuses("response-too-long"),
  );
  const closed = await closeSession(session, asked.key, NOW);
  const report = await verifyDocument(closed.admission, verifier);
  assert.equal(report.outcome, "verified");
  assert.equal(report.verdict, "fail");
  assert.equal(report.counts?.answered, 0);
  assert.deepEqual(report.receipts.map(({ outcome }) => outcome), ["unanswered", "unanswered"]);
});

Deno.test("a session has one decision, by the key that opened it", async () => {
  const asked = request();
  const session = await openSession(asked);
  await assert.rejects(closeSession(session, createKey(), NOW), refuses("issuer-key-mixed"));
  const closed = await closeSession(session, asked.key, NOW);
  const again = await closeSession(closed.session, asked.key, NOW + 999_999);
  assert.deepEqual(again.admission, closed.admission);
  const id = session.items[0]!.challenge.challengeId;
  await assert.rejects(answer(closed.session, id, "1", NOW), refuses("session-closed"));
});

Deno.test("a proof has to be of this session, and all of one key", async () => {
  const [one, other] = [createKey(), createKey()];
  const session = await openSession(request());
  const foreign = await openSession(request());
  const [first, second] = publicChallenges(session);
  const id = first!.challengeId;
  const pasted = await createSubjectProof(one, publicChallenges(foreign)[0]!);
  await assert.rejects(answer(session, id, "1", NOW, pasted), refuses("subject-proof-invalid"));
  const weak = { publicKey: "A".repeat(43), signature: "A".repeat(86) };
  await assert.rejects(answer(session, id, "1", NOW, weak), refuses("subject-key-weak"));
  const proof = await createSubjectProof(one, first!);
  const taken = await answer(session, id, "1", NOW, proof);
  const mixed = await createSubjectProof(other, second!);
  await assert.rejects(
    answer(taken.session, second!.challengeId, "1", NOW, mixed),
    refuses("subject-keys-mixed"),
  );
});

Deno.test("minted: published and passed, with claims and a subject's proof", async () => {
  const subjectKey = createKey();
  const { envelope, key, pool } = await mintAdmission({
    cells: ["algal:t1", "algal:t2", "algal:t3"],
    answers: ["right", "right", "right"],
    minPass: 3,
    subject: subjectKey.publicKey.text,
    context: "run 7",
    subjectKey,
    references,
  });
  assert.equal(pool, undefined);
  const report = await verifyDocument(envelope, verifier);
  assert.equal(report.outcome, "verified");
  assert.equal(report.verdict, "pass");
  assert.equal(report.issuer?.publicKey, key.publicKey.text);
  assert.equal(report.subjectKey, subjectKey.publicKey.text);
  assert.equal(report.subject, subjectKey.publicKey.text);
  assert.equal(report.context, "run 7");
  assert.deepEqual(report.observations, ["issuer-unknown"]);
  assert.deepEqual(report.receipts.map(({ cell }) => cell), ["algal:t1", "algal:t2", "algal:t3"]);
});

Deno.test("minted: held out, without pool, with it, and with another", async () => {
  const { envelope, pool } = await mintAdmission({
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "right", "wrong", "wrong"],
    minPass: 2,
    references,
  });
  const other = createPool("touchstone", ["algal:t2"]);
  for (const pools of [[], [other]]) {
    const report = await verifyDocument(envelope, verifier, pools);
    assert.equal(report.outcome, "issuer-claimed");
    assert.deepEqual(report.counts, {
      challenges: 4,
      answered: 4,
      passed: 2,
      required: 2,
      unreplayed: 2,
      replayedPasses: 1,
      formatOnly: 0,
    });
    assert(report.observations.includes("pass-rests-on-issuer"));
  }
  const report = await verifyDocument(envelope, verifier, [other, pool!]);
  assert.equal(report.outcome, "verified");
  assert.equal(report.counts?.replayedPasses, 2);
  assert.equal(report.counts?.unreplayed, 0);
});

Deno.test("minted: a dishonest issuer is exposed by the pool it committed to", async () => {
  const committed = createPool("touchstone", ["algal:t1"]);
  const used = createPool("touchstone", ["algal:t1"]);
  const { envelope } = await mintAdmission({
    cells: ["h:algal:t1"],
    answers: ["right"],
    minPass: 1,
    pool: { ...used, poolKey: committed.poolKey },
    references,
  });
  assert.equal((await verifyDocument(envelope, verifier)).outcome, "issuer-claimed");
  const report = await verifyDocument(envelope, verifier, [committed]);
  assert.equal(report.outcome, "invalid");
  assert.equal(report.reason?.code, "receipt-invalid");
  assert.equal(report.reason?.inner?.code, "prompt-mismatch");
  assert(report.observations.includes("exposed"));
});

Deno.test("minted: lone receipts of every kind", async () => {
  for (const cell of ["algal:t1", "algal:t2", "algal:t3", "h:algal:t1"]) {
    for (const kind of ["right", "wrong"] as const) {
      const subjectKey = createKey();
      const { envelope, pool } = await mintReceipt({ cell, answer: kind, subjectKey, references });
      const report = await verifyDocument(envelope, verifier, pool ? [pool] : []);
      assert.equal(report.kind, "receipt");
      assert.equal(report.outcome, "verified", report.reason?.code);
      assert.equal(report.verdict, kind === "right" ? "pass" : "fail");
      assert.equal(report.subjectKey, subjectKey.publicKey.text);
      assert.equal(report.sessionId, undefined);
      if (pool !== undefined) {
        const without = await verifyDocument(envelope, verifier);
        assert.equal(without.outcome, "issuer-claimed");
        assert.equal(without.counts?.unreplayed, 1);
      }
    }
  }
});

Deno.test("the largest admission that can be minted stays within the verifier's limits", async () => {
  const key = createKey();
  const subjectKey = createKey();
  const policy = {
    suite: "touchstone",
    cells: ["algal:t3"],
    challenges: 16,
    minPass: 1,
    ttlSeconds: 60,
  };
  const long = "\u{1d7d8}".repeat(128);
  let session = await openSession(request({ key, policy, subject: long, context: long }));
  for (const { challenge, expected } of session.items) {
    const padded = expected + "\u2028".repeat(4096) + "\n".repeat(4096 - expected.length);
    const proof = await createSubjectProof(subjectKey, challenge);
    session = (await answer(session, challenge.challengeId, padded, NOW, proof)).session;
  }
  const { admission } = await closeSession(session, key, NOW);
  const report = await verifyDocument(admission, verifier);
  assert.equal(report.outcome, "verified", report.reason?.message);
  assert.equal(report.counts?.passed, 16);
});
