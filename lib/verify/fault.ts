/** Telling an operator of a fault without repeating what somebody sent. */

/** What kind of error and where; never its message, which may quote a document or a pool. */
export function whereThrown(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join("\n");
}
