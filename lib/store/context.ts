/**
 * What the functions of the store work on: the database, what the operator set, and what this process
 * remembers. `createStore` in {@link ./create.ts} makes one context and hands it to each of them.
 */
import { LRUCache } from "lru-cache";
import { upTo } from "../async/lru.ts";
import { type SingleFlight, singleFlight } from "../async/single_flight.ts";
import { createDatabase, type Database } from "../kv/database.ts";
import type { Checker } from "../verify/checker.ts";
import type { Report } from "../verify/report.ts";
import { REVISION } from "../verify/version.ts";
import { NO_QUOTAS } from "./quota.ts";
import type { UpToDate } from "./row.ts";
import { createRowCache, type RowCache } from "./row_cache.ts";
import type { PoolRecord, Quotas, StoreOptions } from "./store.ts";

/** Commits tried before giving up: each failure means that another process got ahead. */
export const ATTEMPTS = 12;

/** Pools in memory; each is as large as its file, 46 KB at most. */
const POOLS = 200;

/** How long a pool is in memory, in milliseconds: the operator may have removed it meanwhile. */
export const POOL_MS = 5000;

/** Reports in memory, as the summed length of the documents they are about. */
const REPORT_BYTES = 24 * 1024 * 1024;

/** Checks that came to no outcome, which aren't tried again at once. */
const UNFINISHED = 1000;

/** Documents of which a process remembers that asking for them is noted for today. */
const ASKED = 50_000;

/** How long a read waits for a result to be made again, in milliseconds. */
const READ_BUDGET_MS = 1500;

/** The same for a whole report, which is made for people who can wait. */
const REPORT_BUDGET_MS = 8000;

export interface StoreContext {
  db: Database;
  checker: Checker;
  /** The verifier's revision: results of an older one are out of date. */
  version: number;
  quotas: Quotas;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Lets so many milliseconds pass. */
  pause: (ms: number) => Promise<void>;
  /** How long a read waits for a result, in milliseconds. */
  readBudget: number;
  /** How long a read waits for a report, in milliseconds. */
  reportBudget: number;
  /** Public pools that were read lately, by key; see pools.ts. */
  pools: LRUCache<string, PoolRecord>;
  /** The rows that badges are made of; see row_cache.ts. */
  rows: RowCache;
  /** Reports by id, each with the revision of the row that it belongs to; see results.ts. */
  reports: LRUCache<string, { revision: string; report: Report }>;
  /** Checks that came to no outcome, by id; see results.ts. */
  unfinished: LRUCache<string, { until: number; report: Report }>;
  /** Results that are being made again, by id. */
  remaking: SingleFlight<string, UpToDate>;
  /** Reports that are being made again, by id and revision. */
  reporting: SingleFlight<string, Report | null>;
  /** The day on which asking for a document was last noted, by id; see documents.ts. */
  asked: LRUCache<string, number>;
}

/** The context of a store in `kv`. Nothing is read yet. */
export function createContext(
  kv: Deno.Kv,
  checker: Checker,
  options: StoreOptions,
): StoreContext {
  const db = createDatabase(kv);
  return {
    db,
    checker,
    version: options.version ?? REVISION,
    quotas: options.quotas ?? NO_QUOTAS,
    clock: options.clock ?? Date.now,
    pause: options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    readBudget: options.readBudget ?? READ_BUDGET_MS,
    reportBudget: options.reportBudget ?? REPORT_BUDGET_MS,
    // Unlike Date's, the clock of `performance` never goes back.
    pools: new LRUCache({ max: POOLS, ttl: POOL_MS, perf: performance }),
    rows: createRowCache(db),
    reports: new LRUCache({ maxSize: REPORT_BYTES }),
    unfinished: new LRUCache({ max: UNFINISHED }),
    remaking: singleFlight(),
    reporting: singleFlight(),
    asked: new LRUCache(upTo(ASKED)),
  };
}
