/** The pages: server-rendered, without scripts. */
import { type Context, Hono } from "hono";
import { parsePool, type Pool } from "../../lib/protocol/pool.ts";
import { trustOf } from "../../lib/words/signer.ts";
import { REVISION } from "../../lib/verify/version.ts";
import { MAX_BODY_BYTES, poolRefusal } from "../http/body.ts";
import { changes, checkingReport, disclosedPools, isoTime } from "../api/representations.ts";
import { checkBytes } from "../api/check.ts";
import { fieldBytes, readFields } from "../http/form.ts";
import { payFor } from "../http/limits.ts";
import { requireOwnOrigin } from "../http/origin.ts";
import { isProblemCode, ProblemError, PROBLEMS } from "../http/problems.ts";
import { problemOf } from "../http/to_problem.ts";
import { askedQuery, pageAsked, withPools } from "./page_asked.ts";
import { replyPage } from "./reply_page.ts";
import { keepBytes, requireReport } from "../api/results.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";

/** Pasted text that is given back with a problem, in characters. */
const MAX_RETURNED = 64 * 1024;

/** A form holds a document, a pool, and what surrounds them. */
const MAX_FORM_BYTES = MAX_BODY_BYTES + 256 * 1024;

export function pageRoutes(services: Services): Hono {
  const { store, samples, references, registry, links, now, publicUrl } = services;
  const trust = trustOf(registry);
  const byUrl = links !== null;
  const app = new Hono();
  const site = (c: Context) => siteOf(publicUrl, c.req.url);
  // Nothing of the pages is loaded before the first of them is asked for: badges don't need it.
  const shared = { cache: "no-cache", etag: true };

  app.get("/", async (c) => {
    const { homePage } = await import("./views/home.ts");
    return await replyPage(c, services, homePage(site(c), await samples.list(), byUrl), shared);
  });

  app.get("/r/:id", async (c) => {
    const id = c.req.param("id");
    const asked = pageAsked(c, services);
    const read = await requireReport(store, id);
    const report = read.report ?? checkingReport(id);
    const [pools, history] = await Promise.all([
      disclosedPools(store, report),
      store.history(id),
    ]);
    const { resultPage } = await import("./views/result.ts");
    const view = {
      id,
      report,
      checked: read.state === "checking" ? null : {
        at: isoTime(read.result.checkedAt),
        revision: read.result.verifierVersion,
      },
      pools,
      history: changes(history),
      asked,
      query: askedQuery(c, asked),
      trust,
    };
    const page = await resultPage(site(c), view);
    return await replyPage(c, services, page, read.state === "checking" ? {} : shared);
  });

  app.get("/verify", async (c) => {
    const { verifyPage } = await import("./views/result.ts");
    const asked = pageAsked(c, services);
    const view = { byUrl, asked, query: askedQuery(c, asked) };
    return await replyPage(c, services, verifyPage(site(c), view), shared);
  });

  app.post("/verify", requireOwnOrigin(publicUrl), async (c) => {
    const data = await readFields(c, MAX_FORM_BYTES);
    const asked = pageAsked(c, services);
    const { checkedPage, verifyPage } = await import("./views/result.ts");
    try {
      const form = await readForm(data);
      if (form.keep) {
        // A pool filled in beside it is for checks only, as the form says.
        const kept = await keepBytes(c, form.document, services, true);
        return c.redirect(`${site(c).path}/r/${kept.id}`, 303);
      }
      const { checked, keepable } = await checkBytes(form.document, services, {
        pools: form.pool === null ? [] : [form.pool],
        admit: (content) => payFor(c, content),
        signal: c.req.raw.signal,
      });
      const page = await checkedPage(site(c), {
        documents: await withPools(store, checked),
        keepable,
        checked: { at: isoTime(now()), revision: REVISION },
        asked,
        trust,
      });
      return await replyPage(c, services, page);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === "internal-error") throw error;
      const { status, title } = PROBLEMS[problem.code];
      const page = verifyPage(site(c), {
        byUrl,
        asked,
        query: askedQuery(c, asked),
        refused: { title, detail: problem.message, document: pastedOf(data) },
      });
      return await replyPage(c, services, page, { status, retryAfter: problem.retryAfter });
    }
  });

  app.get("/evaluator", async (c) => {
    const { evaluatorPage } = await import("./views/evaluator.ts");
    return await replyPage(c, services, await evaluatorPage(references), shared);
  });

  app.get("/api", async (c) => {
    const { apiPage } = await import("./views/api.ts");
    return await replyPage(c, services, apiPage(site(c)), shared);
  });

  app.get("/problems/:code", async (c) => {
    const code = c.req.param("code");
    if (!isProblemCode(code)) throw new ProblemError("route-unknown", "no problem has this code");
    const { problemPage } = await import("./views/problem.ts");
    return await replyPage(c, services, problemPage(code), shared);
  });
  return app;
}

/** What was pasted, to be given back with a problem. */
function pastedOf(data: FormData): string {
  const pasted = data.get("document");
  return typeof pasted === "string" ? pasted.slice(0, MAX_RETURNED) : "";
}

interface Form {
  document: Uint8Array;
  pool: Pool | null;
  keep: boolean;
}

async function readForm(data: FormData): Promise<Form> {
  const document = await fieldBytes(data, "document", "file");
  if (document === null) {
    throw new ProblemError("form-malformed", "paste a document or choose a file");
  }
  const pool = await fieldBytes(data, "pool", "poolFile");
  return {
    document,
    pool: pool === null ? null : requirePool(pool),
    keep: data.get("action") === "keep",
  };
}

function requirePool(bytes: Uint8Array): Pool {
  const read = parsePool(bytes, "pools[0]");
  if (!read.ok) throw poolRefusal(read.reason);
  return read.pool;
}
