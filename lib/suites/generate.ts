/**
 * Regenerating a puzzle instance from suite version, family, tier and seed.
 */
import type { References } from "../evaluator/reference.ts";
import { type AlgalLayout, algalProblem, algalPrompt, FUEL } from "./families/algal.ts";
import { GenerationError, type Instance } from "./instance.ts";
import { hasCell, HOUSE_SUITE, type Suite, suiteOf } from "./registry.ts";

const ALGAL_LAYOUTS: Readonly<Record<string, AlgalLayout>> = {
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

/**
 * The instance of a cell for a seed. For a held-out challenge give `mixSeed(label, seed)`.
 *
 * @throws {GenerationError} see `GenerationCode`.
 * @throws {EvaluatorUnavailable} if the answer needs an evaluator and none may decide.
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export async function regenerate(
  version: string,
  family: string,
  tier: number,
  seed: number,
  references: References,
): Promise<Instance> {
  const suite = suiteOf(version);
  if (suite === undefined) {
    throw new GenerationError("suite-unknown", `no suite version ${version} is known`);
  }
  if (!hasCell(suite, family, tier)) {
    throw new GenerationError("cell-unknown", `${version} has no cell ${family}:t${tier}`);
  }
  const layout = ALGAL_LAYOUTS[version];
  if (family === "algal" && layout !== undefined) {
    return await regenerateAlgal(suite, layout, tier, seed, references);
  }
  throw new GenerationError(
    "generator-missing",
    `the generator of ${family} in ${version} is not part of this version of Touchstone`,
  );
}

async function regenerateAlgal(
  suite: Suite,
  layout: AlgalLayout,
  tier: number,
  seed: number,
  references: References,
): Promise<Instance> {
  const pinned = suite.evaluator!;
  const problem = algalProblem(tier, seed);
  const result = await references.evaluate(pinned, problem.program, problem.env, FUEL);
  if (!result.ok || typeof result.value !== "number" || !Number.isSafeInteger(result.value)) {
    throw new GenerationError("generation-failed", "the program does not yield a safe integer");
  }
  return { parts: algalPrompt(problem, layout, pinned), answer: String(result.value) };
}
