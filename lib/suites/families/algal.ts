/**
 * Family `algal`: bounded expression programs. Source: docs/specification/suites/algal.md.
 *
 * The program of a tier is fixed; only its inputs depend on the seed. The reference answer is what
 * the evaluator returns, so a generator yields the program and its inputs beside the prompt.
 */
import type { Json } from "../../evaluator/module.ts";
import type { References } from "../../evaluator/reference.ts";
import type { Budget } from "../budget.ts";
import { GenerationError, type Instance } from "../instance.ts";
import type { Part, PhrasePins } from "../prompt.ts";
import { HOUSE_SUITE, type Suite } from "../suites.ts";
import type { Rng } from "../rng.ts";
import { cellStream } from "../stream.ts";

export const PINS: PhrasePins = {
  "algal.intro": {
    chars: 578,
    sha256: "76f114da5c512f8da5af2f135a96dc8fa07b4e43e806ae8e152e9ba5c4624f66",
  },
  // The house suite's own text (house.ts).
  "touchstone.algal.intro": {
    chars: 934,
    sha256: "b80b8df99420475b4165aa90d269ff983e93cd1d44940b0bc5f6d8405e835462",
  },
};

/** Fuel that the prompt grants and the evaluator gets. */
const FUEL = 10_000;

/** What stands between the computed pieces; each suite has its own. */
interface Layout {
  intro: string;
  beforeExpression: string;
  beforeInputs: string;
  beforeFuel: string;
  beforeEvaluator: string;
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
  "clankdar-algal-v1": {
    intro: "algal.intro",
    beforeExpression: "",
    beforeInputs: "\nInputs: ",
    beforeFuel: "\nFuel limit: ",
    beforeEvaluator: "\nEvaluator SHA-256: ",
  },
  [HOUSE_SUITE]: {
    intro: "touchstone.algal.intro",
    beforeExpression: "\n\nProgram: ",
    beforeInputs: "\nValues: ",
    beforeFuel: "\nFuel: ",
    beforeEvaluator: "\nEvaluator (SHA-256): ",
  },
};

const SUM_OF_SQUARES: Json = [
  "fold",
  [
    "map",
    ["filter", ["get", "values"], "x", ["gt", ["get", "x"], ["get", "cutoff"]]],
    "x",
    ["mul", ["get", "x"], ["get", "x"]],
  ],
  0,
  "sum",
  "item",
  ["add", ["get", "sum"], ["get", "item"]],
];

const RECURRENCE: Json = [
  "nth",
  ["fold", ["get", "values"], ["get", "start"], "state", "item", [
    "list",
    ["get", "state", 1],
    ["get", "state", 2],
    ["mod", [
      "add",
      ["mul", ["get", "coefficients", 0], ["get", "state", 0]],
      ["mul", ["get", "coefficients", 1], ["get", "state", 1]],
      ["mul", ["get", "coefficients", 2], ["get", "state", 2]],
      ["get", "item"],
    ], ["get", "modulus"]],
  ]],
  2,
];

const MATRIX_POWER: Json = [
  "nth",
  ["fold", ["get", "rounds"], ["get", "start"], "state", "round", [
    "map",
    ["get", "matrix"],
    "row",
    ["mod", ["fold", ["get", "indices"], 0, "sum", "i", ["add", ["get", "sum"], [
      "mul",
      ["get", "row", ["get", "i"]],
      ["get", "state", ["get", "i"]],
    ]]], ["get", "modulus"]],
  ]],
  ["get", "target"],
];

const PROGRAMS: readonly Json[] = [SUM_OF_SQUARES, RECURRENCE, MATRIX_POWER];
const EXPRESSIONS = PROGRAMS.map((program) =>
  JSON.stringify({ contract: "algal.expr.v1", program })
);
const DRAW = [drawSquares, drawRecurrence, drawMatrix];

/** Steps that one unit of fuel stands for: an evaluation is bounded by its fuel. */
const STEPS_PER_FUEL = 10;

/**
 * The instance of `tier` (1, 2 or 3) for `seed`, in a suite that pins an evaluator.
 *
 * @throws {GenerationError} `generation-failed` unless the program yields a safe integer.
 * @throws {EvaluatorUnavailable} if no evaluator may decide.
 * @throws {BudgetExceeded} when the budget is used up.
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export async function generate(
  suite: Suite,
  tier: number,
  seed: number,
  references: References,
  budget: Budget,
): Promise<Instance> {
  const env = DRAW[tier - 1]!(cellStream(suite.version, "algal", tier, seed));
  budget.spend(FUEL * STEPS_PER_FUEL);
  const pinned = suite.evaluator!;
  const result = await references.evaluate(pinned, PROGRAMS[tier - 1]!, env, FUEL);
  if (!result.ok || typeof result.value !== "number" || !Number.isSafeInteger(result.value)) {
    throw new GenerationError("generation-failed", "the program does not yield a safe integer");
  }
  const parts = promptOf(LAYOUTS[suite.version]!, EXPRESSIONS[tier - 1]!, env, pinned);
  return { parts, answer: String(result.value) };
}

function promptOf(
  layout: Layout,
  expression: string,
  env: { [name: string]: Json },
  evaluator: string,
): Part[] {
  return [
    { phrase: layout.intro },
    {
      text: layout.beforeExpression + expression + layout.beforeInputs + JSON.stringify(env) +
        layout.beforeFuel + FUEL + layout.beforeEvaluator + evaluator,
    },
  ];
}

// Draws come in the spec's order, which is not the order in which the inputs are printed.

function drawSquares(r: Rng): { [name: string]: Json } {
  const cutoff = r.intBetween(4, 10);
  const values = draws(8, () => r.intBetween(1, 20));
  values[0] = cutoff + 1;
  return { values, cutoff };
}

function drawRecurrence(r: Rng): { [name: string]: Json } {
  const coefficients = draws(3, () => r.intBetween(1, 7));
  const values = draws(10, () => r.intBetween(1, 20));
  const start = draws(3, () => r.intBetween(1, 9));
  return { values, start, coefficients, modulus: 97 };
}

function drawMatrix(r: Rng): { [name: string]: Json } {
  const matrix = draws(4, () => draws(4, () => r.intBetween(0, 2)));
  const start = draws(4, () => r.intBetween(1, 5));
  const target = r.int(4);
  return {
    matrix,
    start,
    indices: [0, 1, 2, 3],
    rounds: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    modulus: 997,
    target,
  };
}

function draws<T>(count: number, draw: () => T): T[] {
  return Array.from({ length: count }, draw);
}
