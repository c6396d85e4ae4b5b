/**
 * base64url without padding, canonical spelling only. Source: protocols spec 1.3.
 *
 * A lenient decoder would give one signature, and so one document id, many spellings. `@scure/base`
 * (`base64urlnopad`) keeps the same rule, but its decoder is slower, above all for what it refuses
 * (bench/README.md, "base64url").
 */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const INVALID = 0xff;
const VALUES = new Uint8Array(128).fill(INVALID);
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/** The canonical spelling of `bytes`: 32 bytes give 43 characters, 64 give 86. */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += ALPHABET[(buffer >> bits) & 63];
    }
  }
  if (bits > 0) text += ALPHABET[(buffer << (6 - bits)) & 63];
  return text;
}

/**
 * The `bytes` bytes that `text` spells, or null when it isn't their canonical spelling: exact
 * length, no foreign characters, no padding, unused low bits of the last character zero.
 * Never throws.
 */
export function decodeBase64url(text: string, bytes: number): Uint8Array<ArrayBuffer> | null {
  if (text.length !== Math.ceil((bytes * 4) / 3)) return null;
  const decoded = new Uint8Array(bytes);
  let buffer = 0;
  let bits = 0;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? INVALID;
    if (value === INVALID) return null;
    buffer = ((buffer << 6) | value) & 0x3fff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      decoded[length++] = buffer >> bits;
    }
  }
  const unused = buffer & ((1 << bits) - 1);
  return unused === 0 ? decoded : null;
}
