/**
 * The seeded generator of the puzzle families (Mulberry32), and the mixing of pool labels into seeds.
 *
 * Source: scoring spec 1. Everything is arithmetic modulo 2^32.
 */

const U32 = 4294967296;
const STEP = 0x6d2b79f5;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A stream of draws from one seed. Each call takes a fixed number of raw draws, also where its
 * outcome is forced. The members are closures and may be taken out of the object.
 */
export interface Rng {
  /** One raw draw: an integer in 0 … 2^32 − 1. */
  readonly next: () => number;
  /** An integer in 0 … n − 1, by one draw. `n` is an integer in 1 … 2^21. */
  readonly int: (n: number) => number;
  /** An integer in lo … hi, both included, by one draw. `lo` may be negative. */
  readonly intBetween: (lo: number, hi: number) => number;
  /** One element, by one draw. Throws a RangeError on an empty list. */
  readonly pick: <T>(list: readonly T[]) => T;
  /** True with probability `p` (0 … 1), by one draw. */
  readonly chance: (p: number) => boolean;
  /** Shuffles in place by length − 1 draws (none below two items); returns the same list. */
  readonly shuffle: <T>(list: T[]) => T[];
}

function checkSeed(seed: number): void {
  if (!Number.isInteger(seed) || seed < 0 || seed >= U32) {
    throw new RangeError("a seed must be an integer in 0 … 4294967295");
  }
}

/**
 * Starts the generator at a seed (an integer in 0 … 4294967295).
 *
 * Throws a RangeError for any other seed; it never wraps around.
 * Source: scoring spec 1.
 */
export function rng(seed: number): Rng {
  checkSeed(seed);
  // Signed 32-bit: such a value needs no allocation, where an unsigned one may.
  let state = seed | 0;

  function next(): number {
    const a = state = (state + STEP) | 0;
    const b = Math.imul(a ^ (a >>> 15), a | 1);
    const c = b ^ (b + Math.imul(b ^ (b >>> 7), b | 61));
    return (c ^ (c >>> 14)) >>> 0;
  }

  function int(n: number): number {
    return Math.floor(next() / U32 * n);
  }

  function intBetween(lo: number, hi: number): number {
    return lo + Math.floor(next() / U32 * (hi - lo + 1));
  }

  function pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError("cannot pick from an empty list");
    return list[int(list.length)] as T;
  }

  function chance(p: number): boolean {
    return next() / U32 < p;
  }

  function shuffle<T>(list: T[]): T[] {
    for (let i = list.length - 1; i > 0; i--) {
      const j = int(i + 1);
      const item = list[i] as T;
      list[i] = list[j] as T;
      list[j] = item;
    }
    return list;
  }

  return { next, int, intBetween, pick, chance, shuffle };
}

/**
 * Mixes a label into a seed: FNV-1a (32 bit) over the first UTF-16 unit of each code point,
 * XORed with the seed. Returns a u32, so a valid seed.
 *
 * Throws a RangeError when the seed is not an integer in 0 … 4294967295.
 * Source: scoring spec 1.
 */
export function mixSeed(label: string, seed: number): number {
  checkSeed(seed);
  let h = FNV_OFFSET;
  // Iterating by code point: a low surrogate is never mixed in.
  for (const char of label) h = Math.imul(h ^ char.charCodeAt(0), FNV_PRIME);
  return (h ^ seed) >>> 0;
}
