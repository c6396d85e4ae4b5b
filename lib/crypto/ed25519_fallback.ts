/**
 * The cofactorless verification equation in plain JavaScript, for platforms whose Web Crypto has no
 * Ed25519 or has it with other acceptance rules. Source: protocols spec 2; RFC 8032, 5.1.7.
 *
 * Only point arithmetic is taken from @noble/ed25519: its own `verify` multiplies by the cofactor,
 * and so accepts signatures that the platforms' verifiers refuse.
 */
import { Point } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";

/** A decoded public key. */
export type { Point };

const { n: L } = Point.CURVE();

/**
 * Whether `signature` (64 bytes, R then S) is one of `message` under the key `a`, whose encoding is
 * `publicKey` (32 bytes): S < L, and the encoding of [S]B - [k]A equals R byte for byte, where k is
 * SHA-512(R, A, message) mod L. The key's own soundness is the caller's affair.
 */
export function verifyCofactorless(
  a: Point,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const r = signature.subarray(0, 32);
  const s = fromLittleEndian(signature.subarray(32));
  if (s >= L) return false;
  const digest = sha512.create().update(r).update(publicKey).update(message).digest();
  const k = fromLittleEndian(digest) % L;
  // Everything here is public: the faster multiplication in variable time gives nothing away.
  const expected = Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k)).toBytes();
  return expected.every((byte, i) => byte === r[i]);
}

/**
 * The point that 32 bytes encode, or null: y < p, on the curve, and no sign bit where x = 0
 * (RFC 8032, 5.1.3), so that a point has one encoding only.
 */
export function decodePoint(bytes: Uint8Array): Point | null {
  try {
    return Point.fromBytes(bytes, false);
  } catch {
    return null;
  }
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}
