/**
 * Badges, as README pages embed them: `/badge/:id`, `/badge/session/:sessionId` and `/badge?url=…`,
 * each as `.svg`, `.png` and `.json`. Source: docs/architecture.md, "Badge wording" and "Caching".
 *
 * Whatever goes wrong, the answer is a badge: image proxies keep an error for as long as they like.
 */
import { type Context, Hono } from "hono";
import { LRUCache } from "lru-cache";
import { upTo } from "../../lib/async/lru.ts";
import { cardOf, type CardSubject, cardSubject } from "../../lib/badge/card.ts";
import {
  type AskedLabel,
  askedLabel,
  type Badge,
  badgeOf,
  type BadgeOptions,
  type Standing,
  standingBadge,
} from "../../lib/badge/model.ts";
import { type Format, FORMATS } from "../../lib/badge/render.ts";
import { isHex64 } from "../../lib/encoding/hex.ts";
import { type ResultRead, type StoredResult, StoreUnavailable } from "../../lib/store/store.ts";
import { trustOf } from "../../lib/words/signer.ts";
import { workFor } from "../../lib/async/asker.ts";
import { type Answer, createBadgeServer, type ServeOptions } from "./badge_cache.ts";
import { badgeAcceptance, type BadgeAsked, badgeAsked } from "./asked.ts";
import type { Found } from "./found.ts";
import { createOfLink } from "./links.ts";
import { badgeQuery } from "./query.ts";
import { createSessions } from "./sessions.ts";
import { askerOf } from "../http/limits.ts";
import { isFetch, ownHostOf } from "../api/links.ts";
import type { Services } from "../http/services.ts";

/** Results whose cards are remembered. */
const CARDS = 1_000;

/** What a card is made of, and the revision of the result that it says. */
interface Known {
  revision: string;
  subject: CardSubject;
}

/** Addresses whose answer is at hand, and the longest that is kept. */
const ADDRESSES = 20_000;
const LONGEST_ADDRESS = 512;

/** The answer of an address, and the result and revision that it says. */
interface Hot {
  id: string;
  format: Format;
  revision: string;
  answer: Answer;
}

/** Finds what a badge is to say. */
type Find = (
  asked: BadgeAsked,
  query: URLSearchParams,
  label: AskedLabel | undefined,
) => Promise<Found>;

export interface Badges {
  routes: Hono;
  /**
   * Answers a request for a badge that is at hand, without going through the routes; null: it has to.
   *
   * @param info what Deno.serve gives beside the request.
   */
  atHand(request: Request, info: unknown): Promise<Response> | null;
  /**
   * Draws the badge of a result that was just stored: it is asked for next, of a process that may
   * have started a moment ago.
   */
  prepare(result: StoredResult): void;
  /** Resolves when nothing is being drawn ahead any more. */
  idle(): Promise<void>;
}

export function createBadges(services: Services): Badges {
  const { store, links, limits, registry, now, onFault } = services;
  const app = new Hono();
  const trust = trustOf(registry);
  const serveBadge = createBadgeServer(onFault, services.renderBadge, services.drawings);
  const cards = new LRUCache<string, Known>({ max: CARDS });
  const findSession = createSessions(store, registry, now);
  const ofLink = createOfLink(store, onFault);

  app.on("GET", ["/badge/session/:file", "/badge/session/:file/"], async (c: Context) => {
    const named = nameAndFormat(lastPart(c.req.url));
    return await serve(c, named.format, async ({ requirements }, _, label) => {
      // Where the requirements can't be read, no session found here is accepted.
      const keys = requirements?.issuers?.map(({ publicKey }) => publicKey) ?? null;
      // A badge costs a token, and one more for every further entry that is read for it.
      const session = await findSession(named.name, keys, (rows) => {
        limits?.chargeBadge(c, rows - 1);
      });
      switch (session.state) {
        case "found": {
          const found = await ofResult(session.id, label);
          return "badge" in found ? found : { ...found, othersHaveSession: session.others };
        }
        case "unknown":
          return stand("not found", label, 404);
        default:
          return stand(session.state, label);
      }
    });
  });

  const hot = new LRUCache<string, Hot>(upTo(ADDRESSES));

  app.on("GET", ["/badge/:file", "/badge/:file/"], async (c: Context) => {
    const named = nameAndFormat(lastPart(c.req.url));
    const id = named.name.toLowerCase();
    return await serve(c, named.format, (_asked, _query, label) => ofResult(id, label));
  });

  for (const format of FORMATS) {
    app.on("GET", addressesOf(format), (c) =>
      serve(c, format, async (_asked, query, label) => {
        const url = query.get("url");
        // One that comes out of a fetch could lead in a circle.
        if (links === null || url === null || isFetch(c)) return stand("unreachable", label);
        const how = { own: ownHostOf(c.req.url), client: services.clientOf(c) };
        const link = await links.badge(url, how);
        return await ofLink(link, { label }) ?? stand("checking", label);
      }));
  }

  // An image proxy shows a broken picture for any error, so every other address has a badge too.
  app.on("GET", ["/badge/*", "/:rest{badge\\..+}"], (c) => {
    const { format } = nameAndFormat(lastPart(c.req.url));
    return serve(
      c,
      format,
      (_asked, _query, label) => Promise.resolve(stand("not found", label, 404)),
    );
  });

  async function answerAtHand(request: Request, info: unknown, known: Hot): Promise<Response> {
    const refused = limits?.refuseBadge({ env: info, req: { raw: request } }) ?? null;
    if (refused !== null) return await serveBadge.busy(request, known.format, refused);
    const read = await readRow(known.id);
    if (read.state === "current" && read.result.revision === known.revision) {
      return known.answer(request);
    }
    // Out of date, which is rare: the routes charge for it once more.
    hot.delete(addressOf(request.url));
    return await app.fetch(request, info as object);
  }

  async function serve(c: Context, format: Format, find: Find): Promise<Response> {
    const request = c.req.raw;
    const refused = limits?.refuseBadge(c) ?? null;
    if (refused !== null) return await serveBadge.busy(request, format, refused);
    // What has to be fetched, checked or drawn for it is done in its reader's turn.
    const reader = limits?.readerOf(c) ?? askerOf(c, services.clientOf);
    return await workFor(reader, () => serveAdmitted(c, format, find));
  }

  async function serveAdmitted(c: Context, format: Format, find: Find): Promise<Response> {
    const request = c.req.raw;
    const query = queryOf(c.req.url);
    const { label: text, ...look } = badgeQuery(query);
    const label = await askedLabel(text, trust);
    const asked = badgeAsked(query, registry);
    const found = await find(asked, query, label).catch((error) => {
      if (!(error instanceof StoreUnavailable)) onFault(error);
      return stand("checking", label);
    });
    const { badge, status } = await drawable(found, asked, label, look.style === "card", format);
    const options: ServeOptions = {
      ...look,
      format,
      status,
      admit: (tokens) => limits?.refuseDrawing(c, tokens) ?? null,
    };
    const response = await serveBadge(request, badge, options);
    // Where the answer follows from the address and the result alone, it is at hand the next time.
    if ("result" in found && found.result !== null && asked.requirements?.maxAge == null) {
      const address = addressOf(request.url);
      const answer = serveBadge.remembered(badge, options);
      if (answer !== null && address.length <= LONGEST_ADDRESS && isOfResult(address)) {
        const { id, revision } = found.result;
        hot.set(address, { id, format, revision, answer });
      }
    }
    return response;
  }

  async function drawable(
    found: Found,
    asked: BadgeAsked,
    label: AskedLabel | undefined,
    wantsCard: boolean,
    format: Format,
  ): Promise<{ badge: Badge; status: 200 | 404 }> {
    if ("badge" in found) return found;
    const { subject, result, results, transient, othersHaveSession } = found;
    const acceptance = badgeAcceptance(asked, results, now());
    const issuerAsked = (asked.requirements?.issuers ?? null) !== null;
    const options: BadgeOptions = { label, trust, acceptance, issuerAsked, othersHaveSession };
    let badge: Badge | null;
    if (!wantsCard || format === "json") badge = badgeOf(subject, options);
    else if (result === null) badge = cardOf(subject, options);
    else badge = await cardOfResult(result, options);
    // Being made again, or away: what the row says is right, but a card says more.
    if (badge === null) return stand("checking", label);
    return { badge: transient ? { ...badge, transient } : badge, status: 200 };
  }

  async function ofResult(id: string, label: AskedLabel | undefined): Promise<Found> {
    const read: ResultRead = isHex64(id) ? await readRow(id) : { state: "unknown" };
    switch (read.state) {
      case "unknown":
        return stand("not found", label, 404);
      case "checking":
        return stand("checking", label);
      case "removed":
        return stand("gone", label);
      case "current": {
        const { result } = read;
        return { subject: result, result, results: [result], transient: false };
      }
    }
  }

  async function readRow(id: string): Promise<ResultRead> {
    try {
      return await store.badgeRow(id);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) onFault(error);
      return { state: "checking", id };
    }
  }

  async function cardOfResult(result: StoredResult, options: BadgeOptions): Promise<Badge | null> {
    const { id, revision } = result;
    let known = cards.get(id);
    if (known?.revision !== revision) {
      const read = await store.report(id).catch((error) => {
        if (!(error instanceof StoreUnavailable)) onFault(error);
        return null;
      });
      if (read?.state !== "current") return null;
      known = { revision: read.result.revision, subject: cardSubject(read.report) };
      cards.set(id, known);
    }
    return cardOf(known.subject, options);
  }
  const preparing = new Set<Promise<void>>();
  return {
    routes: app,
    prepare(result) {
      const options = { ...badgeQuery(new URLSearchParams()), format: "svg" } as const;
      const prepared = serveBadge.prepare(badgeOf(result, { trust }), options)
        // Whoever asks for it will see.
        .catch(() => {})
        .finally(() => preparing.delete(prepared));
      preparing.add(prepared);
    },
    async idle() {
      await Promise.all(preparing);
    },
    atHand(request, info) {
      if (request.method !== "GET" && request.method !== "HEAD") return null;
      const known = hot.get(addressOf(request.url));
      return known === undefined ? null : answerAtHand(request, info, known);
    },
  };
}

function stand(
  standing: Standing,
  label: AskedLabel | undefined,
  status: 200 | 404 = 200,
): { badge: Badge; status: 200 | 404 } {
  return { badge: standingBadge(standing, { label }), status };
}

/** Path and query of a URL, as they were written. */
function addressOf(url: string): string {
  return url.slice(url.indexOf("/", "https://".length));
}

/** Whether a badge is asked for by its result's id. */
function isOfResult(address: string): boolean {
  return address.startsWith("/badge/") && !address.startsWith("/badge/session/");
}

/**
 * The query within {@link addressOf}. Not by `URL`: a Host header that names no host leaves an
 * address that is none. Nor of the whole address: a Host header may hold a query of its own, and a
 * badge drawn for that would be at hand for everybody.
 */
function queryOf(url: string): URLSearchParams {
  const address = addressOf(url);
  const at = address.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : address.slice(at));
}

/** Where badges by URL are asked for: `/badge` and `/badge/` stand for the SVG. */
function addressesOf(format: Format): string[] {
  const addresses = [format, format.toUpperCase()].flatMap((extension) => [
    `/badge.${extension}`,
    `/badge.${extension}/`,
  ]);
  return format === "svg" ? ["/badge", "/badge/", ...addresses] : addresses;
}

/** The last part of an address's path, decoded where it can be. */
function lastPart(url: string): string {
  const path = addressOf(url).split(/[?#]/, 1)[0]!.replace(/\/+$/, "");
  const part = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `name.svg`; without an extension, or with one that isn't known, the SVG is meant. */
function nameAndFormat(file: string): { name: string; format: Format } {
  const dot = file.lastIndexOf(".");
  if (dot < 0) return { name: file, format: "svg" };
  const extension = file.slice(dot + 1).toLowerCase();
  const format = FORMATS.find((known) => known === extension) ?? "svg";
  return { name: file.slice(0, dot), format };
}
