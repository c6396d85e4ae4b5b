/** What an operator does with a store: counting, removing, tidying up. */
import {
  askedKey,
  chunkKey,
  counterKey,
  EPOCH,
  indexKeys,
  resultKey,
  tombstoneKey,
  uploadKey,
  visitKey,
} from "./keys.ts";
import type { Database } from "../kv/database.ts";
import type { StoreContext } from "./context.ts";
import { bytesOf, bytesStored, countBytes, ENTRY_BYTES, readCounters } from "./quota.ts";
import { forgetEpoch } from "./row_cache.ts";
import { countedFor, isWhole, type Row, type RowEntry } from "./row.ts";
import type { Collected, StoreStats, Tombstone } from "./store.ts";

const DAY_MS = 86_400_000;

/** A document larger than one commit may still be on its way for this long, in milliseconds. */
const UPLOAD_MS = 3_600_000;

/** Chunks read at once: 60 KiB each. */
const CHUNK_BATCH = 8;

/** See `Store.stats`. */
export async function readStats({ db }: StoreContext): Promise<StoreStats> {
  const [pools = 0, poolsOut = 0, documentsIn = 0, documentsOut = 0, buried = 0, revived = 0] =
    await readCounters(db, [
      "pools",
      "pools-out",
      "documents-in",
      "documents-out",
      "tombstones-in",
      "tombstones-out",
    ]);
  const bytes = await bytesStored(db);
  const parts = ["pool", "link", "drawing"] as const;
  const [poolBytes = 0, linkBytes = 0, drawingBytes = 0] = await Promise.all(
    parts.map((part) => bytesOf(db, part)),
  );
  const stats: StoreStats = {
    documents: documentsIn - documentsOut,
    bytes,
    documentBytes: Math.max(0, bytes - poolBytes - linkBytes - drawingBytes),
    poolBytes,
    linkBytes,
    drawingBytes,
    outcomes: { verified: 0, "issuer-claimed": 0, invalid: 0 },
    pools: pools - poolsOut,
    links: 0,
    drawings: 0,
    tombstones: buried - revived,
    pendingUpgrades: 0,
    damaged: 0,
  };
  for await (const { value } of db.scan<unknown>(["result"])) {
    if (isWhole(value)) stats.outcomes[value.outcome]++;
    else stats.damaged++;
  }
  for await (const _ of db.scan(["upgrade-pending"])) stats.pendingUpgrades++;
  for await (const _ of db.scan(["link"])) stats.links++;
  for await (const _ of db.scan(["drawn"])) stats.drawings++;
  return stats;
}

/** See `Store.deleteDocument`. */
export async function deleteDocument(
  { db, clock, rows }: StoreContext,
  id: string,
): Promise<boolean> {
  for (;;) {
    const entry = await db.get<unknown>(resultKey(id));
    if (entry.value === null) return false;
    const removed = isWhole(entry.value)
      ? await remove(db, { ...entry, id, row: entry.value }, { why: "deleted", at: clock() })
      : await removeDamaged(db, id, entry);
    forgetEpoch(rows);
    if (removed) return true;
  }
}

/**
 * Removes a document unless it changes meanwhile, leaving a tombstone with its history.
 *
 * @param unless further conditions of the removal.
 */
export async function remove(
  db: Database,
  { id, row, versionstamp }: RowEntry,
  { why, at, unless = [] }: { why: Tombstone["why"]; at: number; unless?: Deno.AtomicCheck[] },
): Promise<boolean> {
  const { content, storedAt, kind, outcome, changes } = row;
  const tombstone: Tombstone = { id, why, removedAt: at, storedAt, kind, outcome, changes };
  const commit = await db.commit((operation) => {
    operation.check({ key: resultKey(id), versionstamp }, ...unless)
      .delete(resultKey(id))
      .delete(askedKey(id))
      .delete(visitKey(id))
      .set(tombstoneKey(id), tombstone)
      .sum(EPOCH, 1n)
      .sum(counterKey("documents-out"), 1n)
      .sum(counterKey("tombstones-in"), 1n);
    countBytes(operation, -countedFor(content));
    for (const key of indexKeys(id, row)) operation.delete(key);
    for (let index = 0; index < content.chunks; index++) {
      operation.delete(chunkKey(id, content.packed, index));
    }
  });
  return commit.ok;
}

/**
 * Removes a row that says nothing any more: not what its document was filed under, nor how many pieces
 * there are of it, which are left to {@link collect}. Lists skip what has no row.
 */
async function removeDamaged(
  db: Database,
  id: string,
  row: Deno.KvEntryMaybe<unknown>,
): Promise<boolean> {
  const commit = await db.commit((operation) => {
    operation.check(row)
      .delete(resultKey(id))
      .delete(askedKey(id))
      .sum(EPOCH, 1n)
      .sum(counterKey("documents-out"), 1n);
    countBytes(operation, -ENTRY_BYTES);
  });
  return commit.ok;
}

/** The day of a time, as days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** A day that a clock which ran ahead wrote down; clocks may differ by one. */
function isAhead(day: number, today: number): boolean {
  return day > today + 1;
}

/** See `Store.sweep`. */
export async function sweep(
  { db, rows }: StoreContext,
  now: number,
  days: number,
): Promise<{ removed: number }> {
  const today = dayOf(now);
  const oldest = today - days;
  let removed = 0;
  for await (const { key, value: row, versionstamp } of db.scan<Row>(["result"])) {
    // A damaged document is left to the operator.
    if (!isWhole(row)) continue;
    const stored = dayOf(row.storedAt);
    if (stored >= oldest && !isAhead(stored, today)) continue;
    const id = String(key[1]);
    const asked = await db.get<number>(askedKey(id));
    if (isAhead(asked.value ?? stored, today)) {
      // Nobody knows when the document was last asked for: its time begins today.
      await db.commit((operation) => operation.check(asked).set(askedKey(id), today));
      continue;
    }
    if (asked.value !== null && asked.value >= oldest) continue;
    // The document stays if somebody asks for it at this very moment.
    const entry = { id, row, versionstamp };
    if (await remove(db, entry, { why: "retention", at: now, unless: [asked] })) removed++;
  }
  forgetEpoch(rows);
  return { removed };
}

/** See `Store.gc`. */
export async function collect(
  { db, clock }: StoreContext,
  now = clock(),
): Promise<Collected> {
  const collected: Collected = { chunks: 0, bytes: 0 };
  // Chunks of one document follow each other.
  let judged = { name: "", orphan: false, checks: [] as Deno.AtomicCheck[] };
  const chunks = db.scan<Uint8Array>(["document-chunk"], { batch: CHUNK_BATCH });
  for await (const { key, value } of chunks) {
    const [, id = "", packed = ""] = key.map(String);
    const name = `${id} ${packed}`;
    if (judged.name !== name) judged = { name, ...await judge(db, id, packed, now) };
    if (!judged.orphan) continue;
    const { checks } = judged;
    const commit = await db.commit((operation) => {
      operation.check(...checks).delete(key);
    });
    if (!commit.ok) continue;
    collected.chunks++;
    collected.bytes += value.length;
  }
  for await (const { key, value } of db.scan<number>(["upload"])) {
    if (isUnderWay(value, now)) continue;
    await db.commit((operation) => {
      operation.delete(key);
    });
  }
  return collected;
}

/** Whether chunks belong to no document, and what must stay as it is for that to hold. */
async function judge(
  db: Database,
  id: string,
  packed: string,
  now: number,
): Promise<{ orphan: boolean; checks: Deno.AtomicCheck[] }> {
  const keys = [resultKey(id), uploadKey(id, packed)];
  const [row, upload] = await db.getAll<Row | number>(keys);
  // The pieces of what is damaged may be all that is left of it.
  const stored = row!.value !== null &&
    (!isWhole(row!.value) || row!.value.content.packed === packed);
  const underWay = upload!.value !== null && isUnderWay(upload!.value as number, now);
  return { orphan: !stored && !underWay, checks: [row!, upload!] };
}

/** Whether an upload may go on that began at a time; one of the far future is a clock's that ran ahead. */
function isUnderWay(began: number, now: number): boolean {
  return Math.abs(now - began) < UPLOAD_MS;
}
