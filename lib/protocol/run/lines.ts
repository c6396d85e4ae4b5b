/**
 * The lines of a run file, read one at a time: no more than one is ever held parsed.
 * Source: runs spec 1 ("Reading").
 */

/** The text of a run's bytes. Other than in documents, bytes that aren't UTF-8 become U+FFFD. */
export function decodeRun(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/**
 * Where each line of `text` begins and ends, without the blank ones at both ends, or null when
 * there are none or more than `limit`. A blank line in between counts.
 */
export function lineSpans(text: string, limit: number): { start: number; end: number }[] | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const offset = text.length - text.trimStart().length;
  const spans: { start: number; end: number }[] = [];
  for (let start = 0; start <= trimmed.length;) {
    if (spans.length === limit) return null;
    const feed = trimmed.indexOf("\n", start);
    const end = feed < 0 ? trimmed.length : feed;
    spans.push({ start: offset + start, end: offset + end });
    start = end + 1;
  }
  return spans;
}
