/** The HTTP application: wires the rooms of `routes/`, and is the only file that knows all of them. */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { createSeldom } from "../lib/serving/seldom.ts";
import { BOUNDS } from "../lib/serving/bounds.ts";
import { whereThrown } from "../lib/verify/fault.ts";
import { VERSION } from "../lib/base/release.ts";
import { feedRoutes } from "./api/feed.ts";
import { linkRoutes } from "./api/links.ts";
import { poolRoutes } from "./api/pools.ts";
import { resultRoutes } from "./api/results.ts";
import { verifyRoutes } from "./api/verify.ts";
import { badgeRoutes } from "./badges/badges.ts";
import { createBadgeContext } from "./badges/context.ts";
import { drawAhead, serveRemembered } from "./badges/serve.ts";
import { boundBodies } from "./http/body.ts";
import { readableElsewhere } from "./http/cors.ts";
import { API_HEADERS, BARE_HEADERS, PAGE_HEADERS } from "./http/headers.ts";
import { createHostCheck, readdressed, requireOwnHost } from "./http/host.ts";
import { limitRequests } from "./http/limits.ts";
import { refuseForeignPages } from "./http/origin.ts";
import { problemDetails, ProblemError, PROBLEMS } from "./http/problems.ts";
import { replyJson, retryHeaders } from "./http/reply.ts";
import type { AppServices, Services } from "./http/services.ts";
import { siteOf } from "./http/site.ts";
import { staticRoutes } from "./http/static.ts";
import { problemOf } from "./http/to_problem.ts";
import { linkPageRoutes } from "./pages/link_pages.ts";
import { pageRoutes } from "./pages/pages.ts";
import { poolPageRoutes } from "./pages/pool_pages.ts";
import { replyPage } from "./pages/reply_page.ts";
import { audienceOf } from "./table.ts";

export interface App {
  /** A handler for `Deno.serve`; `info` tells the client's address. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
  /** What the application answers to, to be compared with {@link ./table.ts}. */
  routes: readonly { method: string; path: string }[];
  /** Takes up in the background what earlier processes left; no request waits for it. */
  resume(): void;
  /** Ends streams and work in the background; then nothing here uses the database any more. */
  close(): Promise<void>;
}

/** Makes the application. Nothing is loaded or read yet. */
export function createApp(given: AppServices): App {
  const badges = createBadgeContext(given);
  const ofBadges = badgeRoutes(badges);
  const services: Services = {
    ...given,
    onStored: (result) => given.drawsAhead && drawAhead(badges, result),
  };
  const app = new Hono();
  app.notFound((c) =>
    replyProblem(c, services, new ProblemError("route-unknown", "nothing is at this address"))
  );
  app.onError(problemHandler(given, services));
  // First, and complete in themselves: nothing else runs for a badge.
  app.route("/", ofBadges);
  guard(app, given, services);
  for (const routes of roomsOf(services)) app.route("/", routes);

  const isAddressed = createHostCheck();
  return {
    fetch(received, info) {
      if (!isAddressed(received)) return hostMalformed(received);
      const request = readdressed(received, info, given.trustedProxies);
      return serveRemembered(badges, ofBadges, request, info) ?? app.fetch(request, info);
    },
    routes: app.routes.filter(({ method }) => method !== "ALL"),
    resume: given.resume,
    async close() {
      await Promise.all(badges.drawingAhead);
      await given.close();
    },
  };
}

/** What runs before the routes, in this order. */
function guard(app: Hono, given: AppServices, services: Services): void {
  const { publicUrl, clientOf, limits, bounds, onLoopback } = given;
  app.use("*", (c, next) => (isForPrograms(c) ? API_HEADERS : PAGE_HEADERS)(c, next));
  // Badges themselves are answered before; their readers' preflights are answered here.
  for (const path of ["/badge", "/badge/*", "/:rest{badge\\..+}"]) app.use(path, readableElsewhere);
  app.use(refuseMethods(app, services));
  app.use("/api/*", readableElsewhere);
  app.use(boundBodies(clientOf, bounds));
  app.use(limitRequests(limits, clientOf, (c, error) => replyProblem(c, services, error)));
  app.use(requireOwnHost({ publicUrl, onLoopback }));
  app.use("/api/*", refuseForeignPages(publicUrl));
}

/** The routes of every room but the badges'. */
function roomsOf(services: Services): Hono[] {
  return [
    serviceRoutes(services),
    verifyRoutes(services),
    linkRoutes(services),
    resultRoutes(services),
    poolRoutes(services),
    feedRoutes(services),
    staticRoutes(),
    linkPageRoutes(services),
    pageRoutes(services),
    poolPageRoutes(services),
  ];
}

/** What the service says of itself. */
function serviceRoutes({ publicUrl }: Services): Hono {
  const app = new Hono();
  app.get("/healthz", (c) => replyJson(c.req.raw, { status: "ok", version: VERSION }));
  app.get("/api/openapi.json", async (c) => {
    // The schemas are loaded for whoever asks, and not at the start.
    const { openApi } = await import("./api/openapi.ts");
    const description = openApi(siteOf(publicUrl, c.req.url).url);
    return replyJson(c.req.raw, description, { cache: "no-cache", etag: true });
  });
  return app;
}

function refuseMethods(app: Hono, services: Services): MiddlewareHandler {
  return methodNotAllowed({
    app,
    onMethodNotAllowed: async (c, methods) => {
      const detail = `this address knows ${methods.join(", ")}`;
      const problem = new ProblemError("method-not-allowed", detail);
      const response = await replyProblem(c, services, problem);
      response.headers.set("allow", methods.join(", "));
      return response;
    },
  });
}

/** Turns errors into problems, and tells the operator of those that are the service's own. */
function problemHandler(
  { log, bounds }: AppServices,
  services: Services,
): (error: Error, c: Context) => Promise<Response> {
  const seldom = createSeldom(log, { ...BOUNDS, ...bounds }.logMs);
  return (error, c) => {
    const problem = problemOf(error);
    if (problem.code === "document-damaged") log(problem.message);
    const where = `${c.req.method} ${c.req.routePath}`;
    if (problem.code === "storage-unavailable") {
      seldom("storage", `${where}: the database does not answer, or its disk is full`);
    } else if (problem.code === "internal-error" && c.req.raw.signal.aborted) {
      // Anybody can leave, and over and over: no fault is told twice in a while, but each once.
      const what = isOfLeaving(error) ? "the client left before its answer" : withoutContent(error);
      seldom(what, `${where}: ${what}`);
    } else if (problem.code === "internal-error") {
      log(`${where}: ${withoutContent(error)}`);
    }
    return replyProblem(c, services, problem);
  };
}

/** An error for the log; its message only when Deno made the message about a permission. */
function withoutContent(error: Error): string {
  const message = error instanceof Deno.errors.NotCapable ? `${error.message}\n` : "";
  return message + whereThrown(error);
}

function isForPrograms(c: Context): boolean {
  return audienceOf(c.req.path) === "programs";
}

/** Answers with a problem: programs get JSON, browsers a page. */
async function replyProblem(
  c: Context,
  services: Services,
  error: ProblemError,
): Promise<Response> {
  const site = siteOf(services.publicUrl, c.req.url);
  const { status } = PROBLEMS[error.code];
  if (!isForPrograms(c) && (c.req.header("accept") ?? "").includes("text/html")) {
    const { errorPage } = await import("./pages/views/error.tsx");
    const page = errorPage(site, error);
    return await replyPage(c, services, page, { status, retryAfter: error.retryAfter });
  }
  return replyJson(c.req.raw, problemDetails(error, site.path), {
    status,
    type: "application/problem+json",
    headers: {
      // Here too, because the badges' routes stand before the headers of everything else.
      "x-content-type-options": "nosniff",
      ...retryHeaders(error.retryAfter),
    },
  });
}

/** Whether an error is no more than the runtime's word for a connection that is gone. */
function isOfLeaving(error: Error): boolean {
  const { BadResource, BrokenPipe, ConnectionReset, Http, Interrupted } = Deno.errors;
  return [BadResource, BrokenPipe, ConnectionReset, Http, Interrupted]
    .some((kind) => error instanceof kind);
}

/** Answers a request that no route is to see. */
function hostMalformed(request: Request): Response {
  const detail = "a Host header of the form name or name:port is needed";
  const problem = problemDetails(new ProblemError("host-malformed", detail), "");
  return replyJson(request, problem, {
    status: problem.status,
    type: "application/problem+json",
    headers: BARE_HEADERS,
  });
}
