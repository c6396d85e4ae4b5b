/** Limits that an operator sets, and the counters behind them. */
import { sha256Hex } from "../encoding/digest.ts";
import type { Database } from "../kv/database.ts";
import { toHex } from "../encoding/hex.ts";
import { type Counter, counterKey, type Part, rateKey } from "./keys.ts";
import { type Quotas, StoreError } from "./store.ts";

/** Counted for a pool's or a statement's row and indexes, in bytes; in 0.2.0 for every entry's. */
export const ENTRY_BYTES = 2048;

export const NO_QUOTAS: Quotas = { bytes: null, documentsPerHour: null };

const HOUR_MS = 3_600_000;

/** The values of counters. */
export async function readCounters(db: Database, counters: readonly Counter[]): Promise<number[]> {
  const entries = await db.getAll<Deno.KvU64>(counters.map(counterKey));
  return entries.map(({ value }) => Number(value?.value ?? 0n));
}

/** Bytes stored now. */
export async function bytesStored(db: Database): Promise<number> {
  const [into = 0, out = 0] = await readCounters(db, ["bytes-in", "bytes-out"]);
  return into - out;
}

/** Of those, what a part counts for. */
export async function bytesOf(db: Database, part: Part): Promise<number> {
  const counters = [`${part}-bytes-in`, `${part}-bytes-out`] as const;
  const [into = 0, out = 0] = await readCounters(db, counters);
  // What 0.2.0 stored was counted in the whole alone.
  return Math.max(0, into - out);
}

/** Counts bytes that come (or, below zero, go) in the commit that writes them. */
export function countBytes(operation: Deno.AtomicOperation, bytes: number, part?: Part): void {
  if (bytes === 0) return;
  const way = bytes > 0 ? "in" : "out";
  const size = BigInt(Math.abs(bytes));
  operation.sum(counterKey(`bytes-${way}`), size);
  if (part !== undefined) operation.sum(counterKey(`${part}-bytes-${way}`), size);
}

/** What is stored to save time, and is removed first when room is short, in this order. */
const CACHES = ["drawing", "link"] as const;
type Cache = typeof CACHES[number];

/** The most that a cache may take of {@link Quotas.bytes}; and, where that is unlimited, in bytes. */
const SHARES: Readonly<Record<Cache, { part: number; bytes: number }>> = {
  drawing: { part: 1 / 8, bytes: 256 * 1024 * 1024 },
  link: { part: 1 / 4, bytes: 1024 * 1024 * 1024 },
};

/**
 * Makes room for documents and pools, out of the caches if need be; those stay as they are where all
 * of them wouldn't do.
 *
 * @throws {StoreError} `quota-bytes` when `bytes` more don't fit.
 */
export async function requireRoom(db: Database, quotas: Quotas, bytes: number): Promise<void> {
  if (quotas.bytes === null || bytes <= 0) return;
  let over = await bytesStored(db) + bytes - quotas.bytes;
  if (over <= 0) return;
  const cached = await Promise.all(CACHES.map((cache) => bytesOf(db, cache)));
  if (cached.reduce((sum, one) => sum + one, 0) >= over) {
    for (const cache of CACHES) {
      over -= await evict(db, cache, over);
      if (over <= 0) return;
    }
  }
  throw new StoreError("quota-bytes", "the store is full: its operator allows no more bytes");
}

/**
 * Makes room in a cache, out of the same cache: within its share, and within what is left for all.
 *
 * @returns false where that isn't enough.
 */
export async function makeRoom(
  db: Database,
  { bytes: quota }: Quotas,
  cache: Cache,
  bytes: number,
): Promise<boolean> {
  if (bytes <= 0) return true;
  const share = quota === null ? SHARES[cache].bytes : quota * SHARES[cache].part;
  const [cached, all] = await Promise.all([bytesOf(db, cache), bytesStored(db)]);
  const over = Math.max(cached + bytes - share, quota === null ? 0 : all + bytes - quota);
  if (over <= 0) return true;
  return cached >= over && bytes <= share && await evict(db, cache, over) >= over;
}

/** Entries compared with each other, of which the half is removed that was used longest ago. */
const SAMPLE = 32;

/** Rounds of one eviction: it frees room for one thing, and others go on after that. */
const ROUNDS = 2000;

/** An entry of a cache: both kinds are named by a hash, and say what they count for. */
interface Cached {
  bytes?: number;
  /** Of links: when the URL was last fetched. */
  lookedAt?: number;
}

/** Removes entries of a cache, from a place by chance on, until so many bytes are free. */
async function evict(db: Database, cache: Cache, wanted: number): Promise<number> {
  const prefix = cache === "link" ? "link" : "drawn";
  let freed = 0;
  for (let round = 0; round < ROUNDS && freed < wanted; round++) {
    const start = [prefix, toHex(crypto.getRandomValues(new Uint8Array(32)))];
    const behind = await db.list<Cached>({ prefix: [prefix], start }, { limit: SAMPLE });
    const sample = behind.length > 0
      ? behind
      : await db.list<Cached>({ prefix: [prefix] }, { limit: SAMPLE });
    if (sample.length === 0) break;
    sample.sort((a, b) => (a.value.lookedAt ?? 0) - (b.value.lookedAt ?? 0));
    for (const entry of sample.slice(0, Math.ceil(sample.length / 2))) {
      if (freed >= wanted) break;
      freed += await removeCached(db, cache, entry);
    }
  }
  return freed;
}

/** Removes an entry of a cache, unless it changes meanwhile; the bytes that it counted for. */
export async function removeCached(
  db: Database,
  cache: Cache,
  { key, value, versionstamp }: Deno.KvEntry<Cached>,
): Promise<number> {
  const bytes = value.bytes ?? ENTRY_BYTES;
  const events = cache === "drawing"
    ? []
    : await Array.fromAsync(db.scan(["link-history", String(key[1])]));
  const commit = await db.commit((operation) => {
    operation.check({ key, versionstamp }).delete(key);
    for (const event of events) operation.delete(event.key);
    countBytes(operation, -bytes, cache);
  });
  return commit.ok ? bytes : 0;
}

/**
 * Counts one document of a client, in fixed windows of an hour.
 *
 * @throws {StoreError} `quota-rate`, with the seconds until the window ends.
 */
export async function countDocument(
  db: Database,
  { documentsPerHour }: Quotas,
  client: string | null,
  now: number,
): Promise<void> {
  if (documentsPerHour === null || client === null) return;
  const window = Math.floor(now / HOUR_MS);
  // Addresses aren't stored, not even for an hour.
  const key = rateKey(sha256Hex(`${client}\0${window}`), window);
  for (;;) {
    const entry = await db.get<number>(key);
    const count = entry.value ?? 0;
    if (count >= documentsPerHour) {
      const retryAfter = Math.max(1, Math.ceil(((window + 1) * HOUR_MS - now) / 1000));
      const message = `at most ${documentsPerHour} documents an hour can be stored`;
      throw new StoreError("quota-rate", message, retryAfter);
    }
    const commit = await db.commit((operation) => {
      operation.check(entry).set(key, count + 1, { expireIn: 2 * HOUR_MS });
    });
    if (commit.ok) return;
  }
}
