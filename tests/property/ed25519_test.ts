import assert from "node:assert/strict";
import { createPublicKey, verify as nodeVerify } from "node:crypto";
import { Point } from "@noble/ed25519";
import fc from "../support/npm/fast_check.ts";
import {
  createVerifyContext,
  parsePublicKey,
  publicKeyOf,
  sign,
  type Verifier,
} from "../../lib/crypto/ed25519.ts";
import { loadNativeCrypto } from "../../lib/encoding/native.ts";
import { decodeBase64url, encodeBase64url } from "../../lib/encoding/base64url.ts";
import { fromHex, toHex } from "../../lib/encoding/hex.ts";

const platform = createVerifyContext(crypto.subtle);
const native = createVerifyContext(undefined, loadNativeCrypto);
const plain = createVerifyContext(undefined);

/** Plain JavaScript's answer, which the runtime's own code has to share. */
const fallback: Verifier = async (...args) => {
  const found = await plain(...args);
  assert.equal(await native(...args), found);
  return found;
};

const { n: L } = Point.CURVE();
const T = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");

const toNumber = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes.slice().reverse())}`);
const to32Bytes = (value: bigint) =>
  fromHex((value & ((1n << 256n) - 1n)).toString(16).padStart(64, "0")).reverse();

/** The key, R, S and message of a signature, each of them mutated on its own. */
interface Case {
  key: Uint8Array;
  r: Uint8Array;
  s: Uint8Array;
  message: string;
}

function addTorsion(bytes: Uint8Array, times: number): Uint8Array {
  let point = Point.fromBytes(bytes, true);
  for (let i = 0; i < times; i++) point = point.add(T);
  return point.toBytes();
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return flipped;
}

const bit = fc.integer({ min: 0, max: 255 });
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) =>
  new Uint8Array(bytes)
);
const torsion = fc.integer({ min: 1, max: 7 });

const mutation: fc.Arbitrary<(original: Case) => Case> = fc.oneof(
  fc.constant((c: Case) => c),
  fc.constantFrom<(keyof Case)[]>("key", "r", "s").chain((part) =>
    bit.map((at) => (c: Case) => ({ ...c, [part]: flip(c[part as "r"], at) }))
  ),
  fc.constantFrom<(keyof Case)[]>("key", "r", "s").chain((part) =>
    bytes32.map((bytes) => (c: Case) => ({ ...c, [part]: bytes }))
  ),
  torsion.map((times) => (c: Case) => ({ ...c, key: addTorsion(c.key, times) })),
  torsion.map((times) => (c: Case) => ({ ...c, r: addTorsion(c.r, times) })),
  torsion.map((times) => (c: Case) => ({
    ...c,
    key: addTorsion(c.key, times),
    r: addTorsion(c.r, 8 - times),
  })),
  fc.integer({ min: 1, max: 15 }).map((times) => (c: Case) => ({
    ...c,
    s: to32Bytes(toNumber(c.s) + BigInt(times) * L),
  })),
  fc.constant((c: Case) => ({ ...c, s: to32Bytes((L - toNumber(c.s)) % L) })),
  fc.constant((c: Case) => ({ ...c, key: flip(c.key, 255), r: flip(c.r, 255) })),
  fc.constant((c: Case) => ({ ...c, r: c.key })),
  fc.constant((c: Case) => ({ ...c, message: c.message + "\0" })),
);

Deno.test("verify: both paths answer every mutation alike, and only the original is accepted", async () => {
  let accepted = 0;
  let refused = 0;
  const seed = fc.constantFrom(1, 2, 3).map((value) => new Uint8Array(32).fill(value));
  const message = fc.string({ unit: "binary", maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(seed, message, mutation, async (privateKey, text, mutate) => {
      const signature = decodeBase64url(await sign(privateKey, text), 64);
      assert.ok(signature);
      const original: Case = {
        key: publicKeyOf(privateKey).bytes.slice(),
        r: signature.slice(0, 32),
        s: signature.slice(32),
        message: text,
      };
      const mutated = mutate(original);
      const parsed = parsePublicKey(encodeBase64url(mutated.key));
      if (!parsed.ok) return;
      const candidate = encodeBase64url(new Uint8Array([...mutated.r, ...mutated.s]));
      const found = await platform(parsed.key, mutated.message, candidate);
      assert.equal(await fallback(parsed.key, mutated.message, candidate), found);
      assert.equal(found, mutate(original) === original ? "ok" : "signature-invalid");
      if (found === "ok") accepted++;
      else refused++;
    }),
    { numRuns: 3000 },
  );
  assert.ok(accepted > 100 && refused > 1000, `${accepted} accepted, ${refused} refused`);
});

Deno.test("verify: random keys and signatures never throw, and no two verifiers disagree", async () => {
  const text = fc.string({
    unit: fc.integer({ max: 0xffff, min: 0 }).map((c) => String.fromCharCode(c)),
  });
  await fc.assert(
    fc.asyncProperty(bytes32, bytes32, bytes32, text, async (key, r, s, message) => {
      const parsed = parsePublicKey(encodeBase64url(key));
      if (!parsed.ok) return;
      const signature = encodeBase64url(new Uint8Array([...r, ...s]));
      assert.equal(await platform(parsed.key, message, signature), "signature-invalid");
      assert.equal(await fallback(parsed.key, message, signature), "signature-invalid");
      const nodeKey = createPublicKey({
        key: { kty: "OKP", crv: "Ed25519", x: parsed.key.text },
        format: "jwk",
      });
      const bytes = new TextEncoder().encode(message);
      assert.equal(nodeVerify(null, bytes, nodeKey, new Uint8Array([...r, ...s])), false);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("parsePublicKey and verify: any text at all", async () => {
  const key = publicKeyOf(new Uint8Array(32).fill(1));
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."AZaz09-_=+/"), minLength: 43, maxLength: 43 }),
    fc.string({ unit: fc.constantFrom(..."AQgw"), minLength: 86, maxLength: 86 }),
  );
  await fc.assert(
    fc.asyncProperty(text, async (candidate) => {
      const parsed = parsePublicKey(candidate);
      if (parsed.ok) assert.equal(encodeBase64url(parsed.key.bytes), candidate);
      const found = await platform(key, "m", candidate);
      assert.equal(await fallback(key, "m", candidate), found);
      assert.notEqual(found, "ok");
    }),
    { numRuns: 1000 },
  );
});
