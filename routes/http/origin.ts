/**
 * Whose pages may change something here. The service knows no log-in, but a foreign page could make
 * its visitors publish pools, use up their limits, or reach an instance that only they can.
 *
 * Hono's `csrf` would do, but for what it looks at: form content types only, and its refusal is not
 * a problem of ours.
 */
import type { Context, MiddlewareHandler } from "hono";
import { changesState } from "../table.ts";
import { ProblemError } from "./problems.ts";

/**
 * Lets forms through that come from the service's own pages, and refuses all others (403
 * `origin-refused`): by `Origin`; where that is missing or `null`, which says nothing, the browser
 * must say in `Sec-Fetch-Site` that it is the same. Programs send neither, and have the API.
 */
export function requireOwnOrigin(publicUrl: string | null): MiddlewareHandler {
  return async (c, next) => {
    if (!isOwn(c, publicUrl)) {
      const detail = "the form was not sent by a page of this service; programs use the API";
      throw new ProblemError("origin-refused", detail);
    }
    await next();
  };
}

/**
 * Refuses what would change something where a browser says that a page of another site sends it (403
 * `origin-refused`). Programs say nothing of pages, and pass.
 *
 * Browsers of before those headers ask first (CORS), and get no permission, since the API takes
 * content types alone that they ask about.
 */
export function refuseForeignPages(publicUrl: string | null): MiddlewareHandler {
  return async (c, next) => {
    const site = c.req.header("sec-fetch-site");
    const isForeign = site !== undefined && site !== "same-origin" && site !== "none" ||
      c.req.header("origin") !== undefined && !isOwn(c, publicUrl);
    if (isForeign && changesState(c.req.method, c.req.path)) {
      const detail = "a page of another site asks for this, and may not: nothing was changed";
      throw new ProblemError("origin-refused", detail);
    }
    await next();
  };
}

function isOwn(c: Context, publicUrl: string | null): boolean {
  const header = c.req.header("origin") ?? "null";
  if (header === "null") return c.req.header("sec-fetch-site") === "same-origin";
  const origin = URL.parse(header);
  if (origin === null) return false;
  // Behind a proxy, the public name need not be in the request, nor its scheme in the address here.
  return origin.host === new URL(c.req.url).host ||
    publicUrl !== null && origin.origin === new URL(publicUrl).origin;
}
