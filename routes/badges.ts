/**
 * `/badge/:id.svg|.png|.json`: the badge of a stored result, as README pages embed it.
 * Source: design.md, "Caching".
 */
import { type Context, Hono } from "hono";
import { LRUCache } from "lru-cache";
import { type Badge, badgeOf, standingBadge } from "../lib/badge/model.ts";
import { type Format, FORMATS, renderBadge } from "../lib/badge/render.ts";
import { isHex64 } from "../lib/encoding/hex.ts";
import { type ResultRead, StoreUnavailable } from "../lib/store/store.ts";
import { render, type Rendered, send } from "./reply.ts";
import type { Services } from "./services.ts";

/** Good badges may change when a pool is disclosed, so nobody keeps them for long. */
const CACHE = "public, max-age=300, stale-while-revalidate=86400";

const HEADERS = {
  "x-content-type-options": "nosniff",
  // Whatever an SVG shown by itself could hold, nothing of it is loaded or run.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag",
};

/** Rendered badges kept in memory, in bytes. */
const CACHED_BYTES = 16 * 1024 * 1024;

/** A drawn badge, and the revision of the result that it says. */
interface Drawn {
  revision: string;
  answer: Rendered;
}

export function badgeRoutes({ store }: Services): Hono {
  const app = new Hono();
  const drawn = new LRUCache<string, Drawn>({ maxSize: CACHED_BYTES });

  app.get("/badge/:file", async (c: Context) => {
    const file = c.req.param("file") ?? "";
    const dot = file.lastIndexOf(".");
    const format = file.slice(dot + 1);
    if (dot < 0 || !isFormat(format)) return c.notFound();
    const read = await readRow(file.slice(0, dot));
    if (read.state !== "current") {
      const badge = standingBadge(read.state === "checking" ? "checking" : "not found");
      return send(c.req.raw, await draw(badge, format, read.state === "checking" ? 200 : 404));
    }
    // What a badge says is asked for every time, what it looks like is not.
    const { result } = read;
    const known = drawn.get(file);
    if (known?.revision === result.revision) return send(c.req.raw, known.answer);
    const answer = await draw(badgeOf(result), format, 200);
    const size = answer.body.length + 1024;
    drawn.set(file, { revision: result.revision, answer }, { size });
    return send(c.req.raw, answer);
  });

  async function readRow(id: string): Promise<ResultRead> {
    if (!isHex64(id)) return { state: "unknown" };
    try {
      return await store.badgeRow(id);
    } catch (error) {
      // Image proxies keep an error for as long as they like; a passing state they ask for again.
      if (error instanceof StoreUnavailable) return { state: "checking", id };
      throw error;
    }
  }
  return app;
}

async function draw(badge: Badge, format: Format, status: 200 | 404): Promise<Rendered> {
  const { body, type } = await renderBadge(badge, { format });
  return render(body, {
    type,
    status,
    headers: HEADERS,
    ...(badge.transient ? {} : { cache: CACHE, etag: true }),
  });
}

function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}
