/**
 * Finds the documents in what holders of documents really have: answers of services, collections,
 * ledger lines, texts of texts. One rule for all of them: a member that is an envelope, an array of
 * envelopes, or the JSON text of either, at most three levels deep. Source: protocols spec 12, 20.
 */
import { decodeUtf8, parseJson } from "../encoding/json.ts";
import { type Envelope, readEnvelope } from "../protocol/envelope.ts";
import { LIMITS } from "../protocol/limits.ts";
import { POOL_PROTOCOL } from "../protocol/pool.ts";
import { isOfItsOwn } from "./looks_like.ts";
import { isTooDeep, kindOf } from "./recognise.ts";

/** Levels of wrapping: `{data: {check: {receipt: E}}}` has three. */
const LEVELS = 3;

/** What was found in a wrapper. */
export interface Unwrapped {
  /** The documents, in the order in which they stand. */
  documents: unknown[];
  /** Pools beside them, not yet read. */
  pools: unknown[];
}

/**
 * The documents and pools in a value that is no document itself. Receipts that an admission beside
 * them holds are left out: they are unsigned copies of its own.
 *
 * @param most documents after which the search ends; one more than may be taken shows the excess.
 */
export function unwrap(value: unknown, most: number): Unwrapped {
  const found: Unwrapped = { documents: [], pools: [] };
  search(value, LEVELS, found, most);
  return { ...found, documents: withoutCopies(found.documents) };
}

/** The document in a wrapper that holds exactly one; anything else is as it is. */
export function withoutWrapper(value: unknown): { document: unknown; unwrapped: boolean } {
  if (
    kindOf(value) === null && isObject(value) && !isSigned(value) && !isTooDeep(value, LIMITS.depth)
  ) {
    const { documents } = unwrap(value, 2);
    if (documents.length === 1) return { document: documents[0], unwrapped: true };
  }
  return { document: value, unwrapped: false };
}

function search(value: unknown, levels: number, found: Unwrapped, most: number): void {
  const inner = typeof value === "string" ? valueOfText(value) : value;
  if (inner === undefined || inner === null || typeof inner !== "object") return;
  for (const one of Array.isArray(inner) ? inner : [inner]) {
    if (found.documents.length >= most) return;
    const member = typeof one === "string" ? valueOfText(one) : one;
    if (!isObject(member)) continue;
    if (isDocument(member)) found.documents.push(member);
    else if (isPool(member)) found.pools.push(member);
    // What is signed by a rule that nobody knows is never looked into.
    else if (levels > 0 && !isSigned(member) && !isOfItsOwn(member)) {
      for (const [name, below] of Object.entries(member)) {
        // No holder has a member of this name: whoever wrote it means to deceive.
        if (name !== "__proto__") search(below, levels - 1, found, most);
      }
    }
  }
}

/**
 * Whether a member is a document, be it a damaged one or one of another protocol. Policies, challenges
 * and payloads have protocols too: they are parts of documents, and have neither text nor signature.
 */
function isDocument(member: Record<string, unknown>): boolean {
  const kind = kindOf(member);
  if (kind === null) return isSigned(member) && typeof member.protocol === "string";
  return kind === "tlog" || Object.hasOwn(member, "payload") || Object.hasOwn(member, "signature");
}

/** Whether a value has a text and a signature of it, whatever its protocol. */
export function isSigned(value: unknown): boolean {
  return isObject(value) && typeof value.payload === "string" &&
    typeof value.signature === "string";
}

/** Whether a member is a pool, or was meant to be one. */
function isPool({ protocol, poolKey, cells }: Record<string, unknown>): boolean {
  return protocol === POOL_PROTOCOL ||
    typeof poolKey === "string" && Array.isArray(cells) && isObject(cells[0]);
}

/** A name that stands in the text of every envelope, log or pool. */
const TELLING = /payload|entries|poolKey/;

/**
 * The value of a text that may hold a document or a pool: its JSON, or the JSON that it is the base64
 * of; undefined for any other text.
 */
export function valueOfText(text: string): unknown {
  const trimmed = text.trim();
  // Texts are many, and few of them are worth parsing.
  if (TELLING.test(trimmed)) {
    const parsed = parseJson(trimmed, LIMITS.depth);
    return parsed.ok ? parsed.value : undefined;
  }
  const decoded = textOfBase64(trimmed);
  if (decoded === null || !TELLING.test(decoded)) return undefined;
  const parsed = parseJson(decoded, LIMITS.depth);
  return parsed.ok ? parsed.value : undefined;
}

/** The text that base64 of either alphabet spells, if it begins like JSON; null otherwise. */
function textOfBase64(text: string): string | null {
  // `{"`, `{` and a blank, `[`, or a byte order mark before any of them.
  if (!/^(?:ey|ew|W|77u[/_])[A-Za-z0-9+/_-]/.test(text) || !/^[A-Za-z0-9+/_=\s-]+$/.test(text)) {
    return null;
  }
  try {
    const bytes = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const decoded = decodeUtf8(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    return decoded?.replace(/^\uFEFF/, "") ?? null;
  } catch {
    return null;
  }
}

function withoutCopies(documents: unknown[]): unknown[] {
  const held = new Set(documents.flatMap(receiptsWithin));
  if (held.size === 0) return documents;
  return documents.filter((document) => {
    const envelope = readEnvelope(document);
    return envelope === null || !held.has(nameOf(envelope));
  });
}

/** The names of the receipts that an admission's payload holds; none for another document. */
function receiptsWithin(document: unknown): string[] {
  const envelope = readEnvelope(document);
  if (envelope === null || kindOf(document) !== "admission") return [];
  const body = parseJson(envelope.payload, LIMITS.depth);
  if (!body.ok || !isObject(body.value) || !Array.isArray(body.value.receipts)) return [];
  return body.value.receipts.flatMap((receipt) => {
    const inner = readEnvelope(receipt);
    return inner === null ? [] : [nameOf(inner)];
  });
}

function nameOf({ protocol, payload, signature }: Envelope): string {
  return JSON.stringify([protocol, payload, signature]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
