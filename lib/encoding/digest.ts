/**
 * SHA-256. Source: protocols spec 1.3, 4.
 *
 * @noble/hashes rather than `crypto.subtle`: it is synchronous, and for the short inputs that most
 * digests here have it costs a fraction of a round trip through Web Crypto.
 */
import { sha256 as digest } from "@noble/hashes/sha2.js";
import { toHex } from "./hex.ts";
import { nativeCrypto, nativeCryptoIfLoaded } from "./native.ts";

const utf8 = new TextEncoder();

/**
 * The 32 bytes of the SHA-256 of `data`; a string counts as its UTF-8 bytes.
 *
 * A lone surrogate has no UTF-8 form and is hashed as U+FFFD, so two different strings can share
 * that digest: where a digest stands for a string's identity, check `isWellFormed()` first.
 */
export function sha256(data: string | Uint8Array): Uint8Array {
  return digest(typeof data === "string" ? utf8.encode(data) : data);
}

/** As {@link sha256}, as 64 lower-case hex characters. */
export function sha256Hex(data: string | Uint8Array): string {
  const native = nativeCryptoIfLoaded();
  if (native !== null) return native.createHash("sha256").update(data).digest("hex");
  return toHex(sha256(data));
}

/**
 * As {@link sha256Hex}, for large inputs (kilobytes): by the runtime's own code, which @noble/hashes
 * can't match there.
 */
export async function sha256HexLarge(data: string | Uint8Array): Promise<string> {
  const native = nativeCrypto();
  if (native !== null) return native.createHash("sha256").update(data).digest("hex");
  const bytes = typeof data === "string" ? utf8.encode(data) : new Uint8Array(data);
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
