/** The pages: server-rendered, without scripts. Each loads its view when it is first asked for. */
import { type Context, Hono } from "hono";
import { trustOf } from "../../lib/words/signer.ts";
import { changes, checkingReport, disclosedPools, isoTime } from "../api/representations.ts";
import { requireReport } from "../api/results.ts";
import { requireOwnOrigin } from "../http/origin.ts";
import { isProblemCode, ProblemError } from "../http/problems.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";
import { askedQuery, pageAsked } from "./page_asked.ts";
import { replyPage, REVALIDATED } from "./reply_page.ts";
import { checkForm, showForms } from "./verify_pages.ts";

/** Routes of the pages that are about neither links nor pools. */
export function pageRoutes(services: Services): Hono {
  const app = new Hono();
  app.get("/", (c) => showHome(c, services));
  app.get("/r/:id", (c) => showResult(c, services, c.req.param("id")));
  app.get("/verify", (c) => showForms(c, services));
  app.post("/verify", requireOwnOrigin(services.publicUrl), (c) => checkForm(c, services));
  app.get("/evaluator", (c) => showEvaluator(c, services));
  app.get("/api", (c) => showApi(c, services));
  app.get("/problems/:code", (c) => showProblem(c, services, c.req.param("code")));
  return app;
}

async function showHome(c: Context, services: Services): Promise<Response> {
  const { homePage } = await import("./views/home.tsx");
  const view = { samples: await services.samples.list(), byUrl: services.links !== null };
  const page = homePage(siteOf(services.publicUrl, c.req.url), view);
  return await replyPage(c, services, page, REVALIDATED);
}

async function showResult(c: Context, services: Services, id: string): Promise<Response> {
  const { store, registry, publicUrl } = services;
  const asked = pageAsked(c, services);
  const read = await requireReport(store, id);
  const isChecking = read.state === "checking";
  const report = read.report ?? checkingReport(id);
  const [pools, history] = await Promise.all([
    disclosedPools(store, report),
    store.history(id),
  ]);
  const { resultPage } = await import("./views/result.tsx");
  const page = resultPage(siteOf(publicUrl, c.req.url), {
    id,
    report,
    checked: isChecking
      ? null
      : { at: isoTime(read.result.checkedAt), revision: read.result.verifierVersion },
    pools,
    history: changes(history),
    asked,
    query: askedQuery(c, asked),
    trust: trustOf(registry),
  });
  return await replyPage(c, services, page, isChecking ? {} : REVALIDATED);
}

async function showEvaluator(c: Context, services: Services): Promise<Response> {
  const { evaluatorView } = await import("./evaluator_view.ts");
  const { evaluatorPage } = await import("./views/evaluator.tsx");
  const page = evaluatorPage(await evaluatorView(services.references));
  return await replyPage(c, services, page, REVALIDATED);
}

async function showApi(c: Context, services: Services): Promise<Response> {
  const { apiPage } = await import("./views/api.tsx");
  return await replyPage(c, services, apiPage(siteOf(services.publicUrl, c.req.url)), REVALIDATED);
}

async function showProblem(c: Context, services: Services, code: string): Promise<Response> {
  if (!isProblemCode(code)) throw new ProblemError("route-unknown", "no problem has this code");
  const { problemPage } = await import("./views/problem.tsx");
  return await replyPage(c, services, problemPage(code), REVALIDATED);
}
