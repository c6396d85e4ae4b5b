import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  createPrivateKey,
  createPublicKey,
  sign as nodeSign,
  verify as nodeVerify,
} from "node:crypto";
import { Point, utils, verify as nobleVerify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { PROBES } from "../../../lib/crypto/ed25519_probes.ts";
import {
  createVerifyContext,
  keyIdOf,
  parsePublicKey,
  type PublicKey,
  publicKeyOf,
  sign,
  type Verifier,
  verifySignature,
} from "../../../lib/crypto/ed25519.ts";
import { createKey } from "../../../lib/issuer/keys.ts";
import { decodeBase64url, encodeBase64url } from "../../../lib/encoding/base64url.ts";
import {
  loadNativeCrypto,
  type NativeCrypto,
  nativeCryptoIfLoaded,
} from "../../../lib/encoding/native.ts";
import { sha256, sha256Hex, sha256HexLarge } from "../../../lib/encoding/digest.ts";
import { fromHex, toHex } from "../../../lib/encoding/hex.ts";
import rfc8032 from "../../vectors/ed25519_rfc8032.json" with { type: "json" };
import rule from "../../vectors/ed25519_rule.json" with { type: "json" };

const PATHS: [string, Verifier][] = [
  ["Web Crypto", createVerifyContext(crypto.subtle)],
  ["node:crypto", createVerifyContext(undefined, loadNativeCrypto)],
  ["fallback", createVerifyContext(undefined)],
];

const { p: P, n: L } = Point.CURVE();
/** A point of order 8, and its multiples: all points of small order. */
const T = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
const SMALL = [Point.ZERO];
for (let i = 1; i < 8; i++) SMALL.push((SMALL[i - 1] ?? Point.ZERO).add(T));

/** The private key 01 01 ... 01. */
const SEED = new Uint8Array(32).fill(1);
const { scalar: a, point: A, pointBytes: A_BYTES } = utils.getExtendedPublicKey(SEED);
const r = 12345678901234567890n;
const R = Point.BASE.multiply(r);

const utf8 = new TextEncoder();

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes.slice().reverse())}`);
}

function to32Bytes(value: bigint): Uint8Array {
  return fromHex(value.toString(16).padStart(64, "0")).reverse();
}

/** k of the verification equation, from the encodings as they stand in key and signature. */
function challenge(rBytes: Uint8Array, aBytes: Uint8Array, message: string): bigint {
  return toNumber(sha512(new Uint8Array([...rBytes, ...aBytes, ...utf8.encode(message)]))) % L;
}

function signatureText(rBytes: Uint8Array, s: bigint): string {
  return encodeBase64url(new Uint8Array([...rBytes, ...to32Bytes(s)]));
}

function keyOf(bytes: Uint8Array): PublicKey {
  const parsed = parsePublicKey(encodeBase64url(bytes));
  assert.ok(parsed.ok);
  return parsed.key;
}

function codeOf(bytes: Uint8Array): string {
  const parsed = parsePublicKey(encodeBase64url(bytes));
  return parsed.ok ? "ok" : parsed.code;
}

const toNodeKey = (bytes: Uint8Array) =>
  createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: encodeBase64url(bytes) },
    format: "jwk",
  });

Deno.test("Ed25519: the test vectors of RFC 8032, on both paths and with node:crypto", async () => {
  assert.equal(rfc8032.vectors.length, 5);
  for (const row of rfc8032.vectors) {
    const privateKey = fromHex(row.privateKey);
    const message = fromHex(row.message);
    const signature = fromHex(row.signature);
    const key = publicKeyOf(privateKey);
    assert.equal(toHex(key.bytes), row.publicKey, row.name);
    for (const [path, verify] of PATHS) {
      const check = (bytes: Uint8Array) => verify(key, message, encodeBase64url(bytes));
      assert.equal(await check(signature), "ok", `${row.name}, ${path}`);
      for (const at of [0, 31, 32, 63]) {
        const changed = signature.slice();
        changed[at] = (changed[at] ?? 0) ^ 1;
        assert.equal(await check(changed), "signature-invalid", `${row.name}, ${path}, ${at}`);
      }
    }
    const pkcs8 = Buffer.from(`302e020100300506032b657004220420${row.privateKey}`, "hex");
    const nodeKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
    assert.equal(toHex(nodeSign(null, message, nodeKey)), row.signature, row.name);
    assert.equal(nodeVerify(null, message, toNodeKey(key.bytes), signature), true, row.name);
  }
});

Deno.test("Ed25519: every case of the acceptance rule's table, on both paths", async () => {
  assert.equal(rule.vectors.length, 19);
  for (const row of rule.vectors) {
    const parsed = parsePublicKey(row.publicKey);
    for (const [path, verify] of PATHS) {
      const found = parsed.ok ? await verify(parsed.key, row.message, row.signature) : parsed.code;
      assert.equal(found, row.code ?? "ok", `${row.name}, ${path}`);
    }
  }
});

Deno.test("parsePublicKey: the points of small order are weak, all eight and only these", () => {
  const encodings = SMALL.map((point) => point.toHex());
  assert.equal(new Set(encodings).size, 8);
  assert.deepEqual(encodings.toSorted(), [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ]);
  for (const hex of encodings) assert.equal(codeOf(fromHex(hex)), "key-weak", hex);
  assert.equal(codeOf(A_BYTES), "ok");
  for (const point of SMALL.slice(1)) assert.equal(codeOf(A.add(point).toBytes()), "ok");
});

Deno.test("parsePublicKey: an encoding that isn't reduced, or has a sign where x = 0", () => {
  const sign = 1n << 255n;
  for (let y = P; y < sign; y++) {
    assert.equal(codeOf(to32Bytes(y)), "key-malformed");
    assert.equal(codeOf(to32Bytes(y + sign)), "key-malformed");
  }
  assert.equal(codeOf(to32Bytes(1n + sign)), "key-malformed");
  assert.equal(codeOf(to32Bytes(P - 1n + sign)), "key-malformed");
  assert.equal(codeOf(to32Bytes(2n)), "key-malformed", "not on the curve");
  assert.equal(codeOf(to32Bytes(3n)), "ok");
});

Deno.test("parsePublicKey: text that isn't 43 canonical characters", () => {
  const { text } = publicKeyOf(SEED);
  const bad = ["", text.slice(1), text + "A", text + "=", ` ${text}`, text.slice(0, -1) + "x"];
  for (const candidate of bad) {
    assert.deepEqual(parsePublicKey(candidate), { ok: false, code: "key-malformed" }, candidate);
  }
});

Deno.test("parsePublicKey: the key, its id, and one object for the same text", () => {
  const text = "MMP-mO0IcwK9gE43NeBPeZ7xsFtol0lXYtiQWZcHFf8";
  const parsed = parsePublicKey(text);
  assert.ok(parsed.ok);
  assert.equal(parsed.key.text, text);
  assert.equal(encodeBase64url(parsed.key.bytes), text);
  assert.equal(parsed.key.keyId, "da0d70eae14cf7df");
  assert.equal(keyIdOf(parsed.key.bytes), "da0d70eae14cf7df");
  const again = parsePublicKey(text);
  assert.ok(again.ok);
  assert.equal(again.key, parsed.key);
});

Deno.test("verify: A and R of prime, mixed and small order, against the group's own arithmetic", async () => {
  // With A = aB + iT and R = rB + jT, S = r + ka makes [8]([S]B - R - [k]A) vanish always, and
  // [S]B - R - [k]A only where (j + ki)T does.
  let accepted = 0;
  let cofactoredOnly = 0;
  for (let i = 0; i < 8; i++) {
    const aBytes = A.add(SMALL[i] ?? T).toBytes();
    const key = keyOf(aBytes);
    for (let j = 0; j < 8; j++) {
      for (const nonce of [r, 0n]) {
        const rBytes = (nonce === 0n ? Point.ZERO : R).add(SMALL[j] ?? T).toBytes();
        for (const message of ["m0", "m1"]) {
          const k = challenge(rBytes, aBytes, message);
          const signature = signatureText(rBytes, (nonce + k * a) % L);
          const holds = (BigInt(j) + k * BigInt(i)) % 8n === 0n;
          const bytes = decodeBase64url(signature, 64) ?? new Uint8Array();
          assert.equal(nobleVerify(bytes, utf8.encode(message), aBytes, { zip215: false }), true);
          for (const [path, verify] of PATHS) {
            const found = await verify(key, message, signature);
            const name = `A + ${i}T, R ${nonce === 0n ? "small" : "large"} + ${j}T, ${path}`;
            assert.equal(found, holds ? "ok" : "signature-invalid", name);
          }
          if (holds) accepted++;
          else cofactoredOnly++;
        }
      }
    }
  }
  assert.ok(accepted >= 16 && cofactoredOnly >= 100, `${accepted}, ${cofactoredOnly}`);
});

Deno.test("verify: an R that isn't reduced, though the equation holds for its point", async () => {
  const key = keyOf(A_BYTES);
  const sign = 1n << 255n;
  // Of all encodings that aren't canonical these decode, leniently, to points of small order.
  const encodings = [P, P + sign, P + 1n, P + 1n + sign, 1n + sign, P - 1n + sign];
  for (const encoding of encodings) {
    const rBytes = to32Bytes(encoding);
    const point = Point.fromBytes(rBytes, true);
    assert.ok(point.isSmallOrder());
    const signature = signatureText(rBytes, challenge(rBytes, A_BYTES, "m") * a % L);
    for (const [path, verify] of PATHS) {
      assert.equal(await verify(key, "m", signature), "signature-invalid", path);
    }
  }
});

Deno.test("verify: an S that isn't reduced", async () => {
  const key = keyOf(A_BYTES);
  const rBytes = R.toBytes();
  const s = (r + challenge(rBytes, A_BYTES, "m") * a) % L;
  for (const [path, verify] of PATHS) {
    assert.equal(await verify(key, "m", signatureText(rBytes, s)), "ok", path);
    for (let other = s + L; other < 1n << 256n; other += L) {
      const found = await verify(key, "m", signatureText(rBytes, other));
      assert.equal(found, "signature-invalid", path);
    }
    for (const other of [0n, L - 1n, L, L + 1n, (1n << 256n) - 1n]) {
      const found = await verify(key, "m", signatureText(rBytes, other));
      assert.equal(found, "signature-invalid", path);
    }
  }
});

Deno.test("verify: a signature that isn't 86 canonical characters", async () => {
  const { text } = publicKeyOf(SEED);
  const signature = await sign(SEED, "m");
  const key = keyOf(A_BYTES);
  assert.equal(text, key.text);
  const last = signature.slice(-1);
  const bad = [
    "",
    signature.slice(1),
    signature + "A",
    signature + "==",
    signature.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1),
    signature.slice(0, -1) + "=",
    "+" + signature.slice(1),
    " " + signature.slice(1),
    signature + "\n",
    toHex(new Uint8Array(64)),
  ];
  for (const [path, verify] of PATHS) {
    assert.equal(await verify(key, "m", signature), "ok");
    for (const candidate of bad) {
      assert.equal(
        await verify(key, "m", candidate),
        "signature-malformed",
        `${path} ${candidate}`,
      );
    }
  }
});

Deno.test("verify: a lone surrogate isn't the U+FFFD that was signed", async () => {
  const key = publicKeyOf(SEED);
  const signature = await sign(SEED, "a\ufffdb");
  for (const [, verify] of PATHS) {
    assert.equal(await verify(key, "a\ufffdb", signature), "ok");
    for (const message of ["a\ud800b", "a\udfffb"]) {
      assert.equal(await verify(key, message, signature), "signature-invalid");
    }
  }
  await assert.rejects(sign(SEED, "\ud800"), TypeError);
});

Deno.test("verify: a key object that wasn't parsed gains nothing", async () => {
  const weak = Point.ZERO.toBytes();
  const signature = signatureText(Point.BASE.multiply(r).toBytes(), r);
  const sound = publicKeyOf(SEED);
  const forged: PublicKey[] = [
    { text: encodeBase64url(weak), bytes: weak, keyId: "" },
    { text: sound.text, bytes: weak, keyId: sound.keyId },
    { text: "", bytes: weak, keyId: "" },
  ];
  for (const [, verify] of PATHS) {
    for (const key of forged) assert.equal(await verify(key, "m", signature), "signature-invalid");
  }
  // Nor does writing to the bytes of a parsed one.
  sound.bytes.set(weak);
  const good = await sign(SEED, "m");
  for (const [, verify] of PATHS) {
    assert.equal(await verify(sound, "m", signature), "signature-invalid");
    assert.equal(await verify(sound, "m", good), "ok");
  }
  sound.bytes.set(A_BYTES);
});

Deno.test("verify: bytes and text are the same message, and later writes don't matter", async () => {
  const key = publicKeyOf(SEED);
  const signature = await sign(SEED, "é😀");
  for (const [, verify] of PATHS) {
    const bytes = utf8.encode("é😀");
    const found = verify(key, bytes, signature);
    bytes.fill(0);
    assert.equal(await found, "ok");
    assert.equal(await verify(key, "é😀", signature), "ok");
  }
});

Deno.test("verify: many at once", async () => {
  const keys = Array.from({ length: 20 }, () => createKey());
  const jobs = keys.flatMap(({ privateKey, publicKey }, i) =>
    Array.from({ length: 5 }, (_, j) => ({ privateKey, publicKey, message: `${i} ${j}` }))
  );
  const found = await Promise.all(jobs.map(async ({ privateKey, publicKey, message }) => {
    const signature = await sign(privateKey, message);
    return [
      await verifySignature(publicKey, message, signature),
      await verifySignature(publicKey, message + " ", signature),
    ];
  }));
  for (const pair of found) assert.deepEqual(pair, ["ok", "signature-invalid"]);
});

Deno.test("sign: the same on every platform, refuses a private key of another length", async () => {
  const without = {
    importKey: () => Promise.reject(new DOMException("unknown algorithm", "NotSupportedError")),
  } as unknown as SubtleCrypto;
  for (const row of rfc8032.vectors) {
    const message = new TextDecoder().decode(fromHex(row.message));
    if (toHex(utf8.encode(message)) !== row.message) continue;
    const expected = encodeBase64url(fromHex(row.signature));
    assert.equal(await sign(fromHex(row.privateKey), message), expected, row.name);
    assert.equal(await sign(fromHex(row.privateKey), message, without), expected, row.name);
  }
  await assert.rejects(sign(new Uint8Array(31), "m"), RangeError);
  assert.throws(() => publicKeyOf(new Uint8Array(33)), RangeError);
});

/** A platform whose verifier answers as told, and counts its calls. */
function platform(
  answer: (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean,
) {
  const calls = { imports: 0, verifications: 0 };
  const keys = new WeakMap<CryptoKey, Uint8Array>();
  const subtle = {
    importKey(_: string, bytes: Uint8Array) {
      calls.imports++;
      const key = {} as CryptoKey;
      keys.set(key, bytes);
      return Promise.resolve(key);
    },
    verify(_: string, key: CryptoKey, signature: Uint8Array, message: Uint8Array) {
      calls.verifications++;
      return new Promise((resolve) =>
        resolve(answer(keys.get(key) ?? new Uint8Array(), signature, message))
      );
    },
  } as unknown as SubtleCrypto;
  return { subtle, calls };
}

const strict = createVerifyContext(undefined);

Deno.test("probes: made anew from points and numbers, and told apart by noble's verify", () => {
  const message = (name: string) => PROBES.find((probe) => probe.name === name)?.message ?? "";
  const mixedKey = A.add(T).toBytes();
  const mixedR = R.add(T).toBytes();
  const unreduced = to32Bytes(P + 1n);
  const neutral = Point.ZERO.toBytes();
  const row = (name: string, aBytes: Uint8Array, rBytes: Uint8Array, nonce: bigint, more = 0n) => ({
    name,
    publicKey: encodeBase64url(aBytes),
    message: message(name),
    signature: signatureText(
      rBytes,
      (nonce + challenge(rBytes, aBytes, message(name)) * a) % L + more,
    ),
  });
  assert.deepEqual(PROBES.map(({ ok: _, ...probe }) => probe), [
    row("sound signature", A_BYTES, R.toBytes(), r),
    row("S + L", A_BYTES, R.toBytes(), r, L),
    row("R of mixed order: holds only when multiplied by the cofactor", A_BYTES, mixedR, r),
    row("R is the neutral point, not reduced", A_BYTES, unreduced, 0n),
    row("R is the neutral point", A_BYTES, neutral, 0n),
    row("key of mixed order, sound signature", mixedKey, R.toBytes(), r),
    row("key of mixed order: holds only when multiplied by the cofactor", mixedKey, R.toBytes(), r),
  ]);
  assert.deepEqual(PROBES.map(({ ok }) => ok), [true, false, false, false, true, true, false]);
});

Deno.test("probes: both paths answer them as they should", async () => {
  for (const probe of PROBES) {
    const parsed = parsePublicKey(probe.publicKey);
    assert.ok(parsed.ok);
    for (const [path, verify] of PATHS) {
      const found = await verify(parsed.key, probe.message, probe.signature);
      assert.equal(found === "ok", probe.ok, `${probe.name}, ${path}`);
    }
  }
});

Deno.test("createVerifyContext: a platform with another rule isn't used", async () => {
  const key = publicKeyOf(SEED);
  const good = await sign(SEED, "m");
  const platforms = {
    "accepts all": platform(() => true),
    "refuses all": platform(() => false),
    "throws": platform(() => {
      throw new DOMException("no", "OperationError");
    }),
    "cofactored": platform((publicKey, signature, message) =>
      nobleVerify(signature, message, publicKey, { zip215: false })
    ),
    "ZIP 215": platform((publicKey, signature, message) =>
      nobleVerify(signature, message, publicKey, { zip215: true })
    ),
  };
  for (const [name, { subtle, calls }] of Object.entries(platforms)) {
    const verify = createVerifyContext(subtle);
    const signatures = [good, good, await sign(SEED, "n"), PROBES[2]?.signature ?? ""];
    const found = await Promise.all(signatures.map((signature) => verify(key, "m", signature)));
    assert.deepEqual(found, ["ok", "ok", "signature-invalid", "signature-invalid"], name);
    assert.equal(calls.verifications, PROBES.length, name);
  }
});

Deno.test("createVerifyContext: native code is taken up when it comes, and only if it keeps the rule", async () => {
  const key = publicKeyOf(SEED);
  const good = await sign(SEED, "m");
  const native = loadNativeCrypto()!;
  let available: NativeCrypto | null = null;
  let calls = 0;
  const counted: NativeCrypto = {
    createHash: native.createHash,
    createPublicKey: native.createPublicKey,
    verify: ((...args: Parameters<typeof native.verify>) => {
      calls++;
      return native.verify(...args);
    }) as typeof native.verify,
  };
  const verify = createVerifyContext(crypto.subtle, () => available);
  assert.equal(await verify(key, "m", good), "ok");
  assert.equal(calls, 0);
  available = counted;
  assert.equal(await verify(key, "m", good), "ok");
  assert.equal(await verify(key, "n", good), "signature-invalid");
  assert.equal(calls, PROBES.length + 2);

  const credulous: NativeCrypto = { ...counted, verify: (() => true) as typeof native.verify };
  const careful = createVerifyContext(crypto.subtle, () => credulous);
  assert.equal(await careful(key, "m", good), "ok");
  assert.equal(await careful(key, "n", good), "signature-invalid");
});

Deno.test("the shared verifier and digest give the same answers before and after they warm up", async () => {
  const key = publicKeyOf(SEED);
  const good = await sign(SEED, "m");
  const texts = ["", "text", "é \u{1f30d} \ud800 \udfff x", "x".repeat(100_000)];
  const digests = texts.map(sha256Hex);
  for (const [i, text] of texts.entries()) {
    assert.equal(digests[i], toHex(sha256(utf8.encode(text))));
    assert.equal(await sha256HexLarge(text), digests[i]);
  }
  for (let i = 0; i < 300; i++) {
    assert.equal(await verifySignature(key, "m", good), "ok");
    assert.equal(await verifySignature(key, "n", good), "signature-invalid");
  }
  assert.notEqual(nativeCryptoIfLoaded(), null);
  for (const [i, text] of texts.entries()) {
    assert.equal(sha256Hex(text), digests[i]);
    assert.equal(sha256Hex(utf8.encode(text)), digests[i]);
    assert.equal(await sha256HexLarge(text), digests[i]);
    assert.equal(await sha256HexLarge(utf8.encode(text)), digests[i]);
  }
});

Deno.test("createVerifyContext: a platform without Ed25519", async () => {
  const subtle = {
    importKey: () => Promise.reject(new DOMException("unknown algorithm", "NotSupportedError")),
  } as unknown as SubtleCrypto;
  const verify = createVerifyContext(subtle);
  const key = publicKeyOf(SEED);
  assert.equal(await verify(key, "m", await sign(SEED, "m")), "ok");
  assert.equal(await verify(key, "n", await sign(SEED, "m")), "signature-invalid");
});

Deno.test("createVerifyContext: a platform that breaks later decides nothing", async () => {
  let broken = false;
  const { subtle } = platform((publicKey, signature, message) => {
    if (broken) throw new DOMException("gone", "OperationError");
    const text = new TextDecoder().decode(message);
    return PROBES.some((probe) =>
      probe.ok && probe.publicKey === encodeBase64url(publicKey) && probe.message === text &&
      probe.signature === encodeBase64url(signature)
    );
  });
  const verify = createVerifyContext(subtle);
  const key = publicKeyOf(SEED);
  const [probe] = PROBES;
  assert.ok(probe);
  assert.equal(await verify(key, probe.message, probe.signature), "ok");
  broken = true;
  assert.equal(await verify(key, "m", await sign(SEED, "m")), "ok");
  assert.equal(await verify(key, "n", await sign(SEED, "m")), "signature-invalid");
});

Deno.test("createVerifyContext: probes once, and imports each key once", async () => {
  const { subtle: real } = crypto;
  let imports = 0;
  const subtle = {
    importKey(...args: Parameters<SubtleCrypto["importKey"]>) {
      imports++;
      return real.importKey(...args);
    },
    verify: (...args: Parameters<SubtleCrypto["verify"]>) => real.verify(...args),
  } as unknown as SubtleCrypto;
  const verify = createVerifyContext(subtle);
  const keys = [createKey(), createKey()];
  for (let round = 0; round < 3; round++) {
    await Promise.all(keys.map(async ({ privateKey, publicKey }) => {
      const signature = await sign(privateKey, "m");
      assert.equal(await verify(publicKey, "m", signature), "ok");
      assert.equal(await strict(publicKey, "m", signature), "ok");
    }));
  }
  const probeKeys = new Set(PROBES.map(({ publicKey }) => publicKey));
  assert.equal(imports, probeKeys.size + keys.length);
});

Deno.test("createVerifyContext: more keys than are remembered", async () => {
  const verify = createVerifyContext(crypto.subtle);
  const first = createKey();
  const signature = await sign(first.privateKey, "m");
  assert.equal(await verify(first.publicKey, "m", signature), "ok");
  let point = Point.BASE;
  for (let i = 0; i < 600; i++) {
    point = point.add(R);
    const found = await verify(keyOf(point.toBytes()), "m", signature);
    assert.equal(found, "signature-invalid");
  }
  assert.equal(await verify(first.publicKey, "m", signature), "ok");
});
