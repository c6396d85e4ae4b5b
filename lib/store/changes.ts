/**
 * What a new result of a stored document changes elsewhere: history, feed, tally and indexes. All of
 * it is in the commit that writes the result, and that commit checks that the row is the one that the
 * result was made from: each change is recorded once, whichever process gets there first.
 */
import { revisionOf } from "../verify/version.ts";
import { feedKey, historyKey, indexKeys, poolKeyAt, resultKey, tallyKey } from "./keys.ts";
import { isExposed, lackedBy, type Row, type RowEntry } from "./row.ts";
import type { FeedEntry, HistoryEntry, Tally } from "./store.ts";

/** A new result of a stored document, not yet committed. */
export interface Change {
  entry: RowEntry;
  row: Row;
  /** Pools that the old result lacked, and the new one no longer does. */
  gained: string[];
  /** What the change counts as in the tallies of those pools. */
  what: keyof Tally;
  /** Adds everything but the tallies to a commit, see {@link applyAll}. */
  apply(operation: Deno.AtomicOperation): void;
}

/** What follows from a new result of a stored document, for one commit. */
export function changeOf(entry: RowEntry, row: Row): Change {
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
          const { checkedAt: at } = row;
          setFeed(operation, id, row, { what, at, from: old.outcome, poolKey, imported: false });
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

/** What is new about a document, for the feed. */
type FeedNews = Pick<FeedEntry, "what" | "at" | "from" | "poolKey" | "imported">;

/** Adds what is new about a document to the feed. */
export function setFeed(
  operation: Deno.AtomicOperation,
  id: string,
  row: Row,
  news: FeedNews,
): void {
  const { at, poolKey } = news;
  const value: FeedEntry = {
    key: `${id}:${poolKey}:${at}`,
    id,
    kind: row.kind,
    to: row.outcome,
    issuer: row.issuer,
    reason: row.reason?.code ?? null,
    ...news,
  };
  operation.set(feedKey(at, id, poolKey), value);
}

/** A newer verifier may read more out of a document than an older one did. */
function moveIndexes(operation: Deno.AtomicOperation, id: string, old: Row, row: Row): void {
  if (old.verifierVersion === row.verifierVersion) return;
  const text = (key: Deno.KvKey) => JSON.stringify(key);
  const before = indexKeys(id, old);
  const after = indexKeys(id, row);
  const staying = new Set(after.map(text));
  for (const key of before) if (!staying.has(text(key))) operation.delete(key);
  // Those that were there are set again: an older version has none for the admissions of a session.
  for (const key of after) operation.set(key, true);
}
