/**
 * Ed25519: one acceptance rule on every platform. Source: protocols spec 2; RFC 8032, 5.1.
 *
 * A signature is accepted exactly when
 * - the key is spelled in canonical base64url, is the canonical encoding of a point on the curve
 *   (y < p, no sign bit where x = 0), and isn't of small order (1, 2, 4 or 8): with such a key
 *   anyone can sign anything. A key of mixed order is sound, and is accepted;
 * - the signature is spelled in canonical base64url, and S < L;
 * - the cofactorless equation holds, with R compared as bytes: [S]B - [k]A encodes to R. Hence R is
 *   canonical too, and what only the equation multiplied by the cofactor accepts is refused.
 *
 * The platforms' verifiers differ from that in the keys they take, so keys are checked here; the
 * rest they do at a tenth of the cost of the same in JavaScript. A platform whose verifier is
 * missing, or fails a few telling signatures (`ed25519_probes.ts`), isn't used. Three can decide:
 * Web Crypto; in a process that has verified much, the runtime's own synchronous code
 * (`encoding/native.ts`); and plain JavaScript where neither will do.
 */
import { getPublicKey, hashes, sign as nobleSign } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { decodeBase64url, encodeBase64url } from "../encoding/base64url.ts";
import { sha256Hex } from "../encoding/digest.ts";
import { toHex } from "../encoding/hex.ts";
import { type NativeCrypto, nativeCrypto, type NativeKey } from "../encoding/native.ts";
import { decodePoint, type Point, verifyCofactorless } from "./ed25519_fallback.ts";
import { PROBES } from "./ed25519_probes.ts";
import { LRUCache } from "lru-cache";

hashes.sha512 = sha512;

/** A public key that passed {@link parsePublicKey}. */
export type PublicKey = {
  /** Canonical base64url, 43 characters: the identity of a key. Compare these. */
  readonly text: string;
  /** The 32 bytes of the point's encoding. Read only. */
  readonly bytes: Uint8Array;
  /** A label for people: 16 hex characters, 64 bits, never an identity (protocols spec 1.4). */
  readonly keyId: string;
};

/** What {@link parsePublicKey} made of a text. */
type ParsedPublicKey =
  | { ok: true; key: PublicKey }
  | { ok: false; code: "key-malformed" | "key-weak" };

/** What a signature check found. */
type SignatureCheck = "ok" | "signature-malformed" | "signature-invalid";

/** Checks a signature (64 bytes in base64url) over a message; a string means its UTF-8 bytes. */
export type Verifier = (
  key: PublicKey,
  message: string | Uint8Array,
  signature: string,
) => Promise<SignatureCheck>;

/** The only canonical encodings of points of order 1, 2, 4 and 8 (protocols spec 2), in hex. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** More keys than the largest dossier names; an entry costs about a kilobyte. */
const CACHED_KEYS = 512;

/** A sound key with what checking its signatures needs, out of reach of whoever holds the key. */
interface KeyEntry {
  key: PublicKey;
  bytes: Uint8Array<ArrayBuffer>;
  point: Point;
}

const keyEntries = new LRUCache<string, KeyEntry>({ max: CACHED_KEYS });

const utf8 = new TextEncoder();

/**
 * Reads a public key (JWK `x`: 32 bytes in base64url). Sound keys are remembered, so that the same
 * key again costs next to nothing. Never throws.
 *
 * `key-malformed`: not 43 canonical characters, not the canonical encoding of a point, or not on
 * the curve. `key-weak`: a point of small order.
 */
export function parsePublicKey(text: string): ParsedPublicKey {
  const entry = keyEntry(text);
  return typeof entry === "string" ? { ok: false, code: entry } : { ok: true, key: entry.key };
}

function keyEntry(text: string): KeyEntry | "key-malformed" | "key-weak" {
  const known = keyEntries.get(text);
  if (known !== undefined) return known;
  const bytes = decodeBase64url(text, 32);
  if (bytes === null) return "key-malformed";
  if (SMALL_ORDER.has(toHex(bytes))) return "key-weak";
  const point = decodePoint(bytes);
  if (point === null) return "key-malformed";
  const key = Object.freeze({ text, bytes: bytes.slice(), keyId: keyIdOf(bytes) });
  const entry: KeyEntry = { key, bytes, point };
  keyEntries.set(text, entry);
  return entry;
}

/** First 16 hex characters of SHA-256 over the 32 key bytes (protocols spec 1.4). */
export function keyIdOf(publicKey: Uint8Array): string {
  return sha256Hex(publicKey).slice(0, 16);
}

/** What a platform offers: whether a signature holds, at once or later. Throws or rejects freely. */
interface Platform {
  verify(entry: KeyEntry, message: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>):
    | boolean
    | Promise<boolean>;
}

/**
 * A verifier on the given platforms, or on plain JavaScript when they are absent, lack Ed25519, or
 * don't keep to the acceptance rule. That is decided once for each, at its first use, and each key
 * is imported once. All give the same answers; they differ in cost.
 *
 * The verifier never throws or rejects, and many calls may be under way at a time.
 * `signature-malformed`: not 86 canonical base64url characters. `signature-invalid`: not a signature
 * of this message under this key; also a message that has no UTF-8 form (a lone surrogate), which
 * would otherwise be signed by whoever signed U+FFFD in its place (protocols spec 14 no. 4).
 *
 * @param native asked at each use, and preferred when it gives something.
 */
export function createVerifyContext(
  subtle: SubtleCrypto | undefined,
  native: () => NativeCrypto | null = () => null,
): Verifier {
  const web = subtle === undefined ? null : webPlatform(subtle);
  let webUsable: Promise<boolean> | undefined;
  let probing: Promise<Platform | null> | undefined;
  let best: Platform | null = null;

  /** The platform to use, or null for plain JavaScript. */
  async function choose(): Promise<Platform | null> {
    const module = probing === undefined ? native() : null;
    if (module !== null) {
      const platform = nativePlatform(module);
      probing = passesProbes(platform).then((passes) => passes ? platform : null);
    }
    best = await probing ?? null;
    if (best !== null) return best;
    return web !== null && await (webUsable ??= passesProbes(web)) ? web : null;
  }

  return async (key, message, signature) => {
    const signatureBytes = decodeBase64url(signature, 64);
    if (signatureBytes === null) return "signature-malformed";
    if (typeof message === "string" && !message.isWellFormed()) return "signature-invalid";
    const messageBytes = typeof message === "string"
      ? utf8.encode(message)
      : new Uint8Array(message);
    // By its text, not by the object's bytes: no verification under a key that wasn't checked.
    const entry = keyEntry(key.text);
    if (typeof entry === "string") return "signature-invalid";

    const platform = best ?? await choose();
    if (platform !== null) {
      try {
        const ok = await platform.verify(entry, messageBytes, signatureBytes);
        return ok ? "ok" : "signature-invalid";
      } catch {
        // A platform that chokes on a sound key says nothing about the signature: decide below.
      }
    }
    return verifyCofactorless(entry.point, entry.bytes, messageBytes, signatureBytes)
      ? "ok"
      : "signature-invalid";
  };
}

/** {@link createVerifyContext} on what this platform has. */
export const verifySignature: Verifier = createVerifyContext(
  globalThis.crypto?.subtle,
  nativeCrypto,
);

function webPlatform(subtle: SubtleCrypto): Platform {
  const imported = new LRUCache<string, Promise<CryptoKey>>({ max: CACHED_KEYS });
  return {
    async verify({ key, bytes }, message, signature) {
      let cryptoKey = imported.get(key.text);
      if (cryptoKey === undefined) {
        cryptoKey = subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
        imported.set(key.text, cryptoKey);
      }
      return await subtle.verify("Ed25519", await cryptoKey, signature, message);
    },
  };
}

function nativePlatform(native: NativeCrypto): Platform {
  const imported = new LRUCache<string, NativeKey>({ max: CACHED_KEYS });
  return {
    verify({ key }, message, signature) {
      let keyObject = imported.get(key.text);
      if (keyObject === undefined) {
        const jwk = { kty: "OKP", crv: "Ed25519", x: key.text } as const;
        keyObject = native.createPublicKey({ key: jwk, format: "jwk" });
        imported.set(key.text, keyObject);
      }
      return native.verify(null, message, keyObject, signature);
    },
  };
}

async function passesProbes(platform: Platform): Promise<boolean> {
  try {
    const answers = await Promise.all(PROBES.map(({ publicKey, message, signature }) => {
      const entry = keyEntry(publicKey);
      if (typeof entry === "string") throw new TypeError("a probe's key is sound");
      return platform.verify(entry, utf8.encode(message), bytesOf(signature, 64));
    }));
    return answers.every((answer, i) => answer === PROBES[i]?.ok);
  } catch {
    return false;
  }
}

function bytesOf(text: string, length: number): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64url(text, length);
  if (bytes === null) throw new TypeError("not canonical base64url");
  return bytes;
}

/** PKCS #8 (RFC 8410) of an Ed25519 private key, up to the 32 bytes of the seed. */
const PKCS8_HEAD = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

/**
 * The base64url signature of the UTF-8 bytes of `message` under a private key (the 32-byte seed of
 * RFC 8032). Rejects with a TypeError for a message that isn't well-formed, and with a RangeError
 * for a seed of another length.
 */
export async function sign(
  privateKey: Uint8Array,
  message: string,
  subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle,
): Promise<string> {
  if (privateKey.length !== 32) throw new RangeError("an Ed25519 private key has 32 bytes");
  if (!message.isWellFormed()) throw new TypeError("a message with a lone surrogate has no UTF-8");
  const messageBytes = utf8.encode(message);
  let key: CryptoKey | undefined;
  try {
    const pkcs8 = new Uint8Array([...PKCS8_HEAD, ...privateKey]);
    key = await subtle?.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  } catch {
    // No Ed25519 on this platform. The signature is the same either way: signing is deterministic.
  }
  if (subtle === undefined || key === undefined) {
    return encodeBase64url(nobleSign(messageBytes, privateKey));
  }
  return encodeBase64url(new Uint8Array(await subtle.sign("Ed25519", key, messageBytes)));
}

/** The public key of a private key (32-byte seed). Throws a RangeError for another length. */
export function publicKeyOf(privateKey: Uint8Array): PublicKey {
  const parsed = parsePublicKey(encodeBase64url(getPublicKey(privateKey)));
  if (!parsed.ok) throw new RangeError(`unusable private key: ${parsed.code}`);
  return parsed.key;
}
