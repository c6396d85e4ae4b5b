/** The pages: server-rendered, without scripts. */
import { type Context, Hono } from "hono";
import { decodeUtf8, parseJson } from "../lib/encoding/json.ts";
import { canonicalEnvelope, readEnvelope } from "../lib/protocol/envelope.ts";
import { LIMITS } from "../lib/protocol/limits.ts";
import { type Pool, readPool } from "../lib/protocol/pool.ts";
import type { Input } from "../lib/verify/input.ts";
import { recognise } from "../lib/verify/recognise.ts";
import type { Report } from "../lib/verify/report.ts";
import { limitBody, MAX_BODY_BYTES, poolRefusal, readDocuments } from "./body.ts";
import { acceptanceQuery, requireAcceptance } from "./acceptance.ts";
import { changes, checkingReport, disclosedPools } from "./answers.ts";
import { checkInput } from "./check.ts";
import { clientOf } from "./client.ts";
import { fieldBytes, readFields } from "./form.ts";
import { isProblemCode, ProblemError, PROBLEMS } from "./problems.ts";
import { replyPage } from "./reply_page.ts";
import { onlyDocument, requireKept, requireReport } from "./results.ts";
import type { Services } from "./services.ts";
import { siteOf } from "./site.ts";

/** A page may list fewer documents than an answer for programs. */
const MAX_LISTED = 100;

/** Pasted text that is given back with a problem, in characters. */
const MAX_RETURNED = 64 * 1024;

/** A form holds a document, a pool, and what surrounds them. */
const MAX_FORM_BYTES = MAX_BODY_BYTES + 256 * 1024;

export function pageRoutes(services: Services): Hono {
  const { store, samples, verifier, registry, now, publicUrl } = services;
  const app = new Hono();
  const site = (c: Context) => siteOf(publicUrl, c.req.url);
  // Nothing of the pages is loaded before the first of them is asked for: badges don't need it.
  const shared = { cache: "no-cache", etag: true };

  app.get("/", async (c) => {
    const { homePage } = await import("./pages/home.ts");
    return await replyPage(c, services, homePage(site(c), await samples.list()), shared);
  });

  app.get("/r/:id", async (c) => {
    const id = c.req.param("id");
    const requirements = requireAcceptance(c, registry, null);
    const read = await requireReport(store, id);
    const report = read.report ?? checkingReport(id);
    const [pools, history] = await Promise.all([
      disclosedPools(store, report),
      store.history(id),
    ]);
    const { resultPage } = await import("./pages/result.ts");
    const view = {
      id,
      state: read.state,
      report,
      pools,
      history: changes(history),
      asked: requirements && { requirements, now: now() },
      query: acceptanceQuery(c),
    };
    const page = await resultPage(site(c), view);
    return await replyPage(c, services, page, read.state === "checking" ? {} : shared);
  });

  app.get("/verify", async (c) => {
    const { verifyPage } = await import("./pages/result.ts");
    return await replyPage(c, services, verifyPage(site(c)), shared);
  });

  app.post("/verify", limitBody(MAX_FORM_BYTES), async (c) => {
    const form = await readForm(c);
    const { checkedPage, verifyPage } = await import("./pages/result.ts");
    try {
      const input = await readDocuments(form.document, MAX_LISTED);
      if (form.keep) {
        // A pool filled in beside it is for checks only, as the form says.
        const document = onlyDocument({ ...input, pools: [] });
        const kept = requireKept(await store.keep(document, clientOf(c)));
        return c.redirect(`${site(c).path}/r/${kept.id}`, 303);
      }
      const pools = form.pool === null ? input.pools : [...input.pools, form.pool];
      const reports = await checkInput({ ...input, pools }, services);
      const checked = await Promise.all(reports.map(async (report) => {
        return { report, pools: await disclosedPools(store, report) };
      }));
      const page = await checkedPage(site(c), checked, keepable(input, reports));
      return await replyPage(c, services, page);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { status, title } = PROBLEMS[error.code];
      const page = verifyPage(site(c), { title, detail: error.message }, form.pasted);
      return await replyPage(c, services, page, { status });
    }
  });

  app.get("/evaluator", async (c) => {
    const { evaluatorPage } = await import("./pages/evaluator.ts");
    return await replyPage(c, services, await evaluatorPage(verifier.references), shared);
  });

  app.get("/api", async (c) => {
    const { apiPage } = await import("./pages/api.ts");
    return await replyPage(c, services, apiPage(site(c)), shared);
  });

  app.get("/problems/:code", async (c) => {
    const code = c.req.param("code");
    if (!isProblemCode(code)) throw new ProblemError("route-unknown", "no problem has this code");
    const { problemPage } = await import("./pages/problem.ts");
    return await replyPage(c, services, problemPage(code), shared);
  });
  return app;
}

interface Form {
  document: Uint8Array;
  /** What was pasted, to be given back with a problem. */
  pasted: string;
  pool: Pool | null;
  keep: boolean;
}

async function readForm(c: Context): Promise<Form> {
  const data = await readFields(c);
  const document = await fieldBytes(data, "document", "file");
  if (document === null) {
    throw new ProblemError("form-malformed", "paste a document or choose a file");
  }
  const pool = await fieldBytes(data, "pool", "poolFile");
  const pasted = data.get("document");
  return {
    document,
    pasted: typeof pasted === "string" ? pasted.slice(0, MAX_RETURNED) : "",
    pool: pool === null ? null : readPoolBytes(pool),
    keep: data.get("action") === "keep",
  };
}

function readPoolBytes(bytes: Uint8Array): Pool {
  const refuse = (message: string) =>
    poolRefusal({ code: "pool-malformed", message, path: "pools[0]" });
  if (bytes.length > LIMITS.poolBytes) {
    throw refuse(`a pool file has at most ${LIMITS.poolBytes} bytes`);
  }
  const text = decodeUtf8(bytes);
  const parsed = text === null ? null : parseJson(text, LIMITS.depth);
  if (!parsed?.ok) throw refuse("the pool is not JSON");
  const read = readPool(parsed.value, "pools[0]");
  if (!read.ok) throw poolRefusal(read.reason);
  return read.pool;
}

/** The canonical text of the only document, when it could be kept. */
function keepable({ entries }: Input, reports: readonly Report[]): string | null {
  const entry = entries[0];
  const outcome = reports[0]?.outcome ?? null;
  if (entries.length !== 1 || entry === undefined || !("value" in entry) || outcome === null) {
    return null;
  }
  const recognised = recognise(entry.value);
  const envelope = recognised.kind === "unknown" ? null : readEnvelope(recognised.document);
  return envelope === null ? null : canonicalEnvelope(envelope);
}
