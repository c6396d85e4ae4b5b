/**
 * Badges, as README pages embed them: `/badge/:id`, `/badge/session/:sessionId` and `/badge?url=…`,
 * each as `.svg`, `.png` and `.json`. Source: docs/architecture.md, "Badge wording" and "Caching".
 *
 * A request goes through serve.ts, which asks lookup.ts what there is to say, drawable.ts for the
 * badge of that, and badge_cache.ts for the response. What is remembered on that way stands in
 * context.ts.
 */
import { type Context, Hono } from "hono";
import { FORMATS } from "../../lib/badge/render.ts";
import { addressesOf } from "../table.ts";
import { type Named, namedIn } from "./address.ts";
import type { BadgeContext } from "./context.ts";
import { findByUrl, findOfSession, findResult } from "./lookup.ts";
import { type Find, serveBadge } from "./serve.ts";

/** The routes of badges; whatever is asked for, the response is an image with status 200. */
export function badgeRoutes(context: BadgeContext): Hono {
  const app = new Hono();
  app.on("GET", ["/badge/session/:file", "/badge/session/:file/"], (c) => {
    const named = namedIn(c.req.url);
    const find: Find = ({ asked }) => findOfSession(context, c, named.name, asked);
    return serveBadge(context, c, named, find);
  });

  app.on("GET", ["/badge/:file", "/badge/:file/"], (c) => {
    const named = namedIn(c.req.url);
    return serveBadge(context, c, named, () => findResult(context, named.name.toLowerCase()));
  });

  const serveByUrl = (c: Context, named: Pick<Named, "format" | "otherFormat">) => {
    const find: Find = ({ query }) => findByUrl(context, c, query.get("url"));
    return serveBadge(context, c, named, find);
  };

  for (const format of FORMATS) {
    app.on("GET", addressesOf(format), (c) => serveByUrl(c, { format, otherFormat: false }));
  }
  // Other spellings of an extension (`Svg`), and extensions of no format, which stand for the SVG.
  app.on("GET", ["/:file{badge\\.[^/]+}", "/:file{badge\\.[^/]+}/"], (c) => {
    return serveByUrl(c, namedIn(c.req.url));
  });

  // An image proxy shows a broken picture for any error, so every other address has a badge too.
  app.on("GET", ["/badge/*", "/:rest{badge\\..+}"], (c) => {
    return serveBadge(context, c, namedIn(c.req.url), () => {
      return Promise.resolve({ standing: "not found" });
    });
  });
  return app;
}
