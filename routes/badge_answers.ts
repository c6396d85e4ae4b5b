/** Badges over HTTP: drawn once, prepared once an encoding, kept in memory. Source: design.md, "Caching". */
import { LRUCache } from "lru-cache";
import { type Badge, messageText } from "../lib/badge/model.ts";
import { type Format, renderBadge, type RenderedBadge } from "../lib/badge/render.ts";
import { escapeXml } from "../lib/badge/text.ts";
import type { BadgeQuery } from "./badge_query.ts";
import { type Coding, codingFor, encode } from "./encoding.ts";
import { render, type Rendered, send } from "./reply.ts";

/** Rendered badges kept in memory, in bytes. */
const CACHED_BYTES = 16 * 1024 * 1024;

const HEADERS = {
  "x-content-type-options": "nosniff",
  // Whatever an SVG shown by itself could hold, nothing of it is loaded or run.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag",
};

export interface ServeOptions extends Omit<BadgeQuery, "label"> {
  format: Format;
  /** 404: what the badge is of doesn't exist. */
  status?: 200 | 404;
}

/**
 * Answers a request with a badge: 304 where the client has these bytes, the headers alone for HEAD,
 * in the coding that the client prefers. Never rejects: what can't be drawn is said in plain text,
 * still as an image.
 */
export type ServeBadge = (
  request: Request,
  badge: Badge,
  options: ServeOptions,
) => Promise<Response>;

/** A drawn badge; by coding what was sent so far. */
interface Drawn {
  type: string;
  body: Uint8Array<ArrayBuffer>;
  answers: Map<Coding, Rendered>;
}

/**
 * Makes the function that answers with badges.
 *
 * @param draw renders a badge that isn't remembered.
 * @param onFault told of what could not be drawn.
 */
export function createBadgeServer(
  onFault: (error: unknown) => void,
  draw: typeof renderBadge = renderBadge,
): ServeBadge {
  const drawn = new LRUCache<string, Drawn>({
    maxSize: CACHED_BYTES,
    // The codings together are never larger than the body again.
    sizeCalculation: ({ body }, key) => 2 * (body.length + key.length) + 1024,
  });
  const drawing = new Map<string, Promise<Drawn>>();

  /** Requests that come while a badge is drawn wait for that one drawing. */
  function drawOnce(badge: Badge, options: ServeOptions): Drawn | Promise<Drawn> {
    const key = keyOf(badge, options);
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const pending = drawing.get(key);
    if (pending !== undefined) return pending;
    const made = draw(badge, options).then(drawnOf).then((result) => {
      drawn.set(key, result);
      return result;
    }).finally(() => drawing.delete(key));
    drawing.set(key, made);
    return made;
  }

  return async (request, badge, options) => {
    try {
      return answer(request, await drawOnce(badge, options), badge, options);
    } catch (error) {
      onFault(error);
      const plain = { ...badge, transient: true };
      return answer(request, drawnOf(plainSvg(badge)), plain, options);
    }
  };
}

function drawnOf({ body, type }: RenderedBadge): Drawn {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { type, body: bytes, answers: new Map() };
}

/** Everything that the drawing depends on, and nothing else: results that read alike share one. */
function keyOf(badge: Badge, options: ServeOptions): string {
  const { label, message, tone, title, card } = badge;
  const { format, style, theme, scale, cacheSeconds } = options;
  if (format === "json") return JSON.stringify([format, label, message, tone, cacheSeconds]);
  return JSON.stringify([
    [format, style, format === "png" ? scale : null],
    [label, message, tone, title],
    style === "card" ? [theme, card] : null,
  ]);
}

function answer(
  request: Request,
  { type, body, answers }: Drawn,
  { transient }: Badge,
  { status = 200, cacheSeconds }: ServeOptions,
): Response {
  // A PNG is compressed already.
  const isText = type !== "image/png";
  const coding = isText ? codingFor(request.headers.get("accept-encoding")) : "identity";
  let prepared = answers.get(coding);
  if (prepared === undefined) {
    prepared = render(encode(body, coding), {
      type,
      etag: true,
      headers: {
        ...HEADERS,
        ...(isText && { vary: "accept-encoding" }),
        ...(coding !== "identity" && { "content-encoding": coding }),
      },
    });
    answers.set(coding, prepared);
  }
  if (status === 200 && !transient) {
    const cache = `public, max-age=${cacheSeconds}, stale-while-revalidate=86400`;
    return send(request, {
      ...prepared,
      headers: { ...prepared.headers, "cache-control": cache },
    });
  }
  // An image proxy that has seen this once has to ask again, and not for the same.
  const { etag: _, ...headers } = prepared.headers;
  return send(request, { ...prepared, status, headers });
}

/** For the one case that nothing can be drawn: text in whatever font the reader has. */
function plainSvg(badge: Badge): RenderedBadge {
  const text = escapeXml(messageText(badge));
  return {
    type: "image/svg+xml",
    body: `<svg xmlns="http://www.w3.org/2000/svg" width="360" height="20" role="img" ` +
      `aria-label="${text}"><title>${text}</title><rect width="360" height="20" fill="#5c6573"/>` +
      `<text x="8" y="14" fill="#ffffff" font-family="sans-serif" font-size="11">${text}</text></svg>`,
  };
}
