/**
 * Answer formats, canonical forms, and the scoring of responses (`clankdar-score-v2`).
 *
 * A response is hostile input: every function here takes time linear in its length. The patterns in
 * use are therefore anchored, or a single class repeated, so that no run is scanned twice.
 *
 * "White space" is what `trim` and `\s` of ECMAScript mean by it, which is exactly the set of
 * scoring spec 3. Case is ignored without the `u` flag, which keeps it to ASCII.
 */
import { type AnswerFormat, formatOf } from "./families.ts";

export type { AnswerFormat };

/** The version of these rules, as receipts and policies name it. */
export const SCORER_VERSION = "clankdar-score-v2";

/** Longest answer or response, in UTF-16 code units, before trimming. */
const MAX_ANSWER_LENGTH = 65536;

/** What scoring a response says; `formatOnly` is the right answer in the wrong shape, no pass. */
export interface Score {
  pass: boolean;
  finalAnswerMatch: boolean;
  formatOnly: boolean;
}

/**
 * The answer format of a puzzle family, by its name alone; a name not known is `text`.
 * Source: scoring spec 2.
 */
export function answerFormat(family: string): AnswerFormat {
  return formatOf(family) ?? "text";
}

/**
 * The canonical form of an answer, or null when it is no answer in this format (or the format is
 * not known). Two answers are the same exactly when their canonical forms are equal.
 *
 * Source: scoring spec 4.
 */
export function canonicalAnswer(answer: unknown, format: string): string | null {
  if (typeof answer !== "string") return null;
  if (answer.length > MAX_ANSWER_LENGTH || hasControlCharacter(answer)) return null;
  const text = answer.trim();
  if (text === "") return null;
  switch (format) {
    case "integer":
      return canonicalInteger(text);
    case "grid":
      return canonicalGrid(text);
    case "bits":
      return /^[01]+$/.test(text) ? text : null;
    case "tokens":
      return canonicalTokens(text);
    case "assignments":
      return canonicalAssignments(text);
    case "text":
      return text.replace(/\s+/g, " ");
    default:
      return null;
  }
}

/** True when both have a canonical form in the format, and the same one. */
function matches(expected: string, got: string, format: string): boolean {
  const canonical = canonicalAnswer(expected, format);
  return canonical !== null && canonical === canonicalAnswer(got, format);
}

/**
 * Scores a response against the expected answer, both as written (not canonical).
 *
 * `pass` needs the whole response to be the answer. `finalAnswerMatch` also holds when the final
 * answer taken out of the response matches, and `formatOnly` when only that one does.
 * Source: scoring spec 5.
 */
export function scoreAnswer(expected: string, response: string, format: string): Score {
  const pass = matches(expected, response, format);
  const finalAnswerMatch = pass ||
    matches(expected, extractFinalAnswer(response, format), format);
  return { pass, finalAnswerMatch, formatOnly: finalAnswerMatch && !pass };
}

/**
 * The part of a response that looks like its final answer, not yet canonical: what a closing code
 * fence encloses, else the digit rows at the end (grids), else the last line without its
 * `Answer:`, bold and backticks. Empty when there is none, or the response is too long.
 *
 * Source: scoring spec 5.
 */
export function extractFinalAnswer(response: string, format: string): string {
  if (response.length > MAX_ANSWER_LENGTH) return "";
  const lines = normaliseLineEnds(response.trim()).split("\n");
  const last = (lines.at(-1) ?? "").trim();
  if (last === "```") return fencedBlock(lines);
  return format === "grid" ? closingGridLines(lines) : undecorated(last);
}

// --- Canonical forms; `text` is trimmed, not empty, and without control characters. ---

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 ? unit !== 0x09 && unit !== 0x0a && unit !== 0x0d : unit === 0x7f) return true;
  }
  return false;
}

function normaliseLineEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function canonicalInteger(text: string): string | null {
  if (!/^[+-]?[0-9]+$/.test(text)) return null;
  const start = text.startsWith("+") || text.startsWith("-") ? 1 : 0;
  let first = start;
  while (first < text.length - 1 && text[first] === "0") first++;
  const digits = text.slice(first);
  return text.startsWith("-") && digits !== "0" ? `-${digits}` : digits;
}

function canonicalTokens(text: string): string | null {
  // A comma at either end leaves an empty item there, which is no letter.
  const items = text.split(/[\s,]+/);
  return items.every((item) => /^[A-Za-z]$/.test(item)) ? items.join(" ").toUpperCase() : null;
}

function canonicalAssignments(text: string): string | null {
  // Cutting at each "=" and trimming removes the white space around it, in linear time.
  // Lower-casing also turns the Kelvin sign into a k, as the rule wants.
  const compact = text.toLowerCase().split("=").map((part) => part.trim()).join("=");
  const items = compact.split(/[\s,]+/);
  const letters = new Set<string>();
  for (const item of items) {
    if (!/^[a-z]=(?:knight|knave)$/.test(item)) return null;
    letters.add(item.charAt(0));
  }
  return letters.size === items.length ? items.join(" ") : null;
}

function canonicalGrid(text: string): string | null {
  // White space next to a slash belongs to it, line feeds too: so cut at slashes first and trim,
  // and only then at the line feeds that are left.
  const rows: string[][] = [];
  for (const part of normaliseLineEnds(text).split("/")) {
    for (const row of part.trim().split("\n")) {
      const cells = row.trim().split(/[ \t]+/);
      if (!cells.every((cell) => /^[0-9]$/.test(cell))) return null;
      if (cells.length !== (rows[0] ?? cells).length) return null;
      rows.push(cells);
    }
  }
  return JSON.stringify(rows);
}

// --- Extraction; lines are without line ends, the response was trimmed. ---

function fencedBlock(lines: string[]): string {
  const end = lines.length - 1;
  for (let i = end - 1; i >= 0; i--) {
    if (/^```[A-Za-z]*$/.test((lines[i] ?? "").trim())) {
      return lines.slice(i + 1, end).join("\n").trim();
    }
  }
  return "";
}

function closingGridLines(lines: string[]): string {
  let start = lines.length;
  while (start > 0 && /^[0-9 \t/]+$/.test(lines[start - 1] ?? "")) start--;
  return lines.slice(start).join("\n");
}

function undecorated(line: string): string {
  let text = line.replace(/^(?:final )?answer\s*:\s*/i, "");
  if (text.length > 4 && text.startsWith("**") && text.endsWith("**")) {
    const inner = text.slice(2, -2);
    if (!/[\u2028\u2029]/.test(inner)) text = inner;
  }
  return /^`[^`]+`$/.test(text) ? text.slice(1, -1) : text;
}
