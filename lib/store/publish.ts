/** Publishing pools, and what it would do. Source: protocols spec 8.5. */
import { breather } from "../async/breathe.ts";
import { type Pool, poolText } from "../protocol/pool.ts";
import type { VerifiedDisclosure } from "../protocol/disclosure.ts";
import type { StoreContext } from "./context.ts";
import {
  counterKey,
  disclosureKey,
  EPOCH,
  indexPrefix,
  pendingUpgradeKey,
  poolKeyAt,
  poolRecentKey,
  poolTombstoneKey,
  resultKey,
  upgradeKey,
} from "./keys.ts";
import { isRemovedPool } from "./pool_removal.ts";
import { countBytes, countDocument, ENTRY_BYTES, NO_QUOTAS, requireRoom } from "./quota.ts";
import { lackedBy, type Row } from "./row.ts";
import { publicPool, publicPools, recordOf, type StoredPool } from "./pools.ts";
import { checkStored } from "./results.ts";
import { forgetEpoch } from "./row_cache.ts";
import {
  type DisclosureRecord,
  type PoolPreview,
  type PoolRecord,
  type Published,
  type PublishOptions,
} from "./store.ts";
import { newJob } from "./upgrade.ts";

/** The most documents that a dry run checks. */
const PREVIEW_DOCUMENTS = 500;
/** How long a dry run goes on, in milliseconds. */
const PREVIEW_MS = 1500;
const PREVIEW_IDS = 100;

/** What publishing takes of the store. */
type PublishContext = Pick<StoreContext, "db" | "quotas" | "clock">;

/**
 * Makes the pools public that come with the service, unless they are or the operator removed them:
 * the store does so before its first operation ends.
 */
export async function enterShipped(
  context: StoreContext,
  shipped: readonly Pool[],
): Promise<void> {
  const { db, clock, rows } = context;
  const known = await publicPools(context, shipped.map(({ poolKey }) => poolKey));
  for (const pool of shipped) {
    if (known.has(pool.poolKey) || await isRemovedPool(db, pool.poolKey)) continue;
    const origin: PoolOrigin = { source: "shipped", firstSeen: clock(), client: null };
    await enterPool({ db, quotas: NO_QUOTAS, clock }, pool, origin);
    forgetEpoch(rows);
  }
}

/** Who brings a pool, and when it is said to have been seen first. */
interface PoolOrigin {
  source: PoolRecord["source"];
  firstSeen: number;
  /** Counted for the hourly quota; null: not counted. */
  client: string | null;
}

/**
 * Makes a pool public: the pool, the epoch, the upgrade's job and a statement that comes along in one
 * commit. `created` false: the pool was public, and the statement isn't stored yet.
 *
 * @throws {StoreError} `quota-bytes`, `quota-rate`.
 */
export async function enterPool(
  { db, quotas, clock }: PublishContext,
  pool: Pool,
  { source, firstSeen, client }: PoolOrigin,
  statement?: DisclosureRecord,
): Promise<{ record: PoolRecord; created: boolean }> {
  const { poolKey, suiteVersion } = pool;
  const stored: StoredPool = { file: poolText(pool), suiteVersion, firstSeen, source };
  const known = await db.get<StoredPool>(poolKeyAt(poolKey));
  if (known.value !== null) return { record: recordOf(poolKey, known.value), created: false };
  const bytes = stored.file.length + (statement === undefined ? 1 : 2) * ENTRY_BYTES;
  await requireRoom(db, quotas, bytes);
  await countDocument(db, quotas, client, clock());
  const commit = await db.commit((operation) => {
    operation.check({ key: poolKeyAt(poolKey), versionstamp: null })
      .set(poolKeyAt(poolKey), stored)
      .set(poolRecentKey(firstSeen, poolKey), true)
      .set(upgradeKey(poolKey), newJob(clock()))
      .set(pendingUpgradeKey(poolKey), true)
      .delete(poolTombstoneKey(poolKey))
      .sum(EPOCH, 1n)
      .sum(counterKey("pools"), 1n);
    countBytes(operation, bytes, "pool");
    if (statement !== undefined) {
      operation.set(disclosureKey(poolKey, statement.publicKey), statement);
    }
  });
  if (commit.ok) return { record: recordOf(poolKey, stored), created: true };
  const { value } = await db.get<StoredPool>(poolKeyAt(poolKey));
  if (value === null) throw new Error(`pool ${poolKey} vanished, and pools never do`);
  return { record: recordOf(poolKey, value), created: false };
}

/**
 * Stores a statement beside its pool; the first statement by each key stays. False: there was one.
 *
 * @param at when the statement came, in milliseconds since 1970.
 * @throws {StoreError} `quota-bytes`, `quota-rate`.
 */
export async function enterDisclosure(
  { db, quotas, clock }: PublishContext,
  { poolKey, publicKey, signature }: VerifiedDisclosure,
  at: number,
  client: string | null = null,
): Promise<boolean> {
  const key = disclosureKey(poolKey, publicKey);
  if ((await db.get(key)).value !== null) return false;
  await requireRoom(db, quotas, ENTRY_BYTES);
  await countDocument(db, quotas, client, clock());
  const commit = await db.commit((operation) => {
    operation.check({ key, versionstamp: null })
      .set(key, { poolKey, publicKey, signature, at } satisfies DisclosureRecord);
    countBytes(operation, ENTRY_BYTES, "pool");
  });
  return commit.ok;
}

/** See `Store.publishPool`. */
export async function publish(
  context: StoreContext,
  pool: Pool,
  options: PublishOptions = {},
): Promise<Published> {
  const { disclosure, client = null } = options;
  if (disclosure !== undefined && disclosure.poolKey !== pool.poolKey) {
    throw new Error("the statement is about another pool");
  }
  const at = context.clock();
  const statement = disclosure && { ...disclosure, at };
  const origin = { source: "published", firstSeen: at, client } as const;
  const entered = await enterPool(context, pool, origin, statement);
  forgetEpoch(context.rows);
  if (disclosure === undefined || entered.created) {
    return { ...entered, disclosure: disclosure !== undefined };
  }
  return { ...entered, disclosure: await enterDisclosure(context, disclosure, at, client) };
}

/** See `Store.previewPool`. Nothing of it is stored. */
export async function preview(
  context: StoreContext,
  pool: Pool,
): Promise<PoolPreview> {
  const { db } = context;
  const { poolKey } = pool;
  const found: PoolPreview = {
    poolKey,
    known: await publicPool(context, poolKey) !== null,
    upgraded: 0,
    exposed: 0,
    unchanged: 0,
    upgradedIds: [],
    exposedIds: [],
    complete: true,
  };
  if (found.known) return found;
  const until = performance.now() + PREVIEW_MS;
  const breathe = breather();
  let checked = 0;
  for await (const { key } of db.scan<unknown>(indexPrefix({ by: "pool", poolKey }))) {
    if (checked === PREVIEW_DOCUMENTS || performance.now() > until) {
      found.complete = false;
      break;
    }
    checked++;
    const id = String(key.at(-1));
    const { value: row, versionstamp } = await db.get<Row>(resultKey(id));
    if (row === null || versionstamp === null || !lackedBy(row).includes(poolKey)) continue;
    const pools = await publicPools(context, row.pools.map((named) => named.poolKey));
    const entry = { id, row, versionstamp };
    const report = await checkStored(context, entry, pools.set(poolKey, pool));
    await breathe();
    if (report === null) continue;
    if (report.outcome === null) found.complete = false;
    else if (report.observations.includes("exposed")) {
      found.exposed++;
      if (found.exposedIds.length < PREVIEW_IDS) found.exposedIds.push(id);
    } else if (report.outcome === "verified" && row.outcome !== "verified") {
      found.upgraded++;
      if (found.upgradedIds.length < PREVIEW_IDS) found.upgradedIds.push(id);
    } else found.unchanged++;
  }
  return found;
}
