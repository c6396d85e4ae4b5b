/**
 * Badges over HTTP: each is drawn once, encoded once a coding, and remembered. Source:
 * docs/architecture.md, "Caching".
 *
 * Whatever goes wrong, the response is a badge: what can't be drawn is said in plain text, still as an
 * image.
 */
import { LRUCache } from "lru-cache";
import { type SingleFlight, singleFlight } from "../../lib/async/single_flight.ts";
import { type Badge, messageText, OWN_LABELS, standingBadge } from "../../lib/badge/model.ts";
import { type Renderer, RendererBusy } from "../../lib/badge/renderer.ts";
import {
  type Format,
  renderBadge,
  type RenderedBadge,
  type RenderOptions,
} from "../../lib/badge/render.ts";
import { escapeXml } from "../../lib/badge/text.ts";
import type { Drawings } from "../../lib/store/drawings.ts";
import { type Coding, codingFor, encode } from "../http/encoding.ts";
import { render, type Rendered, send } from "../http/reply.ts";
import { CACHE_SECONDS } from "../http/badge_bounds.ts";
import type { BadgeQuery } from "./query.ts";

/** Bytes of drawn badges that are remembered. */
const CACHED_BYTES = 16 * 1024 * 1024;

const HEADERS = {
  "x-content-type-options": "nosniff",
  // Whatever an SVG shown by itself could hold, nothing of it is loaded or run.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, touchstone-state",
};

export interface ServeOptions extends Omit<BadgeQuery, "label"> {
  format: Format;
  /** The code of what went wrong, as the API has it, for `Touchstone-State`; null: nothing did. */
  code?: string | null;
  /** Seconds after which the badge says something else; absent: nothing is known of that. */
  turnsIn?: number;
  /**
   * Charges for drawing a badge that isn't remembered. Null: admitted; otherwise the headers of the
   * response that says to come back.
   */
  admit?: (tokens: number) => Record<string, string> | null;
}

/** Answers a request with one badge, out of memory. */
export type Responder = (request: Request) => Response;

/** A drawn badge, with what was encoded of it so far. */
interface Drawn {
  type: string;
  body: Uint8Array<ArrayBuffer>;
  encodings: Map<Coding, Rendered>;
}

/** What drawing and remembering badges needs. */
export interface BadgeCache {
  /** Drawn badges by {@link keyOf}. */
  drawn: LRUCache<string, Drawn>;
  /** Badges that are being drawn, by the same key: who comes meanwhile waits for that drawing. */
  drawing: SingleFlight<string, Drawn>;
  /** Draws a badge that isn't remembered. */
  draw: Renderer["render"];
  /** What other processes have drawn; null: nothing is known of that. */
  drawings: Drawings | null;
  /** Told of what could not be drawn. */
  onFault: (error: unknown) => void;
}

/** A cache in which nothing is drawn yet. */
export function createBadgeCache(
  onFault: (error: unknown) => void,
  draw: Renderer["render"] = renderBadge,
  drawings: Drawings | null = null,
): BadgeCache {
  const drawn = new LRUCache<string, Drawn>({
    maxSize: CACHED_BYTES,
    // The encodings together are never larger than the body once more.
    sizeCalculation: ({ body }, key) => 2 * (body.length + key.length) + 1024,
  });
  return { drawn, drawing: singleFlight(), draw, drawings, onFault };
}

/**
 * Answers a request with a badge: 304 where the client has these bytes, the headers alone for HEAD,
 * in the coding that the client prefers. Never rejects.
 */
export async function sendBadge(
  cache: BadgeCache,
  request: Request,
  badge: Badge,
  options: ServeOptions,
): Promise<Response> {
  try {
    return responderOf(await drawOnce(cache, badge, options), badge, options)(request);
  } catch (error) {
    if (error instanceof Refused) {
      return await sendBusy(cache, request, options.format, error.headers);
    }
    if (error instanceof RendererBusy) {
      const headers = { "retry-after": `${error.retryAfter}` };
      return await sendBusy(cache, request, options.format, headers);
    }
    cache.onFault(error);
    const plain = { ...badge, transient: true };
    return responderOf(drawnOf(plainSvg(badge)), plain, options)(request);
  }
}

/** Answers a client that asks for too much: `checking`, which nobody caches, and `headers`. */
export async function sendBusy(
  cache: BadgeCache,
  request: Request,
  format: Format,
  headers: Record<string, string>,
): Promise<Response> {
  const badge = standingBadge("checking");
  // Drawn once, and without asking for leave: this badge is needed when nothing else can be drawn.
  const options: ServeOptions = { format, cacheSeconds: CACHE_SECONDS.least };
  let respond: Responder;
  try {
    respond = responderOf(await drawOnce(cache, badge, options), badge, options);
  } catch (error) {
    if (!(error instanceof RendererBusy)) cache.onFault(error);
    respond = responderOf(drawnOf(plainSvg(badge)), badge, options);
  }
  const response = respond(request);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/**
 * The function that answers with a badge, for requests that are known to mean this one; null: the
 * badge isn't drawn, or its state passes.
 */
export function rememberedBadge(
  { drawn }: BadgeCache,
  badge: Badge,
  options: ServeOptions,
): Responder | null {
  const known = drawn.get(keyOf(badge, options));
  return known === undefined || badge.transient ? null : responderOf(known, badge, options);
}

/**
 * The badge as it was drawn, or as it will be in a moment.
 *
 * @throws {Refused} when drawing it isn't admitted.
 * @throws {RendererBusy}
 */
export function drawOnce(
  cache: BadgeCache,
  badge: Badge,
  options: ServeOptions,
): Drawn | Promise<Drawn> {
  const { drawn, drawing } = cache;
  const key = keyOf(badge, options);
  const known = drawn.get(key);
  if (known !== undefined) return known;
  if (!drawing.has(key)) {
    const tokens = costOf(options);
    const refused = tokens === 0 ? null : options.admit?.(tokens) ?? null;
    if (refused !== null) throw new Refused(refused);
  }
  return drawing.run(key, async () => {
    const result = drawnOf(await draw(cache, key, badge, options));
    drawn.set(key, result);
    return result;
  }).result;
}

async function draw(
  cache: BadgeCache,
  key: string,
  badge: Badge,
  options: ServeOptions,
): Promise<RenderedBadge> {
  const look = lookOf(options);
  // There is nothing to be drawn in JSON.
  if (options.format === "json") return await renderBadge(badge, look);
  // A label is anybody's text, and what is drawn for one person is stored for nobody else.
  const isCommon = (OWN_LABELS as readonly string[]).includes(badge.label);
  const stored = isCommon ? await cache.drawings?.get(key) : null;
  if (stored) return stored;
  const made = await cache.draw(badge, look);
  if (isCommon) cache.drawings?.put(key, made);
  return made;
}

/** Drawing isn't admitted; with the headers of the response. */
class Refused extends Error {
  override readonly name = "Refused";
  constructor(readonly headers: Record<string, string>) {
    super("too many badges are to be drawn");
  }
}

/** What drawing costs, in tokens of some 3 ms. */
function costOf({ format, style, scale = 1 }: ServeOptions): number {
  if (format === "json") return 0;
  return (style === "card" ? 8 : 1) + (format === "png" ? 4 * scale : 0);
}

/** The options that drawing depends on; the others can't go to a worker. */
function lookOf({ format, style, theme, scale, cacheSeconds }: ServeOptions): RenderOptions {
  return { format, style, theme, scale, cacheSeconds };
}

function drawnOf({ body, type }: RenderedBadge): Drawn {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { type, body: bytes, encodings: new Map() };
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

function responderOf(
  { type, body, encodings }: Drawn,
  { transient, state }: Badge,
  { cacheSeconds, turnsIn = Infinity, code = null }: ServeOptions,
): Responder {
  // A PNG is compressed already.
  const isText = type !== "image/png";
  const cache = transient ? "no-store" : cacheControl(cacheSeconds, turnsIn);
  const lasting = cache !== "no-store";
  const finished = new Map<Coding, { rendered: Rendered; response: Response }>();
  return (request) => {
    const coding = isText ? codingFor(request.headers.get("accept-encoding")) : "identity";
    let known = finished.get(coding);
    if (known === undefined) {
      const encoded = encodings.get(coding) ?? encodedAs(coding, body, type);
      encodings.set(coding, encoded);
      // An image proxy that has seen a passing state has to ask again, and not for the same bytes.
      const { etag, ...headers } = encoded.headers;
      const rendered = {
        ...encoded,
        // Image proxies turn any other status into a broken picture.
        status: 200,
        headers: {
          ...headers,
          ...(lasting && { etag: etag! }),
          "cache-control": cache,
          "touchstone-state": code === null ? state : `${state}; code=${code}`,
        },
      };
      known = { rendered, response: new Response(rendered.body, rendered) };
      finished.set(coding, known);
    }
    const isPlain = request.method === "GET" && !request.headers.has("if-none-match");
    // Copying a response takes a third of the time of making another one.
    return isPlain ? known.response.clone() : send(request, known.rendered);
  };
}

/** Seconds that a badge may be shown once more, while it is asked for again. */
const GRACE_SECONDS = 60;

/** How long a badge may be cached: never until it says something else, whatever is asked for. */
function cacheControl(cacheSeconds: number, turnsIn: number): string {
  const shown = Math.min(cacheSeconds + GRACE_SECONDS, Math.floor(turnsIn));
  if (shown < 1) return "no-store";
  const maxAge = Math.min(cacheSeconds, shown);
  const grace = shown > maxAge ? `, stale-while-revalidate=${shown - maxAge}` : "";
  return `public, max-age=${maxAge}${grace}`;
}

function encodedAs(coding: Coding, body: Uint8Array<ArrayBuffer>, type: string): Rendered {
  return render(encode(body, coding), {
    type,
    etag: true,
    headers: {
      ...HEADERS,
      ...(type !== "image/png" && { vary: "accept-encoding" }),
      ...(coding !== "identity" && { "content-encoding": coding }),
    },
  });
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
