/**
 * Family `sat`: planted 3-SAT with one solution. Source: docs/specification/suites/sat.md.
 *
 * The live assignments are a bitset: bit m of it says whether mask m is live. A clause is false on
 * a subcube, an eighth of all masks, so counting what it removes visits only the words that meet
 * this subcube.
 */
import type { Budget } from "../budget.ts";
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

/** Source: docs/specification/phrases/sat.json. */
export const PINS: PhrasePins = {
  "sat.intro": {
    chars: 95,
    sha256: "2ddd22db1643380c88f19e4df3d7fc3eccd2266d3d19dd4567d4b42a38293aeb",
  },
  "sat.given": {
    chars: 86,
    sha256: "7fa309eaeb68a520684e4eeca8adc6b79e8f114d14ca96969ecf19e3237576b0",
  },
  "sat.ask": {
    chars: 54,
    sha256: "04339847617acec87d0591cf58edf51c5980e59658b734bad6170390c80dfc19",
  },
};

/** Variables by tier. */
const VARIABLES: Readonly<Record<number, number>> = { 4: 8, 5: 12, 6: 14 };

const CANDIDATES = 12;

/** A formula with one solution. */
export interface Formula {
  variables: number;
  /** The clauses as prompts print them. */
  text: string;
  /** The solution, x0 first. */
  answer: string;
}

/**
 * Three literals 2v + p in ascending order, five bits each. A literal is true under a mask whose bit
 * v is p.
 */
type Clause = number;

export const generate: Generator = (r, { tier }, budget) => {
  const { variables, text, answer } = satFormula(r, tier, budget);
  return {
    parts: [
      { phrase: "sat.intro" },
      { text: `${variables - 1}` },
      { phrase: "sat.given" },
      { text: `${text}\n\nReply with only the ${variables}` },
      { phrase: "sat.ask" },
      { text: `${variables - 1} last.` },
    ],
    answer,
  };
};

/**
 * Draws the formula of a tier (4, 5, 6).
 *
 * @throws {BudgetExceeded} when the budget is used up.
 */
export function satFormula(r: Rng, tier: number, budget: Budget): Formula {
  const n = VARIABLES[tier]!;
  let target = 0;
  for (let v = 0; v < n; v++) target |= r.int(2) << v;

  const live = new Int32Array(1 << (n - 5)).fill(-1);
  let alive = 1 << n;
  const chosen: Clause[] = [];
  const order: number[] = new Array(n).fill(0);
  while (alive > 1) {
    budget.spend(CANDIDATES * (n + 2) + 4 * live.length);
    let best: Clause = 0;
    let bestRemoved = 0;
    for (let i = 0; i < CANDIDATES; i++) {
      const clause = drawClause(r, order);
      if ((target & careBits(clause)) === falseBits(clause) || chosen.includes(clause)) continue;
      const removed = countFalse(live, clause);
      if (removed > bestRemoved) {
        best = clause;
        bestRemoved = removed;
      }
    }
    const killer = drawKiller(r, n, target, nthOther(live, target, r.int(alive - 1)));
    const removed = countFalse(live, killer);
    if (removed > bestRemoved) {
      best = killer;
      bestRemoved = removed;
    }
    chosen.push(best);
    removeFalse(live, best);
    alive -= bestRemoved;
  }
  return {
    variables: n,
    text: r.shuffle(chosen).map(printClause).join(" ∧\n"),
    answer: Array.from({ length: n }, (_, v) => (target >> v) & 1).join(""),
  };
}

/** A random clause; `order` is scratch space, one place a variable. */
function drawClause(r: Rng, order: number[]): Clause {
  for (let v = 0; v < order.length; v++) order[v] = v;
  r.shuffle(order);
  const a = 2 * order[0]! + r.int(2);
  const b = 2 * order[1]! + r.int(2);
  const c = 2 * order[2]! + r.int(2);
  return clauseOf(a, b, c);
}

/** A clause that is true under the target and false under the victim. */
function drawKiller(r: Rng, n: number, target: number, victim: number): Clause {
  const different: number[] = [];
  const same: number[] = [];
  for (let v = 0; v < n; v++) (((target ^ victim) >> v) & 1 ? different : same).push(v);
  const like = (v: number) => 2 * v + ((target >> v) & 1);
  if (different.length >= 3) {
    const [a, b, c] = r.shuffle(different) as [number, number, number];
    return clauseOf(like(a), like(b), like(c));
  }
  const d = different[r.int(different.length)]!;
  const [s, t] = r.shuffle(same) as [number, number];
  return clauseOf(like(d), like(s) ^ 1, like(t) ^ 1);
}

function clauseOf(a: number, b: number, c: number): Clause {
  const low = Math.min(a, b, c);
  const high = Math.max(a, b, c);
  return (low << 10) | ((a + b + c - low - high) << 5) | high;
}

/** The bits of a mask that the clause looks at. */
function careBits(clause: Clause): number {
  return (1 << (clause >> 11)) | (1 << ((clause >> 6) & 15)) | (1 << ((clause >> 1) & 15));
}

/** What the clause's bits are in a mask under which it is false. */
function falseBits(clause: Clause): number {
  return ((~clause >> 10) & 1) << (clause >> 11) |
    ((~clause >> 5) & 1) << ((clause >> 6) & 15) |
    (~clause & 1) << ((clause >> 1) & 15);
}

/** Of the 32 masks in a word (bits 0 to 4 of the mask), those in which variable v is true. */
const TRUE_IN_WORD = [0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000];

/** Which bits of a word are masks that have the low five of the given bits. */
function wordMask(care: number, bits: number): number {
  let mask = -1;
  for (let v = 0; v < 5; v++) {
    if ((care >> v) & 1) mask &= (bits >> v) & 1 ? TRUE_IN_WORD[v]! : ~TRUE_IN_WORD[v]!;
  }
  return mask;
}

/** How many live masks make the clause false. */
function countFalse(live: Int32Array, clause: Clause): number {
  const care = careBits(clause);
  const bits = falseBits(clause);
  const mask = wordMask(care, bits);
  const free = (live.length - 1) & ~(care >> 5);
  const base = bits >> 5;
  let count = 0;
  // Subtracting `free` steps through its submasks, each once, back to 0.
  let sub = 0;
  do {
    count += popcount(live[base | sub]! & mask);
    sub = (sub - free) & free;
  } while (sub !== 0);
  return count;
}

function removeFalse(live: Int32Array, clause: Clause): void {
  const care = careBits(clause);
  const bits = falseBits(clause);
  const keep = ~wordMask(care, bits);
  const free = (live.length - 1) & ~(care >> 5);
  const base = bits >> 5;
  let sub = 0;
  do {
    live[base | sub]! &= keep;
    sub = (sub - free) & free;
  } while (sub !== 0);
}

/** The live mask at that index (from 0) in ascending order, the target left out. */
function nthOther(live: Int32Array, target: number, index: number): number {
  let left = index;
  for (let at = 0; at < live.length; at++) {
    let word = live[at]!;
    if (at === target >> 5) word &= ~(1 << (target & 31));
    const count = popcount(word);
    if (left >= count) {
      left -= count;
      continue;
    }
    for (; left > 0; left--) word &= word - 1;
    return (at << 5) | (31 - Math.clz32(word & -word));
  }
  throw new Error("fewer live masks than counted");
}

function popcount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  x = (x + (x >>> 4)) & 0x0f0f0f0f;
  return Math.imul(x, 0x01010101) >>> 24;
}

function printClause(clause: Clause): string {
  const print = (literal: number) => `${literal & 1 ? "" : "¬"}x${literal >> 1}`;
  return `(${print(clause >> 10)} ∨ ${print((clause >> 5) & 31)} ∨ ${print(clause & 31)})`;
}
