/** Reading disclosed pools. Source: protocols spec 8. */
import { type Pool, readPool } from "../protocol/pool.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import type { StoreContext } from "./context.ts";
import { disclosureKey, poolKeyAt } from "./keys.ts";
import type { DisclosureRecord, PoolRecord } from "./store.ts";

/** A pool as it lies in the database; never changed, and removed by the operator alone. */
export interface StoredPool {
  /** Canonical JSON of the pool file. */
  file: string;
  /** The version that the suite's name meant when the pool was first seen (protocols spec 8.2). */
  suiteVersion: string;
  firstSeen: number;
  source: PoolRecord["source"];
}

/** A public pool, or null. */
export async function publicPool(
  { db, pools }: StoreContext,
  poolKey: string,
): Promise<PoolRecord | null> {
  const known = pools.get(poolKey);
  if (known !== undefined) return known;
  const { value } = await db.get<StoredPool>(poolKeyAt(poolKey));
  if (value === null) return null;
  const record = recordOf(poolKey, value);
  pools.set(poolKey, record);
  return record;
}

/** Those of the pools that are public by now, by key. */
export async function publicPools(
  { db, pools }: StoreContext,
  poolKeys: readonly string[],
): Promise<Map<string, Pool>> {
  const found = new Map<string, Pool>();
  const wanted: string[] = [];
  for (const poolKey of new Set(poolKeys)) {
    const record = pools.get(poolKey);
    if (record === undefined) wanted.push(poolKey);
    else found.set(poolKey, record.pool);
  }
  const entries = await db.getAll<StoredPool>(wanted.map(poolKeyAt));
  for (const [index, { value }] of entries.entries()) {
    if (value === null) continue;
    const poolKey = wanted[index]!;
    const record = recordOf(poolKey, value);
    pools.set(poolKey, record);
    found.set(poolKey, record.pool);
  }
  return found;
}

/** The statement by that very key, or null. See `Store.disclosure`. */
export async function readDisclosure(
  { db }: StoreContext,
  poolKey: string,
  publicKey: string,
): Promise<DisclosureRecord | null> {
  return (await db.get<DisclosureRecord>(disclosureKey(poolKey, publicKey))).value;
}

/**
 * A pool as readers see it.
 *
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
