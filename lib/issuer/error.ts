/** Why the issuer kit refuses to make something. */
import { CodedError } from "../base/coded_error.ts";
import type { ReasonCode } from "../protocol/codes.ts";
import type { Reason } from "../protocol/reason.ts";

/**
 * The codes of a refusal. Besides those of protocols spec 16 (an input that would make an invalid
 * document):
 * `suite-not-mintable`: there are no prompt texts for the suite.
 * `key-malformed`, `session-malformed`: a private file doesn't hold what it should.
 * `pool-missing`: a held-out cell without its pool.
 * `challenge-unknown`: the session has no such challenge.
 * `already-answered`, `session-closed`, `session-expired`: too late.
 * `response-too-long`: longer than a session takes.
 */
type IssuerCode =
  | ReasonCode
  | "suite-not-mintable"
  | "key-malformed"
  | "session-malformed"
  | "pool-missing"
  | "challenge-unknown"
  | "already-answered"
  | "session-closed"
  | "session-expired"
  | "response-too-long";

/** Something that the issuer kit refuses to make. */
export class IssuerError extends CodedError<IssuerCode> {}

/** A failed check of the verifier's as a refusal. */
export function refusal(reason: Reason): IssuerError {
  const where = reason.path === "" ? "" : ` (${reason.path})`;
  return new IssuerError(reason.code, reason.message + where);
}
