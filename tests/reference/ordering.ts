/** Family `ordering` straight from docs/specification/suites/ordering.md: every order of the people is tried. */
import type { SeededGenerator } from "../../lib/suites/generate.ts";
import { GenerationError } from "../../lib/suites/instance.ts";
import { rng } from "../../lib/suites/rng.ts";
import { NAMES } from "../../lib/suites/words.ts";

export const generate: SeededGenerator = (_version, _tier, seed, budget) => {
  const r = rng(seed);
  for (let attempt = 0; attempt < 200; attempt++) {
    budget.spend(1000);
    const people = r.shuffle([...NAMES]).slice(0, 4);
    const truth = r.shuffle([...people]);
    const clues: [string, string][] = [];
    for (let i = 0; i < 4; i++) {
      for (let j = i + 1; j < 4; j++) clues.push([truth[i]!, truth[j]!]);
    }
    r.shuffle(clues);
    const take = r.intBetween(4, 6);
    const chosen = clues.slice(0, take);
    const orders = permutations(people).filter((order) =>
      chosen.every(([first, second]) => order.indexOf(first) < order.indexOf(second))
    );
    if (orders.length !== 1) continue;
    const letters = ["A", "B", "C", "D"];
    return {
      parts: [
        { text: "Four runners (" },
        { text: people.map((name, i) => `${letters[i]}=${name}`).join(", ") },
        { phrase: "ordering.mid" },
        { text: chosen.map(([first, second]) => `${first} finished before ${second}`).join("; ") },
        { phrase: "ordering.ask" },
      ],
      answer: truth.map((name) => letters[people.indexOf(name)]).join(" "),
    };
  }
  throw new GenerationError("generation-failed", "no attempt succeeded");
};

function permutations(items: string[]): string[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest])
  );
}
