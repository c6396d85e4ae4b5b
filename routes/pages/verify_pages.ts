/** `/verify`: the page with the forms, and what the form for documents gives. */
import type { Context } from "hono";
import { parsePool, type Pool } from "../../lib/protocol/pool.ts";
import { REVISION } from "../../lib/verify/version.ts";
import { trustOf } from "../../lib/words/signer.ts";
import { checkBytes } from "../api/check.ts";
import { isoTime } from "../api/representations.ts";
import { keepBytes } from "../api/results.ts";
import { MAX_BODY_BYTES, poolRefusal } from "../http/body.ts";
import { fieldBytes, readFields } from "../http/form.ts";
import { payFor } from "../http/limits.ts";
import { ProblemError, PROBLEMS } from "../http/problems.ts";
import type { Services } from "../http/services.ts";
import { siteOf } from "../http/site.ts";
import { problemOf } from "../http/to_problem.ts";
import { checkedDocuments } from "./checked_documents.ts";
import { askedQuery, pageAsked } from "./page_asked.ts";
import { replyPage, REVALIDATED } from "./reply_page.ts";

/** Pasted text that is given back with a problem, in characters. */
const MAX_RETURNED = 64 * 1024;

/** A form holds a document, a pool, and what surrounds them. */
const MAX_FORM_BYTES = MAX_BODY_BYTES + 256 * 1024;

/** `GET /verify`. */
export async function showForms(c: Context, services: Services): Promise<Response> {
  const { verifyPage } = await import("./views/verify.tsx");
  const asked = pageAsked(c, services);
  const view = { byUrl: services.links !== null, asked, query: askedQuery(c, asked) };
  const page = verifyPage(siteOf(services.publicUrl, c.req.url), view);
  return await replyPage(c, services, page, REVALIDATED);
}

/** `POST /verify`: checks the document of the form, or stores it. */
export async function checkForm(c: Context, services: Services): Promise<Response> {
  const data = await readFields(c, MAX_FORM_BYTES);
  try {
    const form = await readForm(data);
    return form.isToStore
      ? await storeDocument(c, services, form.document)
      : await showCheck(c, services, form);
  } catch (error) {
    return await showRefusal(c, services, error, pastedOf(data));
  }
}

/** Stores the document alone: a pool filled in beside it is for checks only, as the form says. */
async function storeDocument(
  c: Context,
  services: Services,
  document: Uint8Array,
): Promise<Response> {
  const stored = await keepBytes(c, document, services, true);
  return c.redirect(`${siteOf(services.publicUrl, c.req.url).path}/r/${stored.id}`, 303);
}

async function showCheck(c: Context, services: Services, form: Form): Promise<Response> {
  const { checked, storable } = await checkBytes(form.document, services, {
    pools: form.pool === null ? [] : [form.pool],
    admit: (content) => payFor(c, content),
    signal: c.req.raw.signal,
  });
  const { checkedPage } = await import("./views/checked.tsx");
  const asked = pageAsked(c, services);
  const page = checkedPage(siteOf(services.publicUrl, c.req.url), {
    documents: await checkedDocuments(checked, asked, services),
    storable,
    checked: { at: isoTime(services.now()), revision: REVISION },
    asked,
    trust: trustOf(services.registry),
  });
  return await replyPage(c, services, page);
}

/** The forms again, with what is wrong with what was sent. */
async function showRefusal(
  c: Context,
  services: Services,
  error: unknown,
  document: string,
): Promise<Response> {
  const problem = problemOf(error);
  if (problem.code === "internal-error") throw error;
  const { status, title } = PROBLEMS[problem.code];
  const { verifyPage } = await import("./views/verify.tsx");
  const asked = pageAsked(c, services);
  const page = verifyPage(siteOf(services.publicUrl, c.req.url), {
    byUrl: services.links !== null,
    asked,
    query: askedQuery(c, asked),
    refused: { title, detail: problem.message, document },
  });
  return await replyPage(c, services, page, { status, retryAfter: problem.retryAfter });
}

/** What was pasted, to be given back with a problem. */
function pastedOf(data: FormData): string {
  const pasted = data.get("document");
  return typeof pasted === "string" ? pasted.slice(0, MAX_RETURNED) : "";
}

interface Form {
  document: Uint8Array;
  pool: Pool | null;
  isToStore: boolean;
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
    isToStore: data.get("action") === "store",
  };
}

function requirePool(bytes: Uint8Array): Pool {
  const read = parsePool(bytes, "pools[0]");
  if (!read.ok) throw poolRefusal(read.reason);
  return read.pool;
}
