/** What an error of the layers below is to whoever sent the request. */
import { StoreError, StoreUnavailable } from "../../lib/store/store.ts";
import { CheckerBusy } from "../../lib/verify/checker.ts";
import { ProblemError } from "./problems.ts";

/** The problem to answer with; `internal-error` for what should not have happened. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof StoreUnavailable) {
    return new ProblemError("storage-unavailable", "the database does not answer at the moment");
  }
  if (error instanceof CheckerBusy) {
    return new ProblemError("verifier-busy", error.message, {}, error.retryAfter);
  }
  if (error instanceof StoreError) {
    // Its codes are those of problems, its messages never quote what was sent.
    return new ProblemError(error.code, error.message, {}, error.retryAfter);
  }
  return new ProblemError("internal-error", "something failed that should not");
}
