/**
 * The worked examples and remarkable seeds of docs/specification/suites: answers, computed text, and the prompt's
 * length, to which a phrase adds what its pin says.
 */
import assert from "node:assert/strict";
import { BudgetExceeded, createBudget } from "../../../lib/suites/budget.ts";
import * as cryptarithm from "../../../lib/suites/families/cryptarithm.ts";
import * as gridxf from "../../../lib/suites/families/gridxf.ts";
import * as sat from "../../../lib/suites/families/sat.ts";
import * as satcheck from "../../../lib/suites/families/satcheck.ts";
import * as sudoku from "../../../lib/suites/families/sudoku.ts";
import { seeded } from "../../../lib/suites/generate.ts";
import { GenerationError, type Generator } from "../../../lib/suites/instance.ts";
import type { PhrasePins } from "../../../lib/suites/prompt.ts";

interface Family {
  generate: Generator;
  PINS: PhrasePins;
}

interface Outcome {
  answer: string;
  /** The computed texts, phrases left out. */
  texts: string[];
  /** Length of the whole prompt in UTF-16 code units. */
  chars: number;
}

const FAMILIES = { sat, satcheck, sudoku, cryptarithm, gridxf };

const V2 = "clankdar-suite-v2";
const FRONTIER = "clankdar-frontier-v1";

function generatorOf(family: Family) {
  const [name] = Object.entries(FAMILIES).find(([, known]) => known === family)!;
  return seeded(name, family.generate);
}

function outcome(family: Family, version: string, tier: number, seed: number): Outcome {
  const { PINS } = family;
  const { parts, answer } = generatorOf(family)(version, tier, seed, createBudget(1e7));
  const lengths = parts.map((p) => "text" in p ? p.text.length : PINS[p.phrase]!.chars);
  return {
    answer,
    texts: parts.flatMap((part) => "text" in part ? [part.text] : []),
    chars: lengths.reduce((sum, length) => sum + length, 0),
  };
}

Deno.test("sat: tier 4, seed 1 has 19 clauses, two of them killers", () => {
  const { answer, texts, chars } = outcome(sat, FRONTIER, 4, 1);
  assert.deepEqual([answer, chars], ["10010000", 619]);
  const clauses = texts[1]!.split("\n\n")[0]!.split(" ∧\n");
  assert.equal(clauses.length, 19);
  // The clauses of rounds 1 and 2: literals 1, 5, 15 and 4, 13, 14.
  assert.ok(clauses.includes("(x0 ∨ x2 ∨ x7)"));
  assert.ok(clauses.includes("(¬x2 ∨ x6 ∨ ¬x7)"));
  assert.deepEqual([texts[0], texts[2]], ["7", "7 last."]);
});

Deno.test("sat: the answer is the only solution of the printed formula", () => {
  for (const [tier, seed] of [[4, 2], [5, 0], [6, 4294967295]] as const) {
    const { answer, texts } = outcome(sat, FRONTIER, tier, seed);
    const formula = texts[1]!.split("\n\n")[0]!;
    assert.deepEqual(solutions(formula, answer.length), [answer]);
  }
});

Deno.test("satcheck: seed 1 mixes twice in v1, once in v0", () => {
  const v0 = outcome(satcheck, "clankdar-agent-v0", 5, 1);
  assert.deepEqual([v0.answer, v0.chars], ["011111011101", 1033]);
  assert.ok(v0.texts[2]!.startsWith("(x5 ∨ x6 ∨ x9)"));
  assert.equal(v0.texts[2]!.split("\n").length, 24);
  const v1 = outcome(satcheck, "clankdar-agent-v1", 5, 1);
  assert.deepEqual([v1.answer, v1.chars], ["010111100011", 1071]);
  assert.ok(v1.texts[2]!.startsWith("(¬x0 ∨ ¬x2 ∨ ¬x8)"));
  assert.equal(v1.texts[2]!.split("\n").length, 26);
});

Deno.test("sudoku: tier 3, seed 1936384585", () => {
  assert.deepEqual(outcome(sudoku, V2, 3, 1936384585), {
    answer: "1 2 4 3 / 3 4 1 2 / 2 1 3 4 / 4 3 2 1",
    texts: ["1 . . 3\n. 4 . 2\n. 1 . 4\n4 . . ."],
    chars: 211,
  });
});

Deno.test("sudoku: a seed that needs a second attempt", () => {
  const { answer, chars } = outcome(sudoku, V2, 4, 2628707478);
  assert.equal(
    answer,
    "3 4 5 2 6 1 / 2 1 6 3 4 5 / 1 6 3 5 2 4 / 5 2 4 1 3 6 / 4 5 2 6 1 3 / 6 3 1 4 5 2",
  );
  assert.equal(chars, 251);
});

Deno.test("sudoku: a fill with much backtracking", () => {
  const rows = "3 1 4 8 2 9 6 5 7 / 9 8 2 6 5 7 4 3 1 / 6 7 5 3 1 4 8 9 2 / 8 9 6 1 7 2 3 4 5 / " +
    "1 2 3 4 8 5 7 6 9 / 4 5 7 9 3 6 1 2 8 / 2 6 9 7 4 1 5 8 3 / 7 4 8 5 9 3 2 1 6 / " +
    "5 3 1 2 6 8 9 7 4";
  assert.equal(outcome(sudoku, V2, 5, 4144614440).answer, rows);
});

Deno.test("cryptarithm: the third attempt of tier 4, seed 815762279", () => {
  const { answer, texts, chars } = outcome(cryptarithm, V2, 4, 815762279);
  assert.deepEqual([answer, chars], ["474", 162]);
  assert.ok(texts[0]!.startsWith("CAE + CAE = DED"));
});

Deno.test("cryptarithm: tier 6 mixes its seed", () => {
  const first = outcome(cryptarithm, FRONTIER, 6, 191089423);
  assert.deepEqual([first.answer, first.chars], ["5070", 165]);
  assert.ok(first.texts[0]!.startsWith("EJG + EJDG = GDBD"));
  const real = outcome(cryptarithm, FRONTIER, 6, 1712281364);
  assert.equal(real.answer, "3032");
  assert.ok(real.texts[0]!.startsWith("EEE + DGDE = BHBD"));
});

Deno.test("cryptarithm: seeds that need more than 1600 attempts", () => {
  assert.equal(outcome(cryptarithm, V2, 4, 1596307950).answer, "1000");
  assert.equal(outcome(cryptarithm, V2, 5, 125201923).answer, "100");
  assert.equal(outcome(cryptarithm, FRONTIER, 6, 1925045290).answer, "8636");
});

Deno.test("gridxf: tier 5, seed 1979547483 needs a third example", () => {
  const { answer, texts, chars } = outcome(gridxf, V2, 5, 1979547483);
  assert.deepEqual([answer, chars], ["0 0 0\n1 0 0\n2 1 1", 758]);
  assert.deepEqual(grids(texts[0]!), [
    ["4 0 0/0 0 0/3 0 0", "3 0 4/0 0 0/0 0 0"],
    ["0 0 0/0 0 3/4 0 0", "4 0 0/0 0 0/0 3 0"],
    ["1 1 0/0 0 3/0 0 0", "0 0 2/0 0 2/0 3 0"],
  ]);
  assert.equal(texts[1], "0 0 2\n0 0 2\n0 2 1");
});

Deno.test("gridxf: tier 7, seed 1 has two examples of five rows and columns", () => {
  const { texts, chars } = outcome(gridxf, FRONTIER, 7, 1);
  assert.equal(chars, 868);
  assert.equal(grids(texts[0]!).length, 2);
  assert.match(texts[1]!, /^(?:[0-4](?: [0-4]){4}\n?){5}$/);
});

Deno.test("gridxf: seeds for which 14 examples are not enough have no instance", () => {
  for (const [tier, seed] of [[6, 816149702], [6, 749450902], [7, 1830053928], [7, 302527709]]) {
    assert.throws(
      () => outcome(gridxf, tier === 7 ? FRONTIER : V2, tier!, seed!),
      (error) => error instanceof GenerationError && error.code === "generation-failed",
    );
  }
});

Deno.test("gridxf: a query without any digit keeps its shape", () => {
  assert.equal(outcome(gridxf, V2, 5, 54935628).answer, "0 0 0\n0 0 0\n0 0 0");
  assert.equal(outcome(gridxf, V2, 6, 54935628).answer, "0 0 0\n0 0 0\n0 0 0");
});

Deno.test("a budget that is used up stops every generator", () => {
  const cells: [Family, string, number][] = [
    [sat, FRONTIER, 6],
    [satcheck, "clankdar-agent-v1", 5],
    [sudoku, V2, 5],
    [cryptarithm, FRONTIER, 6],
    [gridxf, FRONTIER, 7],
  ];
  for (const [family, version, tier] of cells) {
    const generate = generatorOf(family);
    assert.throws(() => generate(version, tier, 7, createBudget(50)), BudgetExceeded);
  }
});

/** The assignments under which every clause of a printed formula holds, x0 first. */
function solutions(formula: string, variables: number): string[] {
  const clauses = [...formula.matchAll(/\(([^)]*)\)/g)].map(([, clause]) =>
    clause!.split(" ∨ ").map((literal) => ({
      variable: Number(literal.replace(/^¬?x/, "")),
      value: literal.startsWith("¬") ? "0" : "1",
    }))
  );
  const found: string[] = [];
  for (let mask = 0; mask < 2 ** variables; mask++) {
    const bits = [...mask.toString(2).padStart(variables, "0")].reverse().join("");
    if (clauses.every((clause) => clause.some((l) => bits[l.variable] === l.value))) {
      found.push(bits);
    }
  }
  return found;
}

/** Input and output of each printed example, rows joined with a slash. */
function grids(examples: string): string[][] {
  return examples.split("\n\n").map((example) =>
    example.split(/Example \d+ (?:in|out)put:\n/).slice(1)
      .map((grid) => grid.trim().replaceAll("\n", "/"))
  );
}
