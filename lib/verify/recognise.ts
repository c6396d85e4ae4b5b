/**
 * Tells what a value is: a document of a known kind, or something else, and then what it looks like.
 * Source: protocols spec 12 and 20.
 */
import { parseJson } from "../encoding/json.ts";
import { LIMITS } from "../protocol/limits.ts";
import { PROTOCOLS } from "../protocol/envelope.ts";
import { type Reason, reason } from "../protocol/reason.ts";
import { lookOf } from "./looks_like.ts";
import type { Kind } from "./report.ts";

/** What was recognised; `looksLike`: what a thing that is no document looks like, with an article. */
type Recognised =
  | { kind: Exclude<Kind, "unknown">; document: unknown }
  | { kind: "unknown"; reason: Reason; looksLike?: string };

/** Recognises one entry. Reasons: `document-unrecognised`, `document-too-deep`, `protocol-unknown`. */
export function recognise(value: unknown): Recognised {
  if (isTooDeep(value, LIMITS.depth)) {
    const message = `the document nests deeper than ${LIMITS.depth} levels`;
    return { kind: "unknown", reason: reason("document-too-deep", message) };
  }
  const kind = kindOf(value);
  return kind === null ? unrecognised(value) : { kind, document: value };
}

/**
 * The kind of a document: told by its protocol, of a log by its shape. Null for anything else, a
 * wrapper around a document included. Issuers put the same protocols on policies, challenges and
 * sessions too, so the check of the envelope decides whether it is one (`envelope-malformed`).
 */
export function kindOf(value: unknown): Exclude<Kind, "unknown"> | null {
  if (!isObject(value)) return null;
  const protocol = Object.hasOwn(value, "protocol") ? value.protocol : undefined;
  if (typeof protocol === "string" && Object.hasOwn(PROTOCOLS, protocol)) {
    return PROTOCOLS[protocol as keyof typeof PROTOCOLS];
  }
  if (isObject(value.head) && Array.isArray(value.entries)) return "tlog";
  return null;
}

/** Longest line that is looked at to tell a run: a manifest names up to 10,000 seeds. */
const RUN_LINE = 1024 * 1024;

/**
 * Whether a text is a recorded benchmark run: JSON lines of which the first has type `run` or the
 * last has type `summary`, and none is a document or holds one.
 */
export function isRun(text: string, holdsDocument: (value: unknown) => boolean): boolean {
  const trimmed = text.trim();
  const feed = trimmed.indexOf("\n");
  const lines = [
    feed < 0 ? trimmed : trimmed.slice(0, feed),
    trimmed.slice(trimmed.lastIndexOf("\n") + 1),
  ];
  const [first, last] = lines.map(parseLine);
  if (typeOf(first) !== "run" && typeOf(last) !== "summary") return false;
  if ([first, last].some((line) => line !== undefined && holdsDocument(line))) return false;
  return !hasDocumentLine(trimmed, holdsDocument);
}

/**
 * Whether a line among a run's is a document: one that names an envelope's two members, which no row
 * does. Each line is looked at once: strangers choose the text.
 */
function hasDocumentLine(text: string, holdsDocument: (value: unknown) => boolean): boolean {
  for (let at = text.indexOf('"signature"'); at >= 0; at = text.indexOf('"signature"', at)) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(text.lastIndexOf("\n", at) + 1, end);
    const parsed = line.includes('"payload"') ? parseJson(line, LIMITS.depth) : null;
    if (parsed?.ok && holdsDocument(parsed.value)) return true;
    at = end;
  }
  return false;
}

function parseLine(line: string): unknown {
  if (line.length > RUN_LINE || !line.includes('"type"')) return undefined;
  const parsed = parseJson(line, LIMITS.depth);
  return parsed.ok ? parsed.value : undefined;
}

function typeOf(line: unknown): unknown {
  return isObject(line) ? line.type : undefined;
}

function unrecognised(value: unknown): Recognised {
  if (
    isObject(value) && typeof value.protocol === "string" && "payload" in value &&
    "signature" in value
  ) {
    const known = Object.keys(PROTOCOLS).join(", ");
    const message = `this version knows the protocols ${known}, and the document is of another one`;
    return { kind: "unknown", reason: reason("protocol-unknown", message, "protocol") };
  }
  const { looksLike, message } = lookOf(value);
  return {
    kind: "unknown",
    reason: reason("document-unrecognised", message),
    ...(looksLike !== undefined && { looksLike }),
  };
}

/** Whether containers nest more than `limit` deep; recursion is bounded by the limit. */
export function isTooDeep(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((member) => isTooDeep(member, limit - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
