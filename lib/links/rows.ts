/**
 * The rows of links in the database: what URLs last gave, by the SHA-256 of the URL. The URL itself
 * may hold a secret query string, and is never stored.
 */
import type { LinkFailureCode } from "../protocol/codes.ts";
import type { Reason, Report } from "../verify/report.ts";
import type { Database } from "../kv/database.ts";
import { countBytes, ENTRY_BYTES, makeRoom, removeCached } from "../store/quota.ts";
import { type Quotas, StoreError } from "../store/store.ts";
import type { ReportSubject } from "../words/subject.ts";
import { dayOf } from "../store/upkeep.ts";

/** Where what a URL last gave is stored. @param hash SHA-256 of the URL, which may hold secrets. */
const linkKey = (hash: string): Deno.KvKey => ["link", hash];
const linkHistoryKey = (hash: string, n: number): Deno.KvKey => ["link-history", hash, n];

/** One of the documents that a URL gave. */
export interface LinkedDocument {
  /** Null for what is no document. */
  id: string | null;
  kind: Report["kind"];
  /** The document came in a wrapper. */
  unwrapped: boolean;
  /** Observations that come from how it was fetched. */
  observations: string[];
  /** The document was put into the store for this link, and its result is read from there. */
  kept: boolean;
  /**
   * What a check found of a document that can't be stored (a run, something invalid as a whole), and
   * which revision of the verifier found it.
   */
  found: { subject: ReportSubject; verifierVersion: number } | null;
}

/** What a URL gave last. Times are milliseconds since 1970. */
export interface Given {
  documents: LinkedDocument[];
  /** SHA-256 of the bytes as they came. */
  content: string;
  /** Pools came along with the documents. */
  pools: boolean;
  /** When the host last gave or confirmed the documents. */
  at: number;
  /** Null where a conditional request would make no sense. */
  validators: StoredValidators | null;
}

export interface StoredValidators {
  etag: string | null;
  lastModified: string | null;
  /** The URL that gave them, unless it has a query; null: the link's own. */
  url: string | null;
}

/** Why the last fetch of a URL gave nothing. */
export interface LinkFailure {
  code: LinkFailureCode;
  /** For people; quotes nothing of URL or content. */
  message: string;
  /** The host's status, or null. */
  status: number | null;
  /** Why what came holds no document, or null. */
  reason: Reason | null;
  at: number;
  /** Fetches that failed one after the other. */
  count: number;
  /** The URL isn't fetched before that time. */
  until: number;
  /** The host itself asked for that time. */
  asked: boolean;
}

/** What is known of a URL. */
export interface LinkRow {
  /** Redacted: for people. */
  url: string;
  /** Its documents are to be put into the store. */
  keep: boolean;
  /** Null: it never gave anything; such a row is never stored. */
  given: Given | null;
  /** Null: the last fetch succeeded. */
  failure: LinkFailure | null;
  /** When the host first said that the file isn't there (404, 410), unless it came back since. */
  missingSince: number | null;
  /** When the file counted as gone. */
  goneAt: number | null;
  /** When the URL was last fetched. */
  lookedAt: number;
  /** Number of entries that its history has had. */
  changes: number;
}

/** A row as it is in the database; one of 0.2.0 doesn't say how many bytes it counts for. */
type StoredRow = LinkRow & { bytes?: number };

/** A row as it was read. `versionstamp` null: the row isn't in the database. */
export interface LinkEntry {
  row: LinkRow;
  versionstamp: string | null;
}

/** One change of what a URL gives. */
export interface LinkEvent {
  at: number;
  what: "first" | "changed" | "gone" | "back";
  /** The documents from then on, at most {@link EVENT_IDS} of them. */
  ids: (string | null)[];
  /** Their number. */
  documents: number;
}

/** Ids that an event names. */
export const EVENT_IDS = 10;

/** Events stored of one link; the oldest are removed first. */
const MAX_EVENTS = 50;

/** Counted for a row's key, and for each entry of its history. */
const OVERHEAD = 256;
const EVENT_BYTES = 1024;

/** Largest row, as JSON: a value has at most 64 KiB. */
const MAX_ROW = 48 * 1024;

/** The rows of links in the database. Every method may reject with {@link StoreUnavailable}. */
export interface LinkRows {
  /** The row of a URL. @param hash SHA-256 of the URL. */
  read(hash: string): Promise<LinkEntry | null>;
  /**
   * Stores a row in place of the one read, with what happened. Other links are removed where all of
   * them are too many.
   *
   * @returns the new versionstamp; null: somebody else changed the row meanwhile, and nothing was
   * stored.
   * @throws {StoreError} `quota-bytes`.
   */
  write(
    hash: string,
    versionstamp: string | null,
    row: LinkRow,
    event: LinkEvent | null,
  ): Promise<string | null>;
  /** What became of a link, oldest first; at most {@link MAX_EVENTS} events. */
  history(hash: string): Promise<LinkEvent[]>;
  /** Removes what is known of a URL, with its history. False: nothing is known of it. */
  remove(hash: string): Promise<boolean>;
  /**
   * Removes links that nobody asked for in `days` days, with their histories.
   *
   * @param now milliseconds since 1970.
   */
  sweep(now: number, days: number): Promise<void>;
}

/** The rows in `db`, within the quotas of its operator. */
export function createLinkRows(db: Database, quotas: Quotas): LinkRows {
  return {
    read: (hash) => readLink(db, hash),
    write: (hash, versionstamp, row, event) =>
      writeLink({ db, quotas }, hash, versionstamp, { row, event }),
    history: (hash) => readEvents(db, hash),
    remove: (hash) => removeLink(db, hash),
    sweep: (now, days) => sweepLinks(db, now, days),
  };
}

async function readLink(db: Database, hash: string): Promise<LinkEntry | null> {
  const { value, versionstamp } = await db.get<StoredRow>(linkKey(hash));
  if (value === null) return null;
  const { bytes: _, ...row } = value;
  return { row, versionstamp };
}

async function writeLink(
  { db, quotas }: { db: Database; quotas: Quotas },
  hash: string,
  versionstamp: string | null,
  { row, event }: { row: LinkRow; event: LinkEvent | null },
): Promise<string | null> {
  const small = fitting(row);
  const bytes = bytesFor(small);
  const key = linkKey(hash);
  const before = await db.get<StoredRow>(key);
  if (before.versionstamp !== versionstamp) return null;
  const counted = before.value === null ? 0 : before.value.bytes ?? ENTRY_BYTES;
  if (!await makeRoom(db, quotas, "link", bytes - counted)) {
    throw new StoreError("quota-bytes", "no more links are stored: there is no room for them");
  }
  const commit = await db.commit((operation) => {
    operation.check({ key, versionstamp }).set(key, { ...small, bytes } satisfies StoredRow);
    countBytes(operation, bytes - counted, "link");
    if (event === null) return;
    const n = row.changes - 1;
    operation.set(linkHistoryKey(hash, n), event);
    if (n >= MAX_EVENTS) operation.delete(linkHistoryKey(hash, n - MAX_EVENTS));
  });
  return commit.ok ? commit.versionstamp : null;
}

async function readEvents(db: Database, hash: string): Promise<LinkEvent[]> {
  const events = await db.list<LinkEvent>(
    { prefix: ["link-history", hash] },
    { limit: MAX_EVENTS, reverse: true },
  );
  return events.reverse().map(({ value }) => value);
}

/** What a row counts for, with its history at its largest. */
function bytesFor(row: LinkRow): number {
  const events = Math.min(row.changes, MAX_EVENTS) * EVENT_BYTES;
  return JSON.stringify(row).length + OVERHEAD + events;
}

/** A row that fits: what it says of documents that aren't stored can be found out again. */
function fitting(row: LinkRow): LinkRow {
  if (row.given === null || JSON.stringify(row).length <= MAX_ROW) return row;
  const documents = row.given.documents.map((document) => ({ ...document, found: null }));
  return { ...row, given: { ...row.given, documents } };
}

async function sweepLinks(db: Database, now: number, days: number): Promise<void> {
  const today = dayOf(now);
  const oldest = today - days;
  for await (const { key, value, versionstamp } of db.scan<StoredRow>(["link"])) {
    const fetched = dayOf(value.lookedAt);
    if (fetched > today + 1) {
      // A clock ran ahead: nobody knows when the URL was fetched, so its time begins now.
      const row: StoredRow = { ...value, lookedAt: now };
      await db.commit((operation) => operation.check({ key, versionstamp }).set(key, row));
      continue;
    }
    if (fetched >= oldest) continue;
    await removeCached(db, "link", { key, value, versionstamp });
  }
}

async function removeLink(db: Database, hash: string): Promise<boolean> {
  for (;;) {
    const entry = await db.get<StoredRow>(linkKey(hash));
    if (entry.value === null) return false;
    if (await removeCached(db, "link", entry) > 0) return true;
  }
}
