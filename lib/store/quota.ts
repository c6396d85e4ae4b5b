/** Limits that an operator sets, and the counters behind them. */
import { sha256Hex } from "../encoding/digest.ts";
import type { Database } from "./database.ts";
import { type Counter, counterKey, rateKey } from "./keys.ts";
import { type Quotas, StoreError } from "./store.ts";

/** Counted for each entry's row, indexes and history, in bytes. */
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

/** @throws {StoreError} `quota-bytes` when `bytes` more don't fit. */
export async function requireRoom(db: Database, quotas: Quotas, bytes: number): Promise<void> {
  if (quotas.bytes === null) return;
  if (await bytesStored(db) + bytes <= quotas.bytes) return;
  throw new StoreError("quota-bytes", "the store is full: its operator allows no more bytes");
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
  // Addresses aren't kept, not even for an hour.
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
