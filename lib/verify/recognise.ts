/**
 * Tells what a value is: an envelope, a wrapper around one, or nothing of a known shape.
 * Source: protocols spec 12 and 20, design.md "The report".
 */
import { parseJson } from "../encoding/json.ts";
import { LIMITS } from "../protocol/limits.ts";
import { PROTOCOLS } from "../protocol/envelope.ts";
import { POOL_PROTOCOL } from "../protocol/pool.ts";
import { type Reason, reason } from "../protocol/reason.ts";
import type { Kind } from "./report.ts";

/** What was recognised. `unwrapped`: the document stood in a wrapper whose other members are unsigned. */
export type Recognised =
  | { kind: Exclude<Kind, "unknown">; document: unknown; unwrapped: boolean }
  | { kind: "unknown"; reason: Reason };

/** Recognises one entry. Reasons: `document-unrecognised`, `document-too-deep`, `protocol-unknown`. */
export function recognise(value: unknown): Recognised {
  if (isTooDeep(value, LIMITS.depth)) {
    const message = `the document nests deeper than ${LIMITS.depth} levels`;
    return { kind: "unknown", reason: reason("document-too-deep", message) };
  }
  const direct = kindOf(value);
  if (direct !== null) return { kind: direct, document: value, unwrapped: false };
  if (isObject(value)) {
    // `{admission, receipts}` of the command line; `{…, receipt}` of the hosted service.
    for (const member of ["admission", "receipt"]) {
      const inner = Object.hasOwn(value, member) ? value[member] : undefined;
      const kind = kindOf(inner);
      if (kind !== null) return { kind, document: inner, unwrapped: true };
    }
  }
  return { kind: "unknown", reason: unrecognised(value) };
}

/** Longest line that is looked at to tell a run: a manifest names up to 10,000 seeds. */
const RUN_LINE = 1024 * 1024;

/**
 * Whether a text is a recorded benchmark run: JSON lines of which the first has type `run` or the
 * last has type `summary` (design.md, "Runs").
 */
export function isRun(text: string): boolean {
  const trimmed = text.trim();
  const first = trimmed.indexOf("\n");
  const firstLine = first < 0 ? trimmed : trimmed.slice(0, first);
  const lastLine = trimmed.slice(trimmed.lastIndexOf("\n") + 1);
  return typeOf(firstLine) === "run" || typeOf(lastLine) === "summary";
}

function typeOf(line: string): unknown {
  if (line.length > RUN_LINE || !line.includes('"type"')) return undefined;
  const parsed = parseJson(line, LIMITS.depth);
  return parsed.ok && isObject(parsed.value) ? parsed.value.type : undefined;
}

function kindOf(value: unknown): Exclude<Kind, "unknown"> | null {
  if (!isObject(value)) return null;
  const protocol = Object.hasOwn(value, "protocol") ? value.protocol : undefined;
  if (typeof protocol === "string" && Object.hasOwn(PROTOCOLS, protocol)) {
    return PROTOCOLS[protocol as keyof typeof PROTOCOLS];
  }
  if (isObject(value.head) && Array.isArray(value.entries)) return "tlog";
  return null;
}

function unrecognised(value: unknown): Reason {
  if (!isObject(value)) {
    const message = "a receipt or admission is a JSON object";
    return reason("document-unrecognised", message);
  }
  if (value.protocol === POOL_PROTOCOL) {
    const message = "this is a pool file: supply it as a pool, beside the documents";
    return reason("document-unrecognised", message);
  }
  if (typeof value.protocol === "string" && "payload" in value && "signature" in value) {
    const known = Object.keys(PROTOCOLS).join(", ");
    return reason("protocol-unknown", `the protocols known are ${known}`, "protocol");
  }
  return reason("document-unrecognised", "this object is no receipt, admission or wrapper of one");
}

/** Whether containers nest more than `limit` deep; recursion is bounded by the limit. */
function isTooDeep(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((member) => isTooDeep(member, limit - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
