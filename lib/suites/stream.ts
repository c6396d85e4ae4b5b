/** Where a cell's draws come from. Source: the head of each family's page in docs/specification/suites/. */
import { cellId } from "./suites.ts";
import { mixSeed, type Rng, rng } from "./rng.ts";

/** The suite version whose generators draw from the seed itself. */
const UNMIXED = "clankdar-suite-v2";

/**
 * The draws of a cell for a seed: from the seed itself in suite v2, elsewhere from the seed mixed
 * with the cell's id.
 *
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export function cellStream(version: string, family: string, tier: number, seed: number): Rng {
  return version === UNMIXED ? rng(seed) : mixedStream(family, tier, seed);
}

/**
 * The draws of a cell for a seed, in every suite version but v2.
 *
 * @throws {RangeError} if the seed is not a 32-bit unsigned integer.
 */
export function mixedStream(family: string, tier: number, seed: number): Rng {
  return rng(mixSeed(cellId(family, tier), seed));
}
