/** Answers with pages. */
import type { Context } from "hono";
import { type Page, renderPage } from "./pages/layout.ts";
import { reply, type ReplyOptions } from "./reply.ts";
import type { Services } from "./services.ts";
import { siteOf } from "./site.ts";

/** Bytes of an answer with HTML. */
export async function replyPage(
  c: Context,
  { publicUrl }: Pick<Services, "publicUrl">,
  page: Page,
  options: Omit<ReplyOptions, "type"> = {},
): Promise<Response> {
  const text = await renderPage(siteOf(publicUrl, c.req.url), page);
  return reply(c.req.raw, text, { type: "text/html; charset=utf-8", ...options });
}
