/** `GET /api/verify?url=…` and `POST /api/refresh?url=…`: documents by their URL. */
import { type Context, Hono } from "hono";
import { FetchError } from "../lib/remote/error.ts";
import { isBlocked } from "../lib/remote/link_badge.ts";
import type { Links } from "../lib/remote/links.ts";
import { type Requirements, withAcceptance } from "../lib/verify/acceptance.ts";
import type { Report } from "../lib/verify/report.ts";
import { requireAcceptance } from "./acceptance.ts";
import type { CheckedInput } from "./check.ts";
import { failureProblem, goneProblem, linkAnswer, linkHeaders } from "./link_answers.ts";
import { requireParameters } from "./paging.ts";
import { ProblemError } from "./problems.ts";
import { replyJson } from "./reply.ts";
import type { Services } from "./services.ts";
import { siteOf } from "./site.ts";
import { replyChecked } from "./verify.ts";

export function linkRoutes(services: Services): Hono {
  const { publicUrl } = services;
  const app = new Hono();

  app.get("/api/verify", async (c) => {
    const requirements = requireAcceptance(c, services.registry, ["url", "store"]);
    const site = siteOf(publicUrl, c.req.url);
    const { url, links, own } = requireLink(c, services);
    const options = { keep: wantsStore(c), client: services.clientOf(c), own };
    const result = await asking(() => links.verify(url, options));
    switch (result.state) {
      case "gone":
        throw goneProblem(site, result.link);
      case "failed":
        throw failureProblem(site, result.failure, result.link);
      case "given":
        return replyChecked(
          c.req.raw,
          withRequirements(result.checked, requirements, services.now()),
          linkHeaders(site, result.link, result.served),
        );
    }
  });

  app.post("/api/refresh", async (c) => {
    requireParameters(c, ["url"]);
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
  input: CheckedInput,
  requirements: Requirements | null,
  now: number,
): CheckedInput {
  if (requirements === null) return input;
  const checked = input.checked.map((one) => {
    const report = withAcceptance(JSON.parse(one.json) as Report, requirements, now);
    return { ...one, json: JSON.stringify(report) };
  });
  return { ...input, checked };
}

function wantsStore(c: Context): boolean {
  const store = c.req.query("store");
  if (store === undefined || store === "1") return store === "1";
  throw new ProblemError("query-malformed", "store takes 1, or is left out");
}

/** What a request asks about a URL. */
export interface Asked {
  url: string;
  links: Links;
  /** The name under which the service was asked. */
  own: string | null;
}

/** All services of this kind say so when they fetch; none fetches for another. */
const FETCHING = /^Touchstone\//;

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
  if (isFetch(c)) {
    throw new ProblemError("fetch-own-host", "a fetched URL can't ask for another one");
  }
  return { url, links, own: ownHostOf(c.req.url) };
}

/** Whether a request comes out of a fetch of this service, or of another of its kind. */
export function isFetch(c: Context): boolean {
  return FETCHING.test(c.req.header("user-agent") ?? "");
}

/** The name under which the service was asked, as a URL has it; null: the Host header names none. */
export function ownHostOf(requestUrl: string): string | null {
  return URL.parse(requestUrl)?.host.replace(/\.(?=:|$)/, "") ?? null;
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
