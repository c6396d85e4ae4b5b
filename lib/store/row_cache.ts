/**
 * Rows in memory for badges, as long as the epoch says that nothing can have changed. Source:
 * docs/platform.md, "Serving": a database read a request would cost two thirds of the throughput.
 */
import { LRUCache } from "lru-cache";
import { upTo } from "../async/lru.ts";
import type { Database } from "../kv/database.ts";
import { EPOCH } from "./keys.ts";
import type { ResultRead } from "./store.ts";

/** How long the epoch counts as read, in milliseconds. */
const EPOCH_MS = 20;

/**
 * How long a row stays in memory without being read again, in milliseconds: what a process with a
 * newer verifier made of it changes no epoch.
 */
const ROW_MS = 5000;

/** Rows in memory; some 2 KB each. */
const CAPACITY = 20_000;

type Current = Extract<ResultRead, { state: "current" }>;

/** Rows in memory, and what is known of the epoch. */
export interface RowCache {
  db: Database;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
  /** Rows by id, each with the epoch that it was read in, and when. */
  rows: LRUCache<string, { epoch: string; at: number; read: Current }>;
  /** The epoch, and when it was read. */
  epoch: { value: string; at: number } | null;
  /** The read of the epoch that is under way. */
  reading: Promise<string> | null;
  /** Changes when this process changes the epoch: reads that began before say nothing any more. */
  generation: number;
}

/** An empty cache. @param now milliseconds of a clock that never goes back. */
export function createRowCache(db: Database, now = () => performance.now()): RowCache {
  return {
    db,
    now,
    rows: new LRUCache(upTo(CAPACITY)),
    epoch: null,
    reading: null,
    generation: 0,
  };
}

/**
 * What `read` finds, or what it found before if that must still hold: without a promise where the
 * epoch was read just now, as waiting for what is in memory would cost a hot badge a fifth of its
 * time.
 */
export function readThrough(
  cache: RowCache,
  id: string,
  read: () => Promise<ResultRead>,
): ResultRead | Promise<ResultRead> {
  const epoch = currentEpoch(cache);
  const known = typeof epoch === "string" ? rememberedRow(cache, id, epoch) : null;
  return known ?? readRow(cache, id, read);
}

async function readRow(
  cache: RowCache,
  id: string,
  read: () => Promise<ResultRead>,
): Promise<ResultRead> {
  const { rows, now } = cache;
  const epoch = await currentEpoch(cache);
  const known = rememberedRow(cache, id, epoch);
  if (known !== null) return known;
  const at = now();
  const found = await read();
  if (found.state === "current") rows.set(id, { epoch, at, read: found });
  return found;
}

/** The row as it was in the epoch, if that must still hold. */
function rememberedRow({ rows, now }: RowCache, id: string, epoch: string): Current | null {
  const known = rows.get(id);
  const holds = known !== undefined && known.epoch === epoch && now() - known.at < ROW_MS;
  return holds ? known.read : null;
}

/** Forgets a row that turned out to be wrong. */
export function forgetRow({ rows }: RowCache, id: string): void {
  rows.delete(id);
}

/** Forgets the epoch, which this process has just changed: the next reader reads it anew. */
export function forgetEpoch(cache: RowCache): void {
  cache.generation++;
  cache.epoch = null;
  cache.reading = null;
}

function currentEpoch(cache: RowCache): string | Promise<string> {
  const { epoch, now } = cache;
  if (epoch !== null && now() - epoch.at < EPOCH_MS) return epoch.value;
  cache.reading ??= readEpoch(cache);
  return cache.reading;
}

function readEpoch(cache: RowCache): Promise<string> {
  const { db, now, generation } = cache;
  // The epoch counts as read when the read began: it may have changed before its value is here.
  const at = now();
  const attempt = db.get(EPOCH).then(({ versionstamp }) => {
    const value = versionstamp ?? "";
    if (generation === cache.generation) cache.epoch = { value, at };
    return value;
  }).finally(() => {
    if (cache.reading === attempt) cache.reading = null;
  });
  return attempt;
}
