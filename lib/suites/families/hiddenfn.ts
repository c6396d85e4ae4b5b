/**
 * Family `hiddenfn`: infer a rule from examples. Source: docs/specification/suites/hiddenfn.md.
 */
import type { Budget } from "../budget.ts";
import type { Generator, Instance } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";
import { shiftLetters, WORDS } from "../words.ts";

export const PINS: PhrasePins = {
  "hiddenfn.int.intro.t5": {
    chars: 291,
    sha256: "9648207b3bf4da56f12ba90ac9f834df4bbba7d661bc7931a84738f5873b147f",
  },
  "hiddenfn.apply": {
    chars: 25,
    sha256: "d9c3e2ef51b9f5b7ce438657e12b75aeabe93ef27f1db5d95d49e0e854bbb0e5",
  },
  "hiddenfn.int.ask": {
    chars: 34,
    sha256: "c20d327fbc0ab89a14f6a46cdab51e85bff2529f9c2c5bfb7f58f1012014107a",
  },
  "hiddenfn.word.intro": {
    chars: 335,
    sha256: "7cbbb523ef46d068f9e71c282d265ac21ec9c21daae2a87da16966f166aafb69",
  },
  "hiddenfn.word.ask": {
    chars: 52,
    sha256: "0f65277695fb5747f485528e6cea85a6e8b63b6b89d185c28b9879a146331e47",
  },
  "hiddenfn.int.intro.t6": {
    chars: 308,
    sha256: "d7420d44ac82ec6d5a0b1345574aec99b7e169a1efd179e5edeea7d0cf08daed",
  },
};

/** Examples before any that are added to settle the answer. */
const EXAMPLES = 4;

/** The largest input of any rule. */
const MAX_INPUT = 60;

type Rule = (x: number) => number;
type WordRule = (word: string) => string;

const MODULI = { 5: [10, 12, 16], 6: [11, 13, 17] } as const;

const linear = (a: number, b: number): Rule => (x) => a * x + b;
const modular = (a: number, m: number): Rule => (x) => (a * x + 1) % m;
const xor = (k: number): Rule => (x) => x ^ k;
const modularParity = (a: number, b: number, m: number): Rule => (x) => (a * x + b) % m + x % 2;
const xorThirds = (k: number, s: number): Rule => (x) => (x ^ k) + s * (x % 3);

/** Tier 5 asks for numbers only; tier 6 for words as often. */
export const generate: Generator = (r, { tier }, budget) => {
  budget.spend(500);
  return tier === 6 && r.chance(0.5) ? wordInstance(r) : integerInstance(r, tier, budget);
};

function integerInstance(r: Rng, tier: number, budget: Budget): Instance {
  const { rule, max } = tier === 5 ? drawRule5(r) : drawRule6(r);
  const inputs: number[] = [];
  while (inputs.length < EXAMPLES) {
    budget.spend(1);
    const x = r.intBetween(0, max);
    if (!inputs.includes(x)) inputs.push(x);
  }
  let query: number;
  do {
    budget.spend(1);
    query = r.intBetween(0, max);
  } while (inputs.includes(query));
  settle(inputs, query, rule, max, candidates(tier));
  return {
    parts: [
      { phrase: tier === 5 ? "hiddenfn.int.intro.t5" : "hiddenfn.int.intro.t6" },
      { text: inputs.map((x) => `${x}) = ${rule(x)}`).join("\nf(") },
      { phrase: "hiddenfn.apply" },
      { text: String(query) },
      { phrase: "hiddenfn.int.ask" },
    ],
    answer: String(rule(query)),
  };
}

function drawRule5(r: Rng): { rule: Rule; max: number } {
  switch (r.int(3)) {
    case 0: {
      const a = r.intBetween(2, 7);
      return { rule: linear(a, r.intBetween(1, 15)), max: 30 };
    }
    case 1: {
      const m = r.pick(MODULI[5]);
      return { rule: modular(r.intBetween(2, 6), m), max: 40 };
    }
    default:
      return { rule: xor(r.intBetween(3, 30)), max: 60 };
  }
}

function drawRule6(r: Rng): { rule: Rule; max: number } {
  if (r.int(2) === 0) {
    const a = r.intBetween(2, 5);
    const b = r.intBetween(1, 9);
    return { rule: modularParity(a, b, r.pick(MODULI[6])), max: 40 };
  }
  const k = r.intBetween(3, 15);
  return { rule: xorThirds(k, r.intBetween(1, 3)), max: 60 };
}

/** Appends inputs until every candidate that fits the examples gives the same value at `query`. */
function settle(
  inputs: number[],
  query: number,
  rule: Rule,
  max: number,
  tables: readonly Uint16Array[],
): void {
  let fitting = tables.filter((table) => inputs.every((x) => table[x] === rule(x)));
  // Candidates that agree at x still do when there are fewer of them: one pass upwards is enough.
  for (let x = 0; x <= max && !agree(fitting, query); x++) {
    if (x === query || inputs.includes(x) || agree(fitting, x)) continue;
    inputs.push(x);
    fitting = fitting.filter((table) => table[x] === rule(x));
  }
}

function agree(tables: readonly Uint16Array[], x: number): boolean {
  return tables.every((table) => table[x] === tables[0]![x]);
}

const tablesOfTier = new Map<number, readonly Uint16Array[]>();

/** The values over 0 … MAX_INPUT of every rule that a tier announces; made when first needed. */
function candidates(tier: number): readonly Uint16Array[] {
  let tables = tablesOfTier.get(tier);
  if (tables === undefined) {
    tables = (tier === 5 ? rules5() : rules6()).map((rule) =>
      Uint16Array.from({ length: MAX_INPUT + 1 }, (_, x) => rule(x))
    );
    tablesOfTier.set(tier, tables);
  }
  return tables;
}

function rules5(): Rule[] {
  return [
    ...range(2, 7).flatMap((a) => range(1, 15).map((b) => linear(a, b))),
    ...MODULI[5].flatMap((m) => range(2, 6).map((a) => modular(a, m))),
    ...range(3, 30).map(xor),
  ];
}

function rules6(): Rule[] {
  return [
    ...MODULI[6].flatMap((m) =>
      range(2, 5).flatMap((a) => range(1, 9).map((b) => modularParity(a, b, m)))
    ),
    ...range(3, 15).flatMap((k) => range(1, 3).map((s) => xorThirds(k, s))),
  ];
}

function range(lo: number, hi: number): number[] {
  return Array.from({ length: hi - lo + 1 }, (_, i) => lo + i);
}

/** No two word rules agree on any word of the list, so the examples always settle the answer. */
function wordInstance(r: Rng): Instance {
  const rule = drawWordRule(r);
  const inputs = r.shuffle([...WORDS]).slice(0, EXAMPLES);
  const query = r.pick(WORDS.filter((word) => !inputs.includes(word)));
  return {
    parts: [
      { phrase: "hiddenfn.word.intro" },
      { text: inputs.map((word) => `${word}) = ${rule(word)}`).join("\nf(") },
      { phrase: "hiddenfn.apply" },
      { text: query },
      { phrase: "hiddenfn.word.ask" },
    ],
    answer: rule(query),
  };
}

function drawWordRule(r: Rng): WordRule {
  switch (r.int(3)) {
    case 0: {
      const places = r.intBetween(1, 5);
      return (word) => [...shiftLetters(word, places)].reverse().join("");
    }
    case 1:
      return (word) => word.slice(-1) + word + word.slice(0, 1);
    default:
      return (word) => everyOther(word, 0) + everyOther(word, 1);
  }
}

function everyOther(word: string, from: number): string {
  return [...word].filter((_, i) => i % 2 === from).join("");
}
