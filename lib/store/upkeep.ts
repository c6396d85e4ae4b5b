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
import type { Database } from "./database.ts";
import { bytesStored, ENTRY_BYTES, readCounters } from "./quota.ts";
import type { Row, RowEntry } from "./row.ts";
import type { Collected, StoreStats, Tombstone } from "./store.ts";

const DAY_MS = 86_400_000;

/** A document larger than one commit may still be on its way for this long, in milliseconds. */
const UPLOAD_MS = 3_600_000;

/** Chunks read at once: 60 KiB each. */
const CHUNK_BATCH = 8;

/** See `Store.stats`. */
export async function readStats(db: Database): Promise<StoreStats> {
  const [pools = 0, documentsIn = 0, documentsOut = 0, buried = 0, revived = 0] =
    await readCounters(db, [
      "pools",
      "documents-in",
      "documents-out",
      "tombstones-in",
      "tombstones-out",
    ]);
  const stats: StoreStats = {
    documents: documentsIn - documentsOut,
    bytes: await bytesStored(db),
    outcomes: { verified: 0, "issuer-claimed": 0, invalid: 0 },
    pools,
    tombstones: buried - revived,
    pendingUpgrades: 0,
  };
  for await (const { value } of db.scan<Row>(["result"])) stats.outcomes[value.outcome]++;
  for await (const _ of db.scan(["upgrade-pending"])) stats.pendingUpgrades++;
  return stats;
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
      .sum(counterKey("bytes-out"), BigInt(content.packedBytes + ENTRY_BYTES))
      .sum(counterKey("tombstones-in"), 1n);
    for (const key of indexKeys(id, row)) operation.delete(key);
    for (let index = 0; index < content.chunks; index++) {
      operation.delete(chunkKey(id, content.packed, index));
    }
  });
  return commit.ok;
}

/** The day of a time, as days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** See `Store.sweep`. */
export async function sweep(
  db: Database,
  now: number,
  days: number,
): Promise<{ removed: number }> {
  const oldest = dayOf(now) - days;
  let removed = 0;
  for await (const { key, value: row, versionstamp } of db.scan<Row>(["result"])) {
    if (dayOf(row.storedAt) >= oldest) continue;
    const id = String(key[1]);
    const asked = await db.get<number>(askedKey(id));
    if (asked.value !== null && asked.value >= oldest) continue;
    // Whoever asks at this very moment keeps it.
    const entry = { id, row, versionstamp };
    if (await remove(db, entry, { why: "retention", at: now, unless: [asked] })) removed++;
  }
  return { removed };
}

/** See `Store.gc`. */
export async function collect(db: Database, now: number): Promise<Collected> {
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
    if (value > now - UPLOAD_MS) continue;
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
  const stored = (row!.value as Row | null)?.content.packed === packed;
  const underWay = upload!.value !== null && (upload!.value as number) > now - UPLOAD_MS;
  return { orphan: !stored && !underWay, checks: [row!, upload!] };
}
