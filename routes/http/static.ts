/** Files that are served as they are. They come with the code, so no read permission is needed. */
import { Hono } from "hono";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { render, type Rendered, send } from "./reply.ts";
import favicon from "../static/favicon.svg" with { type: "text" };
import style from "../static/style.css" with { type: "text" };

const CACHE = "public, max-age=86400";

let version: string | null = null;

/** Part of the style sheet's address: a changed one is fetched at once. */
export function styleVersion(): string {
  version ??= sha256Hex(style).slice(0, 12);
  return version;
}

const FILES: Record<string, { content: string; type: string }> = {
  "/style.css": { content: style, type: "text/css; charset=utf-8" },
  "/favicon.svg": { content: favicon, type: "image/svg+xml" },
  "/robots.txt": {
    content: "User-agent: *\nDisallow: /api/\nDisallow: /verify\n",
    type: "text/plain; charset=utf-8",
  },
};

export function staticRoutes(): Hono {
  const app = new Hono();
  const rendered = new Map<string, Rendered>();
  for (const [path, { content, type }] of Object.entries(FILES)) {
    app.get(path, (c) => {
      const answer = rendered.get(path) ?? render(content, { type, cache: CACHE, etag: true });
      rendered.set(path, answer);
      return send(c.req.raw, answer);
    });
  }
  return app;
}
