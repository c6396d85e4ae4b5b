/** What verification needs from outside of the document. */
import type { References } from "../evaluator/reference.ts";
import type { CheckContext } from "../protocol/context.ts";

export interface VerifyContext {
  references: References;
  /** Names of known issuers by whole public key. */
  issuers: ReadonlyMap<string, string>;
  /** Whole public keys of known issuers that are revoked: an observation, never an outcome. */
  revoked?: ReadonlySet<string>;
  /** Steps that one document may take (see `Budget`); `DOCUMENT_STEPS` when absent. */
  steps?: number;
  /** Whether the document's time is up (see `createBudget`); never when absent. */
  expired?: () => boolean;
  /** Told of anything thrown where nothing should be: a fault of ours, never of the document. */
  onFault?: (error: unknown) => void;
}

/** The same for one document: with the pools that may be used, and what its check may cost. */
export type DocumentContext = VerifyContext & CheckContext;
