/** Telling an operator of a fault without repeating what somebody sent. */

/** A line of a stack: where in which file, or a function without one. */
const FRAME = /^ {4}at (?:.*\()?(?:(?:file|https?|ext|node|npm|jsr|wasm):\S+:\d+|<anonymous>)\)?$/;

/**
 * What kind of error and where; never its message, which may quote a document or a pool. A stack
 * begins with the message, and a line of that may look much like a frame.
 */
export function whereThrown(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { message, name, stack = "" } = error;
  const start = stack.indexOf(message);
  const frames = stack.slice(start < 0 ? 0 : start + message.length).split("\n")
    .filter((line) => FRAME.test(line));
  return [/^[A-Za-z]{1,40}$/.test(name) ? name : "Error", ...frames].join("\n");
}
