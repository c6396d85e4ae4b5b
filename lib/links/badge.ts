/** What a badge of a URL is made of. */
import { within } from "../async/within.ts";
import { FetchError, type FetchErrorCode } from "../fetch/error.ts";
import { type LinksContext, passing, track } from "./context.ts";
import { currentLink, INLINE_MS } from "./current.ts";
import { mayFetch } from "./freshness.ts";
import type { AskOptions, LinkBadge } from "./links.ts";
import { linkSubjects } from "./subjects.ts";
import type { LinkedUrl } from "./url.ts";
import { ROUNDS } from "./verify.ts";
import { ownView, viewOf } from "./view.ts";

/**
 * How long a badge may take in all, in milliseconds: image proxies give up at about 4 s
 * (docs/platform.md).
 */
const BADGE_MS = 3500;

const BLOCKED: ReadonlySet<string> = new Set<FetchErrorCode>([
  "fetch-url-malformed",
  "fetch-scheme",
  "fetch-credentials",
  "fetch-port",
  "fetch-blocked-address",
  "fetch-own-host",
]);

/** Whether a URL isn't fetched whatever its host does. */
export function isBlocked(code: string): code is FetchErrorCode {
  return BLOCKED.has(code);
}

/** See `Links.badge`. */
export async function badgeOfUrl(
  context: LinksContext,
  url: string,
  { own = null, client = null }: AskOptions = {},
): Promise<LinkBadge> {
  let linked: LinkedUrl;
  try {
    linked = context.readUrl(url, own);
  } catch (error) {
    if (error instanceof FetchError) return { state: "blocked", code: error.code };
    throw error;
  }
  const making = linked.isOwn ? ownBadge(context, linked) : linkBadge(context, linked, client);
  track(context, making);
  try {
    return await within(making, BADGE_MS, { state: "checking" }, context.wait);
  } catch (error) {
    if (error instanceof FetchError) {
      const { code } = error;
      return isBlocked(code) ? { state: "blocked", code } : { state: "checking", code };
    }
    if (passing(error) !== null) return { state: "checking" };
    throw error;
  }
}

async function linkBadge(
  context: LinksContext,
  linked: LinkedUrl,
  client: string | null,
): Promise<LinkBadge> {
  const { clock } = context;
  for (let round = 0; round < ROUNDS; round++) {
    const how = { purpose: "badge", keep: true, client, patience: INLINE_MS } as const;
    const current = await currentLink(context, linked, how);
    if (current === null) break;
    const { entry, content } = current;
    const { row } = entry;
    const link = viewOf(linked, row, clock());
    if (row.goneAt !== null) return { state: "gone", link };
    const badge = await linkSubjects(context, linked, entry, content);
    if (badge !== null) return badge;
    const { failure } = row;
    if (failure !== null && !mayFetch(row, clock())) {
      const { code } = failure;
      return isBlocked(code) ? { state: "blocked", code } : { state: "unreachable", failure, link };
    }
  }
  return { state: "checking" };
}

/** The badge of the stored document that a URL of this service is about. */
async function ownBadge(
  { store, ownDocument, clock }: LinksContext,
  linked: LinkedUrl,
): Promise<LinkBadge> {
  const id = ownDocument(linked.url);
  if (id === null) return { state: "blocked", code: "fetch-own-host" };
  const read = await store.badgeRow(id);
  if (read.state === "checking") return { state: "checking" };
  if (read.state !== "current") return { state: "absent", id };
  const { result } = read;
  const subjects = [{ id, subject: result, result }];
  const link = ownView(linked, [result], clock());
  return { state: "current", subjects, revision: `${id} ${result.revision}`, link };
}
