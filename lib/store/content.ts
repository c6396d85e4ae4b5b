/**
 * The bytes of documents. A KV value holds 64 KiB, so they are compressed and cut into chunks.
 * Source: docs/architecture.md, "Storage".
 *
 * What fits is written in the very commit that makes the document findable. Larger ones are written
 * ahead, and that commit then checks that each chunk is still the one that was written: whatever a
 * crash, another writer or a removal did meanwhile, a findable document is whole.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { sha256Hex, sha256HexLarge } from "../encoding/digest.ts";
import type { Database } from "../kv/database.ts";
import { chunkKey, uploadKey } from "./keys.ts";
import { damaged } from "./store.ts";

/** Bytes of a chunk: below the limit of a value, with room for its encoding. */
export const CHUNK_BYTES = 60 * 1024;

/** Chunks that fit into a commit (819,200 B) beside everything else. */
export const INLINE_CHUNKS = 8;

/** Where a document's bytes are; part of its row. */
export interface Content {
  /** SHA-256 (hex) of the compressed bytes, which names the chunks. */
  packed: string;
  chunks: number;
  /** Length of the document, and of its compressed form. */
  bytes: number;
  packedBytes: number;
  /** Bytes that the document counts for, with all that is filed for it; absent in rows of 0.2.0. */
  counted?: number;
}

/** A document ready to be stored. */
export interface Packed {
  content: Content;
  chunks: Uint8Array[];
}

/** Chunks written ahead, with the versions that the row's commit checks. */
type Upload = { key: Deno.KvKey; versionstamp: string }[];

export function pack(bytes: Uint8Array): Packed {
  const compressed = new Uint8Array(gzipSync(bytes));
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < compressed.length; at += CHUNK_BYTES) {
    chunks.push(compressed.slice(at, at + CHUNK_BYTES));
  }
  const content = {
    packed: sha256Hex(compressed),
    chunks: chunks.length,
    bytes: bytes.length,
    packedBytes: compressed.length,
  };
  return { content, chunks };
}

/** Writes ahead what doesn't fit into one commit. Empty when all of it does. */
export async function upload(
  db: Database,
  id: string,
  { content, chunks }: Packed,
  now: number,
): Promise<Upload> {
  if (chunks.length <= INLINE_CHUNKS) return [];
  const written: Upload = [];
  for (let at = 0; at < chunks.length; at += INLINE_CHUNKS) {
    const group = chunks.slice(at, at + INLINE_CHUNKS).map((chunk, index) => ({
      key: chunkKey(id, content.packed, at + index),
      chunk,
    }));
    const commit = await db.commit((operation) => {
      operation.set(uploadKey(id, content.packed), now);
      for (const { key, chunk } of group) operation.set(key, chunk);
    });
    if (!commit.ok) throw new Error("a commit without checks failed one");
    written.push(...group.map(({ key }) => ({ key, versionstamp: commit.versionstamp })));
  }
  return written;
}

/** Adds the bytes to the commit that makes the document findable. */
export function attach(
  operation: Deno.AtomicOperation,
  id: string,
  { content, chunks }: Packed,
  uploaded: Upload,
): void {
  if (uploaded.length > 0) {
    operation.check(...uploaded).delete(uploadKey(id, content.packed));
    return;
  }
  for (const [index, chunk] of chunks.entries()) {
    operation.set(chunkKey(id, content.packed, index), chunk);
  }
}

/**
 * The document's bytes, or null when a chunk is gone: then it was removed meanwhile.
 *
 * @throws {StoreError} `document-damaged`: the bytes stored aren't those of the id.
 */
export async function readContent(
  db: Database,
  id: string,
  content: Content,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const [bytes = null] = await readContents(db, [{ id, content }]);
  if (bytes === "damaged") throw damaged(id);
  return bytes;
}

/** The same for many, in fewer reads; one that is damaged is no reason to have none of the others. */
export async function readContents(
  db: Database,
  documents: readonly { id: string; content: Content }[],
): Promise<(Uint8Array<ArrayBuffer> | "damaged" | null)[]> {
  const keys = documents.flatMap(({ id, content: { packed, chunks } }) =>
    Array.from({ length: chunks }, (_, index) => chunkKey(id, packed, index))
  );
  const entries = await db.getAll<Uint8Array<ArrayBuffer>>(keys);
  const all: (Uint8Array<ArrayBuffer> | "damaged" | null)[] = [];
  let at = 0;
  for (const { id, content } of documents) {
    const parts = entries.slice(at, at + content.chunks).flatMap(({ value }) => value ?? []);
    at += content.chunks;
    all.push(parts.length < content.chunks ? null : await join(id, content, parts));
  }
  return all;
}

async function join(
  id: string,
  { bytes }: Content,
  parts: readonly Uint8Array<ArrayBuffer>[],
): Promise<Uint8Array<ArrayBuffer> | "damaged"> {
  if (!parts.every((part) => part instanceof Uint8Array)) return "damaged";
  const compressed = parts.length === 1
    ? parts[0]!
    : new Uint8Array(await new Blob([...parts]).arrayBuffer());
  const document = unpack(compressed, bytes);
  if (document === null || await sha256HexLarge(document) !== id) return "damaged";
  return document;
}

function unpack(compressed: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> | null {
  try {
    return new Uint8Array(gunzipSync(compressed, { maxOutputLength: Math.max(1, bytes) }));
  } catch {
    return null;
  }
}
