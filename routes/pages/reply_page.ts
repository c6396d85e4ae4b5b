/** Sends pages. */
import type { Context } from "hono";
import { reply, retryHeaders } from "../http/reply.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";
import type { Page } from "./views/layout.tsx";

interface PageOptions {
  status?: number;
  cache?: string;
  etag?: boolean;
  /** Seconds after which the same request may succeed; null: nothing is said about it. */
  retryAfter?: number | null;
}

/** Headers of a page that changes only with what the service knows: it may be stored, and asked for again. */
export const REVALIDATED: PageOptions = { cache: "no-cache", etag: true };

/**
 * A response with the page in its frame. The views and what renders them are loaded with the first
 * page, because a process that only sends badges needs none of them.
 */
export async function replyPage(
  c: Context,
  { publicUrl }: Pick<Services, "publicUrl">,
  page: Page,
  { retryAfter = null, ...options }: PageOptions = {},
): Promise<Response> {
  const { renderPage } = await import("./views/layout.tsx");
  const text = await renderPage(siteOf(publicUrl, c.req.url), page);
  return reply(c.req.raw, text, {
    type: "text/html; charset=utf-8",
    headers: retryHeaders(retryAfter),
    ...options,
  });
}
