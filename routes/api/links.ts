/**
 * Documents by their URL: `GET /api/verify?url=…` checks them, `POST /api/results?url=…` stores them
 * too, `POST /api/refresh?url=…` looks at the URL now.
 *
 * A page of any site can make a browser send a GET, or a POST of a form's types. So what stores or
 * looks again is a POST of JSON, though it has nothing to say: browsers ask about that type first.
 */
import { type Context, Hono } from "hono";
import { fromJsonText, toJsonText } from "../../lib/encoding/json.ts";
import { FetchError } from "../../lib/fetch/error.ts";
import { isBlocked } from "../../lib/links/badge.ts";
import type { Links } from "../../lib/links/links.ts";
import { type Requirements, withAcceptance } from "../../lib/trust/acceptance.ts";
import { type Checked, responseText } from "../../lib/verify/jobs.ts";
import type { Report } from "../../lib/verify/report.ts";
import { requireAcceptance } from "./acceptance.ts";
import { isJson, receive } from "../http/body.ts";
import { failureProblem, goneProblem, linkAnswer, linkHeaders } from "./link_representations.ts";
import { isFetch } from "../http/client.ts";
import { ownHostOf } from "../http/host.ts";
import { requireParameters } from "../http/query.ts";
import { ProblemError } from "../http/problems.ts";
import { replyJson } from "../http/reply.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";
import { replyChecked } from "./verify.ts";

export function linkRoutes(services: Services): Hono {
  const { publicUrl } = services;
  const app = new Hono();

  async function verify(c: Context, keep: boolean): Promise<Response> {
    const requirements = requireAcceptance(c, services.registry, ["url"]);
    const site = siteOf(publicUrl, c.req.url);
    const { url, links, own } = requireLink(c, services);
    const options = { keep, client: services.clientOf(c), own };
    const result = await asking(() => links.verify(url, options));
    switch (result.state) {
      case "gone":
        throw goneProblem(site, result.link);
      case "failed":
        throw failureProblem(site, result.failure, result.link);
      case "given": {
        const checked = withRequirements(
          result.checked.checked,
          requirements,
          services.now(),
        );
        return replyChecked(
          c.req.raw,
          { checked, text: responseText(checked) },
          linkHeaders(site, result.link, result.served),
        );
      }
    }
  }

  app.get("/api/verify", (c) => {
    if (c.req.query("store") !== undefined) {
      const detail = "a GET stores nothing: send POST /api/results?url=…, as application/json";
      throw new ProblemError("query-malformed", detail);
    }
    return verify(c, false);
  });

  app.post("/api/results", async (c, next) => {
    if (c.req.query("url") === undefined) return await next();
    requireJson(c);
    await requireNoBody(c);
    return await verify(c, true);
  });

  app.post("/api/refresh", async (c) => {
    requireParameters(c, ["url"]);
    requireJson(c);
    await requireNoBody(c);
    const { url, links, own } = requireLink(c, services);
    const site = siteOf(publicUrl, c.req.url);
    const how = { own, client: services.clientOf(c) };
    const refreshed = await asking(() => links.refresh(url, how));
    const { link } = refreshed;
    // What isn't fetched whatever the host does is refused here as everywhere.
    if (link.failure !== null && isBlocked(link.failure.code)) {
      throw failureProblem(site, link.failure, link);
    }
    const history = await links.history(refreshed.link);
    return replyJson(
      c.req.raw,
      linkAnswer(site, refreshed, history),
    );
  });
  return app;
}

/** The reports, held against what this request asks for; what is remembered of them is for all. */
function withRequirements(
  checked: readonly Checked[],
  requirements: Requirements | null,
  now: number,
): readonly Checked[] {
  if (requirements === null) return checked;
  return checked.map((one) => {
    const report = withAcceptance(fromJsonText(one.json), requirements, now);
    return { ...one, json: toJsonText<Report>(report) };
  });
}

/** What browsers ask about before they send it for a page of another site. */
function requireJson(c: Context): void {
  if (isJson(c)) return;
  const detail = "a request that changes something is sent as application/json, without a body";
  throw new ProblemError("content-type-unsupported", detail);
}

/** Of a document and a URL, neither would be what was asked for. */
async function requireNoBody(c: Context): Promise<void> {
  const tooLarge = () => {
    const detail = "the URL says what is meant: a body beside it is none of it";
    return new ProblemError("query-malformed", detail);
  };
  await receive(c, 0, tooLarge);
}

/** What a request asks about a URL. */
interface Asked {
  url: string;
  links: Links;
  /** The name under which the service was asked. */
  own: string | null;
}

/**
 * The URL in a query.
 *
 * @throws {ProblemError} `query-malformed`; `fetch-off`; `fetch-own-host` for a request that comes out
 * of a fetch, which could lead in a circle whatever names and redirects it takes.
 */
export function requireLink(
  c: Context,
  { links }: Pick<Services, "links">,
): Asked {
  const url = c.req.query("url");
  if (url === undefined) {
    throw new ProblemError("query-malformed", "the parameter url is missing");
  }
  if (links === null) throw new ProblemError("fetch-off", "URLs are not fetched by this service");
  if (isFetch(c.req.raw)) {
    throw new ProblemError("fetch-own-host", "a fetched URL can't ask for another one");
  }
  return { url, links, own: ownHostOf(c.req.url) };
}

/** Runs a fetch; what it ends with becomes a problem. @throws {ProblemError} */
export async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { code, message, status, retryAfter } = error;
    const extra = status === null ? {} : { remoteStatus: status };
    throw new ProblemError(code, message, extra, retryAfter);
  }
}
