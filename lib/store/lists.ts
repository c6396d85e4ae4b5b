/** Lists of results, of the feed and of pools, page by page. */
import type { Pool } from "../protocol/pool.ts";
import type { StoreContext } from "./context.ts";
import { isDamage, readEntry } from "./documents.ts";
import { indexPrefix, resultKey } from "./keys.ts";
import { type Listing, readPage } from "./page.ts";
import { publicPool, publicPools } from "./pools.ts";
import { isStale } from "./results.ts";
import { isWhole, lackedBy, resultOf, type Row, type RowEntry } from "./row.ts";
import type {
  FeedEntry,
  ListedResult,
  Page,
  PageRequest,
  PoolRecord,
  ResultFilter,
  ResultRead,
} from "./store.ts";

/** Longest keys, session ids and indexes, in UTF-16 units; the database limits its keys. */
const LONGEST_NAME = 128;

const FEED: Listing = { prefix: ["feed"], name: "feed", tail: ["number", "string", "string"] };

const POOLS: Listing = { prefix: ["pool-recent"], name: "pools", tail: ["number", "string"] };

/** A row of a list; `row` null: it is damaged. */
type ListedEntry = RowEntry | { id: string; row: null };

/** See `Store.results`. */
export async function listResults(
  context: StoreContext,
  filter: ResultFilter,
  page: PageRequest = {},
): Promise<Page<ListedResult>> {
  const listing = listingOf(filter);
  if (listing === null) return { items: [], cursor: null };
  const { entries, cursor } = await readPage<unknown>(context.db, listing, page);
  const rows = await readRows(context, entries.map(({ key }) => String(key.at(-1))));
  // The pools are read for all rows at once, as most rows of most pages are up to date.
  const lacked = rows.flatMap(({ row }) => row === null ? [] : lackedBy(row));
  const known = await publicPools(context, lacked);
  const until = performance.now() + context.readBudget;
  const items: ListedResult[] = [];
  for (const entry of rows) {
    const budget = Math.max(0, until - performance.now());
    const read = await readListed(context, entry, known, budget);
    if (read.state === "current" || read.state === "checking") items.push(read);
  }
  return { items, cursor };
}

async function readRows({ db }: StoreContext, ids: readonly string[]): Promise<ListedEntry[]> {
  const rows: ListedEntry[] = [];
  for (const { key, value: row, versionstamp } of await db.getAll<Row>(ids.map(resultKey))) {
    const id = String(key[1]);
    if (row !== null) rows.push(isWhole(row) ? { id, row, versionstamp } : { id, row: null });
  }
  return rows;
}

async function readListed(
  context: StoreContext,
  entry: ListedEntry,
  known: ReadonlyMap<string, Pool>,
  budget: number,
): Promise<ResultRead> {
  if (entry.row === null) return { state: "checking", id: entry.id };
  if (!isStale(context, entry.row, known)) return { state: "current", result: resultOf(entry) };
  return await readEntry(context, entry, budget).catch((error): ResultRead => {
    if (isDamage(error)) return { state: "checking", id: entry.id };
    throw error;
  });
}

/** The list of a filter; null: nothing is filed under names of that length. */
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

/** See `Store.feed`. */
export async function listFeed(
  { db }: StoreContext,
  page: PageRequest = {},
): Promise<Page<FeedEntry>> {
  const { entries, cursor } = await readPage<FeedEntry>(db, FEED, page);
  return { items: entries.map(({ value }) => value), cursor };
}

/** See `Store.pools`. */
export async function listPools(
  context: StoreContext,
  page: PageRequest = {},
): Promise<Page<PoolRecord>> {
  const { entries, cursor } = await readPage<unknown>(context.db, POOLS, page);
  const items: PoolRecord[] = [];
  for (const { key } of entries) {
    const record = await publicPool(context, String(key.at(-1)));
    if (record !== null) items.push(record);
  }
  return { items, cursor };
}
