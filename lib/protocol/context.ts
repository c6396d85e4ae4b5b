/**
 * What a check needs from outside the document: the disclosed pools and the reference evaluators.
 */
import type { References } from "../evaluator/reference.ts";
import type { Pool } from "./pool.ts";

export interface CheckContext {
  /** Disclosed pools by their recomputed poolKey; never matched by anything else (spec 8.5). */
  pools: ReadonlyMap<string, Pool>;
  references: References;
}
