/**
 * Family `sequence`: the next number. Source: docs/specification/suites/sequence.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

export const PINS: PhrasePins = {
  "sequence.ask1": {
    chars: 42,
    sha256: "4de1126d20083aa61a83542fd429ea6909ce8f3aae221cd56a777d44d3b4687c",
  },
  "sequence.ask2": {
    chars: 201,
    sha256: "27823aa6192f38301ca660d2f5204d4081f29a706445ed492dd7d81ab4cd02c7",
  },
};

/** Terms of a sequence, the asked one included. */
const LENGTH = 6;

/** Takes at most four draws. */
export const generate: Generator = (r, _cell, budget) => {
  budget.spend(10);
  const terms = drawTerms(r);
  return {
    parts: [
      { phrase: "sequence.ask1" },
      { text: terms.slice(0, -1).join(", ") },
      { phrase: "sequence.ask2" },
    ],
    answer: String(terms.at(-1)),
  };
};

function drawTerms(r: Rng): number[] {
  switch (r.int(4)) {
    case 0: {
      const first = r.intBetween(2, 15);
      const size = r.intBetween(2, 11);
      const step = r.chance(0.3) ? -size : size;
      return sequence((i) => first + step * i);
    }
    case 1: {
      const first = r.intBetween(1, 5);
      const ratio = 2 + r.int(2);
      return sequence((i) => first * ratio ** i);
    }
    case 2: {
      const result = [r.intBetween(1, 6), r.intBetween(2, 8)];
      while (result.length < LENGTH) result.push(result.at(-2)! + result.at(-1)!);
      return result;
    }
    default: {
      const offset = r.intBetween(1, 9);
      return sequence((i) => (i + 1) ** 2 + offset);
    }
  }
}

function sequence(term: (i: number) => number): number[] {
  return Array.from({ length: LENGTH }, (_, i) => term(i));
}
