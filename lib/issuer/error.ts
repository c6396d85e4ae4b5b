/** Why the issuer kit refuses to make something. */
import type { Reason } from "../protocol/reason.ts";

/**
 * A refusal, with a stable code. Besides the codes of protocols spec 16 (an input that would make an
 * invalid document):
 * `suite-not-mintable`: there are no prompt texts for the suite.
 * `key-malformed`, `session-malformed`: a private file doesn't hold what it should.
 * `pool-missing`: a held-out cell without its pool.
 * `challenge-unknown`: the session has no such challenge.
 * `already-answered`, `session-closed`, `session-expired`: too late.
 * `response-too-long`: longer than a session takes.
 */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

/** A failed check of the verifier's as a refusal. */
export function refusal(reason: Reason): IssuerError {
  const where = reason.path === "" ? "" : ` (${reason.path})`;
  return new IssuerError(reason.code, reason.message + where);
}
