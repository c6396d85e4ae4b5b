/**
 * Deno KV with what every call of ours needs: again while the database is locked, an end to waiting,
 * and one kind of error for a database that can't answer. Source: docs/platform.md, "Deno KV".
 */
import { type Wait, within } from "../async/within.ts";
import { retrying, StoreUnavailable } from "./retry.ts";

/** Keys that one `getMany` reads. */
const BATCH = 10;

/** Entries that a scan reads at once. */
const SCAN = 100;

/**
 * How long one call may take, in milliseconds. A KV server that is away is asked again for ever by
 * the client; image proxies give up after about 4 s, and cache that.
 */
const PATIENCE_MS = 3000;

/** What an operation gives that took too long. */
const LATE = Symbol("late");

/** Time more for what came while the event loop was busy, in milliseconds. */
const GRACE_MS = 50;

/** Errors that are ours: limits overstepped. */
const MISUSE = /too (?:large|many|long)|exceed|keyspace|not supported|cursor/i;

export interface Database {
  get<T>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>>;
  /** Any number of keys, in order. Up to ten are one snapshot. */
  getAll<T>(keys: readonly Deno.KvKey[]): Promise<Deno.KvEntryMaybe<T>[]>;
  list<T>(
    selector: Deno.KvListSelector,
    options: { limit: number; reverse?: boolean },
  ): Promise<Deno.KvEntry<T>[]>;
  /** All entries behind `after` (default: from the start), in order; not a snapshot. */
  scan<T>(
    prefix: Deno.KvKey,
    options?: { after?: Deno.KvKey | undefined; batch?: number },
  ): AsyncGenerator<Deno.KvEntry<T>>;
  /** Commits what `build` adds to a new atomic operation; it may be called more than once. */
  commit(
    build: (operation: Deno.AtomicOperation) => void,
  ): Promise<Deno.KvCommitResult | Deno.KvCommitError>;
}

/** @throws {StoreUnavailable} from every method, when the database can't answer. */
export function createDatabase(kv: Deno.Kv, patience = PATIENCE_MS): Database {
  const run = async <T>(operation: () => Promise<T>): Promise<T> => {
    try {
      return await retrying(async () => {
        const value = await within(operation(), patience, LATE, patientWait);
        if (value === LATE) throw new StoreUnavailable("the database doesn't answer");
        return value;
      });
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      if (error instanceof Error && MISUSE.test(error.message)) throw error;
      throw new StoreUnavailable("the database can't be reached", { cause: error });
    }
  };
  const database: Database = {
    get: <T>(key: Deno.KvKey) => run(() => kv.get<T>(key)),

    async getAll<T>(keys: readonly Deno.KvKey[]) {
      const groups: Promise<Deno.KvEntryMaybe<T>[]>[] = [];
      for (let at = 0; at < keys.length; at += BATCH) {
        const group = keys.slice(at, at + BATCH);
        groups.push(run(() => kv.getMany<T[]>(group)) as Promise<Deno.KvEntryMaybe<T>[]>);
      }
      return (await Promise.all(groups)).flat();
    },

    list: <T>(
      selector: Deno.KvListSelector,
      { limit, reverse = false }: { limit: number; reverse?: boolean },
    ) => run(() => Array.fromAsync(kv.list<T>(selector, { limit, reverse, batchSize: limit }))),

    async *scan<T>(
      prefix: Deno.KvKey,
      { after, batch = SCAN }: { after?: Deno.KvKey | undefined; batch?: number } = {},
    ) {
      let last = after;
      for (;;) {
        // A key with one part more is the first behind it.
        const selector = last === undefined ? { prefix } : { prefix, start: [...last, 0] };
        const entries = await database.list<T>(selector, { limit: batch });
        yield* entries;
        if (entries.length < batch) return;
        last = entries.at(-1)!.key;
      }
    },

    commit: (build) =>
      run(() => {
        const operation = kv.atomic();
        build(operation);
        return operation.commit();
      }),
  };
  return database;
}

/**
 * Waits `ms` milliseconds and {@link GRACE_MS} more: a check may have kept the event loop busy for all
 * of that time, and what has come meanwhile goes first.
 */
const patientWait: Wait = (ms) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(() => timer = setTimeout(resolve, GRACE_MS), ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
};
