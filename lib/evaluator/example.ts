/** The worked example of the algal-expr spec 14, computed live. */
import { OWN } from "../../wasm/pins.ts";
import type { EvalResponse, Json } from "./module.ts";
import type { EvaluatorUse, References } from "./reference.ts";

const PROGRAM: Json = [
  "fold",
  [
    "map",
    ["filter", ["get", "values"], "x", ["gt", ["get", "x"], 2]],
    "x",
    ["mul", ["get", "x"], ["get", "x"]],
  ],
  0,
  "sum",
  "item",
  ["add", ["get", "sum"], ["get", "item"]],
];

const ENV: { [name: string]: Json } = { values: [1, 3, 2, 5] };

/** The example and what it gave. The spec promises value 34 and 87 fuel. */
interface WorkedExample {
  program: Json;
  env: { [name: string]: Json };
  response: EvalResponse;
  evaluator: EvaluatorUse;
}

/**
 * Runs the example on the evaluator that a suite pinning `pinned` would use (default: our own).
 * @throws {EvaluatorUnavailable} when that evaluator can't be used.
 */
export async function workedExample(
  references: References,
  pinned: string = OWN.sha256,
): Promise<WorkedExample> {
  const response = await references.evaluate(pinned, PROGRAM, ENV);
  const evaluator = await references.use(pinned);
  return { program: structuredClone(PROGRAM), env: structuredClone(ENV), response, evaluator };
}
