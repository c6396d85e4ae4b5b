/**
 * The rows of links: in memory for as long as there is room, in the database for other processes and
 * for later. Source: {@link ../store/links.ts}.
 */
import { LRUCache } from "lru-cache";
import type { LinkEntry, LinkEvent, LinkRow, LinkShelf } from "./rows.ts";
import { StoreError, StoreUnavailable } from "../store/store.ts";
import { newLink } from "./freshness.ts";
import type { LinkedUrl } from "./url.ts";

export type Linked = Pick<LinkedUrl, "hash" | "shown">;

export interface Ledger {
  /** What this process knows of a link, else what the database does, else a new one. */
  known(linked: Linked): Promise<LinkEntry>;
  /** What the database has, in which other processes may have been. */
  newest(linked: Linked): Promise<LinkEntry>;
  /**
   * Changes a row, from the one that was read or what others made of it meanwhile. Where there is
   * nothing worth storing, no room, or no database, it changes in memory alone.
   */
  update(
    linked: Linked,
    entry: LinkEntry,
    change: (row: LinkRow) => { row: LinkRow; event: LinkEvent | null },
  ): Promise<LinkEntry>;
}

/** Rows in memory, as JSON. */
const CAPACITY = 16 * 1024 * 1024;

/** Writes of one row: each failure means that another process got ahead. */
const ATTEMPTS = 8;

export function createLedger(shelf: LinkShelf): Ledger {
  const rows = new LRUCache<string, LinkEntry>({
    maxSize: CAPACITY,
    sizeCalculation: ({ row }) => JSON.stringify(row).length,
  });

  function remember({ hash }: Linked, entry: LinkEntry): LinkEntry {
    rows.set(hash, entry);
    return entry;
  }

  async function newest(linked: Linked): Promise<LinkEntry> {
    const mine = rows.get(linked.hash) ?? { row: newLink(linked.shown), versionstamp: null };
    let stored: LinkEntry | null;
    try {
      stored = await shelf.read(linked.hash);
    } catch (error) {
      // To fetch something takes no database.
      if (error instanceof StoreUnavailable) return mine;
      throw error;
    }
    if (stored === null) return { row: mine.row, versionstamp: null };
    const { row, versionstamp } = stored;
    // What could not be written then can be now.
    const isAhead = mine.versionstamp === null && mine.row.given !== null &&
      mine.row.lookedAt > row.lookedAt;
    if (!isAhead) return remember(linked, stored);
    const keep = mine.row.keep || row.keep;
    const changes = Math.max(mine.row.changes, row.changes);
    return { row: { ...mine.row, keep, changes }, versionstamp };
  }

  return {
    known: async (linked) => rows.get(linked.hash) ?? await newest(linked),

    newest,

    async update(linked, entry, change) {
      let current = entry;
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { row, event } = change(current.row);
        // Anybody can make up URLs that give nothing.
        if (row.given === null) return remember(linked, { row, versionstamp: null });
        try {
          const versionstamp = await shelf.write(linked.hash, current.versionstamp, row, event);
          if (versionstamp !== null) return remember(linked, { row, versionstamp });
          const stored = await shelf.read(linked.hash);
          current = stored ?? { row: current.row, versionstamp: null };
        } catch (error) {
          const passes = error instanceof StoreUnavailable || error instanceof StoreError;
          if (!passes) throw error;
          return remember(linked, { row, versionstamp: null });
        }
      }
      return remember(linked, { row: change(current.row).row, versionstamp: null });
    },
  };
}
