/**
 * Finds the documents in what holders of documents really have: answers of services, collections,
 * ledger lines, texts of texts. One rule for all of them: a member that is an envelope, an array of
 * envelopes, or the JSON text of either, at most three levels deep. Source: protocols spec 12, 20.
 */
import { decodeUtf8, parseJson } from "../encoding/json.ts";
import { PROTOCOLS, readEnvelope } from "../protocol/envelope.ts";
import { LIMITS } from "../protocol/limits.ts";
import { isPoolLike, isUnsignedBody, isWithSecrets } from "./looks_like.ts";
import { isTooDeep, kindOf } from "./recognise.ts";

/** Levels of wrapping: `{data: {check: {receipt: E}}}` has three. */
const LEVELS = 3;

/** What was found in a wrapper. */
interface Unwrapped {
  /** The documents, in the order in which they stand. */
  documents: unknown[];
  /** Pools beside them, not yet read. */
  pools: unknown[];
  /** Hidden seeds or answers stand beside them. */
  secrets: boolean;
}

/**
 * The documents and pools in a value that is no document itself. Each document is given once:
 * receipts that an admission beside them holds are unsigned copies of its own, and left out.
 */
export function unwrap(value: unknown): Unwrapped {
  const found: Unwrapped = { documents: [], pools: [], secrets: false };
  search(value, LEVELS, found);
  return { ...found, documents: withoutCopies(found.documents) };
}

/** The document in a wrapper that holds exactly one; anything else is as it is. */
export function withoutWrapper(value: unknown): { document: unknown; unwrapped: boolean } {
  if (isObject(value) && !isDocument(value) && !isTooDeep(value, LIMITS.depth)) {
    const { documents } = unwrap(value);
    if (documents.length === 1) return { document: documents[0], unwrapped: true };
  }
  return { document: value, unwrapped: false };
}

/**
 * Whether a value is a document, or meant as one: such a thing is reported as it is, and never looked
 * into. A policy or a challenge that names a protocol is neither: it has nothing signed.
 */
export function isDocument(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { protocol, payload, signature } = value;
  if (typeof payload === "string" && typeof signature === "string") return true;
  if (typeof protocol === "string" && Object.hasOwn(PROTOCOLS, protocol)) {
    return Object.hasOwn(value, "payload") || Object.hasOwn(value, "signature");
  }
  return kindOf(value) === "tlog";
}

function search(value: unknown, levels: number, found: Unwrapped): void {
  if (levels < 0) return;
  if (typeof value === "string") {
    const inner = valueOfText(value);
    search(inner, typeof inner === "string" ? levels - 1 : levels, found);
  } else if (Array.isArray(value)) {
    for (const item of value) search(item, Array.isArray(item) ? levels - 1 : levels, found);
  } else if (isObject(value)) {
    if (isDocument(value)) found.documents.push(value);
    else if (isPoolLike(value)) found.pools.push(value);
    // What stands in the body of a document is that document's, and nobody signed it by itself.
    else if (!isUnsignedBody(value)) {
      found.secrets ||= isWithSecrets(value);
      for (const [name, member] of Object.entries(value)) {
        // No holder has a member of this name: whoever wrote it means to deceive.
        if (name !== "__proto__") search(member, levels - 1, found);
      }
    }
  }
}

/**
 * The value of a text that may hold a document or a pool: its JSON, its JSON lines as a list, or those
 * that it is the base64 of; undefined for any other text.
 */
export function valueOfText(text: string): unknown {
  // White space includes a byte order mark here.
  const trimmed = text.trim();
  const json = isJsonLike(trimmed) ? trimmed : textOfBase64(trimmed)?.trim() ?? "";
  return isJsonLike(json) ? valueOfJson(json) : undefined;
}

/** Nothing shorter holds a document: most texts need not be parsed to tell that they hold none. */
const SHORTEST = '{"head":{},"entries":[]}'.length;

function isJsonLike(text: string): boolean {
  return text.length >= SHORTEST && /^[[{"]/.test(text) && /[\]}"]/.test(text.at(-1)!);
}

function valueOfJson(text: string): unknown {
  const whole = parseJson(text, LIMITS.depth);
  if (whole.ok) return whole.value;
  const values: unknown[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line, LIMITS.depth);
    if (!parsed.ok) return undefined;
    values.push(parsed.value);
  }
  return values;
}

/** The text that base64 of either alphabet spells, if it begins like JSON; null otherwise. */
function textOfBase64(text: string): string | null {
  // The beginnings of "{", "[" and of a byte order mark.
  if (!/^(?:e[yw]|W|77u)/.test(text) || !/^[A-Za-z0-9+/_=\s-]+$/.test(text)) return null;
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return decodeUtf8(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** Each document once, and none that an admission among them holds. */
function withoutCopies(documents: readonly unknown[]): unknown[] {
  const seen = new Set(documents.flatMap(receiptsWithin));
  return documents.filter((document) => {
    const name = nameOf(document);
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

/** The names of the receipts that an admission's payload holds; none for another document. */
function receiptsWithin(document: unknown): string[] {
  const envelope = readEnvelope(document);
  if (envelope === null || kindOf(document) !== "admission") return [];
  const body = parseJson(envelope.payload, LIMITS.depth);
  if (!body.ok || !isObject(body.value) || !Array.isArray(body.value.receipts)) return [];
  return body.value.receipts.flatMap((receipt) =>
    readEnvelope(receipt) === null ? [] : [nameOf(receipt)]
  );
}

/** What two copies of a document have in common: an envelope's own members, and nothing beside them. */
export function nameOf(document: unknown): string {
  const envelope = readEnvelope(document);
  return JSON.stringify(envelope === null ? [document] : Object.values(envelope));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
