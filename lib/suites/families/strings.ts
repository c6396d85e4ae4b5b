/**
 * Family `strings`: letter work on a word. Source: docs/specification/suites/strings.md.
 */
import type { Generator, Instance } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";
import { WORDS } from "../words.ts";

export const PINS: PhrasePins = {
  "strings.nth": {
    chars: 49,
    sha256: "59f391d294c7b585ae8f795d615ebed34686c03395fa90f9db70fa1dc5d43f34",
  },
  "strings.double": {
    chars: 83,
    sha256: "f6c386c76a05dc3f8c8201748ab3ac497cac85df6c57fd4874c5db4e8c20e9cb",
  },
  "strings.count1": {
    chars: 32,
    sha256: "9fcb98c2be2d08da7eb77689b26603c3d8b974c3ce5902e826575b459a8d2a57",
  },
  "strings.count2": {
    chars: 30,
    sha256: "c443b549ee94620484ef2e5e64db0c86b3d8d053273bf48b50f0f7245621d8b3",
  },
  "strings.vowels1": {
    chars: 49,
    sha256: "17b7a275ccc155d7d2c985923bf737143445044324ff8fa46b144118db157ac7",
  },
  "strings.vowels2": {
    chars: 50,
    sha256: "3eb31731dbde829965b10fd4db72f89db6d5df2a1be3f3a8f5356afca7570157",
  },
  "strings.halves1": {
    chars: 24,
    sha256: "be53e2ec1619aa31fe2b9424cd925d56008b58b79fbc834da6fb0282b3625a70",
  },
  "strings.halves2": {
    chars: 26,
    sha256: "6664c69492541fef7cd6c33ed13bd96561d62b4ef453e2413dd0e9f2e9caa97a",
  },
  "strings.halves3": {
    chars: 108,
    sha256: "cc633d12d8b73b9098cfd753bda6d9604c320a6771fa756550fcef90356438bf",
  },
  "strings.interleave1": {
    chars: 27,
    sha256: "00c76419b41655c2631b2427b0b61e0fbd0511b40c6236f60de94d92dfbee6a2",
  },
  "strings.interleave2": {
    chars: 37,
    sha256: "ba1acc1a35c084721d80acbbcc5898eb728723296142a688362a334f5b9971fd",
  },
  "strings.interleave3": {
    chars: 58,
    sha256: "d5db7d1b468e2b8a65e6034987d24d278f1193f641fbfe25c3214e086ce39e24",
  },
};

/** The three kinds of each tier. */
const KINDS = {
  1: [nthLetter, letterCount, doubled],
  2: [withoutVowels, interleaved, halves],
} as const;

/** Takes two or three draws. */
export const generate: Generator = (r, { tier }, budget) => {
  budget.spend(50);
  const word = r.pick(WORDS);
  return r.pick(tier === 1 ? KINDS[1] : KINDS[2])(r, word);
};

function nthLetter(r: Rng, word: string): Instance {
  const n = r.intBetween(2, Math.min(6, word.length));
  const suffix = n === 2 ? "nd" : n === 3 ? "rd" : "th";
  return {
    parts: [
      { text: `What is the ${n}${suffix} letter of the word "${word}` },
      { phrase: "strings.nth" },
    ],
    answer: word.charAt(n - 1),
  };
}

function letterCount(r: Rng, word: string): Instance {
  const letter = r.pick([...new Set(word)]);
  return {
    parts: [
      { phrase: "strings.count1" },
      { text: `${letter}" appear in the word "${word}` },
      { phrase: "strings.count2" },
    ],
    answer: String(word.split(letter).length - 1),
  };
}

function doubled(_r: Rng, word: string): Instance {
  return {
    parts: [{ text: `Write "${word}` }, { phrase: "strings.double" }],
    answer: [...word].map((letter) => letter + letter).join(""),
  };
}

function withoutVowels(_r: Rng, word: string): Instance {
  return {
    parts: [{ phrase: "strings.vowels1" }, { text: word }, { phrase: "strings.vowels2" }],
    answer: word.replace(/[aeiou]/g, ""),
  };
}

function interleaved(r: Rng, word: string): Instance {
  const other = pickOther(r, word);
  const pairs = Math.min(word.length, other.length);
  let answer = "";
  for (let i = 0; i < pairs; i++) answer += word.charAt(i) + other.charAt(i);
  return {
    parts: [
      { phrase: "strings.interleave1" },
      { text: `${word}" and "${other}` },
      { phrase: "strings.interleave2" },
      { text: word },
      { phrase: "strings.interleave3" },
    ],
    answer,
  };
}

function halves(r: Rng, word: string): Instance {
  const other = pickOther(r, word);
  return {
    parts: [
      { phrase: "strings.halves1" },
      { text: word },
      { phrase: "strings.halves2" },
      { text: other },
      { phrase: "strings.halves3" },
    ],
    answer: word.slice(0, half(word)) + other.slice(half(other)),
  };
}

function pickOther(r: Rng, word: string): string {
  return r.pick(WORDS.filter((other) => other !== word));
}

function half(word: string): number {
  return Math.floor(word.length / 2);
}
