/** Why a URL could not be fetched. */
import { CodedError } from "../base/coded_error.ts";
import type { FetchErrorCode } from "../protocol/codes.ts";

export type { FetchErrorCode };

/**
 * A fetch that gave nothing. The message says what to do, quotes neither the URL nor what the other
 * side sent, and tells of the network no more than the code does.
 */
export class FetchError extends CodedError<FetchErrorCode> {
  /** Seconds after which another try makes sense, if known: our limit's, or the host's own word. */
  readonly retryAfter: number | null;
  /** The status of `fetch-status`; null for all other codes. */
  readonly status: number | null;

  /** @param cause for logs: what went wrong beneath, which never belongs into a response. */
  constructor(
    code: FetchErrorCode,
    message: string,
    { retryAfter = null, status = null, cause }: {
      retryAfter?: number | null;
      status?: number | null;
      cause?: unknown;
    } = {},
  ) {
    super(code, message, { cause });
    this.retryAfter = retryAfter;
    this.status = status;
  }
}
