/**
 * Requests whose body was given up before its end. What the client goes on sending would be taken for
 * its next request, or waited for: such a connection is closed after the answer.
 */
const given = new WeakSet<Request>();

/** Says that nobody reads the rest of a request's body. */
export function giveUpBody(request: Request): void {
  given.add(request);
}

/** Whether the rest of a request's body was given up. */
export function isGivenUp(request: Request): boolean {
  return given.has(request);
}

/** Whether the headers announce a body: those of a request without one say neither. */
export function announcesBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}
