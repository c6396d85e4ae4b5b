/** Answers with pages. */
import type { Context } from "hono";
import { type Page, renderPage } from "./views/layout.ts";
import { reply, retryHeaders } from "../http/reply.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";

export interface PageOptions {
  status?: number;
  cache?: string;
  etag?: boolean;
  /** Seconds after which the same request may succeed; null: nothing is said about it. */
  retryAfter?: number | null;
}

/** Bytes of an answer with HTML. */
export async function replyPage(
  c: Context,
  { publicUrl }: Pick<Services, "publicUrl">,
  page: Page,
  { retryAfter = null, ...options }: PageOptions = {},
): Promise<Response> {
  const text = await renderPage(siteOf(publicUrl, c.req.url), page);
  return reply(c.req.raw, text, {
    type: "text/html; charset=utf-8",
    headers: retryHeaders(retryAfter),
    ...options,
  });
}
