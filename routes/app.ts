/** The HTTP application: wires services and routes. */
import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { createLinks, type Links, type LinksOptions } from "../lib/remote/links.ts";
import { renderBadge } from "../lib/badge/render.ts";
import type { Renderer } from "../lib/badge/renderer.ts";
import { createStore } from "../lib/store/create.ts";
import type { Store, StoreOptions } from "../lib/store/store.ts";
import { createDatabase } from "../lib/store/database.ts";
import { createDrawings } from "../lib/store/drawings.ts";
import { createLinkShelf } from "../lib/store/links.ts";
import { NO_QUOTAS } from "../lib/store/quota.ts";
import type { References } from "../lib/evaluator/reference.ts";
import type { Checker } from "../lib/verify/checker.ts";
import type { Registry } from "../lib/verify/registry.ts";
import { whereThrown } from "../lib/verify/fault.ts";
import { registry as ownRegistry } from "../registry.ts";
import { createBadges } from "./badges.ts";
import { createClientOf } from "./client.ts";
import { readableElsewhere } from "./cors.ts";
import { createSeldom } from "../lib/serving/seldom.ts";
import { BOUNDS, type Bounds } from "../lib/serving/bounds.ts";
import { boundBodies, INPUT_LIMITS } from "./body.ts";
import { feedRoutes } from "./feed.ts";
import { linkPageRoutes } from "./link_pages.ts";
import { linkRoutes } from "./links.ts";
import { pageRoutes } from "./pages.ts";
import type { Network } from "../lib/limits/address.ts";
import type { Policies } from "../lib/limits/policy.ts";
import { createHostCheck, readdressed, requireOwnHost } from "./host.ts";
import { createLimits, limitRequests } from "./limits.ts";
import { refuseForeignPages } from "./origin.ts";
import { poolPageRoutes } from "./pool_pages.ts";
import { poolRoutes } from "./pools.ts";
import { problemDetails, ProblemError, PROBLEMS } from "./problems.ts";
import { problemOf } from "./problem_of.ts";
import { replyJson, retryHeaders } from "./reply.ts";
import { replyPage } from "./reply_page.ts";
import { resultRoutes } from "./results.ts";
import { createSamples, withSamples } from "./samples.ts";
import type { Services } from "./services.ts";
import { siteOf } from "./site.ts";
import { staticRoutes } from "./static.ts";
import { createUpgrades } from "./upgrades.ts";
import { createUpkeep } from "./upkeep.ts";
import { verifyRoutes } from "./verify.ts";
import { VERSION } from "./version.ts";

export interface AppOptions {
  kv: Deno.Kv;
  /** Closed with the application. */
  checker: Checker;
  /** Closed with the application; default: badges are drawn in line. */
  renderer?: Renderer;
  /** For the page about the evaluator. */
  references: References;
  /** See {@link ../config.ts}; null: links as the request was addressed. */
  publicUrl: string | null;
  /** Receives what an operator must see. Never documents, pools or labels. */
  log?: (message: string) => void;
  store?: StoreOptions;
  /** Default: the one of {@link ../registry.ts}. */
  registry?: Registry;
  /** The clock that ages are told by, in milliseconds since 1970. */
  now?: () => number;
  /** How URLs are fetched; default and null: not at all. */
  fetching?: Fetching | null;
  /** See {@link ../config.ts}; default null. */
  retentionDays?: number | null;
  /** See {@link ../config.ts}; default null: there is no limit. */
  limits?: Policies | null;
  /** See {@link ../config.ts}; default: none. */
  trustedProxies?: readonly Network[];
  /** Other numbers for the receiving of bodies, for tests. */
  bounds?: Partial<Bounds>;
  /** See {@link ./host.ts}; default: the service is taken to listen on this machine alone. */
  onLoopback?: boolean;
  /** Of event streams, in milliseconds. */
  heartbeat?: number;
}

/** The rules of fetching, and what tests put in place of it. */
export type Fetching = Pick<LinksOptions, "rules" | "fetch" | "clock" | "wait">;

export interface App {
  /** A handler for `Deno.serve`; `info` tells the client's address. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
  /** Takes up in the background what earlier processes left; no request waits for it. */
  resume(): void;
  /** Ends streams and work in the background; then nothing here uses the database any more. */
  close(): Promise<void>;
}

/** How long is waited for a badge that was drawn before, in milliseconds: drawing it takes as long. */
const DRAWING_MS = 300;

/** For pages. Badges and answers for programs are stricter still, or need none of it. */
const PAGE_HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: "DENY",
  // Without any referrer, browsers would send the forms' Origin as null.
  referrerPolicy: "same-origin",
  // Whoever terminates TLS decides on this one.
  strictTransportSecurity: false,
});

const API_HEADERS = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: "cross-origin",
  strictTransportSecurity: false,
});

/**
 * Makes the application. Nothing is loaded or read yet.
 *
 * @throws {RegistryError} when the service's own registry is not usable.
 */
export function createApp(options: AppOptions): App {
  const { kv, checker, references, publicUrl, log = console.error } = options;
  const stored = createStore(kv, checker, options.store);
  const onFault = (error: unknown) => log(`fault in the background: ${whereThrown(error)}`);
  const samples = createSamples(stored, onFault);
  const upgrades = createUpgrades(stored, onFault);
  const upkeep = createUpkeep(stored, options.retentionDays ?? null, onFault);
  const clientOf = createClientOf(options.trustedProxies);
  const limits = options.limits ? createLimits(options.limits, kv, clientOf) : null;
  const store = withSamples(stored, samples);
  const links = linksOf(options, store, onFault);
  const drawings = createDrawings(
    createDatabase(kv, DRAWING_MS),
    onFault,
    options.store?.quotas,
  );
  const services: Services = {
    store,
    links,
    upgrades,
    samples,
    checker,
    references,
    registry: options.registry ?? ownRegistry(),
    now: options.now ?? Date.now,
    renderBadge: options.renderer?.render ?? renderBadge,
    drawings,
    // Only where drawing is somebody else's work.
    onKept: (result) => options.renderer && badges.prepare(result),
    publicUrl,
    clientOf,
    limits,
    onFault,
    heartbeat: options.heartbeat,
  };

  const app = new Hono();
  const seldom = createSeldom(log, { ...BOUNDS, ...options.bounds }.logMs);
  app.notFound((c) =>
    answerProblem(c, services, new ProblemError("route-unknown", "nothing is at this address"))
  );
  app.onError((error, c) => {
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
    return answerProblem(c, services, problem);
  });

  // First, and complete in themselves: nothing else runs for a badge.
  const badges = createBadges(services);
  app.route("/", badges.routes);

  app.use("*", (c, next) => (isForPrograms(c) ? API_HEADERS : PAGE_HEADERS)(c, next));
  // Badges themselves are answered above; this is for the preflights of their readers.
  for (const path of ["/badge", "/badge/*", "/:rest{badge\\..+}"]) app.use(path, readableElsewhere);
  app.use(methodNotAllowed({
    app,
    onMethodNotAllowed: async (c, methods) => {
      const detail = `this address knows ${methods.join(", ")}`;
      const answer = await answerProblem(
        c,
        services,
        new ProblemError("method-not-allowed", detail),
      );
      answer.headers.set("allow", methods.join(", "));
      return answer;
    },
  }));
  app.use("/api/*", readableElsewhere);
  app.use(boundBodies(clientOf, options.bounds));
  app.use(limitRequests(limits, clientOf, (c, error) => answerProblem(c, services, error)));
  app.use(requireOwnHost({ publicUrl, onLoopback: options.onLoopback ?? true }));
  app.use("/api/*", refuseForeignPages(publicUrl));
  app.get("/healthz", (c) => replyJson(c.req.raw, { status: "ok", version: VERSION }));
  app.get("/api/openapi.json", async (c) => {
    const { openApi } = await import("./openapi.ts");
    const description = openApi(siteOf(publicUrl, c.req.url).url);
    return replyJson(c.req.raw, description, { cache: "no-cache", etag: true });
  });
  app.route("/", verifyRoutes(services));
  app.route("/", linkRoutes(services));
  app.route("/", resultRoutes(services));
  app.route("/", poolRoutes(services));
  app.route("/", feedRoutes(services));
  app.route("/", staticRoutes());
  app.route("/", linkPageRoutes(services));
  app.route("/", pageRoutes(services));
  app.route("/", poolPageRoutes(services));
  const isAddressed = createHostCheck();
  const trusted = options.trustedProxies ?? [];
  return {
    fetch(given, info) {
      if (!isAddressed(given)) return hostMalformed(given);
      const request = readdressed(given, info, trusted);
      return badges.atHand(request, info) ?? app.fetch(request, info);
    },
    resume() {
      upgrades.resume();
      upkeep.start();
    },
    async close() {
      await badges.idle();
      await Promise.all([upgrades.stop(), upkeep.stop(), links?.close(), drawings.idle()]);
      await samples.idle();
      await checker.close();
      options.renderer?.close();
    },
  };
}

function linksOf(
  { kv, checker, publicUrl, fetching = null, store: { quotas = NO_QUOTAS } = {} }: AppOptions,
  store: Store,
  onFault: (error: unknown) => void,
): Links | null {
  if (fetching === null) return null;
  const { rules } = fetching;
  const own = publicUrl === null ? [] : [new URL(publicUrl).host];
  return createLinks({
    ...fetching,
    rules: { ...rules, ownHosts: new Set([...rules.ownHosts, ...own]) },
    shelf: createLinkShelf(createDatabase(kv), quotas),
    store,
    checker,
    limits: INPUT_LIMITS,
    path: publicUrl === null ? "" : siteOf(publicUrl, publicUrl).path,
    onFault,
  });
}

/** The answer to a request that no route is to see. */
function hostMalformed(request: Request): Response {
  const detail = "a Host header of the form name or name:port is needed";
  const problem = problemDetails(new ProblemError("host-malformed", detail), "");
  return replyJson(request, problem, {
    status: problem.status,
    type: "application/problem+json",
    headers: {
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    },
  });
}

function isForPrograms(c: Context): boolean {
  return c.req.path.startsWith("/api/") || c.req.path.startsWith("/badge/") ||
    c.req.path === "/healthz";
}

async function answerProblem(
  c: Context,
  services: Services,
  error: ProblemError,
): Promise<Response> {
  const { path } = siteOf(services.publicUrl, c.req.url);
  const status = PROBLEMS[error.code].status;
  if (!isForPrograms(c) && (c.req.header("accept") ?? "").includes("text/html")) {
    const { errorPage } = await import("./pages/problem.ts");
    const page = errorPage(siteOf(services.publicUrl, c.req.url), error);
    return await replyPage(c, services, page, { status, retryAfter: error.retryAfter });
  }
  return replyJson(c.req.raw, problemDetails(error, path), {
    status,
    type: "application/problem+json",
    headers: {
      // Here too: the badges stand before the headers of everything else.
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

/** An error for the log; its message only when Deno made it about a permission. */
function withoutContent(error: Error): string {
  const message = error instanceof Deno.errors.NotCapable ? `${error.message}\n` : "";
  return message + whereThrown(error);
}
