/**
 * The rows of links: in memory for as long as there is room, in the database for other processes and
 * for later.
 */
import { LRUCache } from "lru-cache";
import { StoreError, StoreUnavailable } from "../store/store.ts";
import { newLink } from "./freshness.ts";
import type { LinkEntry, LinkEvent, LinkRow, LinkRows } from "./rows.ts";
import type { LinkedUrl } from "./url.ts";

type Linked = Pick<LinkedUrl, "hash" | "shown">;

export interface LinkCache {
  /** The rows in the database. */
  rows: LinkRows;
  /** The rows that this process read or wrote lately, by the hash of their URL. */
  entries: LRUCache<string, LinkEntry>;
}

/** Rows in memory, as JSON, in UTF-16 units. */
const CAPACITY = 16 * 1024 * 1024;

/** Writes of one row: each failure means that another process got ahead. */
const ATTEMPTS = 8;

/** An empty cache over the rows in the database. */
export function createLinkCache(rows: LinkRows): LinkCache {
  const entries = new LRUCache<string, LinkEntry>({
    maxSize: CAPACITY,
    sizeCalculation: ({ row }) => JSON.stringify(row).length,
  });
  return { rows, entries };
}

/** What this process knows of a link, else what the database does, else a new link. */
export async function knownLink(cache: LinkCache, linked: Linked): Promise<LinkEntry> {
  return cache.entries.get(linked.hash) ?? await newestLink(cache, linked);
}

/** What the database has of a link, which other processes may have changed. */
export async function newestLink(cache: LinkCache, linked: Linked): Promise<LinkEntry> {
  const mine = cache.entries.get(linked.hash) ??
    { row: newLink(linked.shown), versionstamp: null };
  let stored: LinkEntry | null;
  try {
    stored = await cache.rows.read(linked.hash);
  } catch (error) {
    // A URL can be fetched without a database.
    if (error instanceof StoreUnavailable) return mine;
    throw error;
  }
  if (stored === null) return { row: mine.row, versionstamp: null };
  const { row, versionstamp } = stored;
  // A row that could not be written when it was made can be written now.
  const isAhead = mine.versionstamp === null && mine.row.given !== null &&
    mine.row.lookedAt > row.lookedAt;
  if (!isAhead) return remember(cache, linked, stored);
  const keep = mine.row.keep || row.keep;
  const changes = Math.max(mine.row.changes, row.changes);
  return { row: { ...mine.row, keep, changes }, versionstamp };
}

/**
 * Changes a link's row: the one that was read, or what others made of it meanwhile. The row changes
 * in memory alone where it says nothing worth storing, or there is no room, or no database.
 */
export async function updateLink(
  cache: LinkCache,
  linked: Linked,
  entry: LinkEntry,
  change: (row: LinkRow) => { row: LinkRow; event: LinkEvent | null },
): Promise<LinkEntry> {
  const { rows } = cache;
  let current = entry;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { row, event } = change(current.row);
    // Anybody can make up URLs that give nothing.
    if (row.given === null) return remember(cache, linked, { row, versionstamp: null });
    try {
      const versionstamp = await rows.write(linked.hash, current.versionstamp, row, event);
      if (versionstamp !== null) return remember(cache, linked, { row, versionstamp });
      const stored = await rows.read(linked.hash);
      current = stored ?? { row: current.row, versionstamp: null };
    } catch (error) {
      const passes = error instanceof StoreUnavailable || error instanceof StoreError;
      if (!passes) throw error;
      return remember(cache, linked, { row, versionstamp: null });
    }
  }
  return remember(cache, linked, { row: change(current.row).row, versionstamp: null });
}

function remember({ entries }: LinkCache, { hash }: Linked, entry: LinkEntry): LinkEntry {
  entries.set(hash, entry);
  return entry;
}
