/**
 * Badges, as README pages embed them: `/badge/:id`, `/badge/session/:sessionId` and `/badge?url=…`,
 * each as `.svg`, `.png` and `.json`. Source: design.md, "Badge wording" and "Caching".
 *
 * Whatever goes wrong, the answer is a badge: image proxies keep an error for as long as they like.
 */
import { type Context, Hono } from "hono";
import { LRUCache } from "lru-cache";
import { upTo } from "../lib/lru.ts";
import { cardOf, type CardSubject, cardSubject } from "../lib/badge/card.ts";
import {
  type AskedLabel,
  askedLabel,
  type Badge,
  badgeOf,
  type BadgeOptions,
  standingBadge,
} from "../lib/badge/model.ts";
import { type Format, FORMATS } from "../lib/badge/render.ts";
import { isHex64 } from "../lib/encoding/hex.ts";
import { type ResultRead, type StoredResult, StoreUnavailable } from "../lib/store/store.ts";
import { BAD_LINK } from "../lib/words/statement.ts";
import { trustOf } from "../lib/words/signer.ts";
import { workFor } from "../lib/workers/asker.ts";
import { type Answer, createBadgeServer, type ServeOptions } from "./badge_answers.ts";
import {
  addressesOf,
  addressOf,
  isOfResult,
  type Named,
  namedIn,
  queryOf,
} from "./badge_address.ts";
import { badgeAcceptance, type BadgeAsked, badgeAsked, turnsAt } from "./badge_asked.ts";
import type { Found, NoResult } from "./badge_found.ts";
import { createOfLink } from "./badge_links.ts";
import { notesOf } from "./badge_notes.ts";
import { type BadgeQuery, badgeQuery, CACHE_SECONDS } from "./badge_query.ts";
import { createSessions } from "./badge_sessions.ts";
import { askerOf } from "./limits.ts";
import { isFetch, ownHostOf } from "./links.ts";
import type { Services } from "./services.ts";

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

/** What a badge's address asks for. */
interface Embed {
  format: Format;
  query: URLSearchParams;
  asked: BadgeAsked;
  look: Omit<BadgeQuery, "label">;
  label: AskedLabel | undefined;
  /** What the title says of parts of the address that were left out of account. */
  notes: readonly string[];
}

/** Finds what a badge is to say. */
type Find = (embed: Embed) => Promise<Found>;

/** A badge with what its headers say. */
interface Drawable extends Pick<ServeOptions, "code" | "turnsIn"> {
  badge: Badge;
}

export interface Badges {
  routes: Hono;
  /**
   * Answers a request for a badge that is at hand, without going through the routes; null: it has to.
   *
   * @param info what Deno.serve gives beside the request.
   */
  atHand(request: Request, info: unknown): Response | Promise<Response> | null;
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
  const findSession = createSessions(store, registry, now);
  const ofLink = createOfLink(store, onFault);
  const readRow = createReadRow(store, onFault);
  const cardOfResult = createCards(store, onFault);

  app.on("GET", ["/badge/session/:file", "/badge/session/:file/"], async (c: Context) => {
    const named = namedIn(c.req.url);
    return await serve(c, named, async ({ asked: { requirements } }) => {
      // Where the requirements can't be read, no session found here is accepted.
      const keys = requirements?.issuers?.map(({ publicKey }) => publicKey) ?? null;
      // A badge costs a token, and one more for every further entry that is read for it.
      const session = await findSession(named.name, keys, (rows) => {
        limits?.chargeBadge(c, rows - 1);
      });
      switch (session.state) {
        case "found": {
          const found = await ofResult(session.id);
          return "standing" in found ? found : { ...found, othersHaveSession: session.others };
        }
        case "unknown":
          return { standing: "not found" };
        default:
          return { standing: session.state };
      }
    });
  });

  const hot = new LRUCache<string, Hot>(upTo(ADDRESSES));

  app.on("GET", ["/badge/:file", "/badge/:file/"], async (c: Context) => {
    const named = namedIn(c.req.url);
    return await serve(c, named, () => ofResult(named.name.toLowerCase()));
  });

  const serveByUrl = (c: Context, named: Pick<Named, "format" | "otherFormat">) =>
    serve(c, named, async ({ query }) => {
      const url = query.get("url");
      if (url === null) return NO_URL;
      if (links === null) return NOT_FETCHED;
      // One that comes out of a fetch could lead in a circle.
      if (isFetch(c)) return FETCHED_BY_FETCH;
      const how = { own: ownHostOf(c.req.url), client: services.clientOf(c) };
      return await ofLink(await links.badge(url, how));
    });

  for (const format of FORMATS) {
    app.on("GET", addressesOf(format), (c) => serveByUrl(c, { format, otherFormat: false }));
  }
  // Other spellings of an extension (`Svg`), and extensions of no format, which stand for the SVG.
  app.on("GET", ["/:file{badge\\.[^/]+}", "/:file{badge\\.[^/]+}/"], (c) => {
    return serveByUrl(c, namedIn(c.req.url));
  });

  // An image proxy shows a broken picture for any error, so every other address has a badge too.
  app.on("GET", ["/badge/*", "/:rest{badge\\..+}"], (c) => {
    return serve(c, namedIn(c.req.url), () => Promise.resolve({ standing: "not found" }));
  });

  function answerAtHand(
    request: Request,
    info: unknown,
    known: Hot,
  ): Response | Promise<Response> {
    const refused = limits?.refuseBadge({ env: info, req: { raw: request } }) ?? null;
    if (refused !== null) return serveBadge.busy(request, known.format, refused);
    const answer = (read: ResultRead) => {
      if (read.state === "current" && read.result.revision === known.revision) {
        return known.answer(request);
      }
      // Out of date, which is rare: the routes charge for it once more.
      hot.delete(addressOf(request.url));
      return app.fetch(request, info as object);
    };
    // Without a promise wherever nothing is waited for: most of the time it takes is theirs.
    const read = readRow(known.id);
    return read instanceof Promise ? read.then(answer) : answer(read);
  }

  async function serve(
    c: Context,
    { format, otherFormat }: Pick<Named, "format" | "otherFormat">,
    find: Find,
  ): Promise<Response> {
    const request = c.req.raw;
    try {
      const refused = limits?.refuseBadge(c) ?? null;
      if (refused !== null) return await serveBadge.busy(request, format, refused);
      // What has to be fetched, checked or drawn for it is done in its reader's turn.
      const reader = limits?.readerOf(c) ?? askerOf(c, services.clientOf);
      const text = queryOf(request.url);
      const query = new URLSearchParams(text);
      const { label, ...look } = badgeQuery(query);
      const embed = {
        ...{ format, query, look },
        asked: badgeAsked(text, registry),
        label: await askedLabel(label, trust),
        notes: notesOf(query, otherFormat),
      };
      return await workFor(reader, () => serveAdmitted(c, embed, find));
    } catch (error) {
      // Whatever it is: an error's status would be a broken picture.
      onFault(error);
      return await serveBadge.busy(request, format, {});
    }
  }

  async function serveAdmitted(c: Context, embed: Embed, find: Find): Promise<Response> {
    const request = c.req.raw;
    const { format, look, asked } = embed;
    const found: Found = await find(embed).catch((error) => {
      if (!(error instanceof StoreUnavailable)) onFault(error);
      return { standing: "checking" };
    });
    const { badge, code, turnsIn = Infinity } = await drawable(found, embed);
    // Shields goes by the seconds in the JSON, and nobody keeps what turns for as long as they like.
    const turnsSoon = badge.transient || turnsIn < look.cacheSeconds;
    const options: ServeOptions = {
      ...look,
      ...(turnsSoon && { cacheSeconds: CACHE_SECONDS.least }),
      format,
      code,
      turnsIn,
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

  async function drawable(found: Found, embed: Embed): Promise<Drawable> {
    if ("standing" in found) return standingDrawable(found, embed);
    const { asked, label, format, look } = embed;
    const { subject, result, results, othersHaveSession, seen } = found;
    const at = now();
    const acceptance = badgeAcceptance(asked, results, at);
    const issuerAsked = (asked.requirements?.issuers ?? null) !== null;
    const options: BadgeOptions = {
      ...{ label, trust, acceptance, issuerAsked, othersHaveSession },
      seen: seen?.text,
      notes: embed.notes,
    };
    let badge: Badge | null;
    if (look.style !== "card" || format === "json") badge = badgeOf(subject, options);
    else if (result === null) badge = cardOf(subject, options);
    else badge = await cardOfResult(result, options);
    // Being made again, or away: what the row says is right, but a card says more.
    if (badge === null) return standingDrawable({ standing: "checking" }, embed);
    return {
      badge: found.transient ? { ...badge, transient: true } : badge,
      code: asked.problemCode ?? subject.reason?.code ?? null,
      turnsIn: Math.min(turnsAt(asked, results, at) - at, seen?.turnsIn ?? Infinity) / 1000,
    };
  }

  async function ofResult(id: string): Promise<Found> {
    const read: ResultRead = isHex64(id) ? await readRow(id) : { state: "unknown" };
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

/** A badge by URL whose address has none. */
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

/** The badge where there is no result to show. */
function standingDrawable(found: NoResult, { asked, label, notes }: Embed): Drawable {
  const { standing, code = null } = found;
  const badge = standingBadge(standing, {
    label,
    notes: [
      ...(found.notes ?? []),
      ...(code === null ? [] : [`Problem code: ${code}.`]),
      ...notes,
    ],
  });
  const transient = found.transient ?? badge.transient;
  const { problem } = asked;
  if (problem === null) return { badge: { ...badge, transient }, code };
  // Its author has to mend the link, whatever will be found there.
  return {
    badge: {
      ...badge,
      message: ["not accepted", BAD_LINK.why],
      tone: "refused",
      state: "not-accepted",
      title: `Not accepted: ${BAD_LINK.sentence(problem)} ${badge.title}`,
      transient,
    },
    code: asked.problemCode ?? null,
  };
}

type ReadRow = (id: string) => ResultRead | Promise<ResultRead>;

/** Reads the row of a result; a database that is away may be back a moment later. */
function createReadRow(
  store: Pick<Services["store"], "badgeRow">,
  onFault: (error: unknown) => void,
): ReadRow {
  return (id) => {
    const read = store.badgeRow(id);
    if (!(read instanceof Promise)) return read;
    return read.catch((error) => {
      if (!(error instanceof StoreUnavailable)) onFault(error);
      return { state: "checking", id };
    });
  };
}

/** Makes cards of stored results; null: the report isn't at hand now. */
function createCards(
  store: Pick<Services["store"], "report">,
  onFault: (error: unknown) => void,
): (result: StoredResult, options: BadgeOptions) => Promise<Badge | null> {
  const cards = new LRUCache<string, Known>({ max: CARDS });
  return async ({ id, revision }, options) => {
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
  };
}
