/**
 * What people paste: JSON inside a Markdown fence, or behind the heads of an HTTP answer as `curl -i`
 * prints them. Each line is looked at once, since strangers choose the text.
 */

/** The text inside what was pasted around it; null where nothing is around it. */
export function textWithin(text: string): string | null {
  const fenced = insideFence(text);
  return behindHeads(fenced ?? text) ?? fenced;
}

/** Whether a line opens or closes a Markdown fence; no line of JSON does. */
export function isFenceLine(line: string): boolean {
  return /^\s*(?:```|~~~)/.test(line);
}

/** The inside of a text that is exactly one fence; what stands beside one would be taken for nothing. */
function insideFence(text: string): string | null {
  const trimmed = text.trim();
  const first = trimmed.indexOf("\n");
  const last = trimmed.lastIndexOf("\n");
  if (first < 0 || !isFenceLine(trimmed.slice(0, first))) return null;
  const opening = /^(?:`+|~+)/.exec(trimmed)![0];
  const closing = trimmed.slice(last + 1).trim();
  const isClosed = closing.length >= opening.length &&
    closing === opening[0]!.repeat(closing.length);
  const inside = last > first ? trimmed.slice(first + 1, last) : "";
  if (!isClosed || trimmed.slice(opening.length, first).includes("`")) return null;
  for (const line of linesFrom(inside, 0)) {
    if (isFenceLine(inside.slice(line.start, line.end))) return null;
  }
  return inside;
}

const STATUS_LINE = /^HTTP\/\d(?:\.\d)? \d{3}(?: |$)/;
/** A header field, or the rest of the one before (RFC 9112, 5 and 5.2). */
const FIELD_LINE = /^(?:[\w!#$%&'*+.^`|~-]+:|[ \t])/;

/** The body of an HTTP answer, behind all its heads: 100-continue, redirects; null for another text. */
function behindHeads(text: string): string | null {
  let state: "before" | "head" | "between" = "before";
  for (const { start, end } of linesFrom(text, 0)) {
    const line = text.slice(start, end).trimEnd();
    if (state === "head") {
      if (line === "") state = "between";
      else if (!FIELD_LINE.test(line)) return null;
    } else if (STATUS_LINE.test(line)) state = "head";
    else if (line !== "") return state === "before" ? null : text.slice(start);
  }
  return state === "before" ? null : "";
}

/** Where each line begins and ends; the line feeds are left out. */
function* linesFrom(text: string, from: number): Generator<{ start: number; end: number }> {
  for (let start = from; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    yield { start, end };
    start = end + 1;
  }
}
