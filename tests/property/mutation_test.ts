/**
 * No document that differs from a valid one in one character verifies. What isn't meant: members of
 * the envelope that mean nothing, and white space around them.
 */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { mintAdmission, mintReceipt } from "../../lib/issuer/mint.ts";
import { toPoolFile } from "../../lib/issuer/pool.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import type { Envelope } from "../../lib/protocol/envelope.ts";
import { type Pool, readPool } from "../../lib/protocol/pool.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

const verifier = createVerifyContext("auto", assert.fail);
const { references } = verifier;

const CASES = await Promise.all([
  mintReceipt({
    cell: "algal:t1",
    answer: "right",
    references,
    random: seededRandom("mutation: receipt"),
  }).then(({ envelope }) => ({ name: "a receipt", envelope, pools: [] as Pool[] })),
  mintReceipt({
    cell: "h:algal:t2",
    answer: "wrong",
    references,
    random: seededRandom("mutation: held-out receipt"),
  }).then(({ envelope, pool }) => ({ name: "a held-out receipt", envelope, pools: [pool!] })),
  mintAdmission({
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "right", "wrong", "none"],
    minPass: 2,
    references,
    random: seededRandom("mutation: admission"),
  }).then(({ envelope, pool }) => ({ name: "an admission", envelope, pools: [pool!] })),
]);

/** Characters that mean something to some reader: of JSON, base64url, hex, numbers or UTF-16. */
const CHARACTERS = ['"', "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "\0", "0", "1", "9", "-"]
  .concat(["_", "+", "/", "=", "a", "A", "e", "f", "Z", "\ufeff", "\ufffd", "\ud800", "\udc00"]);

type Edit = "replace" | "insert" | "delete";

function edited(text: string, at: number, edit: Edit, character: string): string {
  const head = text.slice(0, at) + (edit === "delete" ? "" : character);
  return head + text.slice(edit === "insert" ? at : at + 1);
}

async function refuse(envelope: Envelope, pools: Pool[], what: string): Promise<void> {
  const report = await verifyDocument(envelope, verifier, pools);
  assert.equal(report.outcome, "invalid", what);
  assert.equal(report.verdict, null, what);
}

for (const { name, envelope, pools } of CASES) {
  Deno.test(`unchanged, ${name} verifies`, async () => {
    assert.equal((await verifyDocument(envelope, verifier, pools)).outcome, "verified");
  });

  Deno.test(`${name} with one character of its signature changed is invalid`, async () => {
    const { signature } = envelope;
    for (let at = 0; at < signature.length; at++) {
      const next = signature[at] === "A" ? "B" : "A";
      for (const edit of ["replace", "insert", "delete"] as const) {
        const changed = edited(signature, at, edit, next);
        await refuse({ ...envelope, signature: changed }, pools, `${edit} at ${at}`);
      }
    }
    for (const rest of ["=", " ", "\n", "A"]) {
      await refuse({ ...envelope, signature: signature + rest }, pools, `${rest} at the end`);
    }
  });

  Deno.test(`${name} with one character of its key changed is invalid`, async () => {
    const key = /"publicKey":"([A-Za-z0-9_-]{43})"/.exec(envelope.payload)!;
    const start = key.index + key[0].indexOf(key[1]!);
    for (let at = start; at < start + 43; at++) {
      for (const character of ["A", "b", "7", "_"]) {
        if (envelope.payload[at] === character) continue;
        const payload = edited(envelope.payload, at, "replace", character);
        await refuse({ ...envelope, payload }, pools, `${character} at ${at}`);
      }
    }
  });

  Deno.test(`${name} with one character of its payload changed is invalid`, async () => {
    const { payload } = envelope;
    const step = Math.ceil(payload.length / 800);
    for (let at = 0; at < payload.length; at += step) {
      const next = payload[at] === "1" ? "2" : "1";
      await refuse(
        { ...envelope, payload: edited(payload, at, "replace", next) },
        pools,
        `at ${at}`,
      );
    }
    const position = fc.nat(payload.length - 1);
    const edit = fc.constantFrom<Edit>("replace", "insert", "delete");
    const character = fc.oneof(
      fc.constantFrom(...CHARACTERS),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(position, edit, character, async (at, edit, character) => {
        const changed = edited(payload, at, edit, character);
        fc.pre(changed !== payload);
        await refuse({ ...envelope, payload: changed }, pools, `${edit} at ${at}`);
      }),
      { numRuns: 600 },
    );
  });

  Deno.test(`${name} under another protocol is invalid`, async () => {
    const protocols = ["clankdar-attest-v1", "clankdar-gate-v1", "clankdar-attest-v2", ""];
    for (const protocol of protocols.filter((other) => other !== envelope.protocol)) {
      await refuse({ ...envelope, protocol }, pools, protocol);
    }
  });
}

Deno.test("a pool with one character of its key or labels changed isn't read", () => {
  const pool = toPoolFile(CASES[2]!.pools[0]!);
  const texts = [pool.poolKey, pool.suite, ...pool.cells.map(({ label }) => label)];
  const json = JSON.stringify(pool);
  for (const text of texts) {
    const start = json.indexOf(`"${text}"`) + 1;
    for (let at = start; at < start + text.length; at++) {
      const next = json[at] === "a" ? "b" : "a";
      assert.equal(readPool(JSON.parse(edited(json, at, "replace", next))).ok, false, `at ${at}`);
    }
  }
});
