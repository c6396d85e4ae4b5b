/**
 * Revalidating a link: its URL is fetched by one request at a time, with conditions where what it
 * gave before is known, and whatever comes of the fetch is written into the link's row.
 */
import type { Flight } from "../async/single_flight.ts";
import { contentOf, isReady, type Purpose } from "./content.ts";
import { type LinksContext, type Revalidated, track } from "./context.ts";
import { ageOf, apply, FRESH_MS, mayFetch, newLink } from "./freshness.ts";
import { fetchNews } from "./news.ts";
import { newestLink, updateLink } from "./row_cache.ts";
import type { LinkRow } from "./rows.ts";
import type { LinkedUrl } from "./url.ts";

export interface RevalidateOptions {
  purpose: Purpose;
  /** The documents are to be stored, from now on. */
  keep: boolean;
  /** Who asks, and is charged for the fetch; null: nobody that can be told from others. */
  client: string | null;
  /** The URL is fetched however fresh the link is, and whatever failed a moment ago. */
  force?: boolean;
}

/**
 * Revalidates a link, or joins the revalidation that is under way.
 *
 * The result rejects with a {@link FetchError} only when the URL was not asked for
 * (`fetch-host-busy`), or means something to this asker alone.
 */
export function revalidate(
  context: LinksContext,
  linked: LinkedUrl,
  options: RevalidateOptions,
): Flight<Revalidated> {
  const flight = context.fetching.run(
    linked.key,
    () => fetchAndRecord(context, linked, options),
  );
  if (!flight.joined) track(context, flight.result);
  return flight;
}

async function fetchAndRecord(
  context: LinksContext,
  linked: LinkedUrl,
  { purpose, keep, client, force = false }: RevalidateOptions,
): Promise<Revalidated> {
  const { links, clock, signal } = context;
  signal.throwIfAborted();
  const newest = await newestLink(links, linked);
  if (!force) {
    // Another process may have fetched the URL a moment ago.
    const { row } = newest;
    const fresh = ageOf(row, clock()) <= FRESH_MS && isReady(context, linked, row, purpose);
    if (fresh || !mayFetch(row, clock())) {
      return { entry: newest, content: null, status: null, fetched: false };
    }
  }
  const { entry, content: known } = await contentOf(context, linked, newest);
  const brought = await fetchNews(context, linked, { row: entry.row, known, keep, client });
  const change = (row: LinkRow) => {
    const { row: next, event } = apply(row, brought.news);
    return { row: { ...next, keep: next.keep || keep }, event };
  };
  const { status, content } = brought;
  // What a name means that only this asker has for this service is of no concern to others.
  const after = brought.private
    ? { row: change(newLink(linked.shown)).row, versionstamp: null }
    : await updateLink(links, linked, entry, change);
  const isCurrent = after.row.given?.content === content?.sha;
  return { entry: after, content: isCurrent ? content : null, status, fetched: true };
}
