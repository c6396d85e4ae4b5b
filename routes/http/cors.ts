/** What pages of other sites may ask of the API through a visitor's browser. */
import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

const VERIFY = "/api/verify";

const allow = cors({
  origin: "*",
  allowMethods: (_origin, c) => ["GET", "HEAD", ...(c.req.path === VERIFY ? ["POST"] : [])],
  allowHeaders: ["content-type", "if-none-match", "last-event-id"],
  exposeHeaders: [
    "age",
    "cache-status",
    "etag",
    "link",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "touchstone-state",
  ],
  maxAge: 86_400,
});

/**
 * Reads are for everybody, without credentials. `POST /api/verify` is one of them: it stores
 * nothing, and tools in a browser check documents with it. Storing a document and publishing a pool
 * are not, or any page could do it in its visitors' name and on their limits: a browser asks first
 * (the content types taken here make it), gets no permission, and sends nothing. Such tools send
 * people to the service's own forms, or go through a server of their own.
 */
export const readableElsewhere: MiddlewareHandler = (c, next) =>
  isRead(c) ? allow(c, next) : next();

function isRead(c: Context): boolean {
  const { method, path } = c.req;
  // The page that describes the API matches `/api/*` as well.
  if (!path.startsWith("/api/") && !/^\/badge(?:[/.]|$)/.test(path)) return false;
  const asked = method === "OPTIONS" ? c.req.header("access-control-request-method") : method;
  // A missing permission for POST in the list of methods would not be enough: browsers grant that
  // one themselves.
  return asked === "GET" || asked === "HEAD" || path === VERIFY;
}
