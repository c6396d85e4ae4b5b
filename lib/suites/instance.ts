/**
 * What a generator yields, and why it may yield nothing.
 */
import { CodedError } from "../base/coded_error.ts";
import type { Budget } from "./budget.ts";
import type { Part } from "./prompt.ts";
import type { Rng } from "./rng.ts";

/** What a seed stands for: the prompt in parts, and the generator's own spelling of the answer. */
export interface Instance {
  parts: Part[];
  answer: string;
}

/**
 * A cell that exists in a suite version, with a seed: a 32-bit unsigned integer, for a held-out
 * challenge already mixed with the pool's label.
 */
interface SeededCell {
  version: string;
  tier: number;
  seed: number;
}

/**
 * The generator of one family. `random` holds the draws of the cell for its seed (`cellStream`), so
 * that no generator has to know where they come from.
 *
 * @throws {GenerationError} `generation-failed` on seeds for which the published generator fails.
 * @throws {BudgetExceeded} when the budget is used up.
 */
export type Generator = (random: Rng, cell: SeededCell, budget: Budget) => Instance;

/**
 * Why there is no instance.
 * `suite-unknown`, `cell-unknown`: there is no such suite version, family or tier.
 * `generator-missing`: the suite is known but can't be regenerated here (not an outcome).
 * `generation-failed`: the published generator fails on this seed.
 */
type GenerationCode =
  | "suite-unknown"
  | "cell-unknown"
  | "generator-missing"
  | "generation-failed";

/** There is no instance, for the reason that the code says. */
export class GenerationError extends CodedError<GenerationCode> {}
