/**
 * Family `cryptarithm`: letters for digits in an addition. Source: docs/specification/suites/cryptarithm.md.
 *
 * Nearly all the work is deciding whether a drawn addition has another solution than the drawn one.
 * That search goes column by column from the right, where the digit below the line follows from
 * those above it.
 */
import type { Budget } from "../budget.ts";
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

/** Source: docs/specification/phrases/cryptarithm.json. */
export const PINS: PhrasePins = {
  "cryptarithm.intro": {
    chars: 90,
    sha256: "4e5e2733de3dc5f2f711762a16a37087c07454d9a1841215ee05fadfe83df78a",
  },
  "cryptarithm.ask": {
    chars: 35,
    sha256: "1fde64b5118e248b2047aa6e728fcb27b42f7210663671efe40761e4be6deb3a",
  },
};

const ATTEMPTS = 10_000;

/** About 30 draws, and the arithmetic; the search counts for itself. */
const STEPS_PER_ATTEMPT = 60;

/** Letters and lengths by tier: how many letters, and how long an addend is; one is drawn of each. */
interface Sizes {
  readonly letters: readonly number[];
  readonly lengths: readonly number[];
}

const SIZES: Readonly<Record<number, Sizes>> = {
  4: { letters: [5], lengths: [2, 3] },
  5: { letters: [6, 7], lengths: [2, 3] },
  6: { letters: [8, 9, 10], lengths: [3, 4] },
};

/** A letter is its place in the alphabet, from 0; a word is its letters, the last one first. */
type Word = number[];

/** An addition with the digits it was drawn with. */
interface Puzzle {
  readonly addend1: Word;
  readonly addend2: Word;
  readonly sum: Word;
  /** The drawn digit of all ten letters, also of those that don't take part. */
  readonly digits: readonly number[];
}

export const generate: Generator = (r, { tier }, budget) => {
  const sizes = SIZES[tier]!;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    budget.spend(STEPS_PER_ATTEMPT);
    const puzzle = drawPuzzle(r, sizes);
    if (puzzle === null || hasNearSolution(puzzle) || hasOtherSolution(puzzle, budget)) continue;
    const { addend1, addend2, sum, digits } = puzzle;
    return {
      parts: [
        { phrase: "cryptarithm.intro" },
        {
          text: `${print(addend1)} + ${print(addend2)} = ${print(sum)}. What number does ${
            print(sum)
          }`,
        },
        { phrase: "cryptarithm.ask" },
      ],
      answer: `${valueOf(sum, digits)}`,
    };
  }
  throw new GenerationError("generation-failed", `no puzzle in ${ATTEMPTS} attempts`);
};

/** One attempt's puzzle, or null where a first letter stands for 0 or a digit has no letter. */
function drawPuzzle(r: Rng, { letters, lengths }: Sizes): Puzzle | null {
  // A tier with one number of letters has no draw for it.
  const k = letters.length === 1 ? letters[0]! : r.pick(letters);
  const digits = r.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const length1 = r.pick(lengths);
  const length2 = r.pick(lengths);
  const addend1 = drawWord(r, length1, k);
  const addend2 = drawWord(r, length2, k);
  if (digits[addend1[length1 - 1]!] === 0 || digits[addend2[length2 - 1]!] === 0) return null;
  const sum: Word = [];
  for (let left = valueOf(addend1, digits) + valueOf(addend2, digits); left > 0;) {
    const letter = digits.indexOf(left % 10);
    if (letter >= k) return null;
    sum.push(letter);
    left = Math.floor(left / 10);
  }
  return { addend1, addend2, sum, digits };
}

function drawWord(r: Rng, length: number, letters: number): Word {
  const word = new Array<number>(length).fill(0);
  for (let i = length - 1; i >= 0; i--) word[i] = r.int(letters);
  return word;
}

function valueOf(word: Word, digits: readonly number[]): number {
  let value = 0;
  for (let i = word.length - 1; i >= 0; i--) value = value * 10 + digits[word[i]!]!;
  return value;
}

function print(word: Word): string {
  return String.fromCharCode(...word.map((letter) => 65 + letter).reverse());
}

/**
 * Whether giving another digit to one letter, or to two, keeps the sum right. This finds most of the
 * second solutions without a search: the sum is linear in the digits.
 */
function hasNearSolution({ addend1, addend2, sum, digits }: Puzzle): boolean {
  const weights = new Array<number>(10).fill(0);
  addWeights(weights, addend1, 1);
  addWeights(weights, addend2, 1);
  addWeights(weights, sum, -1);
  const leading = leadingLetters(addend1, addend2, sum);
  let occurring = 0;
  for (const word of [addend1, addend2, sum]) for (const letter of word) occurring |= 1 << letter;
  let used = 0;
  for (let letter = 0; letter < 10; letter++) {
    if ((occurring >> letter) & 1) used |= 1 << digits[letter]!;
  }
  for (let i = 0; i < 10; i++) {
    if (((occurring >> i) & 1) === 0) continue;
    for (let d = (leading >> i) & 1; d < 10; d++) {
      if (d === digits[i]) continue;
      const change = weights[i]! * (d - digits[i]!);
      const free = ((used >> d) & 1) === 0;
      if (free && change === 0) return true;
      for (let j = 0; j < 10; j++) {
        if (j === i || ((occurring >> j) & 1) === 0 || (!free && digits[j] !== d)) continue;
        const weight = weights[j]!;
        if (weight === 0 || change % weight !== 0) continue;
        const e = digits[j]! - change / weight;
        if (e < ((leading >> j) & 1) || e > 9 || e === d) continue;
        if (e === digits[i] || ((used >> e) & 1) === 0) return true;
      }
    }
  }
  return false;
}

function addWeights(weights: number[], word: Word, sign: number): void {
  let weight = sign;
  for (const letter of word) {
    weights[letter]! += weight;
    weight *= 10;
  }
}

/** The first letters of the words, as a mask. */
function leadingLetters(...words: Word[]): number {
  return words.reduce((mask, word) => mask | (1 << word.at(-1)!), 0);
}

/** The search for a second solution. */
interface Search {
  readonly addend1: Word;
  readonly addend2: Word;
  readonly sum: Word;
  /** Digit by letter, −1 for none yet. */
  readonly digits: Int8Array;
  /** Letters that must not be 0, as a mask. */
  readonly leading: number;
  /** Digits in use, as a mask. */
  used: number;
  found: number;
  readonly budget: Budget;
}

/** Whether the puzzle has more than one solution. */
function hasOtherSolution(puzzle: Puzzle, budget: Budget): boolean {
  const { addend1, addend2, sum } = puzzle;
  const search: Search = {
    addend1,
    addend2,
    sum,
    digits: new Int8Array(10).fill(-1),
    leading: leadingLetters(addend1, addend2, sum),
    used: 0,
    found: 0,
    budget,
  };
  // A sum longer than both addends starts with their carry, 1.
  if (sum.length > Math.max(addend1.length, addend2.length)) assign(search, sum.at(-1)!, 1);
  column(search, 0, 0);
  return search.found > 1;
}

/** Whether the letter may stand for the digit. */
function mayAssign(search: Search, letter: number, digit: number): boolean {
  return ((search.used >> digit) & 1) === 0 &&
    (digit !== 0 || ((search.leading >> letter) & 1) === 0);
}

function assign(search: Search, letter: number, digit: number): void {
  search.digits[letter] = digit;
  search.used |= 1 << digit;
}

function unassign(search: Search, letter: number): void {
  search.used &= ~(1 << search.digits[letter]!);
  search.digits[letter] = -1;
}

/**
 * Goes on from that column (0 is the rightmost) until a second solution is found, beginning with the
 * first addend's digit.
 */
function column(search: Search, at: number, carry: number): void {
  if (at === search.sum.length) {
    if (carry === 0) search.found++;
    return;
  }
  const letter = search.addend1[at];
  if (letter === undefined) return lower(search, at, carry);
  const digit = search.digits[letter]!;
  if (digit >= 0) return lower(search, at, carry + digit);
  search.budget.spend(10);
  for (let d = 0; d < 10 && search.found < 2; d++) {
    if (!mayAssign(search, letter, d)) continue;
    assign(search, letter, d);
    lower(search, at, carry + d);
    unassign(search, letter);
  }
}

/** Settles the second addend's digit; `total` is the carry and the first addend's digit. */
function lower(search: Search, at: number, total: number): void {
  const letter = search.addend2[at];
  if (letter === undefined) return below(search, at, total);
  const digit = search.digits[letter]!;
  if (digit >= 0) return below(search, at, total + digit);
  const wanted = search.digits[search.sum[at]!]!;
  if (wanted >= 0) {
    const d = (wanted + 20 - total) % 10;
    if (!mayAssign(search, letter, d)) return;
    assign(search, letter, d);
    below(search, at, total + d);
    unassign(search, letter);
    return;
  }
  search.budget.spend(10);
  for (let d = 0; d < 10 && search.found < 2; d++) {
    if (!mayAssign(search, letter, d)) continue;
    assign(search, letter, d);
    below(search, at, total + d);
    unassign(search, letter);
  }
}

/** Checks or settles the sum's digit, and goes on to the next column. */
function below(search: Search, at: number, total: number): void {
  const letter = search.sum[at]!;
  const carry = total > 9 ? 1 : 0;
  const d = total - 10 * carry;
  const digit = search.digits[letter]!;
  if (digit >= 0) {
    if (digit === d) column(search, at + 1, carry);
    return;
  }
  if (!mayAssign(search, letter, d)) return;
  assign(search, letter, d);
  column(search, at + 1, carry);
  unassign(search, letter);
}
