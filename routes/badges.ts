/**
 * `/badge/:id.svg|.png|.json`: the badge of a stored result, as README pages embed it.
 * Source: design.md, "Caching".
 */
import { type Context, Hono } from "hono";
import { LRUCache } from "lru-cache";
import { cardOf, type CardSubject, cardSubject } from "../lib/badge/card.ts";
import { type Badge, badgeOf, type BadgeOptions, standingBadge } from "../lib/badge/model.ts";
import { type Format, FORMATS } from "../lib/badge/render.ts";
import { isHex64 } from "../lib/encoding/hex.ts";
import { type ResultRead, type StoredResult, StoreUnavailable } from "../lib/store/store.ts";
import { createBadgeServer } from "./badge_answers.ts";
import { badgeQuery } from "./badge_query.ts";
import type { Services } from "./services.ts";

/** Results whose cards are remembered. */
const CARDS = 1_000;

/** What a card is made of, and the revision of the result that it says. */
interface Known {
  revision: string;
  subject: CardSubject;
}

export function badgeRoutes({ store, onFault }: Services): Hono {
  const app = new Hono();
  const serveBadge = createBadgeServer(onFault);
  const cards = new LRUCache<string, Known>({ max: CARDS });

  app.get("/badge/:file", async (c: Context) => {
    const file = c.req.param("file") ?? "";
    const dot = file.lastIndexOf(".");
    const format = file.slice(dot + 1);
    if (dot < 0 || !isFormat(format)) return c.notFound();
    const { label, ...look } = badgeQuery(queryOf(c.req.url));
    const read = await readRow(file.slice(0, dot));
    const isCard = look.style === "card" && format !== "json";
    const badge = await badgeOfRead(read, isCard, { label });
    const status = read.state === "unknown" ? 404 : 200;
    return await serveBadge(c.req.raw, badge, { ...look, format, status });
  });

  async function readRow(id: string): Promise<ResultRead> {
    if (!isHex64(id)) return { state: "unknown" };
    try {
      return await store.badgeRow(id);
    } catch (error) {
      // Image proxies keep an error for as long as they like; a passing state they ask for again.
      if (!(error instanceof StoreUnavailable)) onFault(error);
      return { state: "checking", id };
    }
  }

  async function badgeOfRead(
    read: ResultRead,
    isCard: boolean,
    options: BadgeOptions,
  ): Promise<Badge> {
    const { label } = options;
    switch (read.state) {
      case "unknown":
        return standingBadge("not found", { label });
      case "checking":
        return standingBadge("checking", { label, link: `/r/${read.id}` });
      case "removed":
        return standingBadge("gone", { label, link: `/r/${read.tombstone.id}` });
      case "current":
        return isCard ? await cardOfResult(read.result, options) : badgeOf(read.result, options);
    }
  }

  async function cardOfResult(result: StoredResult, options: BadgeOptions): Promise<Badge> {
    const { id, revision } = result;
    const known = cards.get(id);
    if (known?.revision === revision) return cardOf(known.subject, options);
    try {
      const read = await store.report(id);
      if (read.state === "current") {
        const subject = cardSubject(read.report);
        cards.set(id, { revision: read.result.revision, subject });
        return cardOf(subject, options);
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) onFault(error);
    }
    // Being made again, or away: what the row says is right, but a card says more.
    return standingBadge("checking", { label: options.label, link: `/r/${id}` });
  }
  return app;
}

/** Not by `URL`: a Host header that names no host leaves an address that is none. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : url.slice(at));
}

function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}
