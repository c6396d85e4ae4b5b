/** Fetching a URL because somebody asks for it, however fresh its link is. */
import type { LinksContext } from "./context.ts";
import { mayFetch, sameDocuments } from "./freshness.ts";
import type { AskOptions, Refreshed } from "./links.ts";
import { revalidate } from "./revalidate.ts";
import { newestLink } from "./row_cache.ts";
import { verifyOwn } from "./verify.ts";
import { viewOf } from "./view.ts";

/** See `Links.refresh`. */
export async function refreshUrl(
  context: LinksContext,
  url: string,
  { own = null, client = null }: AskOptions = {},
): Promise<Refreshed> {
  const { links, clock } = context;
  const linked = context.readUrl(url, own);
  if (linked.isOwn) return { link: (await verifyOwn(context, linked)).link, changed: false };
  const { row: before } = await newestLink(links, linked);
  if (before.failure?.asked && !mayFetch(before, clock())) {
    return { link: viewOf(linked, before, clock()), changed: false };
  }
  for (;;) {
    const how = { purpose: "reports", keep: false, client, force: true } as const;
    const { fetched, entry } = await revalidate(context, linked, how).result;
    // A revalidation that was joined may have found that no fetch was needed.
    if (!fetched) continue;
    const { given } = entry.row;
    const changed = given !== null &&
      (before.given === null || !sameDocuments(before.given, given));
    return { link: viewOf(linked, entry.row, clock()), changed };
  }
}
