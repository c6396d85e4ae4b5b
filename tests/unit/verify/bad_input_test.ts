/** Receipts that are properly signed but say something wrong: each kind has its reason code. */
import assert from "node:assert/strict";
import { canonicalJson } from "../../../lib/encoding/canonical.ts";
import { mintReceipt } from "../../../lib/issuer/mint.ts";
import { signEnvelope } from "../../../lib/issuer/receipt.ts";
import { seedCommitment } from "../../../lib/protocol/challenge.ts";
import { verifyDocument } from "../../../lib/verify/verify.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

const verifier = createVerifyContext("auto");
const { references } = verifier;
const minted = await mintReceipt({ cell: "algal:t2", answer: "right", references });

interface Body {
  challenge: Record<string, unknown> & {
    suiteVersion: string;
    family: string;
    tier: number;
    nonce: string;
    prompt: string;
    seedCommit: string;
  };
  seed: number;
  expected: string;
  response: string;
  verdict: Record<string, unknown>;
}

/** The reason code of the minted receipt with an edited body, its seed committed to anew. */
async function codeOf(edit: (body: Body) => void, recommit = true): Promise<string | undefined> {
  const body = JSON.parse(minted.envelope.payload) as Body;
  edit(body);
  if (recommit) body.challenge.seedCommit = seedCommitment(body.challenge, body.seed);
  const document = await signEnvelope("clankdar-attest-v1", minted.key, body);
  const report = await verifyDocument(document, verifier);
  assert.notEqual(report.outcome, null);
  assert.equal(report.outcome === "verified", report.reason === null);
  return report.reason?.code;
}

Deno.test("the unedited receipt is verified", async () => {
  assert.equal(await codeOf(() => {}), undefined);
});

Deno.test("a cell that the suite does not have", async () => {
  for (const family of ["sat", "", "ALGAL", "constructor", "__proto__", "algal\0", "algal:t2"]) {
    assert.equal(await codeOf((body) => body.challenge.family = family), "cell-unknown", family);
  }
  for (const tier of [0, 4, -1, 2 ** 31]) {
    assert.equal(await codeOf((body) => body.challenge.tier = tier), "cell-unknown", `${tier}`);
  }
  const unknown = (body: Body) => body.challenge.suiteVersion = "clankdar-algal-v2";
  assert.equal(await codeOf(unknown), "suite-unknown");
});

Deno.test("a tier that is no integer", async () => {
  for (const tier of ["2", 2.5, null, [2], true]) {
    const edit = (body: Body) => body.challenge.tier = tier as unknown as number;
    assert.equal(await codeOf(edit, false), "payload-malformed", JSON.stringify(tier));
  }
});

Deno.test("a seed out of range, or none", async () => {
  for (const seed of [-1, 2 ** 32, 0.5, 2 ** 53, 1e300]) {
    assert.equal(await codeOf((body) => body.seed = seed), "seed-out-of-range", `${seed}`);
  }
  for (const seed of ["1", null, true, [1]]) {
    const edit = (body: Body) => body.seed = seed as unknown as number;
    assert.equal(await codeOf(edit, false), "payload-malformed", JSON.stringify(seed));
  }
  const other = (body: Body) => body.seed = (body.seed ^ 1) >>> 0;
  assert.equal(await codeOf(other, false), "seed-commitment-mismatch");
  assert.equal(await codeOf(other), "prompt-mismatch");
});

Deno.test("a prompt that is not exactly the regenerated one", async () => {
  const edits: ((prompt: string) => string)[] = [
    (prompt) => prompt + " ",
    (prompt) => " " + prompt,
    (prompt) => prompt.replace(" ", "  "),
    (prompt) => prompt.replace(" ", "\u00a0"),
    (prompt) => prompt.slice(0, -1),
    (prompt) => prompt.slice(1),
    (prompt) => prompt + prompt,
    (prompt) => prompt.replace("\n", "\r\n"),
    (prompt) => prompt.replace(/[0-9]/, "٣"),
    (prompt) => prompt.replace("e", "\u0435"),
    (prompt) => prompt.normalize("NFD") + "\u0301",
  ];
  for (const edit of edits) {
    const change = (body: Body) => body.challenge.prompt = edit(body.challenge.prompt);
    assert.equal(await codeOf(change), "prompt-mismatch", String(edit));
  }
});

Deno.test("answers with digits that aren't ASCII", async () => {
  const arabic = (text: string) => text.replace(/[0-9]/g, (d) => "٠١٢٣٤٥٦٧٨٩"[Number(d)]!);
  const fullwidth = (text: string) =>
    text.replace(/[0-9]/g, (d) => String.fromCharCode(0xff10 + Number(d)));
  for (const spell of [arabic, fullwidth]) {
    const response = (body: Body) => body.response = spell(body.response);
    assert.equal(await codeOf(response), "response-not-canonical");
    const expected = (body: Body) => body.expected = spell(body.expected);
    assert.equal(await codeOf(expected), "expected-not-canonical");
  }
});

Deno.test("a wrong answer that the whole receipt agrees on", async () => {
  const wrong = (body: Body) => {
    body.expected = body.response = String(Number(body.expected) + 1);
  };
  assert.equal(await codeOf(wrong), "answer-mismatch");
});

Deno.test("several faults at once: the code is that of the first in the specification's order", async () => {
  const late = (body: Body) => body.verdict.answeredAt = "2999-01-01T00:00:00.000Z";
  const flipped = (body: Body) => body.verdict.pass = false;
  const prompt = (body: Body) => body.challenge.prompt += " ";
  const spaced = (body: Body) => body.response = "no number";
  const all = (...edits: ((body: Body) => void)[]) =>
    codeOf((body) => edits.forEach((e) => e(body)));
  assert.equal(await all(late), "answered-late");
  assert.equal(await all(late, flipped), "score-mismatch");
  assert.equal(await all(late, flipped, prompt), "prompt-mismatch");
  assert.equal(await all(late, flipped, prompt, spaced), "response-not-canonical");
  assert.equal(await all(late, (body) => body.challenge.tier = 9), "cell-unknown");
});

Deno.test("nothing unsigned is repeated, however it is wrong", async () => {
  const marker = "buycoins";
  const challenge = JSON.parse(minted.envelope.payload).challenge;
  const admission = {
    kind: "admission",
    sessionId: "gs_AAAAAAAAAAAA",
    policy: { suite: "touchstone", cells: ["algal:t1"], challenges: 1, minPass: 1, ttlSeconds: 60 },
    challenges: [{ ...challenge, sessionId: "gs_AAAAAAAAAAAA" }],
    receipts: [],
    verdict: { pass: false, passed: 0, required: 1, decidedAt: "2026-01-01T00:00:00.000Z" },
  };
  const edits: Record<string, unknown>[] = [
    { policy: { ...admission.policy, cells: [`${marker}:t1`] } },
    { policy: { ...admission.policy, suite: marker } },
    { policy: { ...admission.policy, cells: [marker] } },
    { policy: { ...admission.policy, challenges: 7 } },
    { sessionId: marker },
    { kind: marker },
    { challenges: [{ ...challenge, family: marker, nonce: marker }] },
    { challenges: [{ ...challenge, verifier: { keyId: marker, publicKey: marker } }] },
    { challenges: [{ ...challenge, verifier: { ...challenge.verifier, keyId: marker } }] },
    { challenges: [{ ...challenge, expiresAt: marker }] },
    { challenges: [{ ...challenge, heldout: marker }] },
    { receipts: marker },
    { verdict: { ...admission.verdict, decidedAt: [marker] } },
    { subject: { [marker]: marker } },
    { context: marker },
  ];
  for (const edit of edits) {
    const payload = canonicalJson({ ...admission, ...edit });
    const document = { protocol: "clankdar-gate-v1", payload, signature: "A".repeat(86) };
    const report = await verifyDocument(document, verifier);
    assert.equal(report.outcome, "invalid");
    assert.ok(!JSON.stringify(report).includes(marker), JSON.stringify(report.reason));
  }
});
