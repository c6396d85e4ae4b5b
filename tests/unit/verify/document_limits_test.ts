/**
 * Sizes and depths, each at its limit and one beyond, on every level of documents within documents.
 * Numbers: protocols spec 13 and 20.
 */
import assert from "node:assert/strict";
import { createKey } from "../../../lib/issuer/keys.ts";
import { mintAdmission, mintReceipt } from "../../../lib/issuer/mint.ts";
import { createPool, toPoolFile } from "../../../lib/issuer/pool.ts";
import { signEnvelope } from "../../../lib/issuer/receipt.ts";
import type { Envelope } from "../../../lib/protocol/envelope.ts";
import { readInput } from "../../../lib/verify/input.ts";
import type { Report } from "../../../lib/verify/report.ts";
import { verifyDocument } from "../../../lib/verify/verify.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";
import { admissionOf, challengeOf, receiptBody, SESSION, signBody } from "../../support/forge.ts";

const KIB = 1024;
const verifier = createVerifyContext("auto");
const { references } = verifier;
const key = createKey();
const bytes = (text: string) => new TextEncoder().encode(text).length;

const receipt = await mintReceipt({ cell: "algal:t1", answer: "right", key, references });
const admission = await mintAdmission({
  cells: ["algal:t1"],
  answers: ["right", "right"],
  minPass: 1,
  key,
  references,
});

/** The document with a member more, signed again. Unknown members mean nothing (protocols spec 14 no. 1). */
async function withMember(envelope: Envelope, member: unknown): Promise<Envelope> {
  return await signEnvelope(envelope.protocol, key, {
    ...JSON.parse(envelope.payload),
    zz: member,
  });
}

/** The document with a payload of exactly `size` bytes; characters of two bytes make up most of it. */
async function ofSize(envelope: Envelope, size: number): Promise<Envelope> {
  const missing = size - bytes((await withMember(envelope, "")).payload);
  const sized = await withMember(envelope, "é".repeat(missing >> 1) + "e".repeat(missing & 1));
  assert.equal(bytes(sized.payload), size);
  return sized;
}

/** The admission with its first receipt replaced. */
async function carrying(first: Envelope): Promise<Envelope> {
  const body = JSON.parse(admission.envelope.payload);
  body.receipts[0] = first;
  return await signEnvelope("clankdar-gate-v1", key, body);
}

const firstReceipt: Envelope = JSON.parse(admission.envelope.payload).receipts[0];

/** Lists within lists: `depth` of them. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function codes({ outcome, reason }: Report): string {
  if (reason === null) return String(outcome);
  return reason.inner === undefined ? reason.code : `${reason.code} › ${reason.inner.code}`;
}

const check = async (document: unknown) => codes(await verifyDocument(document, verifier));

Deno.test("a receipt's payload has at most 256 KiB", async () => {
  assert.equal(await check(await ofSize(receipt.envelope, 256 * KIB)), "verified");
  assert.equal(await check(await ofSize(receipt.envelope, 256 * KIB + 1)), "document-too-large");
});

Deno.test("an admission's payload has at most 1 MiB", async () => {
  assert.equal(await check(await ofSize(admission.envelope, 1024 * KIB)), "verified");
  assert.equal(await check(await ofSize(admission.envelope, 1024 * KIB + 1)), "document-too-large");
});

Deno.test("a receipt within an admission has at most 256 KiB too", async () => {
  const fits = await carrying(await ofSize(firstReceipt, 256 * KIB));
  assert.equal(await check(fits), "verified");
  const tooLarge = await carrying(await ofSize(firstReceipt, 256 * KIB + 1));
  assert.ok(bytes(tooLarge.payload) < 1024 * KIB);
  assert.equal(await check(tooLarge), "receipt-invalid › document-too-large");
});

Deno.test("a payload nests at most 64 levels, the outermost included", async () => {
  for (const { envelope } of [receipt, admission]) {
    assert.equal(await check(await withMember(envelope, nested(63))), "verified");
    assert.equal(await check(await withMember(envelope, nested(64))), "document-too-deep");
  }
});

Deno.test("a payload within a payload nests at most 64 levels by itself", async () => {
  // The admission around it adds nothing: to it the payload is a text.
  const fits = await carrying(await withMember(firstReceipt, nested(63)));
  assert.equal(await check(fits), "verified");
  const tooDeep = await carrying(await withMember(firstReceipt, nested(64)));
  assert.equal(await check(tooDeep), "receipt-invalid › document-too-deep");
});

Deno.test("a document around a payload nests at most 64 levels, in each form of input", async () => {
  const wrapper = (depth: number) => ({ receipt: receipt.envelope, more: nested(depth) });
  const forms: ((document: unknown) => string)[] = [
    (document) => JSON.stringify(document),
    (document) => JSON.stringify([document]),
    (document) => JSON.stringify({ documents: [document] }),
    (document) => `${JSON.stringify(document)}\n${JSON.stringify(document)}\n`,
  ];
  for (const form of forms) {
    const read = async (depth: number) => {
      const text = form(wrapper(depth));
      const input = await readInput(new TextEncoder().encode(text), {
        bytes: 4 * KIB * KIB,
        documents: 10,
      });
      if (!input.ok) return input.reason.code;
      const [entry] = input.input.entries;
      if ("reason" in entry!) return entry.reason.code;
      return await check("value" in entry! ? entry.value : null);
    };
    assert.equal(await read(63), "verified");
    assert.equal(await read(64), "document-too-deep");
    assert.equal(await read(1000), "document-too-deep");
  }
});

Deno.test("a prompt has at most 64 KiB", async () => {
  const prompts: [prompt: string, fits: boolean][] = [
    ["p".repeat(64 * KIB), true],
    ["p".repeat(64 * KIB + 1), false],
    ["é".repeat(32 * KIB), true],
    ["é".repeat(32 * KIB) + "p", false],
    ["", false],
  ];
  for (const [prompt, fits] of prompts) {
    const body = receiptBody(challengeOf(key, 0, { prompt }));
    assert.equal(
      await check(await signBody(key, body)),
      fits ? "issuer-claimed" : "payload-malformed",
    );
    const session = receiptBody(challengeOf(key, 0, { prompt, sessionId: SESSION.sessionId }));
    const whole = await check(await admissionOf(key, [session]));
    assert.equal(whole, fits ? "issuer-claimed" : "challenge-malformed");
  }
});

Deno.test("answers have at most 65,536 characters, claims 256", async () => {
  const forged = async (challenge: Record<string, unknown>, answer: string) =>
    await check(
      await signBody(
        key,
        receiptBody(challengeOf(key, 0, challenge), { response: answer, expected: answer }),
      ),
    );
  assert.equal(await forged({}, "a".repeat(65_536)), "issuer-claimed");
  assert.equal(await forged({}, "a".repeat(65_537)), "payload-malformed");
  for (const claim of ["context", "subject"]) {
    assert.equal(await forged({ [claim]: "c".repeat(256) }, "a"), "issuer-claimed");
    assert.equal(await forged({ [claim]: "c".repeat(257) }, "a"), "payload-malformed");
  }
});

Deno.test("a session has at most 16 challenges", async () => {
  const bodies = (count: number) =>
    Array.from(
      { length: count },
      (_, index) => receiptBody(challengeOf(key, index, { sessionId: SESSION.sessionId })),
    );
  assert.equal(await check(await admissionOf(key, bodies(16))), "issuer-claimed");
  assert.equal(await check(await admissionOf(key, bodies(17))), "policy-malformed");
});

Deno.test("a text has at most 250,000 members", async () => {
  const members = async (count: number) =>
    await withMember(admission.envelope, Array(count).fill(0));
  assert.equal(await check(await members(200_000)), "verified");
  assert.equal(await check(await members(250_001)), "document-too-large");
});

Deno.test("a pool among documents has at most 64 KiB", async () => {
  const pool = toPoolFile(createPool("touchstone", ["algal:t1"]));
  const room = 64 * KIB - bytes(JSON.stringify({ ...pool, zz: "" }));
  const read = async (padding: string) => {
    const text = JSON.stringify({ documents: [1], pools: [{ ...pool, zz: padding }] });
    const input = await readInput(new TextEncoder().encode(text), {
      bytes: 4 * KIB * KIB,
      documents: 10,
    });
    return input.ok ? input.input.pools.length : `${input.reason.code} at ${input.reason.path}`;
  };
  assert.equal(await read("z".repeat(room)), 1);
  assert.equal(await read("z".repeat(room + 1)), "pool-malformed at pools[0]");
  assert.equal(await read("é".repeat(room / 2 + 1)), "pool-malformed at pools[0]");
});

/** Runs `run`, and gives what was handed to the parser meanwhile. */
async function parsedBy(run: () => Promise<unknown>): Promise<string[]> {
  const { parse } = JSON;
  const texts: string[] = [];
  JSON.parse = (text, ...rest) => {
    texts.push(text);
    return parse(text, ...rest);
  };
  try {
    await run();
  } finally {
    JSON.parse = parse;
  }
  return texts;
}

Deno.test("what is too large or too deep is never handed to the parser", async () => {
  const largeReceipt = await ofSize(receipt.envelope, 256 * KIB + 1);
  const largeAdmission = await ofSize(admission.envelope, 1024 * KIB + 1);
  const largeWithin = await ofSize(firstReceipt, 256 * KIB + 1);
  const deepReceipt = await withMember(receipt.envelope, nested(64));
  const deepWithin = await withMember(firstReceipt, nested(64));
  const endless = { ...receipt.envelope, payload: "[".repeat(200_000) };
  const hostile: [document: Envelope, payload: string][] = [
    [largeReceipt, largeReceipt.payload],
    [largeAdmission, largeAdmission.payload],
    [await carrying(largeWithin), largeWithin.payload],
    [deepReceipt, deepReceipt.payload],
    [await carrying(deepWithin), deepWithin.payload],
    [endless, endless.payload],
  ];
  for (const [index, [document, payload]] of hostile.entries()) {
    const texts = await parsedBy(() => verifyDocument(document, verifier));
    assert.ok(!texts.includes(payload), `document ${index}`);
  }
  // The same measure does see a payload that fits.
  const texts = await parsedBy(() => verifyDocument(receipt.envelope, verifier));
  assert.ok(texts.includes(receipt.envelope.payload));

  const limits = { bytes: 1000, documents: 10 };
  const input = new TextEncoder().encode(JSON.stringify({ receipt: "é".repeat(500) }));
  assert.deepEqual(await parsedBy(() => readInput(input, limits)), []);
});
