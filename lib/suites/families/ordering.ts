/**
 * Family `ordering`: finish order from pairwise clues. Source: docs/specification/suites/ordering.md.
 */
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import { letterOf, NAMES } from "../words.ts";

export const PINS: PhrasePins = {
  "ordering.mid": {
    chars: 26,
    sha256: "6c1edcd9533ceea817a29f4fb332e84ecdc508b529073524b16c749f84b33725",
  },
  "ordering.ask": {
    chars: 108,
    sha256: "845045a56c2ccc70077aaf89517ffef42a2a8d54aeaa0d51fcb5da9ee6122091",
  },
};

const RUNNERS = 4;
const ATTEMPTS = 200;

/** Pairs of places, the better one first, in the order from which they are shuffled. */
const PAIRS: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
];

/**
 * Draws people, their finish order and clues until the clues admit that order alone. As they come
 * from one order, that is so exactly when all pairs of neighbours are among them.
 */
export const generate: Generator = (r, _cell, budget) => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    budget.spend(50);
    const people = r.shuffle([...NAMES]).slice(0, RUNNERS);
    const finish = r.shuffle([...people]);
    const pairs = r.shuffle([...PAIRS]);
    const clues = pairs.slice(0, r.intBetween(4, 6));
    const neighbours = clues.filter(([better, worse]) => worse === better + 1);
    if (neighbours.length < RUNNERS - 1) continue;
    const legend = people.map((name, i) => `${letterOf(i)}=${name}`).join(", ");
    return {
      parts: [
        { text: `Four runners (${legend}` },
        { phrase: "ordering.mid" },
        { text: clues.map(([i, j]) => `${finish[i]} finished before ${finish[j]}`).join("; ") },
        { phrase: "ordering.ask" },
      ],
      answer: finish.map((name) => letterOf(people.indexOf(name))).join(" "),
    };
  }
  throw new GenerationError("generation-failed", `${ATTEMPTS} attempts gave no unique order`);
};
