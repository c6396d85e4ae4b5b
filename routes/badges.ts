/**
 * `/badge/:id.svg|.png|.json`: the badge of a stored result, as README pages embed it.
 * Source: design.md, "Caching".
 */
import { type Context, Hono } from "hono";
import { LRUCache } from "lru-cache";
import { memo } from "../lib/badge/memo.ts";
import { type Badge, badgeOf, checkingBadge, notFoundBadge } from "../lib/badge/model.ts";
import { renderPng } from "../lib/badge/png.ts";
import { shieldsOf } from "../lib/badge/shields.ts";
import { renderSvg } from "../lib/badge/svg.tsx";
import { isHex64 } from "../lib/encoding/hex.ts";
import { type ResultRead, StoreUnavailable } from "../lib/store/store.ts";
import { render, type Rendered, send } from "./reply.ts";
import type { Services } from "./services.ts";

const FORMATS = {
  svg: { type: "image/svg+xml", content: (badge: Badge) => renderSvg(badge) },
  png: {
    type: "image/png",
    content: async (badge: Badge) => await renderPng(await renderSvg(badge)),
  },
  json: {
    type: "application/json",
    content: (badge: Badge) => Promise.resolve(JSON.stringify(shieldsOf(badge))),
  },
};

type Format = keyof typeof FORMATS;

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

export function badgeRoutes({ store, limits }: Services): Hono {
  const app = new Hono();
  const drawn = new LRUCache<string, Drawn>({ maxSize: CACHED_BYTES });

  app.get("/badge/:file", async (c: Context) => {
    const file = c.req.param("file") ?? "";
    const dot = file.lastIndexOf(".");
    const format = file.slice(dot + 1);
    if (dot < 0 || !isFormat(format)) return c.notFound();
    const refused = limits?.refuseBadge(c) ?? null;
    if (refused !== null) return send(c.req.raw, await busy(format, refused));
    const read = await readRow(file.slice(0, dot));
    if (read.state !== "current") {
      const badge = read.state === "checking" ? checkingBadge() : notFoundBadge();
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

const drawBusy = memo<Rendered>(Object.keys(FORMATS).length);

/**
 * A badge all the same: image proxies keep errors for as long as they like. Nobody keeps this one,
 * and it costs no more than its bytes.
 */
async function busy(format: Format, headers: Record<string, string>): Promise<Rendered> {
  const answer = await drawBusy(format, () => draw(checkingBadge(), format, 200));
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

async function draw(badge: Badge, format: Format, status: 200 | 404): Promise<Rendered> {
  const { type, content } = FORMATS[format];
  return render(await content(badge), {
    type,
    status,
    headers: HEADERS,
    ...(badge.transient ? {} : { cache: CACHE, etag: true }),
  });
}

function isFormat(text: string): text is Format {
  return Object.hasOwn(FORMATS, text);
}
