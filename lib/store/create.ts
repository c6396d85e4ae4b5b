/** Puts a store together. See {@link Store} for what it promises. */
import type { Pool } from "../protocol/pool.ts";
import { type Checker, checkOne } from "../verify/checker.ts";
import { takeIn } from "../verify/intake.ts";
import { VERSION } from "../verify/version.ts";
import { LRUCache } from "lru-cache";
import { upTo } from "../lru.ts";
import { readContent } from "./content.ts";
import { createDatabase } from "./database.ts";
import { createEngine, readRow, type Settled } from "./engine.ts";
import { createMemory } from "./epoch.ts";
import { keep, type KeepParts } from "./keep.ts";
import { askedKey, disclosureKey, indexPrefix, resultKey, tombstoneKey } from "./keys.ts";
import { removeLink, sweepLinks } from "./links.ts";
import { type Listing, readPage } from "./page.ts";
import { isRemovedPool, removePools, unusedPools } from "./pool_removal.ts";
import { enterPool, preview, publish } from "./publish.ts";
import { NO_QUOTAS } from "./quota.ts";
import { StoreUnavailable } from "./retry.ts";
import { isWhole, lackedBy, resultOf, type Row, type RowEntry } from "./row.ts";
import { createShelf } from "./shelf.ts";
import {
  damaged,
  type DisclosureRecord,
  type FeedEntry,
  type ListedResult,
  type PoolRecord,
  type ReportRead,
  type ResultFilter,
  type ResultRead,
  type Store,
  StoreError,
  type StoreOptions,
  type Tombstone,
} from "./store.ts";
import { exportRecords, importRecord, readHistory } from "./transfer.ts";
import { sessionAdmissions } from "./sessions.ts";
import { readProgress, upgrade } from "./upgrade.ts";
import { collect, dayOf, readStats, remove, removeDamaged, sweep } from "./upkeep.ts";
import { sweepVisits } from "./visits.ts";

/** Of keys, session ids and indexes, in UTF-16 units; the database limits its keys. */
const LONGEST_NAME = 128;

/** How long a read waits for a result to be made again, in milliseconds. */
const READ_BUDGET_MS = 1500;

/** The same for a whole report, which is made for people who can wait. */
const REPORT_BUDGET_MS = 8000;

/** Documents of which a process remembers that asking for them is noted for today. */
const ASKED = 50_000;

/** Reports made again for one answer, each because the row changed under it. */
const REPORT_ATTEMPTS = 3;

const encoder = new TextEncoder();

/** A store in `kv`: a local file, memory, or a server. Nothing is read before the first call. */
export function createStore(kv: Deno.Kv, checker: Checker, options: StoreOptions = {}): Store {
  const {
    quotas = NO_QUOTAS,
    shipped = [],
    readBudget = READ_BUDGET_MS,
    reportBudget = REPORT_BUDGET_MS,
    version = VERSION,
    clock = Date.now,
    pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  } = options;
  const db = createDatabase(kv);
  const shelf = createShelf(db);
  const engine = createEngine({ db, shelf, checker, version, clock });
  const memory = createMemory(db);
  const parts: KeepParts = {
    db,
    shelf,
    engine,
    checker,
    version,
    quotas,
    clock,
    read: (id) => readReport(id),
  };
  const asked = new LRUCache<string, number>(upTo(ASKED));

  /** Shipped pools are public from the first call on. A failure is forgotten: the next call tries. */
  let entered: Promise<void> | null = shipped.length === 0 ? Promise.resolve() : null;
  function ready(): Promise<void> {
    if (entered !== null) return entered;
    const attempt = enterShipped();
    entered = attempt;
    attempt.catch(() => {
      if (entered === attempt) entered = null;
    });
    return attempt;
  }

  async function enterShipped(): Promise<void> {
    const known = await shelf.known(shipped.map(({ poolKey }) => poolKey));
    const unlimited = { db, quotas: NO_QUOTAS, clock };
    for (const pool of shipped) {
      if (known.has(pool.poolKey) || await isRemovedPool(db, pool.poolKey)) continue;
      await enterPool(unlimited, pool, { source: "shipped", firstSeen: clock(), client: null });
      memory.invalidate();
    }
  }

  /** The promise's value, or `late` when it takes longer than a read may. */
  async function inTime<T, L>(promise: Promise<T>, late: L, budget: number): Promise<T | L> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<L>((resolve) => {
      timer = setTimeout(() => resolve(late), budget);
    });
    // When it fails after that, nobody is left to be told.
    promise.catch(() => {});
    try {
      return await Promise.race([promise, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function afterSettling(id: string, settled: Settled): Promise<ResultRead> {
    switch (settled.state) {
      case "current":
        return { state: "current", result: resultOf(settled.entry) };
      case "unfinished":
        return { state: "checking", id };
      case "absent":
        return await readAbsent(id);
    }
  }

  async function readAbsent(
    id: string,
  ): Promise<Extract<ResultRead, { state: "removed" | "unknown" }>> {
    const { value } = await db.get<Tombstone>(tombstoneKey(id));
    return value === null ? { state: "unknown" } : { state: "removed", tombstone: value };
  }

  async function readResult(id: string, budget = readBudget): Promise<ResultRead> {
    const entry = await readRow(db, id);
    return entry === null
      ? await afterSettling(id, { state: "absent" })
      : await readEntry(entry, budget);
  }

  async function readEntry(entry: RowEntry, budget = readBudget): Promise<ResultRead> {
    const late = { state: "unfinished", report: null } as const;
    return await afterSettling(entry.id, await inTime(engine.settleEntry(entry), late, budget));
  }

  /**
   * As {@link readResult}, where the document is whole: a badge must not stay green on what can't be
   * checked any more.
   */
  async function readBadge(id: string): Promise<ResultRead> {
    try {
      const entry = await readRow(db, id);
      if (entry === null) return await afterSettling(id, { state: "absent" });
      const [read, bytes] = await Promise.all([
        readEntry(entry),
        readContent(db, id, entry.row.content),
      ]);
      if (read.state !== "current" || bytes !== null) return read;
      // Gone since the row was read, or its row is what is left of it.
      return await readRow(db, id) === null ? await readAbsent(id) : { state: "checking", id };
    } catch (error) {
      if (isDamage(error)) return { state: "checking", id };
      throw error;
    }
  }

  /** Finds out, beside what it reads, when a document is damaged: its badge is to know at once. */
  /** A row of a list; `row` null: it is damaged. */
  async function readListed(
    entry: RowEntry | { id: string; row: null },
    known: ReadonlyMap<string, Pool>,
    budget: number,
  ): Promise<ResultRead> {
    if (entry.row === null) return { state: "checking", id: entry.id };
    if (!engine.isStale(entry.row, known)) return { state: "current", result: resultOf(entry) };
    return await readEntry(entry, budget).catch((error): ResultRead => {
      if (isDamage(error)) return { state: "checking", id: entry.id };
      throw error;
    });
  }

  async function readReport(id: string): Promise<ReportRead> {
    try {
      return await readReportInTime(id);
    } catch (error) {
      if (isDamage(error)) memory.forget(id);
      throw error;
    }
  }

  async function readReportInTime(id: string): Promise<ReportRead> {
    const late = { state: "checking", id, report: null } as const;
    return await inTime(makeReport(id), late, reportBudget);
  }

  async function makeReport(id: string): Promise<ReportRead> {
    // Making a report takes a while, so whether the row still holds is asked again after it.
    for (let attempt = 0; attempt <= REPORT_ATTEMPTS; attempt++) {
      const settled = await engine.settle(id);
      if (settled.state === "unfinished") return { state: "checking", id, report: settled.report };
      if (settled.state === "absent") return await readAbsent(id);
      const { entry } = settled;
      const report = engine.remembered(entry);
      if (report !== null) return { state: "current", result: resultOf(entry), report };
      // Null once: the document may just be going. Twice: a newer verifier's row, which stands.
      if (await engine.makeReport(entry) !== null || attempt === 0) continue;
      if (await readContent(db, id, entry.row.content) !== null) break;
      if (await readRow(db, id) !== null) throw damaged(id);
    }
    return { state: "checking", id, report: null };
  }

  /** Notes the same for a badge, which waits for nobody's bookkeeping. */
  function notedBadge(id: string, read: ResultRead): ResultRead {
    if (isNews(id, read)) noteAsked(id, read).catch(() => {});
    return read;
  }

  function isNews(id: string, read: { state: string }): boolean {
    return read.state === "current" && asked.get(id) !== dayOf(clock());
  }

  /** Notes, once a day, that somebody asked for a stored document. */
  async function noteAsked<R extends { state: string }>(id: string, read: R): Promise<R> {
    if (!isNews(id, read)) return read;
    const today = dayOf(clock());
    asked.set(id, today);
    try {
      await db.commit((operation) => {
        operation.set(askedKey(id), today);
      });
    } catch (error) {
      // Only retention needs it, and an answer is at hand.
      if (!(error instanceof StoreUnavailable)) throw error;
      asked.set(id, today - 1);
    }
    return read;
  }

  const store: Store = {
    async keep(value, client = null) {
      const taken = await takeIn(value, (other) => {
        const text = JSON.stringify(other) ?? "null";
        return checkOne(checker, { bytes: encoder.encode(text), pools: [] }, "upload");
      });
      return taken.ok ? await store.keepIntake(taken.intake, client) : taken;
    },

    async keepIntake(intake, client = null, visiting = false) {
      await ready();
      return await keep(parts, intake, { client, visiting });
    },

    async result(id) {
      await ready();
      return await noteAsked(id, await readResult(id));
    },

    async report(id) {
      await ready();
      return await noteAsked(id, await readReport(id));
    },

    badgeRow(id) {
      const read = memory.row(id, async () => {
        await ready();
        return await readBadge(id);
      });
      if (read instanceof Promise) return read.then((found) => notedBadge(id, found));
      return notedBadge(id, read);
    },

    async document(id) {
      await ready();
      const entry = await readRow(db, id);
      const bytes = entry && await readContent(db, id, entry.row.content);
      if (entry !== null && bytes === null && await readRow(db, id) !== null) throw damaged(id);
      if (bytes !== null) await noteAsked(id, { state: "current" });
      return bytes;
    },

    async history(id) {
      await ready();
      return await readHistory(db, id);
    },

    async results(filter, page = {}) {
      await ready();
      const listing = listingOf(filter);
      if (listing === null) return { items: [], cursor: null };
      const { entries, cursor } = await readPage<unknown>(db, listing, page);
      const ids = entries.map(({ key }) => String(key.at(-1)));
      const rows: (RowEntry | { id: string; row: null })[] = [];
      for (const { key, value: row, versionstamp } of await db.getAll<Row>(ids.map(resultKey))) {
        const id = String(key[1]);
        if (row !== null) rows.push(isWhole(row) ? { id, row, versionstamp } : { id, row: null });
      }
      // All at once, as most rows of most pages are up to date.
      const known = await shelf.known(rows.flatMap(({ row }) => row === null ? [] : lackedBy(row)));
      const until = performance.now() + readBudget;
      const items: ListedResult[] = [];
      for (const entry of rows) {
        const read = await readListed(entry, known, Math.max(0, until - performance.now()));
        if (read.state === "current" || read.state === "checking") items.push(read);
      }
      return { items, cursor };
    },

    async sessionAdmissions(sessionId, publicKeys) {
      await ready();
      return await sessionAdmissions(db, sessionId, publicKeys);
    },

    async feed(page = {}) {
      await ready();
      const listing: Listing = {
        prefix: ["feed"],
        name: "feed",
        tail: ["number", "string", "string"],
      };
      const { entries, cursor } = await readPage<FeedEntry>(db, listing, page);
      return { items: entries.map(({ value }) => value), cursor };
    },

    async pool(poolKey) {
      await ready();
      return await shelf.record(poolKey);
    },

    async pools(page = {}) {
      await ready();
      const listing: Listing = {
        prefix: ["pool-recent"],
        name: "pools",
        tail: ["number", "string"],
      };
      const { entries, cursor } = await readPage<unknown>(db, listing, page);
      const items: PoolRecord[] = [];
      for (const { key } of entries) {
        const record = await shelf.record(String(key.at(-1)));
        if (record !== null) items.push(record);
      }
      return { items, cursor };
    },

    async disclosure(poolKey, publicKey) {
      await ready();
      return (await db.get<DisclosureRecord>(disclosureKey(poolKey, publicKey))).value;
    },

    async previewPool(pool) {
      await ready();
      return await preview({ db, shelf, engine }, pool);
    },

    async publishPool(pool, { disclosure, client } = {}) {
      await ready();
      const published = await publish(parts, pool, { disclosure, client: client ?? null });
      memory.invalidate();
      return published;
    },

    async runUpgrade(poolKey, options = {}) {
      await ready();
      return await upgrade({ db, engine, shelf, clock }, poolKey, options);
    },

    async upgradeProgress(poolKey) {
      await ready();
      return await readProgress(db, poolKey);
    },

    async pendingUpgrades() {
      await ready();
      const pending: string[] = [];
      for await (const { key } of db.scan(["upgrade-pending"])) pending.push(String(key[1]));
      return pending;
    },

    async stats() {
      await ready();
      return await readStats(db);
    },

    async deleteDocument(id) {
      for (;;) {
        const entry = await db.get<unknown>(resultKey(id));
        if (entry.value === null) return false;
        const removed = isWhole(entry.value)
          ? await remove(db, { ...entry, id, row: entry.value }, { why: "deleted", at: clock() })
          : await removeDamaged(db, id, entry);
        memory.invalidate();
        if (removed) return true;
      }
    },

    removePools: (poolKeys) => removePools({ db, clock, pause }, poolKeys),

    unusedPools: () => unusedPools(db),

    removeLink: (hash) => removeLink(db, hash),

    async sweep(now, days) {
      const swept = await sweep(db, now, days);
      memory.invalidate();
      await sweepLinks(db, now, days);
      return swept;
    },

    async sweepVisits(now) {
      const swept = await sweepVisits(db, now);
      memory.invalidate();
      return swept;
    },

    gc: (now = clock()) => collect(db, now),

    exportLines: (after) => exportRecords(db, after),

    importLine: (record) => importRecord(parts, record),
  };
  return store;
}

function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === "document-damaged";
}

/** Null: nothing is filed under names of that length. */
function listingOf(filter: ResultFilter): Listing | null {
  const prefix = indexPrefix(filter);
  if (prefix.some((part) => String(part).length > LONGEST_NAME)) return null;
  const anyIssuer = filter.by === "session" && filter.publicKey === undefined;
  return {
    prefix,
    name: prefix.join(" "),
    tail: anyIssuer ? ["string", "number", "string"] : ["number", "string"],
  };
}
