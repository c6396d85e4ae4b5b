/**
 * Rows in memory for badges, as long as the epoch says that nothing can have changed. Source:
 * facts.md, "Serving": a database read a request would cost two thirds of the throughput.
 */
import { LRUCache } from "lru-cache";
import { upTo } from "../lru.ts";
import type { Database } from "./database.ts";
import { EPOCH } from "./keys.ts";
import type { ResultRead } from "./store.ts";

/** How long the epoch counts as read, in milliseconds. */
const EPOCH_MS = 20;

/**
 * How long a row is kept without reading it again, in milliseconds: what a process with a newer
 * verifier made of it changes no epoch.
 */
const ROW_MS = 5000;

/** Rows kept; some 2 KB each. */
const CAPACITY = 20_000;

type Current = Extract<ResultRead, { state: "current" }>;

export interface Memory {
  /**
   * What `read` finds, or what it found before if that must still hold: at once where the epoch was
   * read just now, as waiting for what is at hand would cost a hot badge a fifth of its time.
   */
  row(id: string, read: () => Promise<ResultRead>): ResultRead | Promise<ResultRead>;
  /** What was remembered of a row turned out to be wrong. */
  forget(id: string): void;
  /** This process has just changed the epoch: the next reader looks for itself. */
  invalidate(): void;
}

/** @param now monotonic milliseconds. */
export function createMemory(db: Database, now = () => performance.now()): Memory {
  const rows = new LRUCache<string, { epoch: string; at: number; read: Current }>({
    ...upTo(CAPACITY),
  });
  let epoch: { value: string; at: number } | null = null;
  let reading: Promise<string> | null = null;
  let generation = 0;

  function currentEpoch(): string | Promise<string> {
    if (epoch !== null && now() - epoch.at < EPOCH_MS) return epoch.value;
    reading ??= readEpoch();
    return reading;
  }

  function readEpoch(): Promise<string> {
    const mine = generation;
    // Counts from before the read: what it answers may be older than when we hear of it.
    const at = now();
    const attempt = db.get(EPOCH).then(({ versionstamp }) => {
      const value = versionstamp ?? "";
      if (mine === generation) epoch = { value, at };
      return value;
    }).finally(() => {
      if (reading === attempt) reading = null;
    });
    return attempt;
  }

  /** The row as it was in the epoch `value`, if that must still hold. */
  function keptRow(id: string, value: string): Current | null {
    const kept = rows.get(id);
    const holds = kept !== undefined && kept.epoch === value && now() - kept.at < ROW_MS;
    return holds ? kept.read : null;
  }

  async function readRow(id: string, read: () => Promise<ResultRead>): Promise<ResultRead> {
    const value = await currentEpoch();
    const kept = keptRow(id, value);
    if (kept !== null) return kept;
    const at = now();
    const found = await read();
    if (found.state === "current") rows.set(id, { epoch: value, at, read: found });
    return found;
  }

  return {
    row(id, read) {
      const value = currentEpoch();
      const kept = typeof value === "string" ? keptRow(id, value) : null;
      return kept ?? readRow(id, read);
    },
    forget: (id) => void rows.delete(id),
    invalidate() {
      generation++;
      epoch = null;
      reading = null;
    },
  };
}
