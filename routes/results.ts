/** `/api/results`: storing documents and asking for what is known about them. */
import { type Context, Hono } from "hono";
import { isHex64 } from "../lib/encoding/hex.ts";
import type { Kept } from "../lib/store/results.ts";
import type { Report } from "../lib/verify/report.ts";
import type { Input } from "../lib/verify/input.ts";
import { acceptDocuments, limitBody, MAX_BODY_BYTES, readBody } from "./body.ts";
import { ProblemError } from "./problems.ts";
import { reply, replyJson } from "./reply.ts";
import type { Services } from "./services.ts";
import { resultUrls, siteOf } from "./site.ts";

export function resultRoutes({ results, publicUrl }: Services): Hono {
  const app = new Hono();
  const answer = (c: Context, id: string, report: Report) => ({
    id,
    report,
    urls: resultUrls(siteOf(publicUrl, c.req.url), id),
  });

  app.post("/api/results", acceptDocuments, limitBody(MAX_BODY_BYTES), async (c) => {
    const kept = requireKept(await results.keep(onlyDocument(await readBody(c))));
    return replyJson(c.req.raw, answer(c, kept.id, kept.report), {
      status: kept.created ? 201 : 200,
      headers: kept.created ? { location: `/api/results/${kept.id}` } : {},
    });
  });

  app.get("/api/results/:id", async (c) => {
    const { id, found: report } = await requireResult(c, (id) => results.report(id));
    return replyJson(c.req.raw, answer(c, id, report), {
      // A disclosed pool changes the report: caches must ask.
      ...(report.outcome === null ? {} : { cache: "no-cache", etag: true }),
    });
  });

  app.get("/api/results/:id/document", async (c) => {
    const { id, found: bytes } = await requireResult(c, (id) => results.document(id));
    return reply(c.req.raw, bytes, {
      type: "application/json",
      cache: "public, max-age=31536000, immutable",
      etag: { id },
    });
  });
  return app;
}

/** The one document of a body that is to be stored. */
export function onlyDocument({ entries, pools }: Input): unknown {
  if (pools.length > 0) {
    throw new ProblemError("pools-not-kept", "a result is stored without pools");
  }
  const entry = entries[0];
  if (entries.length !== 1 || entry === undefined) {
    const detail = `one document is stored at a time, the body holds ${entries.length}`;
    throw new ProblemError("not-one-document", detail);
  }
  if ("value" in entry) return entry.value;
  throw new ProblemError("document-unrecognised", "only receipts and admissions are stored");
}

/** The stored result; otherwise the problem that says why nothing was stored. */
export function requireKept(kept: Kept): Extract<Kept, { ok: true }> {
  if (kept.ok) return kept;
  const { why, report: { reason } } = kept;
  const extra = reason === null
    ? {}
    : { reason: { code: reason.code, message: reason.message, path: reason.path } };
  const detail = reason?.message ?? "nothing was stored";
  switch (why) {
    case "unrecognised":
      throw new ProblemError("document-unrecognised", detail, extra);
    case "too-large":
      throw new ProblemError("document-too-large", "the document is too large to be stored", extra);
    case "unfinished":
      throw new ProblemError("check-unfinished", detail, extra);
  }
}

async function requireResult<T>(
  c: Context,
  find: (id: string) => Promise<T | null>,
): Promise<{ id: string; found: T }> {
  const id = c.req.param("id");
  const found = isHex64(id) ? await find(id) : null;
  if (id === undefined || found === null) {
    throw new ProblemError("result-unknown", "no result with this id is stored here");
  }
  return { id, found };
}
