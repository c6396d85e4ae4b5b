/**
 * Family `cipher`: undo a letter shift. Source: docs/specification/suites/cipher.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import { shiftLetters, WORDS } from "../words.ts";

export const PINS: PhrasePins = {
  "cipher.ask1": {
    chars: 66,
    sha256: "0f8d14ec362e69eee77ce0ea7438594c1aeb8e071b7a1eea5c090c89030369ec",
  },
  "cipher.ask2": {
    chars: 109,
    sha256: "97e07f05a80a06b54879cf216185d0b1f084c5147e0ad1c74a7bf8b565a29366",
  },
};

/** Takes two draws. */
export const generate: Generator = (r, _cell, budget) => {
  budget.spend(10);
  const word = r.pick(WORDS);
  const places = r.intBetween(1, 25);
  return {
    parts: [
      { text: `The text "${shiftLetters(word, places)}` },
      { phrase: "cipher.ask1" },
      { text: String(places) },
      { phrase: "cipher.ask2" },
    ],
    answer: word,
  };
};
