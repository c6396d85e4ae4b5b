/**
 * What the badges' functions share: the services that they need, and what is remembered.
 *
 * On the way of a badge seven things are remembered, each for a reason of its own. A request stops at
 * the first one that has what it needs:
 * 1. {@link BadgeContext.addresses}: the response of an address. It saves everything but a look at the
 *    row of the result, and holds while the row's revision does. This is the hot path of READMEs.
 * 2. The rows of results (lib/store/row_cache.ts), which are looked at again every few milliseconds,
 *    so that a disclosure shows at once in every process.
 * 3. {@link BadgeContext.sessions}: which admission a session has, for some seconds.
 * 4. {@link BadgeContext.bundles}: the sum over several documents of one URL, whose reports would all
 *    have to be read again.
 * 5. The reports of results (lib/store/results.ts), which cards need.
 * 6. The drawn badges with their encodings ({@link ./badge_cache.ts}): results that read alike share
 *    one, and so do addresses that differ in what the drawing doesn't depend on.
 * 7. The drawings in the database (lib/store/drawings.ts): a process that starts needs some tenths of a
 *    second for its first drawing, and finds there what others drew.
 */
import { LRUCache } from "lru-cache";
import { upTo } from "../../lib/async/lru.ts";
import type { Format } from "../../lib/badge/render.ts";
import { type Trust, trustOf } from "../../lib/words/signer.ts";
import type { Services } from "../http/services.ts";
import { type BadgeCache, createBadgeCache, type Responder } from "./badge_cache.ts";
import { type Bundles, createBundles } from "./links.ts";
import { createSessions, type Sessions } from "./sessions.ts";

/** Addresses whose response is remembered. */
const ADDRESSES = 20_000;

/** The response of an address, and the result and revision that the response says. */
export interface AddressResponse {
  id: string;
  format: Format;
  revision: string;
  respond: Responder;
}

/** What finding and sending badges needs. */
export interface BadgeContext {
  services: BadgeServices;
  trust: Trust;
  cache: BadgeCache;
  /** By path and query as they were written. */
  addresses: LRUCache<string, AddressResponse>;
  sessions: Sessions;
  bundles: Bundles;
  /** Badges that are being drawn before anybody asks for them. */
  drawingAhead: Set<Promise<void>>;
}

type BadgeServices = Pick<
  Services,
  | "store"
  | "links"
  | "limits"
  | "registry"
  | "now"
  | "clientOf"
  | "renderBadge"
  | "drawings"
  | "onFault"
>;

/** The context of one application's badges, in which nothing is remembered yet. */
export function createBadgeContext(services: BadgeServices): BadgeContext {
  const { registry, now, store, renderBadge, drawings, onFault } = services;
  return {
    services,
    trust: trustOf(registry),
    cache: createBadgeCache(onFault, renderBadge, drawings),
    addresses: new LRUCache(upTo(ADDRESSES)),
    sessions: createSessions(store, registry, now),
    bundles: createBundles(store, onFault),
    drawingAhead: new Set(),
  };
}
