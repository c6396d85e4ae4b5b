/** Finds what a badge is to say: by the id of a result, by a session, by a URL. */
import type { Context } from "hono";
import { isHex64 } from "../../lib/encoding/hex.ts";
import { type ResultRead, StoreUnavailable } from "../../lib/store/store.ts";
import { isFetch } from "../http/client.ts";
import { ownHostOf } from "../http/host.ts";
import type { BadgeAsked } from "./asked.ts";
import type { BadgeContext } from "./context.ts";
import type { Found } from "./found.ts";
import { findOfLink } from "./links.ts";
import { findSession } from "./sessions.ts";

/** The result with an id; any text may be given. */
export async function findResult(context: BadgeContext, id: string): Promise<Found> {
  const read: ResultRead = isHex64(id) ? await readRow(context, id) : { state: "unknown" };
  switch (read.state) {
    case "unknown":
      return { standing: "not found" };
    case "checking":
      return { standing: "checking" };
    case "removed":
      return { standing: "gone" };
    case "current": {
      const { result } = read;
      return { subject: result, result, results: [result], transient: false };
    }
  }
}

/** The admission of a session, by the issuers that are asked for. */
export async function findOfSession(
  context: BadgeContext,
  c: Context,
  sessionId: string,
  { requirements }: BadgeAsked,
): Promise<Found> {
  const { sessions, services: { limits } } = context;
  // Where the requirements can't be read, no session found here is accepted.
  const keys = requirements?.issuers?.map(({ publicKey }) => publicKey) ?? null;
  // A badge costs a token, and one more for every further entry that is read for it.
  const session = await findSession(sessions, sessionId, keys, (rows) => {
    limits?.chargeBadge(c, rows - 1);
  });
  switch (session.state) {
    case "found": {
      const found = await findResult(context, session.id);
      return "standing" in found ? found : { ...found, othersHaveSession: session.others };
    }
    case "unknown":
      return { standing: "not found" };
    default:
      return { standing: session.state };
  }
}

/** What a URL gives. @param url as it was asked for; null: it is missing. */
export async function findByUrl(
  { services: { links, clientOf }, bundles }: BadgeContext,
  c: Context,
  url: string | null,
): Promise<Found> {
  if (url === null) return NO_URL;
  if (links === null) return NOT_FETCHED;
  // A badge that a fetch asks for could lead in a circle.
  if (isFetch(c.req.raw)) return FETCHED_BY_FETCH;
  const how = { own: ownHostOf(c.req.url), client: clientOf(c) };
  return await findOfLink(bundles, await links.badge(url, how));
}

/** The row of a result; a database that is away may be back a moment later. */
export function readRow(
  { services: { store, onFault } }: BadgeContext,
  id: string,
): ResultRead | Promise<ResultRead> {
  const read = store.badgeRow(id);
  if (!(read instanceof Promise)) return read;
  return read.catch((error) => {
    if (!(error instanceof StoreUnavailable)) onFault(error);
    return { state: "checking", id };
  });
}

/** The address of a badge by URL has none. */
const NO_URL: Found = {
  standing: "not found",
  code: "query-malformed",
  notes: ["The link names no document: its parameter url is missing."],
};

const NOT_FETCHED: Found = {
  standing: "unreachable",
  code: "fetch-off",
  notes: ["This service fetches nothing by its address."],
};

const FETCHED_BY_FETCH: Found = {
  standing: "unreachable",
  code: "fetch-own-host",
  notes: ["An address that is being fetched can't ask for another one."],
};
