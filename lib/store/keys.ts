/** Where everything lies in the database. */
import type { ResultFilter, Tally } from "./store.ts";

type Key = Deno.KvKey;

/** What of the bytes stored is counted by itself as well; the rest is documents. */
export type Part = "pool" | "link" | "drawing";

/** Counters that only grow, so that they can be summed without conflicts. */
export type Counter =
  | "bytes-in"
  | "bytes-out"
  | "documents-in"
  | "documents-out"
  | "pools"
  | "pools-out"
  | `${Part}-bytes-in`
  | `${Part}-bytes-out`
  | "tombstones-in"
  | "tombstones-out";

/** The row of a stored document: it is stored exactly when this exists. */
export const resultKey = (id: string): Key => ["result", id];
/** `packed`: SHA-256 of the compressed bytes; two writers whose gzip differs must not mix theirs. */
export const chunkKey = (id: string, packed: string, index: number): Key => [
  "document-chunk",
  id,
  packed,
  index,
];
/** Exists while chunks are written ahead of their row. */
export const uploadKey = (id: string, packed: string): Key => ["upload", id, packed];
export const historyKey = (id: string, n: number): Key => ["history", id, n];
export const tombstoneKey = (id: string): Key => ["tombstone", id];
/** The last day (days since 1970) on which somebody asked for the document. */
export const askedKey = (id: string): Key => ["asked", id];
/** The day when a document came that nobody asked to have stored; see {@link ./visits.ts}. */
export const visitKey = (id: string): Key => ["visit", id];
/** `name`: hash of everything that the drawing depends on. */
export const drawingKey = (name: string): Key => ["drawn", name];
export const feedKey = (at: number, id: string, poolKey: string): Key => ["feed", at, id, poolKey];

export const poolKeyAt = (poolKey: string): Key => ["pool", poolKey];
/** What is left of a pool that the operator removed. */
export const poolTombstoneKey = (poolKey: string): Key => ["pool-tombstone", poolKey];
export const poolRecentKey = (firstSeen: number, poolKey: string): Key => [
  "pool-recent",
  firstSeen,
  poolKey,
];
export const disclosureKey = (poolKey: string, publicKey: string): Key => [
  "disclosure",
  poolKey,
  publicKey,
];
export const upgradeKey = (poolKey: string): Key => ["upgrade", poolKey];
export const pendingUpgradeKey = (poolKey: string): Key => ["upgrade-pending", poolKey];
export const tallyKey = (poolKey: string, what: keyof Tally): Key => ["tally", poolKey, what];

/**
 * Changes with every commit after which a remembered result may be wrong: a pool became public, a
 * document was removed.
 */
export const EPOCH: Key = ["pools-epoch"];

export const counterKey = (counter: Counter): Key => ["counter", counter];
export const rateKey = (client: string, window: number): Key => ["rate", client, window];
/** What the indexes are made of. */
interface Indexed {
  kind: string;
  storedAt: number;
  pools: readonly { poolKey: string }[];
  issuer: { publicKey: string } | null;
  sessionId: string | null;
  subjectKey: string | null;
}

/** The prefix of an index. */
export function indexPrefix(filter: ResultFilter): Key {
  switch (filter.by) {
    case "recent":
      return ["by-recent"];
    case "pool":
      return ["by-pool", filter.poolKey];
    case "issuer":
      return ["by-issuer", filter.publicKey];
    case "session": {
      const prefix = ["by-session", filter.sessionId];
      return filter.publicKey === undefined ? prefix : [...prefix, filter.publicKey];
    }
    case "subject":
      return ["by-subject", filter.subjectKey];
  }
}

/** Of the admissions of a session, see {@link ./sessions.ts}; of one issuer, if one is given. */
export function admissionPrefix(sessionId: string, publicKey?: string): Key {
  const prefix = ["session-admission", sessionId];
  return publicKey === undefined ? prefix : [...prefix, publicKey];
}

/** Null for what is no admission that somebody signed. */
export function admissionKey(
  id: string,
  { kind, storedAt, issuer, sessionId }: Indexed,
): Key | null {
  if (kind !== "admission" || issuer === null || sessionId === null) return null;
  return [...admissionPrefix(sessionId, issuer.publicKey), storedAt, id];
}

/** How far the admissions of a session are in that index. */
export const sessionFilledKey = (sessionId: string): Key => ["session-filled", sessionId];

/** Every index entry of a document; each ends in `storedAt, id`, so lists come in order of time. */
export function indexKeys(id: string, row: Indexed): Key[] {
  const filters: ResultFilter[] = [{ by: "recent" }];
  for (const { poolKey } of row.pools) filters.push({ by: "pool", poolKey });
  const { issuer, sessionId, subjectKey } = row;
  if (issuer !== null) {
    const { publicKey } = issuer;
    filters.push({ by: "issuer", publicKey });
    if (sessionId !== null) filters.push({ by: "session", sessionId, publicKey });
  }
  if (subjectKey !== null) filters.push({ by: "subject", subjectKey });
  const keys = filters.map((filter) => [...indexPrefix(filter), row.storedAt, id]);
  const admission = admissionKey(id, row);
  return admission === null ? keys : [...keys, admission];
}
