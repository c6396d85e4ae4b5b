/**
 * Family `echo`: say a word back. Source: docs/specification/suites/echo.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import { WORDS } from "../words.ts";

export const PINS: PhrasePins = {
  "echo.same": {
    chars: 47,
    sha256: "27ba7ef31bfb8fe980fb3b05b3fb7796eaf2d0259b6c587cddd612499f22a89a",
  },
  "echo.upper": {
    chars: 47,
    sha256: "175272b3bcb4aecb8b2d5133628f5b8646ab7bd53b3ac787f4079c0f724b3841",
  },
  "echo.twice": {
    chars: 67,
    sha256: "263f973bb1f4a3ad840895e64bc4b6e3a52fb6079a97aaeb6dccb2564e52d12b",
  },
  "echo.back": {
    chars: 47,
    sha256: "cd436acab0ba79bbca95206387315cd7f27122c26f0ed3e0d53a5c277afec8de",
  },
};

/** Takes two draws. */
export const generate: Generator = (r, _cell, budget) => {
  budget.spend(10);
  const word = r.pick(WORDS);
  switch (r.int(4)) {
    case 0:
      return { parts: [{ phrase: "echo.same" }, { text: word }], answer: word };
    case 1:
      return {
        parts: [{ text: `Repeat the word "${word}` }, { phrase: "echo.twice" }],
        answer: `${word} ${word}`,
      };
    case 2:
      return {
        parts: [{ text: `Write the word "${word}` }, { phrase: "echo.upper" }],
        answer: word.toUpperCase(),
      };
    default:
      return {
        parts: [{ text: `Write the word "${word}` }, { phrase: "echo.back" }],
        answer: [...word].reverse().join(""),
      };
  }
};
