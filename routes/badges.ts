/**
 * `/badge/:id.svg|.png|.json`: the badge of a stored result, as README pages embed it.
 * Source: design.md, "Caching".
 */
import { type Context, Hono } from "hono";
import { type Badge, badgeOf, checkingBadge, notFoundBadge } from "../lib/badge/model.ts";
import { renderPng } from "../lib/badge/png.ts";
import { shieldsOf } from "../lib/badge/shields.ts";
import { renderSvg } from "../lib/badge/svg.tsx";
import { isHex64 } from "../lib/encoding/hex.ts";
import { Cache } from "../lib/store/cache.ts";
import { StoreUnavailable } from "../lib/store/retry.ts";
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

export function badgeRoutes({ results }: Services): Hono {
  const app = new Hono();
  const rendered = new Cache<Rendered>(CACHED_BYTES);

  app.get("/badge/:file", async (c: Context) => {
    const file = c.req.param("file") ?? "";
    const known = rendered.get(file);
    if (known !== undefined) return send(c.req.raw, known);

    const dot = file.lastIndexOf(".");
    const format = file.slice(dot + 1);
    if (dot < 0 || !isFormat(format)) return c.notFound();
    const { badge, found } = await badgeFor(file.slice(0, dot));
    const answer = await renderBadge(badge, found, format);
    if (found && !badge.transient) rendered.set(file, answer, answer.body.length + 1024);
    return send(c.req.raw, answer);
  });

  async function badgeFor(id: string): Promise<{ badge: Badge; found: boolean }> {
    try {
      const report = isHex64(id) ? await results.report(id) : null;
      if (report === null) return { badge: notFoundBadge(), found: false };
      return { badge: badgeOf(report), found: true };
    } catch (error) {
      // Image proxies keep an error for as long as they like; a passing state they ask for again.
      if (error instanceof StoreUnavailable) return { badge: checkingBadge(), found: true };
      throw error;
    }
  }
  return app;
}

async function renderBadge(badge: Badge, found: boolean, format: Format): Promise<Rendered> {
  const { type, content } = FORMATS[format];
  const stable = found && !badge.transient;
  return render(await content(badge), {
    type,
    status: found ? 200 : 404,
    headers: HEADERS,
    ...(stable ? { cache: CACHE, etag: true } : {}),
  });
}

function isFormat(text: string): text is Format {
  return Object.hasOwn(FORMATS, text);
}
