/**
 * Family `algal`: bounded expression programs. Source: spec/suites/algal.md.
 *
 * The program of a tier is fixed; only its inputs depend on the seed. The reference answer is what
 * the evaluator returns, so a generator yields the program and its inputs beside the prompt.
 */
import type { Json } from "../../evaluator/module.ts";
import type { Part } from "../prompt.ts";
import { mixSeed, type Rng, rng } from "../rng.ts";

/** Fuel that the prompt grants and the evaluator gets. */
export const FUEL = 10_000;

/** What to evaluate, and what the solver was shown of it. */
export interface AlgalProblem {
  program: Json;
  env: { [name: string]: Json };
  /** The program and its contract as the prompt shows them. */
  expression: string;
  /** The inputs as the prompt shows them. */
  inputs: string;
}

/** The words between the computed pieces; each suite has its own. */
export interface AlgalLayout {
  intro: string;
  beforeExpression: string;
  beforeInputs: string;
  beforeFuel: string;
  beforeEvaluator: string;
}

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

/**
 * The problem of `tier` (1, 2 or 3) for `seed`.
 *
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export function algalProblem(tier: number, seed: number): AlgalProblem {
  const env = DRAW[tier - 1]!(rng(mixSeed(`algal:t${tier}`, seed)));
  return {
    program: PROGRAMS[tier - 1]!,
    env,
    expression: EXPRESSIONS[tier - 1]!,
    inputs: JSON.stringify(env),
  };
}

/** The prompt of a problem in a suite's layout; `evaluator` is the SHA-256 (hex) that it pins. */
export function algalPrompt(problem: AlgalProblem, layout: AlgalLayout, evaluator: string): Part[] {
  return [
    { phrase: layout.intro },
    {
      text: layout.beforeExpression + problem.expression + layout.beforeInputs + problem.inputs +
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
