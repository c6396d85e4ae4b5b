/** Badges over HTTP: drawn once, prepared once an encoding, kept in memory. Source: docs/architecture.md, "Caching". */
import { LRUCache } from "lru-cache";
import { type Badge, messageText, OWN_LABELS, standingBadge } from "../../lib/badge/model.ts";
import {
  type Format,
  renderBadge,
  type RenderedBadge,
  type RenderOptions,
} from "../../lib/badge/render.ts";
import { escapeXml } from "../../lib/badge/text.ts";
import type { Drawings } from "../../lib/store/drawings.ts";
import { join, share, type Shared } from "../../lib/workers/asker.ts";
import { QueueFull } from "../../lib/workers/workers.ts";
import { type BadgeQuery, CACHE_SECONDS } from "./query.ts";
import { type Coding, codingFor, encode } from "../http/encoding.ts";
import { render, type Rendered, send } from "../http/reply.ts";

/** Rendered badges kept in memory, in bytes. */
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
   * answer that says to come back.
   */
  admit?: (tokens: number) => Record<string, string> | null;
}

/**
 * Answers a request with a badge: 304 where the client has these bytes, the headers alone for HEAD,
 * in the coding that the client prefers. Never rejects: what can't be drawn is said in plain text,
 * still as an image.
 */
export interface ServeBadge {
  (request: Request, badge: Badge, options: ServeOptions): Promise<Response>;
  /**
   * The function that answers with this badge, for requests that are known to mean it; null: it
   * isn't drawn, or not for long.
   */
  remembered(badge: Badge, options: ServeOptions): Answer | null;
  /** Draws a badge, so that it is at hand when it is asked for. Rejects when it can't be drawn now. */
  prepare(badge: Badge, options: ServeOptions): Promise<void>;
  /** Answers a client that asks for too much: `checking`, which nobody keeps, and `headers`. */
  busy(request: Request, format: Format, headers: Record<string, string>): Promise<Response>;
}

/** Answers a request with one badge, out of memory. */
export type Answer = (request: Request) => Response;

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
 * @param drawings what other processes have drawn.
 * @param onFault told of what could not be drawn.
 */
export function createBadgeServer(
  onFault: (error: unknown) => void,
  draw: (badge: Badge, options: RenderOptions) => Promise<RenderedBadge> = renderBadge,
  drawings: Drawings | null = null,
): ServeBadge {
  const drawn = new LRUCache<string, Drawn>({
    maxSize: CACHED_BYTES,
    // The codings together are never larger than the body again.
    sizeCalculation: ({ body }, key) => 2 * (body.length + key.length) + 1024,
  });
  const drawing = new Map<string, Shared<Drawn>>();

  /** Requests that come while a badge is drawn wait for that one drawing. */
  function drawOnce(badge: Badge, options: ServeOptions): Drawn | Promise<Drawn> {
    const key = keyOf(badge, options);
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const pending = drawing.get(key);
    if (pending !== undefined) return join(pending);
    const tokens = costOf(options);
    const refused = tokens === 0 ? null : options.admit?.(tokens) ?? null;
    if (refused !== null) throw new Refused(refused);
    const made = share(() =>
      make(key, badge, options).then((rendered) => {
        const result = drawnOf(rendered);
        drawn.set(key, result);
        return result;
      }).finally(() => drawing.delete(key))
    );
    drawing.set(key, made);
    return made.promise;
  }

  async function make(key: string, badge: Badge, options: ServeOptions): Promise<RenderedBadge> {
    const look = lookOf(options);
    // There is nothing to be drawn.
    if (options.format === "json") return await renderBadge(badge, look);
    // A label is anybody's text: what is drawn for one person is kept for nobody else.
    const isCommon = (OWN_LABELS as readonly string[]).includes(badge.label);
    const kept = isCommon ? await drawings?.get(key) : null;
    if (kept) return kept;
    const made = await draw(badge, look);
    if (isCommon) drawings?.put(key, made);
    return made;
  }

  async function ready(badge: Badge, options: ServeOptions): Promise<Answer> {
    return answerWith(await drawOnce(badge, options), badge, options);
  }

  async function serve(request: Request, badge: Badge, options: ServeOptions): Promise<Response> {
    try {
      return (await ready(badge, options))(request);
    } catch (error) {
      if (error instanceof Refused) return await busy(request, options.format, error.headers);
      if (error instanceof QueueFull) {
        return await busy(request, options.format, { "retry-after": "2" });
      }
      onFault(error);
      const plain = { ...badge, transient: true };
      return answerWith(drawnOf(plainSvg(badge)), plain, options)(request);
    }
  }

  function remembered(badge: Badge, options: ServeOptions): Answer | null {
    const known = drawn.get(keyOf(badge, options));
    if (known === undefined || badge.transient) return null;
    return answerWith(known, badge, options);
  }

  async function busy(
    request: Request,
    format: Format,
    headers: Record<string, string>,
  ): Promise<Response> {
    const badge = standingBadge("checking");
    // Drawn once, and without asking for leave: it has to be at hand when nothing else is.
    const options: ServeOptions = { format, cacheSeconds: CACHE_SECONDS.least };
    let answer: Answer;
    try {
      answer = await ready(badge, options);
    } catch (error) {
      if (!(error instanceof QueueFull)) onFault(error);
      answer = answerWith(drawnOf(plainSvg(badge)), badge, options);
    }
    const response = answer(request);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }
  async function prepare(badge: Badge, options: ServeOptions): Promise<void> {
    await drawOnce(badge, options);
  }
  return Object.assign(serve, { busy, prepare, remembered });
}

/** Drawing isn't admitted; with the headers of the answer. */
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

function answerWith(
  { type, body, answers }: Drawn,
  { transient, state }: Badge,
  { cacheSeconds, turnsIn = Infinity, code = null }: ServeOptions,
): Answer {
  // A PNG is compressed already.
  const isText = type !== "image/png";
  const cache = transient ? "no-store" : cacheControl(cacheSeconds, turnsIn);
  const lasting = cache !== "no-store";
  const finished = new Map<Coding, { rendered: Rendered; response: Response }>();
  return (request) => {
    const coding = isText ? codingFor(request.headers.get("accept-encoding")) : "identity";
    let known = finished.get(coding);
    if (known === undefined) {
      const prepared = answers.get(coding) ?? prepare(body, type, coding);
      answers.set(coding, prepared);
      // An image proxy that has seen a passing state has to ask again, and not for the same.
      const { etag, ...headers } = prepared.headers;
      const rendered = {
        ...prepared,
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
    // A copy costs a third of making another one.
    return isPlain ? known.response.clone() : send(request, known.rendered);
  };
}

/** Seconds that a badge may be shown once more, while it is asked for again. */
const GRACE_SECONDS = 60;

/** How long a badge may be kept: never until it says something else, whatever is asked for. */
function cacheControl(cacheSeconds: number, turnsIn: number): string {
  const shown = Math.min(cacheSeconds + GRACE_SECONDS, Math.floor(turnsIn));
  if (shown < 1) return "no-store";
  const maxAge = Math.min(cacheSeconds, shown);
  const grace = shown > maxAge ? `, stale-while-revalidate=${shown - maxAge}` : "";
  return `public, max-age=${maxAge}${grace}`;
}

function prepare(body: Uint8Array<ArrayBuffer>, type: string, coding: Coding): Rendered {
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
