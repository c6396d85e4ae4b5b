/**
 * What a generator yields, and why it may yield nothing.
 */
import type { Budget } from "./budget.ts";
import type { Part } from "./prompt.ts";

/** What a seed stands for: the prompt in parts, and the generator's own spelling of the answer. */
export interface Instance {
  parts: Part[];
  answer: string;
}

/**
 * The generator of one family. `version` and `tier` name a cell that exists; `seed` is a 32-bit
 * unsigned integer, for a held-out challenge already mixed with the pool's label.
 *
 * @throws {GenerationError} `generation-failed` on seeds for which the published generator fails.
 * @throws {BudgetExceeded} when the budget is used up.
 */
export type Generator = (version: string, tier: number, seed: number, budget: Budget) => Instance;

/**
 * Why there is no instance.
 * `suite-unknown`, `cell-unknown`: there is no such suite version, family or tier.
 * `generator-missing`: the suite is known but can't be regenerated here (not an outcome).
 * `generation-failed`: the published generator fails on this seed.
 */
export type GenerationCode =
  | "suite-unknown"
  | "cell-unknown"
  | "generator-missing"
  | "generation-failed";

export class GenerationError extends Error {
  override readonly name = "GenerationError";
  constructor(readonly code: GenerationCode, message: string) {
    super(message);
  }
}
