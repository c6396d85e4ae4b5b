/** `/api/feed`: upgrades and exposures as a JSON Feed 1.1. */
import { Hono } from "hono";
import { feed } from "./representations.ts";
import { readPaging } from "../http/query.ts";
import { replyJson } from "../http/reply.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";

export function feedRoutes({ store, publicUrl }: Services): Hono {
  const app = new Hono();
  app.get("/api/feed", async (c) => {
    const page = await store.feed(readPaging(c));
    return replyJson(c.req.raw, feed(siteOf(publicUrl, c.req.url), page), {
      type: "application/feed+json",
      cache: "no-cache",
      etag: true,
    });
  });
  return app;
}
