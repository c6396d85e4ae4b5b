/**
 * What URLs last gave, by the SHA-256 of the URL: the URL itself may hold a secret query string, and
 * is never stored. Source: {@link ../remote/links.ts}, which decides what is written.
 */
import type { Reason, Report } from "../verify/report.ts";
import type { Database } from "./database.ts";
import { counterKey, linkHistoryKey, linkKey } from "./keys.ts";
import { ENTRY_BYTES, requireRoom } from "./quota.ts";
import type { Quotas } from "./store.ts";
import type { ReportSubject } from "../badge/model.ts";
import { dayOf } from "./upkeep.ts";

/** One of the documents that a URL gave. */
export interface LinkedDocument {
  /** Null for what is no document. */
  id: string | null;
  kind: Report["kind"];
  /** It stood in a wrapper. */
  unwrapped: boolean;
  /** Observations that come from how it was fetched. */
  observations: string[];
  /** It was put into the store for this link, where its result is read from. */
  kept: boolean;
  /** Of what can't be kept (a run, something invalid as a whole), and which verifier found it. */
  found: { subject: ReportSubject; verifierVersion: string } | null;
}

/** The last good answer of a URL. Times are milliseconds since 1970. */
export interface Given {
  documents: LinkedDocument[];
  /** SHA-256 of the bytes as they came. */
  content: string;
  /** Pools came along with the documents. */
  pools: boolean;
  /** When the host last gave or confirmed it. */
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

/** Why the last look at a URL gave nothing. */
export interface LinkFailure {
  code: string;
  /** For people; quotes nothing of URL or content. */
  message: string;
  /** The host's status, or null. */
  status: number | null;
  /** Why what came holds no document, or null. */
  reason: Reason | null;
  at: number;
  /** Looks that failed one after the other. */
  count: number;
  /** No look before that. */
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
  /** Null: the last look succeeded. */
  failure: LinkFailure | null;
  /** When the host first said that the file isn't there (404, 410), unless it came back since. */
  missingSince: number | null;
  /** When that was found to last. */
  goneAt: number | null;
  lookedAt: number;
  /** Number of entries that its history has had. */
  changes: number;
}

/** A row as it was read; `versionstamp` null: it isn't in the database. */
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

/** Events kept of one link; the oldest go first. */
export const MAX_EVENTS = 50;

/** Largest row, as JSON: a value has at most 64 KiB. */
const MAX_ROW = 48 * 1024;

export interface LinkShelf {
  /** @throws {StoreUnavailable} */
  read(hash: string): Promise<LinkEntry | null>;
  /**
   * Stores a row in place of the one read, with what happened. The new versionstamp; null: somebody
   * else changed the row meanwhile, and nothing was stored.
   *
   * @throws {StoreError} `quota-bytes`, for a new row only.
   * @throws {StoreUnavailable}
   */
  write(
    hash: string,
    versionstamp: string | null,
    row: LinkRow,
    event: LinkEvent | null,
  ): Promise<string | null>;
  /** Oldest first; at most {@link MAX_EVENTS}. @throws {StoreUnavailable} */
  history(hash: string): Promise<LinkEvent[]>;
}

export function createLinkShelf(db: Database, quotas: Quotas): LinkShelf {
  return {
    async read(hash) {
      const { value, versionstamp } = await db.get<LinkRow>(linkKey(hash));
      return value === null ? null : { row: value, versionstamp };
    },

    async write(hash, versionstamp, row, event) {
      if (versionstamp === null) await requireRoom(db, quotas, ENTRY_BYTES);
      const small = fitting(row);
      const commit = await db.commit((operation) => {
        operation.check({ key: linkKey(hash), versionstamp }).set(linkKey(hash), small);
        if (versionstamp === null) {
          operation.sum(counterKey("bytes-in"), BigInt(ENTRY_BYTES));
        }
        if (event === null) return;
        const n = row.changes - 1;
        operation.set(linkHistoryKey(hash, n), event);
        if (n >= MAX_EVENTS) operation.delete(linkHistoryKey(hash, n - MAX_EVENTS));
      });
      return commit.ok ? commit.versionstamp : null;
    },

    async history(hash) {
      const events = await db.list<LinkEvent>(
        { prefix: ["link-history", hash] },
        { limit: MAX_EVENTS, reverse: true },
      );
      return events.reverse().map(({ value }) => value);
    },
  };
}

/** What a row says of documents that aren't kept can be found out again. */
function fitting(row: LinkRow): LinkRow {
  if (row.given === null || JSON.stringify(row).length <= MAX_ROW) return row;
  const documents = row.given.documents.map((document) => ({ ...document, found: null }));
  return { ...row, given: { ...row.given, documents } };
}

/** Removes links that nobody asked for in `days` days, with their histories. See `Store.sweep`. */
export async function sweepLinks(db: Database, now: number, days: number): Promise<void> {
  const today = dayOf(now);
  const oldest = today - days;
  for await (const { key, value, versionstamp } of db.scan<LinkRow>(["link"])) {
    const looked = dayOf(value.lookedAt);
    if (looked > today + 1) {
      // A clock ran ahead: nobody knows when it was, so its time begins now.
      const row: LinkRow = { ...value, lookedAt: now };
      await db.commit((operation) => operation.check({ key, versionstamp }).set(key, row));
      continue;
    }
    if (looked >= oldest) continue;
    const hash = String(key[1]);
    const events = await db.list({ prefix: ["link-history", hash] }, { limit: MAX_EVENTS });
    await db.commit((operation) => {
      operation.check({ key, versionstamp })
        .delete(key)
        .sum(counterKey("bytes-out"), BigInt(ENTRY_BYTES));
      for (const event of events) operation.delete(event.key);
    });
  }
}
