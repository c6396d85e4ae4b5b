/** Answers requests for badges. Whatever goes wrong, the response is a badge. */
import type { Context, Hono } from "hono";
import { workFor } from "../../lib/async/asker.ts";
import { askedLabel, type Badge, badgeOf } from "../../lib/badge/model.ts";
import { type ResultRead, type StoredResult, StoreUnavailable } from "../../lib/store/store.ts";
import { askerOf } from "../http/limits.ts";
import { addressOf, isOfResult, type Named, queryOf } from "./address.ts";
import { badgeAsked } from "./asked.ts";
import {
  drawOnce,
  rememberedBadge,
  sendBadge,
  sendBusy,
  type ServeOptions,
} from "./badge_cache.ts";
import type { AddressResponse, BadgeContext } from "./context.ts";
import { drawable, type Embed } from "./drawable.ts";
import type { Found } from "./found.ts";
import { readRow } from "./lookup.ts";
import { notesOf } from "./notes.ts";
import { CACHE_SECONDS } from "../http/badge_bounds.ts";
import { badgeQuery } from "./query.ts";

/** The longest address whose response is remembered, in characters. */
const LONGEST_ADDRESS = 512;

/** Finds what a badge is to say. */
export type Find = (embed: Embed) => Promise<Found>;

/**
 * Answers with the badge of an address whose response is remembered, past all other routes; null: the
 * response isn't remembered, and the routes have to make it.
 *
 * @param routes the badges' own, for a response that turns out to be out of date.
 * @param info what Deno.serve gives beside the request.
 */
export function serveRemembered(
  context: BadgeContext,
  routes: Hono,
  request: Request,
  info: unknown,
): Response | Promise<Response> | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const known = context.addresses.get(addressOf(request.url));
  return known === undefined ? null : serveKnown(context, routes, { request, info, known });
}

function serveKnown(
  context: BadgeContext,
  routes: Hono,
  { request, info, known }: { request: Request; info: unknown; known: AddressResponse },
): Response | Promise<Response> {
  const { addresses, cache, services: { limits } } = context;
  const refused = limits?.refuseBadge({ env: info, req: { raw: request } }) ?? null;
  if (refused !== null) return sendBusy(cache, request, known.format, refused);
  const respond = (read: ResultRead) => {
    if (read.state === "current" && read.result.revision === known.revision) {
      return known.respond(request);
    }
    // Out of date, which is rare: the routes charge for the request once more.
    addresses.delete(addressOf(request.url));
    return routes.fetch(request, info as object);
  };
  // Most of the time of a hot badge would go into promises, so there are none without need.
  const read = readRow(context, known.id);
  return read instanceof Promise ? read.then(respond) : respond(read);
}

/** Answers with the badge of what `find` finds. Never rejects. */
export async function serveBadge(
  context: BadgeContext,
  c: Context,
  { format, otherFormat }: Pick<Named, "format" | "otherFormat">,
  find: Find,
): Promise<Response> {
  const { cache, trust, services: { limits, registry, clientOf, onFault } } = context;
  const request = c.req.raw;
  try {
    const refused = limits?.refuseBadge(c) ?? null;
    if (refused !== null) return await sendBusy(cache, request, format, refused);
    // What has to be fetched, checked or drawn for it is done in its reader's turn.
    const reader = limits?.readerOf(c) ?? askerOf(c, clientOf);
    const text = queryOf(request.url);
    const query = new URLSearchParams(text);
    const { label, ...look } = badgeQuery(query);
    const embed: Embed = {
      ...{ format, query, look },
      asked: badgeAsked(text, registry),
      label: await askedLabel(label, trust),
      notes: notesOf(query, otherFormat),
    };
    return await workFor(reader, () => serveAdmitted(context, c, embed, find));
  } catch (error) {
    // An error's status would be a broken picture, whatever the error is.
    onFault(error);
    return await sendBusy(cache, request, format, {});
  }
}

async function serveAdmitted(
  context: BadgeContext,
  c: Context,
  embed: Embed,
  find: Find,
): Promise<Response> {
  const { cache, services: { limits, onFault } } = context;
  const request = c.req.raw;
  const { format, look } = embed;
  const found: Found = await find(embed).catch((error) => {
    if (!(error instanceof StoreUnavailable)) onFault(error);
    return { standing: "checking" };
  });
  const { badge, code, turnsIn = Infinity } = await drawable(context, found, embed);
  // Shields goes by the seconds in the JSON, and nobody may cache what turns for as long as they like.
  const turnsSoon = badge.transient || turnsIn < look.cacheSeconds;
  const options: ServeOptions = {
    ...look,
    ...(turnsSoon && { cacheSeconds: CACHE_SECONDS.least }),
    format,
    code,
    turnsIn,
    admit: (tokens) => limits?.refuseDrawing(c, tokens) ?? null,
  };
  const response = await sendBadge(cache, request, badge, options);
  rememberAddress(context, request, found, { embed, badge, options });
  return response;
}

/** Remembers a response that follows from the address and the result's revision alone. */
function rememberAddress(
  { addresses, cache }: BadgeContext,
  request: Request,
  found: Found,
  sent: { embed: Embed; badge: Badge; options: ServeOptions },
): void {
  const { asked, format } = sent.embed;
  if (!("result" in found) || found.result === null || asked.requirements?.maxAge != null) return;
  const address = addressOf(request.url);
  if (address.length > LONGEST_ADDRESS || !isOfResult(address)) return;
  const respond = rememberedBadge(cache, sent.badge, sent.options);
  if (respond === null) return;
  const { id, revision } = found.result;
  addresses.set(address, { id, format, revision, respond });
}

/**
 * Draws the badge of a result that was just stored: it is asked for next, of a process that may have
 * started a moment ago.
 */
export function drawAhead(
  { cache, trust, drawingAhead }: BadgeContext,
  result: StoredResult,
): void {
  const options = { ...badgeQuery(new URLSearchParams()), format: "svg" } as const;
  const drawn = Promise.resolve().then(() => drawOnce(cache, badgeOf(result, { trust }), options))
    // Whoever asks for the badge will see what is wrong.
    .then(() => {}, () => {})
    .finally(() => drawingAhead.delete(drawn));
  drawingAhead.add(drawn);
}
