/** Why a URL could not be fetched. */

/**
 * `fetch-url-malformed`: no usable URL.
 * `fetch-scheme`: neither https nor an allow-listed http host.
 * `fetch-credentials`: user name or password in the URL.
 * `fetch-port`: a port that isn't open to us.
 * `fetch-blocked-address`: an address that isn't public, or a name without a public address. A name
 * that doesn't resolve looks the same, so that nobody can probe for internal names.
 * `fetch-unreachable`: refused, reset, or TLS failed.
 * `fetch-timeout`: too slow, to the first byte or in all.
 * `fetch-too-large`: more bytes than we take, as sent or unpacked.
 * `fetch-status`: a status other than 200; `status` says which.
 * `fetch-redirects`: too many, a loop, a bad target, or from https to http.
 * `fetch-content-type`: something that can't be a document.
 * `fetch-encoding`: a content coding we don't take, or damaged data.
 * `fetch-headers`: too many headers or interim answers, or no HTTP at all.
 * `fetch-not-json`: a web page, or something else that holds no document.
 * `fetch-host-busy`: the limit of fetches from one host is used up; `retryAfter` says how long.
 * `fetch-own-host`: a URL of this service that names no document.
 */
export type FetchErrorCode =
  | "fetch-url-malformed"
  | "fetch-scheme"
  | "fetch-credentials"
  | "fetch-port"
  | "fetch-blocked-address"
  | "fetch-unreachable"
  | "fetch-timeout"
  | "fetch-too-large"
  | "fetch-status"
  | "fetch-redirects"
  | "fetch-content-type"
  | "fetch-encoding"
  | "fetch-headers"
  | "fetch-not-json"
  | "fetch-host-busy"
  | "fetch-own-host";

/**
 * A fetch that gave nothing. The message says what to do, quotes neither the URL nor what the other
 * side sent, and tells of the network no more than the code does.
 */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** Seconds after which another try makes sense, if known: our limit's, or the host's own word. */
  readonly retryAfter: number | null;
  /** The status of `fetch-status`; null for all other codes. */
  readonly status: number | null;

  /** @param cause for logs: what went wrong beneath, which never belongs into a response. */
  constructor(
    readonly code: FetchErrorCode,
    message: string,
    { retryAfter = null, status = null, cause }: {
      retryAfter?: number | null;
      status?: number | null;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.retryAfter = retryAfter;
    this.status = status;
  }
}
