/** `/verify?url=…`: the page of what a URL gives, and a button to look again. */
import { type Context, Hono } from "hono";
import type { LinkView } from "../../lib/links/links.ts";
import { trustOf } from "../../lib/words/signer.ts";
import { REVISION } from "../../lib/verify/version.ts";
import { isoTime } from "../api/representations.ts";
import { failureProblem, goneProblem } from "../api/link_representations.ts";
import { asking, requireLink } from "../api/links.ts";
import { requireOwnOrigin } from "../http/origin.ts";
import { askedQuery, pageAsked, withPools } from "./page_asked.ts";
import { ProblemError, PROBLEMS } from "../http/problems.ts";
import { replyPage } from "./reply_page.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";

export function linkPageRoutes(services: Services): Hono {
  const { store, links, registry, publicUrl } = services;
  const trust = trustOf(registry);
  const app = new Hono();

  async function storyOf(link: LinkView) {
    return { link, history: await links!.history(link) };
  }

  async function problemPage(c: Context, error: ProblemError, link: LinkView | null) {
    const { linkProblemPage } = await import("./views/link.ts");
    const { status, title } = PROBLEMS[error.code];
    const problem = { title, status, detail: error.message };
    const story = link === null ? null : await storyOf(link);
    const query = askedQuery(c, pageAsked(c, services));
    const page = linkProblemPage(siteOf(publicUrl, c.req.url), problem, story, query);
    return await replyPage(c, services, page, { status, retryAfter: error.retryAfter });
  }

  app.get("/verify", async (c, next) => {
    if (c.req.query("url") === undefined) return await next();
    const site = siteOf(publicUrl, c.req.url);
    try {
      const { url, own, links } = requireLink(c, services);
      const result = await asking(() => links.verify(url, { own, client: services.clientOf(c) }));
      const { link } = result;
      if (result.state === "failed") {
        return await problemPage(c, failureProblem(site, result.failure, link), link);
      }
      const { goneLinkPage, linkHtml, sourceHtml } = await import("./views/link.ts");
      const story = await storyOf(link);
      if (result.state === "gone") {
        const { status } = PROBLEMS[goneProblem(site, link).code];
        return await replyPage(c, services, goneLinkPage(site, story), { status });
      }
      const { checkedPage } = await import("./views/result.ts");
      const { checked, keepable } = result.checked;
      const page = await checkedPage(site, {
        documents: await withPools(store, checked),
        keepable: link.documents[0]?.kept ? null : keepable,
        checked: { at: isoTime(services.now()), revision: REVISION },
        asked: pageAsked(c, services),
        trust,
        around: { before: sourceHtml(story), after: linkHtml(site, story) },
      });
      return await replyPage(c, services, page);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return await problemPage(c, error, null);
    }
  });

  app.post("/verify", requireOwnOrigin(publicUrl), async (c, next) => {
    if (c.req.query("url") === undefined) return await next();
    try {
      const { url, own, links } = requireLink(c, services);
      await asking(() => links.refresh(url, { own, client: services.clientOf(c) }));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return await problemPage(c, error, null);
    }
    // The page that the button is on, which knows more by now.
    const { search } = new URL(c.req.url);
    return c.redirect(`${siteOf(publicUrl, c.req.url).path}/verify${search}`, 303);
  });
  return app;
}
