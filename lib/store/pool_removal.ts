/**
 * Removing pools, for the operator: anybody may publish a pool, and nobody misses one that no document
 * names.
 */
import type { Database } from "../kv/database.ts";
import { POOL_MS, type StoreContext } from "./context.ts";
import {
  counterKey,
  disclosureKey,
  EPOCH,
  indexPrefix,
  pendingUpgradeKey,
  poolKeyAt,
  poolRecentKey,
  poolTombstoneKey,
  tallyKey,
  upgradeKey,
} from "./keys.ts";
import { countBytes, ENTRY_BYTES } from "./quota.ts";
import type { StoredPool } from "./pools.ts";
import type { DisclosureRecord, PoolRemoval } from "./store.ts";

/**
 * What is left of a pool that the operator removed: neither the service nor an import enters such a
 * pool again.
 */
interface PoolTombstone {
  poolKey: string;
  removedAt: number;
  firstSeen: number;
  source: StoredPool["source"];
}

/**
 * How long other processes may check with a pool that they have in memory, in milliseconds: as long
 * as it stays there, and as long as a check takes.
 */
const IN_USE_MS = POOL_MS + 5000;

/**
 * Removes pools unless a document names them. Other processes have them in memory for some seconds:
 * what was stored with one meanwhile brings that one back.
 */
export async function removePools(
  context: StoreContext,
  poolKeys: readonly string[],
): Promise<Map<string, PoolRemoval>> {
  const { db, pause } = context;
  const removals = new Map<string, PoolRemoval>();
  const removed = new Map<string, () => Promise<void>>();
  for (const poolKey of new Set(poolKeys)) {
    const back = await removeOne(context, poolKey);
    if (typeof back === "string") removals.set(poolKey, back);
    else removed.set(poolKey, back);
  }
  if (removed.size > 0) await pause(IN_USE_MS);
  for (const [poolKey, back] of removed) {
    const named = await isNamed(db, poolKey);
    if (named) await back();
    removals.set(poolKey, named ? "named" : "removed");
  }
  return removals;
}

/** Keys of the pools that were published or imported, and that no document names. */
export async function unusedPools({ db }: StoreContext): Promise<string[]> {
  const unused: string[] = [];
  for await (const { key, value } of db.scan<StoredPool>(["pool"])) {
    const poolKey = String(key[1]);
    if (value.source !== "shipped" && !await isNamed(db, poolKey)) unused.push(poolKey);
  }
  return unused;
}

/** Whether the operator removed a pool. */
export async function isRemovedPool(db: Database, poolKey: string): Promise<boolean> {
  return (await db.get<PoolTombstone>(poolTombstoneKey(poolKey))).value !== null;
}

async function isNamed(db: Database, poolKey: string): Promise<boolean> {
  const prefix = indexPrefix({ by: "pool", poolKey });
  return (await db.list({ prefix }, { limit: 1 })).length > 0;
}

/** Removes a pool; what it gives puts everything back as it was. */
async function removeOne(
  { db, clock }: StoreContext,
  poolKey: string,
): Promise<(() => Promise<void>) | "named" | "unknown"> {
  const pool = await db.get<StoredPool>(poolKeyAt(poolKey));
  if (pool.value === null) return "unknown";
  if (await isNamed(db, poolKey)) return "named";
  const { firstSeen, source, file } = pool.value;
  const statements = await Array.fromAsync(db.scan<DisclosureRecord>(["disclosure", poolKey]));
  const bytes = file.length + (1 + statements.length) * ENTRY_BYTES;
  const whats = ["upgraded", "exposed", "unchanged"] as const;
  const keys = [
    poolKeyAt(poolKey),
    poolRecentKey(firstSeen, poolKey),
    upgradeKey(poolKey),
    pendingUpgradeKey(poolKey),
    ...whats.map((what) => tallyKey(poolKey, what)),
    ...statements.map(({ value }) => disclosureKey(poolKey, value.publicKey)),
  ];
  const entries = await db.getAll<unknown>(keys);
  const tombstone: PoolTombstone = { poolKey, removedAt: clock(), firstSeen, source };
  const commit = await db.commit((operation) => {
    operation.check(pool).set(poolTombstoneKey(poolKey), tombstone)
      .sum(EPOCH, 1n)
      .sum(counterKey("pools-out"), 1n);
    for (const key of keys) operation.delete(key);
    countBytes(operation, -bytes, "pool");
  });
  if (!commit.ok) return "named";
  return async () => {
    await db.commit((operation) => {
      // Whoever published it again has entered all of it.
      operation.check({ key: poolKeyAt(poolKey), versionstamp: null })
        .delete(poolTombstoneKey(poolKey))
        .sum(EPOCH, 1n)
        .sum(counterKey("pools"), 1n);
      for (const { key, value } of entries) if (value !== null) operation.set(key, value);
      countBytes(operation, bytes, "pool");
    });
  };
}
