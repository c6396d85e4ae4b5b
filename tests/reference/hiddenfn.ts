/**
 * Family `hiddenfn` straight from docs/specification/suites/hiddenfn.md: every candidate rule is evaluated afresh,
 * also in the word branch, and after each added input the search starts again at the lowest.
 */
import type { SeededGenerator } from "../../lib/suites/generate.ts";
import { type Rng, rng } from "../../lib/suites/rng.ts";
import { WORDS } from "../../lib/suites/words.ts";

type Rule<T> = (x: T) => T;

export const generate: SeededGenerator = (_version, tier, seed, budget) => {
  budget.spend(100_000);
  const r = rng(seed);
  if (tier === 6 && r.chance(0.5)) {
    const f = drawWordRule(r);
    const inputs = r.shuffle([...WORDS]).slice(0, 4);
    const query = r.pick(WORDS.filter((word) => !inputs.includes(word)));
    settle(wordRules(), f, inputs, query, WORDS);
    return instance("hiddenfn.word.intro", f, inputs, query, "hiddenfn.word.ask");
  }
  const [f, hi] = tier === 5 ? drawRule5(r) : drawRule6(r);
  const inputs: number[] = [];
  while (inputs.length < 4) {
    const x = r.intBetween(0, hi);
    if (!inputs.includes(x)) inputs.push(x);
  }
  let query = r.intBetween(0, hi);
  while (inputs.includes(query)) query = r.intBetween(0, hi);
  settle(tier === 5 ? rules5() : rules6(), f, inputs, query, [...Array(hi + 1).keys()]);
  return instance(`hiddenfn.int.intro.t${tier}`, f, inputs, query, "hiddenfn.int.ask");
};

function instance<T>(intro: string, f: Rule<T>, inputs: T[], query: T, ask: string) {
  return {
    parts: [
      { phrase: intro },
      { text: inputs.map((x) => `${x}) = ${f(x)}`).join("\nf(") },
      { phrase: "hiddenfn.apply" },
      { text: String(query) },
      { phrase: ask },
    ],
    answer: String(f(query)),
  };
}

function settle<T>(
  rules: Rule<T>[],
  f: Rule<T>,
  inputs: T[],
  query: T,
  pool: readonly T[],
): void {
  let kept = rules.filter((rule) => inputs.every((x) => rule(x) === f(x)));
  while (values(kept, query) > 1) {
    const x = pool.find((x) => x !== query && !inputs.includes(x) && values(kept, x) > 1)!;
    inputs.push(x);
    kept = kept.filter((rule) => rule(x) === f(x));
  }
}

function values<T>(rules: Rule<T>[], x: T): number {
  return new Set(rules.map((rule) => rule(x))).size;
}

function drawRule5(r: Rng): [Rule<number>, number] {
  const choice = r.int(3);
  if (choice === 0) {
    const a = r.intBetween(2, 7);
    const b = r.intBetween(1, 15);
    return [(x) => a * x + b, 30];
  }
  if (choice === 1) {
    const m = r.pick([10, 12, 16]);
    const a = r.intBetween(2, 6);
    return [(x) => (a * x + 1) % m, 40];
  }
  const k = r.intBetween(3, 30);
  return [(x) => x ^ k, 60];
}

function drawRule6(r: Rng): [Rule<number>, number] {
  const choice = r.int(2);
  if (choice === 0) {
    const a = r.intBetween(2, 5);
    const b = r.intBetween(1, 9);
    const m = r.pick([11, 13, 17]);
    return [(x) => (a * x + b) % m + x % 2, 40];
  }
  const k = r.intBetween(3, 15);
  const s = r.intBetween(1, 3);
  return [(x) => (x ^ k) + s * (x % 3), 60];
}

function rules5(): Rule<number>[] {
  const rules: Rule<number>[] = [];
  for (let a = 2; a <= 7; a++) {
    for (let b = 1; b <= 15; b++) rules.push((x) => a * x + b);
  }
  for (let a = 2; a <= 6; a++) {
    for (const m of [10, 12, 16]) rules.push((x) => (a * x + 1) % m);
  }
  for (let k = 3; k <= 30; k++) rules.push((x) => x ^ k);
  return rules;
}

function rules6(): Rule<number>[] {
  const rules: Rule<number>[] = [];
  for (let a = 2; a <= 5; a++) {
    for (let b = 1; b <= 9; b++) {
      for (const m of [11, 13, 17]) rules.push((x) => (a * x + b) % m + x % 2);
    }
  }
  for (let k = 3; k <= 15; k++) {
    for (let s = 1; s <= 3; s++) rules.push((x) => (x ^ k) + s * (x % 3));
  }
  return rules;
}

function drawWordRule(r: Rng): Rule<string> {
  const kind = r.int(3);
  return kind === 0 ? shiftAndReverse(r.intBetween(1, 5)) : kind === 1 ? wrap : evenThenOdd;
}

function wordRules(): Rule<string>[] {
  return [...[1, 2, 3, 4, 5].map(shiftAndReverse), wrap, evenThenOdd];
}

function shiftAndReverse(k: number): Rule<string> {
  const alphabet = "abcdefghijklmnopqrstuvwxyz";
  return (word) => {
    const letters = [...word].map((letter) => alphabet[(alphabet.indexOf(letter) + k) % 26]!);
    return letters.reverse().join("");
  };
}

function wrap(word: string): string {
  return word[word.length - 1]! + word + word[0]!;
}

function evenThenOdd(word: string): string {
  let even = "";
  let odd = "";
  for (let i = 0; i < word.length; i++) {
    if (i % 2 === 0) even += word[i];
    else odd += word[i];
  }
  return even + odd;
}
