/**
 * Regenerating a puzzle instance from suite version, family, tier and seed.
 */
import type { References } from "../evaluator/reference.ts";
import type { Budget } from "./budget.ts";
import { familyOf } from "./families.ts";
import { GenerationError, type Generator, type Instance } from "./instance.ts";
import type { PhrasePins } from "./prompt.ts";
import { hasCell, suiteOf } from "./suites.ts";
import { cellStream } from "./stream.ts";

let algal: typeof import("./families/algal.ts") | undefined;

/** A generator that finds the draws of a seed by itself. */
export type SeededGenerator = (
  version: string,
  tier: number,
  seed: number,
  budget: Budget,
) => Instance;

/** The family's generator with the draws of each cell and seed. */
export function seeded(family: string, generate: Generator): SeededGenerator {
  return (version, tier, seed, budget) =>
    generate(cellStream(version, family, tier, seed), { version, tier, seed }, budget);
}

/** An instance with the pins of the phrases that its parts name. */
export interface Regenerated extends Instance {
  pins: PhrasePins;
}

/**
 * The instance of a cell for a seed. For a held-out challenge give `mixSeed(label, seed)`.
 *
 * @param budget what the generation may cost; see {@link Budget}.
 * @throws {GenerationError} see `GenerationCode`.
 * @throws {BudgetExceeded} when the budget is used up.
 * @throws {EvaluatorUnavailable} if the answer needs an evaluator and none may decide.
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export async function regenerate(
  version: string,
  family: string,
  tier: number,
  seed: number,
  references: References,
  budget: Budget,
): Promise<Regenerated> {
  const suite = suiteOf(version);
  if (suite === undefined) {
    throw new GenerationError("suite-unknown", `no suite version ${version} is known`);
  }
  if (!hasCell(suite, family, tier)) {
    throw new GenerationError("cell-unknown", `${version} has no cell ${family}:t${tier}`);
  }
  if (suite.evaluator !== null) {
    algal ??= await import("./families/algal.ts");
    const { generate, PINS } = algal;
    const instance = await generate(suite, tier, seed, references, budget);
    return { ...instance, pins: PINS };
  }
  const loading = familyOf(family);
  const found = loading instanceof Promise ? await loading : loading;
  if (found === undefined) {
    throw new GenerationError(
      "generator-missing",
      `the generator of ${family} in ${version} is not part of this version of Touchstone`,
    );
  }
  const instance = seeded(family, found.generate)(version, tier, seed, budget);
  return { ...instance, pins: found.PINS };
}
