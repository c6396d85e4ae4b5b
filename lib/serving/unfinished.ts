/**
 * Requests whose body was given up before its end. What the client goes on sending would be taken for
 * its next request, or waited for: such a connection is closed after the answer.
 */
const given = new WeakMap<Request, () => Promise<void>>();

/**
 * Says that nobody reads the rest of a request's body. Whoever closes the connection calls `cancel`
 * before: while a body is open, so is its socket. Nobody else does, as a connection that stays open
 * would go on receiving the rest.
 */
export function giveUpBody(request: Request, cancel: () => Promise<void>): void {
  given.set(request, cancel);
}

/** What ends the body that was given up; null: it was read to its end, or nobody began to read it. */
export function givenUp(request: Request): (() => Promise<void>) | null {
  return given.get(request) ?? null;
}

/** Whether the headers announce a body: those of a request without one say neither. */
export function announcesBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}
