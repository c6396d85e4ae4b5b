/** Randomness for the issuer kit: the platform's, or a repeatable stream for samples and tests. */
import { encodeBase64url } from "../encoding/base64url.ts";
import { sha256 } from "../encoding/digest.ts";

/** Gives that many fresh random bytes. */
export type Random = (length: number) => Uint8Array;

/** The platform's cryptographic generator. */
export const systemRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length));

/**
 * The same bytes for the same text, for ever: SHA-256 over the text and a counter. For samples and
 * tests only: whoever knows the text knows every secret that is drawn.
 */
export function seededRandom(text: string): Random {
  let counter = 0;
  let buffer: number[] = [];
  return (length) => {
    while (buffer.length < length) buffer.push(...sha256(`${text}\0${counter++}`));
    const bytes = Uint8Array.from(buffer.slice(0, length));
    buffer = buffer.slice(length);
    return bytes;
  };
}

/** A uniform integer in 0 … 2^32 − 1: a seed. */
export function randomSeed(random: Random): number {
  return new DataView(Uint8Array.from(random(4)).buffer).getUint32(0);
}

/** A uniform integer in 0 … n − 1, n ≤ 2^32: draws that would favour small numbers are repeated. */
export function randomIndex(random: Random, n: number): number {
  const fair = 2 ** 32 - (2 ** 32 % n);
  for (;;) {
    const drawn = randomSeed(random);
    if (drawn < fair) return drawn % n;
  }
}

/** `bytes` random bytes as base64url without padding. */
export function randomText(random: Random, bytes: number): string {
  return encodeBase64url(random(bytes));
}
