/**
 * What a check needs from outside the document.
 */
import type { References } from "../evaluator/reference.ts";
import type { Budget } from "../suites/budget.ts";
import type { Pool } from "./pool.ts";

export interface CheckContext {
  /** Disclosed pools by their recomputed poolKey; never matched by anything else (protocols spec 8.5). */
  pools: ReadonlyMap<string, Pool>;
  references: References;
  /** What all regenerations of the document together may cost. */
  budget: Budget;
}
