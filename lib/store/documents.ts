/**
 * Documents on Deno KV, named by the SHA-256 of their bytes and never changed. Source: design.md,
 * "Storage".
 *
 * A KV value holds 64 KiB, so documents are compressed and cut into chunks. The entry that makes a
 * document findable is written last: a reader never sees half of one.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { sha256Hex } from "../encoding/digest.ts";
import { retrying } from "./retry.ts";

export interface Documents {
  /** The bytes of that SHA-256 (hex), or null when they aren't stored. */
  get(id: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Stores bytes under their SHA-256 (hex), which the caller has computed. False: they were there. */
  put(id: string, bytes: Uint8Array): Promise<boolean>;
}

/** Bytes of a chunk: below the limit of a value with room for its encoding. */
export const CHUNK_BYTES = 60 * 1024;

/** Values that one `getMany` reads. */
const BATCH = 10;

interface Entry {
  /**
   * SHA-256 of the compressed bytes, which names the chunks: two writers whose gzip differs must
   * not mix theirs.
   */
  packed: string;
  chunks: number;
  /** Length of the document in bytes. */
  bytes: number;
}

const entryKey = (id: string): Deno.KvKey => ["document", id];
const chunkKey = (packed: string, index: number): Deno.KvKey => ["document-chunk", packed, index];

/**
 * Documents in `kv`. Methods reject with StoreUnavailable when the database stays locked, and with
 * an Error when stored bytes are damaged.
 */
export function createDocuments(kv: Deno.Kv): Documents {
  return {
    async get(id) {
      const { value: entry } = await retrying(() => kv.get<Entry>(entryKey(id)));
      return entry === null ? null : await readChunks(kv, id, entry);
    },

    async put(id, bytes) {
      const known = await retrying(() => kv.get<Entry>(entryKey(id)));
      if (known.value !== null) return false;
      const compressed = new Uint8Array(gzipSync(bytes));
      const entry: Entry = {
        packed: sha256Hex(compressed),
        chunks: Math.ceil(compressed.length / CHUNK_BYTES),
        bytes: bytes.length,
      };
      for (let index = 0; index < entry.chunks; index++) {
        const chunk = compressed.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
        await retrying(() => kv.set(chunkKey(entry.packed, index), chunk));
      }
      // Whoever commits first made it; the content is the same either way.
      const commit = await retrying(() =>
        kv.atomic().check(known).set(entryKey(id), entry).commit()
      );
      return commit.ok;
    },
  };
}

async function readChunks(
  kv: Deno.Kv,
  id: string,
  { packed, chunks, bytes }: Entry,
): Promise<Uint8Array<ArrayBuffer>> {
  const keys = Array.from({ length: chunks }, (_, index) => chunkKey(packed, index));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < chunks; start += BATCH) {
    const batch = keys.slice(start, start + BATCH);
    const read = await retrying(() => kv.getMany<Uint8Array<ArrayBuffer>[]>(batch));
    parts.push(...read.flatMap(({ value }) => value ?? []));
  }
  const compressed = new Uint8Array(await new Blob(parts).arrayBuffer());
  if (sha256Hex(compressed) !== packed) throw new Error(`stored document ${id} is damaged`);
  const document = new Uint8Array(gunzipSync(compressed, { maxOutputLength: Math.max(1, bytes) }));
  if (sha256Hex(document) !== id) throw new Error(`stored document ${id} is damaged`);
  return document;
}
