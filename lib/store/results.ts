/**
 * Results: made when a document is stored, and again whenever a pool that one lacked is public by
 * now, or an older verifier made it. Source: docs/architecture.md, "Storage".
 *
 * Two rules make this safe in any number of processes. A commit that writes a result checks that
 * each pool it lacks is still absent, so none can become stale in the making. And what a new result
 * changes elsewhere (history, feed, tally) is in the same commit, which checks that the row is the
 * one it was made from: each change is recorded once, whoever gets there first.
 */
import { LRUCache } from "lru-cache";
import type { Pool } from "../protocol/pool.ts";
import { type Checker, checkOne } from "../verify/checker.ts";
import type { Report } from "../verify/report.ts";
import { revisionOf } from "../verify/version.ts";
import { join, share, type Shared } from "../workers/asker.ts";
import { readContent } from "./content.ts";
import type { Database } from "../kv/database.ts";
import { feedKey, historyKey, indexKeys, poolKeyAt, resultKey, tallyKey } from "./keys.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import { isExposed, isWhole, lackedBy, type Row, type RowEntry, rowOf } from "./row.ts";
import type { Shelf } from "./pools.ts";
import { damaged, type FeedEntry, type HistoryEntry, type Tally } from "./store.ts";

/** Commits tried before giving up: each failure means that another process got ahead. */
export const ATTEMPTS = 12;

/** Reports kept in memory, as the summed length of the documents they are about. */
const CACHED_BYTES = 24 * 1024 * 1024;

/** How long a check that came to no outcome isn't tried again, in milliseconds. */
const UNFINISHED_MS = 5000;

/** What is stored under an id right now. `unfinished`: out of date, and no new result to be had. */
export type Settled =
  | { state: "current"; entry: RowEntry }
  | { state: "unfinished"; report: Report | null }
  | { state: "absent" };

/** A new result of a stored document, not yet committed. */
export interface Change {
  entry: RowEntry;
  row: Row;
  /** Pools that it lacked, and no longer does. */
  gained: string[];
  /** What it counts as in the tallies of those. */
  what: keyof Tally;
  /** All but the tallies, see {@link applyAll}. */
  apply(operation: Deno.AtomicOperation): void;
}

export interface Engine {
  /** Reads a row and makes its result again if it is out of date, for as long as that takes. */
  settle(id: string): Promise<Settled>;
  /** The same for a row just read. */
  settleEntry(entry: RowEntry): Promise<Settled>;
  /** The report that the row was made from, if it is in memory. */
  remembered(entry: RowEntry): Report | null;
  /**
   * Makes the report that the row was made from again, and remembers it; null: the document is
   * gone, or (a newer verifier's row, say) the check here doesn't come to that result.
   */
  makeReport(entry: RowEntry): Promise<Report | null>;
  /** Keeps a report of a row in memory. */
  remember(id: string, revision: string, report: Report, bytes: number): void;
  /** Whether the row's result must be made again, given the public pools among those it lacked. */
  isStale(row: Row, known: ReadonlyMap<string, Pool>): boolean;
  /** Checks a stored document with pools; null: gone meanwhile. */
  verify(entry: RowEntry, pools: ReadonlyMap<string, Pool>): Promise<Report | null>;
  /** Makes a row's result again, without committing it. */
  prepare(entry: RowEntry): Promise<Prepared>;
  /** The same for several documents whose bytes are at hand, behind whatever anybody waits for. */
  prepareAll(documents: readonly { entry: RowEntry; bytes: Uint8Array }[]): Promise<Prepared[]>;
}

/**
 * What a row may become. A report instead: it came to no outcome; null: the document is gone, or a
 * newer verifier's result stands.
 */
export type Prepared = Change | { report: Report | null };

export interface EngineParts {
  db: Database;
  shelf: Shelf;
  checker: Pick<Checker, "documents">;
  version: number;
  clock: () => number;
}

export function createEngine({ db, shelf, checker, version, clock }: EngineParts): Engine {
  const reports = new LRUCache<string, { revision: string; report: Report }>({
    maxSize: CACHED_BYTES,
  });
  const unfinished = new LRUCache<string, { until: number; report: Report }>({ max: 1000 });
  const settling = new Map<string, Shared<Settled>>();
  const reporting = new Map<string, Shared<Report | null>>();

  const engine: Engine = {
    async settle(id) {
      const entry = await readRow(db, id);
      return entry === null ? { state: "absent" } : await engine.settleEntry(entry);
    },

    async settleEntry(entry) {
      const { id } = entry;
      for (;;) {
        const known = await shelf.known(lackedBy(entry.row));
        if (!engine.isStale(entry.row, known)) return { state: "current", entry };
        // Many readers of one result share its check.
        let started = settling.get(id);
        const joined = started !== undefined;
        if (started === undefined) {
          started = share(() => remake(id).finally(() => settling.delete(id)));
          settling.set(id, started);
        }
        const settled = await join(started);
        // A check that began before this read may have missed a pool published before it.
        if (!joined || settled.state !== "current") return settled;
        entry = settled.entry;
      }
    },

    remembered({ id, versionstamp }) {
      const known = reports.get(id);
      return known?.revision === versionstamp ? known.report : null;
    },

    async makeReport(entry) {
      const { id, versionstamp } = entry;
      const name = `${id} ${versionstamp}`;
      let started = reporting.get(name);
      if (started === undefined) {
        started = share(() => makeReport(entry).finally(() => reporting.delete(name)));
        reporting.set(name, started);
      }
      return await join(started);
    },

    remember: (id, revision, report, bytes) =>
      reports.set(id, { revision, report }, { size: bytes }),

    isStale: (row, known) =>
      revisionOf(row.verifierVersion) < version ||
      lackedBy(row).some((poolKey) => known.has(poolKey)),

    async verify({ id, row }, pools) {
      const bytes = await readContent(db, id, row.content);
      if (bytes === null) return null;
      return await checkOne(checker, { bytes, pools: [...pools.values()] }, "read");
    },

    async prepare(entry) {
      if (isNewer(entry)) return { report: null };
      return preparedOf(entry, await engine.verify(entry, await poolsOf(entry)));
    },

    async prepareAll(documents) {
      const wanted = documents.filter(({ entry }) => !isNewer(entry));
      const reports = wanted.length === 0 ? [] : await checker.documents(
        await Promise.all(wanted.map(async ({ entry, bytes }) => {
          return { bytes, pools: [...(await poolsOf(entry)).values()] };
        })),
        "background",
      );
      const made = new Map(wanted.map((document, index) => [document, reports[index]!]));
      return documents.map((document) => preparedOf(document.entry, made.get(document) ?? null));
    },
  };

  /** What a newer verifier decided, an older one doesn't decide again. */
  function isNewer({ row }: RowEntry): boolean {
    return revisionOf(row.verifierVersion) > version;
  }

  function poolsOf({ row }: RowEntry): Promise<Map<string, Pool>> {
    return shelf.known(row.pools.map(({ poolKey }) => poolKey));
  }

  function preparedOf(entry: RowEntry, report: Report | null): Prepared {
    if (report === null || report.outcome === null) return { report };
    const { row } = entry;
    const changed = report.outcome !== row.outcome;
    const next = rowOf(report, {
      storedAt: row.storedAt,
      checkedAt: clock(),
      verifierVersion: version,
      changes: row.changes + (changed ? 1 : 0),
      imported: row.imported,
      content: row.content,
    });
    return changeOf(entry, next);
  }

  async function makeReport(entry: RowEntry): Promise<Report | null> {
    const { id, row, versionstamp } = entry;
    const used = row.pools.filter((pool) => pool.disclosed).map(({ poolKey }) => poolKey);
    const report = await engine.verify(entry, await shelf.known(used));
    if (report === null || !agrees(report, row)) return null;
    engine.remember(id, versionstamp, report, row.content.bytes);
    return report;
  }

  async function remake(id: string): Promise<Settled> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entry = await readRow(db, id);
      if (entry === null) return { state: "absent" };
      const known = await shelf.known(lackedBy(entry.row));
      if (!engine.isStale(entry.row, known)) return { state: "current", entry };
      const failed = unfinished.get(id);
      if (failed !== undefined && failed.until > performance.now()) {
        return { state: "unfinished", report: failed.report };
      }
      const prepared = await engine.prepare(entry);
      if (!("row" in prepared)) {
        const { report } = prepared;
        if (report !== null) {
          unfinished.set(id, { until: performance.now() + UNFINISHED_MS, report });
        }
        // Without a report the document may be gone: the next round tells.
        if (report !== null || await readRow(db, id) !== null) {
          return { state: "unfinished", report };
        }
        continue;
      }
      const commit = await db.commit((operation) => applyAll(operation, [prepared]));
      if (commit.ok) {
        const { versionstamp } = commit;
        return { state: "current", entry: { id, row: prepared.row, versionstamp } };
      }
    }
    throw new StoreUnavailable("the result is being changed by others all the time");
  }
  return engine;
}

/** A document's row, or null. @throws {StoreError} `document-damaged`. */
export async function readRow(db: Database, id: string): Promise<RowEntry | null> {
  const { value, versionstamp } = await db.get<unknown>(resultKey(id));
  if (value === null || versionstamp === null) return null;
  if (!isWhole(value)) throw damaged(id);
  return { id, row: value, versionstamp };
}

/** Whether a report made again is the one that the row came from. */
function agrees(report: Report, row: Row): boolean {
  return report.outcome === row.outcome && report.reason?.code === row.reason?.code &&
    report.observations.includes("exposed") === isExposed(row);
}

/** What follows from a new result of a stored document, for one commit. */
function changeOf(entry: RowEntry, row: Row): Change {
  const { id, row: old, versionstamp } = entry;
  const lacked = lackedBy(row);
  const gained = lackedBy(old).filter((poolKey) => !lacked.includes(poolKey));
  const poolKey = gained[0] ?? null;
  const what = tallied(old, row);
  return {
    entry,
    row,
    gained,
    what,
    apply(operation) {
      operation.check({ key: resultKey(id), versionstamp });
      checkAbsent(operation, lacked);
      operation.set(resultKey(id), row);
      moveIndexes(operation, id, old, row);
      if (old.outcome !== row.outcome) {
        const change: HistoryEntry = {
          at: row.checkedAt,
          from: old.outcome,
          to: row.outcome,
          poolKey,
          exposed: poolKey !== null && isExposed(row),
          reason: row.reason?.code ?? null,
          inner: row.reason?.inner?.code ?? null,
          verifierVersion: revisionOf(row.verifierVersion),
          imported: false,
        };
        operation.set(historyKey(id, old.changes), change);
        if (poolKey !== null && what !== "unchanged") {
          setFeed(operation, id, row, { what, at: row.checkedAt, from: old.outcome, poolKey });
        }
      }
    },
  };
}

/** Adds changes of different documents to one commit. */
export function applyAll(operation: Deno.AtomicOperation, changes: readonly Change[]): void {
  const tallies = new Map<string, { key: Deno.KvKey; count: bigint }>();
  for (const change of changes) {
    change.apply(operation);
    for (const poolKey of change.gained) {
      const name = `${poolKey} ${change.what}`;
      const count = (tallies.get(name)?.count ?? 0n) + 1n;
      tallies.set(name, { key: tallyKey(poolKey, change.what), count });
    }
  }
  for (const { key, count } of tallies.values()) operation.sum(key, count);
}

function tallied(old: Row, row: Row): keyof Tally {
  if (isExposed(row)) return "exposed";
  return row.outcome === "verified" && old.outcome !== "verified" ? "upgraded" : "unchanged";
}

/** The commit fails if one of the pools became public. */
export function checkAbsent(operation: Deno.AtomicOperation, poolKeys: readonly string[]): void {
  for (const poolKey of poolKeys) {
    operation.check({ key: poolKeyAt(poolKey), versionstamp: null });
  }
}

/** Adds an entry to the feed. */
export function setFeed(
  operation: Deno.AtomicOperation,
  id: string,
  row: Row,
  entry: Pick<FeedEntry, "what" | "at" | "from" | "poolKey"> & { to?: FeedEntry["to"] },
  imported = false,
): void {
  const { at, poolKey } = entry;
  const value: FeedEntry = {
    key: `${id}:${poolKey}:${at}`,
    id,
    kind: row.kind,
    to: row.outcome,
    issuer: row.issuer,
    reason: row.reason?.code ?? null,
    imported,
    ...entry,
  };
  operation.set(feedKey(at, id, poolKey), value);
}

/** A newer verifier may read more out of a document than an older one did. */
function moveIndexes(operation: Deno.AtomicOperation, id: string, old: Row, row: Row): void {
  if (old.verifierVersion === row.verifierVersion) return;
  const text = (key: Deno.KvKey) => JSON.stringify(key);
  const before = indexKeys(id, old);
  const after = indexKeys(id, row);
  const kept = new Set(after.map(text));
  for (const key of before) if (!kept.has(text(key))) operation.delete(key);
  // Also those that were there: an older version has none for the admissions of a session.
  for (const key of after) operation.set(key, true);
}
