/**
 * Bringing a link up to date for whoever asks: at once from what is known, after a fetch, or from what
 * is known while the URL is fetched, as the age of the link wants it.
 */
import { currentAsker } from "../async/asker.ts";
import { within } from "../async/within.ts";
import type { FetchErrorCode } from "../fetch/error.ts";
import { isReady, type Purpose } from "./content.ts";
import type { Content } from "./content_cache.ts";
import { type LinksContext, passing, type Revalidated } from "./context.ts";
import { ageOf, AGING_MS, FRESH_MS, mayFetch } from "./freshness.ts";
import type { Served } from "./links.ts";
import { revalidate, type RevalidateOptions } from "./revalidate.ts";
import { knownLink, newestLink } from "./row_cache.ts";
import type { LinkEntry } from "./rows.ts";
import type { LinkedUrl } from "./url.ts";

/** How long somebody waits for a fetch where something older can be shown, in milliseconds. */
export const INLINE_MS = 2500;

/** A link that is as new as whoever asks needs it. */
interface CurrentLink {
  entry: LinkEntry;
  /** What the URL gives, if a fetch has just brought it. */
  content: Content | null;
  served: Served;
}

interface CurrentOptions extends RevalidateOptions {
  /** How long to wait where there is nothing to show, in milliseconds; null: as long as it takes. */
  patience: number | null;
}

/** How what is given came about where no fetch was waited for. */
export const FROM_MEMORY: Served = { look: null, problem: null };

/** Brings a link up to date. Null: that takes longer than `patience`. */
export async function currentLink(
  context: LinksContext,
  linked: LinkedUrl,
  options: CurrentOptions,
): Promise<CurrentLink | null> {
  const { clock } = context;
  const entry = await bestKnown(context, linked, options.purpose);
  const { row } = entry;
  const age = ageOf(row, clock());
  const ready = isReady(context, linked, row, options.purpose);
  const asItIs: CurrentLink = { entry, content: null, served: FROM_MEMORY };
  if (!mayFetch(row, clock()) || ready && age <= FRESH_MS) return asItIs;
  // Whoever can't pay for a fetch sees what is known.
  if (!currentAsker().admits()) return { ...asItIs, served: { look: null, problem: "busy" } };
  const { result, joined } = revalidate(context, linked, options);
  // That the file is gone can be shown too.
  const showable = ready || row.goneAt !== null;
  if (showable && age <= AGING_MS) return asItIs;

  const why = row.given === null ? "uri-miss" : ready ? "stale" : "miss";
  const served = (status: 200 | 304 | null, problem: Served["problem"]): Served => ({
    look: { why, status, collapsed: joined },
    problem,
  });
  let done: Revalidated | null;
  try {
    done = await waitFor(context, result, showable ? INLINE_MS : options.patience);
  } catch (error) {
    const problem = passing(error);
    if (!showable || problem === null) throw error;
    return { ...asItIs, served: served(null, problem) };
  }
  if (done === null) return showable ? { ...asItIs, served: served(null, "late") } : null;
  const { fetched, status, content } = done;
  const code = done.entry.row.failure?.code as FetchErrorCode | undefined;
  return {
    entry: done.entry,
    content,
    served: fetched ? served(status, code ?? null) : FROM_MEMORY,
  };
}

/** What this process knows of a link; or the database, where nothing can be shown, nor fetched now. */
async function bestKnown(
  context: LinksContext,
  linked: LinkedUrl,
  purpose: Purpose,
): Promise<LinkEntry> {
  const { links, clock } = context;
  const known = await knownLink(links, linked);
  if (isReady(context, linked, known.row, purpose) || mayFetch(known.row, clock())) return known;
  // Another process may have been luckier.
  return await newestLink(links, linked);
}

async function waitFor(
  { wait }: LinksContext,
  result: Promise<Revalidated>,
  patience: number | null,
): Promise<Revalidated | null> {
  return patience === null ? await result : await within(result, patience, null, wait);
}
