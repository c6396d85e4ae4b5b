/**
 * What the store does, as types. `createStore` in {@link ./create.ts} makes one. Source: docs/architecture.md,
 * "Storage"; protocols spec 8.
 *
 * Documents are immutable and named by their content. Results are derived: each names the pools it
 * was made with and those it lacked, and no method here hands out a result that lacked a pool known
 * by then, or that an older verifier made; it is made again first.
 *
 * Every method may reject with {@link StoreUnavailable} (the database is locked for long, away or
 * slow): a passing state, never to be cached. What callers branch on otherwise is a
 * {@link StoreError} with a `code`.
 */
import type { VerifiedDisclosure } from "../protocol/disclosure.ts";
import { CodedError } from "../base/coded_error.ts";
import type { Pool } from "../protocol/pool.ts";
import type { Intake } from "../verify/intake.ts";
import type { Counts, Issuer, Kind, Outcome, Policy, Reason, Report } from "../verify/report.ts";

export { StoreUnavailable } from "../kv/retry.ts";

/** `code` of a {@link StoreError}. */
export type StoreErrorCode =
  /** A page's cursor isn't one that this kind of list gave. */
  | "cursor-malformed"
  /** The store holds as many bytes as the operator allows: HTTP 507. */
  | "quota-bytes"
  /** This client stored as many documents this hour as the operator allows: HTTP 429. */
  | "quota-rate"
  /** The disclosure's key is malformed or weak, or its signature doesn't verify: HTTP 422. */
  /** What is stored of a document isn't what was written: HTTP 500. */
  | "document-damaged";

export class StoreError extends CodedError<StoreErrorCode> {
  /** `retryAfter`: seconds after which `quota-rate` passes; null for other codes. */
  constructor(
    code: StoreErrorCode,
    message: string,
    readonly retryAfter: number | null = null,
  ) {
    super(code, message);
  }
}

/** What is stored of a document isn't what was written: a disk's or a copy's fault. */
export function damaged(id: string): StoreError {
  const message =
    `what is stored of document ${id} is damaged: its operator can delete it and store ` +
    "it anew";
  return new StoreError("document-damaged", message);
}

/**
 * The result of a stored document: what a badge and a row of a list need (it fits `badgeOf` and `acceptanceOf`). Times
 * are milliseconds since 1970.
 */
export interface StoredResult {
  id: string;
  kind: Kind;
  outcome: Outcome;
  verdict: Report["verdict"];
  counts: Counts | null;
  reason: Reason | null;
  observations: string[];
  issuer: Issuer | null;
  suite: string | null;
  sessionId: string | null;
  context: string | null;
  subjectKey: string | null;
  /** Of an admission: what acceptance holds against a policy that is asked for. */
  policy: Policy | null;
  /** As the document says, or null. */
  decidedAt: string | null;
  /** Every pool that the document names; `disclosed`: the result was made with it. */
  pools: { poolKey: string; disclosed: boolean }[];
  storedAt: number;
  /** When this result was made. */
  checkedAt: number;
  /** The revision of the verifier that made the result; 0: a version before there were revisions. */
  verifierVersion: number;
  /** Number of entries of the history. */
  changes: number;
  /** Stored by an import: `storedAt` is the exporting store's word. */
  imported: boolean;
  /** Changes with every change of this row, so that (id, revision) names what is rendered from it. */
  revision: string;
}

/** What a read finds. */
export type ResultRead =
  /** Up to date with every pool known at the time of the read. */
  | { state: "current"; result: StoredResult }
  /**
   * The stored result is out of date and making it again didn't finish in time: say `checking`,
   * `no-store`, and nothing of an outcome.
   */
  | { state: "checking"; id: string }
  /** The document was stored once; the tombstone is what is left of it. */
  | { state: "removed"; tombstone: Tombstone }
  | { state: "unknown" };

/** As {@link ResultRead}, with the full report. */
export type ReportRead =
  | { state: "current"; result: StoredResult; report: Report }
  /** `report`: of a check that came to no outcome (`outcome: null`), where there is one. */
  | { state: "checking"; id: string; report: Report | null }
  | { state: "removed"; tombstone: Tombstone }
  | { state: "unknown" };

/** What is left of a document removed for good; its history stays readable. */
export interface Tombstone {
  id: string;
  /** `retention`: nobody asked for it for long; `deleted`: by the operator. */
  why: "retention" | "deleted";
  removedAt: number;
  storedAt: number;
  kind: Kind;
  /** The last outcome. */
  outcome: Outcome;
  /** Number of entries of the history. */
  changes: number;
}

/** One change of a document's outcome; entry 0 is the oldest. */
export interface HistoryEntry {
  at: number;
  from: Outcome;
  to: Outcome;
  /** The disclosed pool that brought the change; null: a newer verifier did. */
  poolKey: string | null;
  /** Whether `poolKey` contradicts the document. */
  exposed: boolean;
  /** Code of the new result's reason, with that of the nested check where there is one. */
  reason: string | null;
  inner: string | null;
  /** As in {@link StoredResult}. */
  verifierVersion: number;
  /** Another store's record, taken over by an import: its word, not this service's. */
  imported: boolean;
}

/** One entry of the feed. */
export interface FeedEntry {
  /** Names the entry for ever. */
  key: string;
  at: number;
  /** `upgraded`: claimed before, verified now; `exposed`: the disclosed pool contradicts it. */
  what: "upgraded" | "exposed";
  id: string;
  kind: Kind;
  /** Null: exposed on arrival, the pool was disclosed before. */
  from: Outcome | null;
  to: Outcome;
  poolKey: string;
  issuer: Issuer | null;
  reason: string | null;
  /** Another store's record, taken over by an import. */
  imported: boolean;
}

/** A page of a list, newest first. `cursor`: opaque, asks for the next page; null: there is none. */
export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export interface PageRequest {
  cursor?: string | undefined;
  /** 1 to {@link MAX_PAGE}, default 20; what is outside is brought inside. */
  limit?: number | undefined;
}

export const MAX_PAGE = 100;

/** Which results a list holds; `session` with its issuer, as session ids are unique to an issuer. */
export type ResultFilter =
  | { by: "recent" }
  | { by: "pool"; poolKey: string }
  /** The whole public key, base64url. */
  | { by: "issuer"; publicKey: string }
  /** Without `publicKey`: of every issuer that used this id, in order of the issuer's key. */
  | { by: "session"; sessionId: string; publicKey?: string | undefined }
  | { by: "subject"; subjectKey: string };

/** A stored admission of a session. */
export interface SessionAdmission {
  /** Its issuer's whole key. */
  publicKey: string;
  id: string;
}

/** Admissions of a session, as far as a badge needs to know them. */
export interface SessionAdmissions {
  /** False: the admissions are still being looked for, and the next request goes on. */
  complete: boolean;
  admissions: SessionAdmission[];
  /** Entries that were read to find out. */
  rows: number;
}

/** Rows of a list: never removed or unknown ones. */
export type ListedResult = Extract<ResultRead, { state: "current" | "checking" }>;

/** A disclosed pool. */
export interface PoolRecord {
  poolKey: string;
  pool: Pool;
  /** The canonical JSON of the pool file; its bytes are what `GET /api/pools/:poolKey` gives. */
  file: string;
  /** When this store first saw the pool. */
  firstSeen: number;
  /** `shipped` with the service, `published` by anyone, `imported` (then `firstSeen` is hearsay). */
  source: "shipped" | "published" | "imported";
}

/** An issuer's statement that it disclosed a pool, signed with the key that minted under it. */
export interface Disclosure {
  publicKey: string;
  signature: string;
}

export interface DisclosureRecord extends Disclosure {
  poolKey: string;
  at: number;
}

/** What became of the documents that lacked a pool when it was published; each counted once. */
export interface Tally {
  /** Not verified before, verified now. */
  upgraded: number;
  /** The disclosed pool contradicts them. */
  exposed: number;
  unchanged: number;
}

export interface UpgradeProgress extends Tally {
  poolKey: string;
  startedAt: number;
  /** True: every document under the pool was read; the tally is final but for `unfinished`. */
  done: boolean;
  finishedAt: number | null;
  /** Documents whose check came to no outcome so far: reads of them say `checking`. */
  unfinished: number;
  /** Documents under the pool that were read so far, those that needed no check included. */
  scanned: number;
}

/** How a call of `runUpgrade` ended: `leased`: another process is at it; `aborted`: by the signal. */
export interface UpgradeRun {
  ended: "done" | "leased" | "aborted" | "unknown";
  progress: UpgradeProgress | null;
}

export interface UpgradeOptions {
  signal?: AbortSignal | undefined;
  /** Called after each batch. */
  onProgress?: ((progress: UpgradeProgress) => void | Promise<void>) | undefined;
}

/** What became of a pool that was to be removed. `named`: a stored document names it, so it stays. */
export type PoolRemoval = "removed" | "named" | "unknown";

/** What publishing a pool may come with. */
export interface PublishOptions {
  disclosure?: VerifiedDisclosure | undefined;
  /** A new pool counts as one document of that client's hourly quota; null: it isn't counted. */
  client?: string | null | undefined;
}

/** A dry run. */
export interface PoolPreview extends Tally {
  poolKey: string;
  /** The pool is public already: publishing it again changes nothing, the numbers are 0. */
  known: boolean;
  /** Ids, at most 100 of each. */
  upgradedIds: string[];
  exposedIds: string[];
  /** False: there are more documents than a dry run checks. */
  complete: boolean;
}

/** `created`: false when the pool was public already. `disclosure`: whether a new one was stored. */
export interface Published {
  record: PoolRecord;
  created: boolean;
  disclosure: boolean;
}

/** What became of a document that was to be stored. */
export type Kept =
  /** `created`: false when it was stored already. */
  | { ok: true; id: string; result: StoredResult; report: Report; created: boolean }
  /**
   * Nothing was stored. `unrecognised`: not a document that has an id; `too-large`: above the size
   * of its kind; `unfinished`: the check came to no outcome (never stored, protocols spec 19).
   */
  | { ok: false; why: "unrecognised" | "too-large" | "unfinished"; report: Report };

/** Limits that an operator sets; null: none. */
export interface Quotas {
  /**
   * Bytes stored in all: compressed documents with their rows, indexes and histories, pools and
   * statements, links, and drawings. Drawings have an eighth of it at most and links a quarter, and
   * they go where documents need the room. Documents stored at the same moment may pass it by their
   * own size.
   */
  bytes: number | null;
  /** New documents an hour and client. */
  documentsPerHour: number | null;
}

export interface StoreStats {
  documents: number;
  /** As counted by {@link Quotas}: of all, and of each part. */
  bytes: number;
  documentBytes: number;
  poolBytes: number;
  linkBytes: number;
  drawingBytes: number;
  outcomes: Record<Outcome, number>;
  pools: number;
  /** URLs of which it is known what they last gave. */
  links: number;
  drawings: number;
  tombstones: number;
  pendingUpgrades: number;
  /** Rows that aren't as they were written. */
  damaged: number;
}

/** One line of an export, as JSON. Hashes and signatures in it are verified on the way in. */
export type ExportRecord =
  | { type: "pool"; file: string; suiteVersion: string; firstSeen: number }
  | ({ type: "disclosure" } & DisclosureRecord)
  /** `document`: the canonical text whose SHA-256 is the id. */
  | {
    type: "document";
    id: string;
    storedAt: number;
    /** As the exporting store had it; what it comes to on import is found anew. */
    outcome: Outcome;
    document: string;
    history: HistoryEntry[];
  }
  | ({ type: "tombstone"; history: HistoryEntry[] } & Tombstone);

/** `after`: give it to `exportLines` to go on behind this record. */
export interface Exported {
  record: ExportRecord;
  after: string;
}

/** What became of one imported line; `created`: false when it was known. */
export type Imported =
  | { ok: true; type: ExportRecord["type"]; created: boolean }
  /**
   * Nothing was stored. Codes: `record-malformed`, `hash-mismatch`, `disclosure-invalid`,
   * `check-unfinished`, and those of a pool (protocols spec 8.2).
   */
  | { ok: false; code: string; message: string };

/** What {@link Store.gc} removed. */
export interface Collected {
  chunks: number;
  bytes: number;
}

export interface Store {
  // Documents and results.

  /**
   * Checks a receipt, an admission or another enveloped document, bare or in a wrapper, with the
   * pools that are public, and stores it unless it is stored already. Invalid ones are stored as
   * well: exposing them is the point.
   *
   * @param client names who sends it, for the hourly quota; null: not counted.
   * @throws {StoreError} `quota-bytes`, `quota-rate`; never for a document stored already.
   */
  keep(value: unknown, client?: string | null): Promise<Kept>;
  /**
   * The same for a document that was taken in elsewhere, see `takeIn` in lib/verify/intake.ts.
   *
   * @param visiting nobody asked to have the document stored: see {@link sweepVisits}.
   */
  keepIntake(intake: Intake, client?: string | null, visiting?: boolean): Promise<Kept>;
  /** A stored result, up to date. */
  result(id: string): Promise<ResultRead>;
  /** A stored result with its full report, made again whenever it isn't in memory. */
  report(id: string): Promise<ReportRead>;
  /**
   * As {@link result}, from memory where the pools' epoch, read again at most every 20 ms, says that
   * nothing can have changed: then without a promise, which a hot badge would wait for. For badges;
   * publications of this process show at once.
   */
  badgeRow(id: string): ResultRead | Promise<ResultRead>;
  /** The canonical bytes whose SHA-256 is the id, or null. */
  document(id: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** The changes of a document's outcome, oldest first; of removed ones too. Empty if there are none. */
  history(id: string): Promise<HistoryEntry[]>;
  /** @throws {StoreError} `cursor-malformed`. */
  results(filter: ResultFilter, page?: PageRequest): Promise<Page<ListedResult>>;
  /**
   * The admissions of a session: at most two of each of the named issuers (whole public keys); null:
   * of the first two issuers, in the order of their keys, that have any.
   */
  sessionAdmissions(
    sessionId: string,
    publicKeys: readonly string[] | null,
  ): Promise<SessionAdmissions>;
  /** Upgrades and exposures, newest first. @throws {StoreError} `cursor-malformed`. */
  feed(page?: PageRequest): Promise<Page<FeedEntry>>;

  // Pools.

  /** A public pool, or null. */
  pool(poolKey: string): Promise<PoolRecord | null>;
  /** @throws {StoreError} `cursor-malformed`. */
  pools(page?: PageRequest): Promise<Page<PoolRecord>>;
  /** The statement by that very key, or null: show it only beside results of that key. */
  disclosure(poolKey: string, publicKey: string): Promise<DisclosureRecord | null>;
  /** What publishing the pool would do to the stored results; checks a bounded number of them. */
  previewPool(pool: Pool): Promise<PoolPreview>;
  /**
   * Publishes a pool, for good: from this commit on no read rests on a result that lacked it.
   * Idempotent. Call {@link runUpgrade} next.
   *
   * @param pool as `readPool` gave it.
   * @throws {StoreError} `quota-bytes`, `quota-rate`.
   */
  publishPool(pool: Pool, options?: PublishOptions): Promise<Published>;
  /**
   * Makes the results under a published pool again, in bounded batches; any process may go on where
   * another stopped. Resolves when it is done, aborted, or found that another process is at it.
   */
  runUpgrade(poolKey: string, options?: UpgradeOptions): Promise<UpgradeRun>;
  /** How far the upgrade of a pool is; null: the pool isn't public. */
  upgradeProgress(poolKey: string): Promise<UpgradeProgress | null>;
  /** Keys of the pools whose upgrade isn't done. */
  pendingUpgrades(): Promise<string[]>;

  // For the operator.

  stats(): Promise<StoreStats>;
  /** Removes a document, leaving a tombstone with its history. False: there is none. */
  deleteDocument(id: string): Promise<boolean>;
  /**
   * Removes pools that no stored document names, for good: neither the service nor an import enters
   * them again, and whoever publishes one does. Takes some seconds, for other processes to notice.
   */
  removePools(poolKeys: readonly string[]): Promise<Map<string, PoolRemoval>>;
  /** Keys of the pools that didn't come with the service, and that no stored document names. */
  unusedPools(): Promise<string[]>;
  /**
   * Removes documents that nobody asked for in `days` days (asking is noted once a day), leaving
   * tombstones with their histories.
   *
   * @param now milliseconds since 1970.
   */
  sweep(now: number, days: number): Promise<{ removed: number }>;
  /**
   * Removes visiting documents that nobody asked for in a week, leaving tombstones.
   *
   * @param now milliseconds since 1970.
   */
  sweepVisits(now: number): Promise<{ removed: number }>;
  /** Removes chunks that no document holds, but for those of a store that may still go on. */
  gc(now?: number): Promise<Collected>;
  /**
   * All records: pools, statements, documents with their histories, tombstones.
   *
   * @param after of the last record that was taken; absent: from the start.
   * @throws {StoreError} `cursor-malformed`.
   */
  exportLines(after?: string): AsyncIterable<Exported>;
  /**
   * Takes over one record (an already parsed line). Idempotent: a known document has its own
   * history. Results are made anew, with the pools known here.
   *
   * @throws {StoreError} `quota-bytes`.
   */
  importLine(record: unknown): Promise<Imported>;
}

/** Settings of a store. */
export interface StoreOptions {
  quotas?: Quotas | undefined;
  /** Pools shipped with the service: entered before the first operation ends. */
  shipped?: readonly Pool[] | undefined;
  /** How long a read waits for a result to be made again, in milliseconds; default 1500. */
  readBudget?: number | undefined;
  /** The same for a full report; default 8000. */
  reportBudget?: number | undefined;
  /** The verifier's; default `REVISION` of lib/verify/version.ts. For tests. */
  version?: number | undefined;
  /** Milliseconds since 1970. For tests. */
  clock?: (() => number) | undefined;
  /** Lets time pass. For tests. */
  pause?: ((ms: number) => Promise<void>) | undefined;
}
