/** Family `cryptarithm`, as docs/specification/suites/cryptarithm.md says it, with a plain search. */
import { GenerationError, type Instance } from "../../lib/suites/instance.ts";
import { mixSeed, rng } from "../../lib/suites/rng.ts";

const LETTERS = "ABCDEFGHIJ";

function value(word: string, digits: ReadonlyMap<string, number>): number {
  return [...word].reduce((sum, letter) => sum * 10 + digits.get(letter)!, 0);
}

/** The letters of the last `columns` places, the rightmost place first. */
function lettersOf(words: string[], columns: number): string[] {
  const places = Array.from({ length: columns }, (_, i) => words.map((word) => word.at(-1 - i)));
  return [...new Set(places.flat())].filter((letter) => letter !== undefined);
}

/**
 * The number of solutions, counting no further than two: letter after letter gets every free digit,
 * as long as the places that have all their digits add up.
 */
function solutions(words: [string, string, string]): number {
  const columns = words[2].length;
  const letters = lettersOf(words, columns);
  // How many of the letters the last 0, 1, 2, … places need.
  const needed = Array.from({ length: columns + 1 }, (_, i) => lettersOf(words, i).length);
  const leading = new Set(words.map((word) => word[0]));
  const digits = new Map<string, number>();
  let found = 0;
  const assign = (count: number) => {
    const places = needed.findLastIndex((letters) => letters <= count);
    if (places > 0) {
      const [a, b, c] = words.map((word) => value(word.slice(-places), digits));
      if ((a! + b! - c!) % 10 ** places !== 0) return;
    }
    if (count === letters.length) {
      if (value(words[0], digits) + value(words[1], digits) === value(words[2], digits)) found++;
      return;
    }
    const letter = letters[count]!;
    for (let digit = leading.has(letter) ? 1 : 0; digit <= 9 && found < 2; digit++) {
      if ([...digits.values()].includes(digit)) continue;
      digits.set(letter, digit);
      assign(count + 1);
      digits.delete(letter);
    }
  };
  assign(0);
  return found;
}

export function generate(_version: string, tier: number, seed: number): Instance {
  const r = rng(tier === 6 ? mixSeed("cryptarithm:t6", seed) : seed);
  const lengths = tier === 6 ? [3, 4] : [2, 3];
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const k = tier === 4 ? 5 : r.pick(tier === 5 ? [6, 7] : [8, 9, 10]);
    const letters = [...LETTERS.slice(0, k)];
    const order = r.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const digits = new Map(letters.map((letter, i) => [letter, order[i]!]));
    const length1 = r.pick(lengths);
    const length2 = r.pick(lengths);
    const w1 = Array.from({ length: length1 }, () => r.pick(letters)).join("");
    const w2 = Array.from({ length: length2 }, () => r.pick(letters)).join("");
    if (digits.get(w1[0]!) === 0 || digits.get(w2[0]!) === 0) continue;
    const sum = `${value(w1, digits) + value(w2, digits)}`;
    const spelled = [...sum].map((d) => letters.find((letter) => `${digits.get(letter)}` === d));
    if (spelled.includes(undefined)) continue;
    const w3 = spelled.join("");
    if (solutions([w1, w2, w3]) !== 1) continue;
    return {
      parts: [
        { phrase: "cryptarithm.intro" },
        { text: `${w1} + ${w2} = ${w3}. What number does ${w3}` },
        { phrase: "cryptarithm.ask" },
      ],
      answer: sum,
    };
  }
  throw new GenerationError("generation-failed", "no attempt succeeded");
}
