/** Pages of lists and their cursors. */
import { decodeBase64url, encodeBase64url } from "../encoding/base64url.ts";
import type { Database } from "../kv/database.ts";
import { MAX_PAGE, type PageRequest, StoreError } from "./store.ts";

const DEFAULT_LIMIT = 20;

/** Longer ones aren't decoded. */
const MAX_CURSOR = 512;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Part = string | number;

/** An opaque cursor: which list it belongs to, and the last key of the page. */
export function encodeCursor(list: string, tail: readonly Part[]): string {
  return encodeBase64url(encoder.encode(JSON.stringify([list, ...tail])));
}

/**
 * Reads a cursor of that list, whose keys end in parts of these types.
 *
 * @throws {StoreError} `cursor-malformed`.
 */
export function decodeCursor(
  list: string,
  cursor: string,
  types: readonly ("string" | "number")[],
): Part[] {
  const malformed = () => new StoreError("cursor-malformed", "the cursor isn't one of this list");
  if (cursor.length > MAX_CURSOR) throw malformed();
  const bytes = decodeBase64url(cursor, Math.floor(cursor.length * 3 / 4));
  if (bytes === null) throw malformed();
  let parts: unknown;
  try {
    parts = JSON.parse(decoder.decode(bytes));
  } catch {
    throw malformed();
  }
  if (!Array.isArray(parts) || parts.length !== types.length + 1 || parts[0] !== list) {
    throw malformed();
  }
  const tail: unknown[] = parts.slice(1);
  const typeOf = (part: unknown): string => typeof part;
  if (!tail.every((part, index) => typeOf(part) === types[index])) throw malformed();
  return tail as Part[];
}

/** A list in the order of its keys. */
export interface Listing {
  prefix: Deno.KvKey;
  /** Names the list in its cursors. */
  name: string;
  /** Types of the key's parts behind the prefix. */
  tail: readonly ("string" | "number")[];
}

/**
 * One page, newest (last) first.
 *
 * @throws {StoreError} `cursor-malformed`.
 */
export async function readPage<T>(
  db: Database,
  { prefix, name, tail }: Listing,
  { cursor, limit = DEFAULT_LIMIT }: PageRequest,
): Promise<{ entries: Deno.KvEntry<T>[]; cursor: string | null }> {
  const size = Math.min(MAX_PAGE, Math.max(1, Math.trunc(limit) || 1));
  const selector: Deno.KvListSelector = cursor === undefined
    ? { prefix }
    : { prefix, end: [...prefix, ...decodeCursor(name, cursor, tail)] };
  const entries = await db.list<T>(selector, { limit: size + 1, reverse: true });
  const page = entries.slice(0, size);
  const more = entries.length > size;
  const last = page.at(-1)?.key.slice(prefix.length) as Part[] | undefined;
  return { entries: page, cursor: more && last !== undefined ? encodeCursor(name, last) : null };
}
