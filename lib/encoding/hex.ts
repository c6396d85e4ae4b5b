/** Lower-case hex. Source: protocols spec 1.3. */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

const HEX_64 = /^[0-9a-f]{64}$/;

/** Whether `text` is a SHA-256 in the only spelling the protocols know: 64 lower-case characters. */
export function isHex64(text: unknown): text is string {
  return typeof text === "string" && HEX_64.test(text);
}

/** Bytes to lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

/** Hex, of either case, to bytes. Throws on an odd length or a foreign character. */
export function fromHex(text: string): Uint8Array {
  return hexToBytes(text);
}
