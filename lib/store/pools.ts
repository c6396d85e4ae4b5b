/** Reading disclosed pools. Source: protocols spec 8. */
import { LRUCache } from "lru-cache";
import { type Pool, readPool } from "../protocol/pool.ts";
import type { Database } from "../kv/database.ts";
import { poolKeyAt } from "./keys.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import type { PoolRecord } from "./store.ts";

/** A pool as it lies in the database; never changed, and removed by the operator alone. */
export interface StoredPool {
  /** Canonical JSON of the pool file. */
  file: string;
  /** The version that the suite's name meant when the pool was first seen (protocols spec 8.2). */
  suiteVersion: string;
  firstSeen: number;
  source: PoolRecord["source"];
}

/** Pools kept in memory; as large as their files, 46 KB at most. */
const CAPACITY = 200;

/** How long, in milliseconds: the operator may have removed one. */
export const SEEN_MS = 5000;

export interface Shelf {
  /** A public pool, or null. */
  record(poolKey: string): Promise<PoolRecord | null>;
  /** Those of the pools that are public by now. */
  known(poolKeys: readonly string[]): Promise<Map<string, Pool>>;
}

/** The pools in `db`; those seen lately are kept in memory. */
export function createShelf(db: Database): Shelf {
  const seen = new LRUCache<string, PoolRecord>({
    max: CAPACITY,
    ttl: SEEN_MS,
    // Unlike Date's, this clock never goes back.
    perf: performance,
  });

  return {
    async record(poolKey) {
      const known = seen.get(poolKey);
      if (known !== undefined) return known;
      const { value } = await db.get<StoredPool>(poolKeyAt(poolKey));
      if (value === null) return null;
      const record = recordOf(poolKey, value);
      seen.set(poolKey, record);
      return record;
    },

    async known(poolKeys) {
      const found = new Map<string, Pool>();
      const wanted: string[] = [];
      for (const poolKey of new Set(poolKeys)) {
        const record = seen.get(poolKey);
        if (record === undefined) wanted.push(poolKey);
        else found.set(poolKey, record.pool);
      }
      const entries = await db.getAll<StoredPool>(wanted.map(poolKeyAt));
      for (const [index, { value }] of entries.entries()) {
        if (value === null) continue;
        const poolKey = wanted[index]!;
        const record = recordOf(poolKey, value);
        seen.set(poolKey, record);
        found.set(poolKey, record.pool);
      }
      return found;
    },
  };
}

/**
 * @throws {StoreUnavailable} when the pool can't be read here: a newer version of the service, which
 * knows more suites, shares the database.
 */
export function recordOf(poolKey: string, stored: StoredPool): PoolRecord {
  const { file, suiteVersion, firstSeen, source } = stored;
  const read = readPool(JSON.parse(file));
  if (!read.ok || read.pool.poolKey !== poolKey) {
    throw new StoreUnavailable(`pool ${poolKey} can't be read by this version`);
  }
  return { poolKey, pool: { ...read.pool, suiteVersion }, file, firstSeen, source };
}
