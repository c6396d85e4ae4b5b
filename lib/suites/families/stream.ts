/** Where a cell's draws come from. Source: the head of each family's page in spec/suites/. */
import { mixSeed, type Rng, rng } from "../rng.ts";
import { cellId } from "../registry.ts";

/** The suite version whose generators draw from the seed itself. */
const UNMIXED = "clankdar-suite-v2";

/**
 * The draws of a cell for a seed: from the seed itself in suite v2, elsewhere from the seed mixed
 * with the cell's id.
 *
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export function cellStream(version: string, family: string, tier: number, seed: number): Rng {
  return rng(version === UNMIXED ? seed : mixSeed(cellId(family, tier), seed));
}
