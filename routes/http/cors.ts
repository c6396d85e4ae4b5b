/** What pages of other sites may ask of the API through a visitor's browser. */
import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { isReadableElsewhere } from "../table.ts";

const allow = cors({
  origin: "*",
  allowMethods: (_origin, c) => [
    "GET",
    "HEAD",
    ...(isReadableElsewhere("POST", c.req.path) ? ["POST"] : []),
  ],
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
 * Everybody may read, without credentials. `POST /api/verify` is a read too: it stores nothing, and
 * tools in a browser check documents with it. Storing a document and publishing a pool are no reads:
 * any page could do that in its visitors' name and on their limits. A browser asks first (the content
 * types taken here make it), gets no permission, and sends nothing. Such tools send people to the
 * service's own forms, or go through a server of their own.
 */
export const readableElsewhere: MiddlewareHandler = (c, next) =>
  isRead(c) ? allow(c, next) : next();

function isRead(c: Context): boolean {
  const { method, path } = c.req;
  const asked = method === "OPTIONS" ? c.req.header("access-control-request-method") : method;
  // A missing permission for POST in the list of methods would not be enough, because browsers grant
  // that method themselves.
  return asked !== undefined && isReadableElsewhere(asked, path);
}
