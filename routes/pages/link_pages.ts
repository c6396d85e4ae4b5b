/** `/verify?url=…`: the page of what a URL gives, and a button that fetches the URL again. */
import { type Context, Hono } from "hono";
import type { Links, LinkView } from "../../lib/links/links.ts";
import { REVISION } from "../../lib/verify/version.ts";
import { trustOf } from "../../lib/words/signer.ts";
import { failureProblem, goneProblem } from "../api/link_representations.ts";
import { asking, requireLink } from "../api/links.ts";
import { isoTime } from "../api/representations.ts";
import { requireOwnOrigin } from "../http/origin.ts";
import { ProblemError, PROBLEMS } from "../http/problems.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";
import { checkedDocuments } from "./checked_documents.ts";
import { askedQuery, pageAsked } from "./page_asked.ts";
import { replyPage } from "./reply_page.ts";
import type { LinkStory } from "./views/parts/link.tsx";

/** Routes of the pages about links. Without `url` the pages with the forms are meant. */
export function linkPageRoutes(services: Services): Hono {
  const app = new Hono();
  app.get("/verify", async (c, next) => {
    if (c.req.query("url") === undefined) return await next();
    return await showLink(c, services);
  });
  app.post("/verify", requireOwnOrigin(services.publicUrl), async (c, next) => {
    if (c.req.query("url") === undefined) return await next();
    return await refreshLink(c, services);
  });
  return app;
}

/** What became of a URL that was asked for. */
type LinkResult = Awaited<ReturnType<Links["verify"]>>;

async function showLink(c: Context, services: Services): Promise<Response> {
  try {
    const { url, own, links } = requireLink(c, services);
    const result = await asking(() => links.verify(url, { own, client: services.clientOf(c) }));
    const story = await storyOf(links, result.link);
    switch (result.state) {
      case "failed": {
        const problem = failureProblem(
          siteOf(services.publicUrl, c.req.url),
          result.failure,
          result.link,
        );
        return await showProblem(c, services, problem, story);
      }
      case "gone":
        return await showGone(c, services, story);
      default:
        return await showDocuments(c, services, result, story);
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return await showProblem(c, services, error, null);
  }
}

async function refreshLink(c: Context, services: Services): Promise<Response> {
  try {
    const { url, own, links } = requireLink(c, services);
    await asking(() => links.refresh(url, { own, client: services.clientOf(c) }));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return await showProblem(c, services, error, null);
  }
  // The page that the button is on, which now shows what the link gave.
  const { search } = new URL(c.req.url);
  return c.redirect(`${siteOf(services.publicUrl, c.req.url).path}/verify${search}`, 303);
}

async function storyOf(links: Links, link: LinkView): Promise<LinkStory> {
  return { link, history: await links.history(link) };
}

async function showDocuments(
  c: Context,
  services: Services,
  result: Extract<LinkResult, { checked: unknown }>,
  story: LinkStory,
): Promise<Response> {
  const { checked, storable } = result.checked;
  const { checkedPage } = await import("./views/checked.tsx");
  const asked = pageAsked(c, services);
  const page = checkedPage(siteOf(services.publicUrl, c.req.url), {
    documents: await checkedDocuments(checked, asked, services),
    storable: story.link.documents[0]?.kept ? null : storable,
    checked: { at: isoTime(services.now()), revision: REVISION },
    asked,
    trust: trustOf(services.registry),
    story,
  });
  return await replyPage(c, services, page);
}

async function showGone(c: Context, services: Services, story: LinkStory): Promise<Response> {
  const site = siteOf(services.publicUrl, c.req.url);
  const { goneLinkPage } = await import("./views/gone_link.tsx");
  const { status } = PROBLEMS[goneProblem(site, story.link).code];
  return await replyPage(c, services, goneLinkPage(site, story), { status });
}

/** The page of a problem with a link; a story of null: nothing is known of the link. */
async function showProblem(
  c: Context,
  services: Services,
  error: ProblemError,
  story: LinkStory | null,
): Promise<Response> {
  const { linkProblemPage } = await import("./views/link_problem.tsx");
  const { status, title } = PROBLEMS[error.code];
  const page = linkProblemPage(siteOf(services.publicUrl, c.req.url), {
    title,
    status,
    detail: error.message,
    story,
    query: askedQuery(c, pageAsked(c, services)),
  });
  return await replyPage(c, services, page, { status, retryAfter: error.retryAfter });
}
