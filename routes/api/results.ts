/** `/api/results`: storing documents and asking for what is known about them. */
import { type Context, Hono } from "hono";
import { parsePublicKey } from "../../lib/crypto/ed25519.ts";
import { isHex64 } from "../../lib/encoding/hex.ts";
import type { Kept, ReportRead, ResultFilter, Store, Tombstone } from "../../lib/store/store.ts";
import { withAcceptance } from "../../lib/trust/acceptance.ts";
import type { Report } from "../../lib/verify/report.ts";
import type { IntakeResult } from "../../lib/verify/intake.ts";
import { requireAcceptance } from "./acceptance.ts";
import { changes, checkingReport, disclosedPools, isoTime, resultPage } from "./representations.ts";
import { acceptDocuments, INPUT_LIMITS, inputRefusal, receive } from "../http/body.ts";
import { payFor } from "../http/limits.ts";
import { readPaging } from "../http/query.ts";
import { ProblemError } from "../http/problems.ts";
import { reply, replyJson } from "../http/reply.ts";
import type { Services } from "../http/services.ts";
import { resultUrls, siteOf } from "../http/site.ts";

/** Seconds after which a result that is being made again is worth asking for. */
const COME_BACK = "1";

export function resultRoutes(services: Services): Hono {
  const { store, registry, now, publicUrl } = services;
  const app = new Hono();
  const site = (c: Context) => siteOf(publicUrl, c.req.url);

  async function answer(
    c: Context,
    id: string,
    report: Report,
    result: { storedAt: number; checkedAt: number } | null,
  ) {
    const [pools, history] = await Promise.all([
      disclosedPools(store, report),
      store.history(id),
    ]);
    return {
      id,
      state: result === null ? "checking" : "current",
      report,
      storedAt: result === null ? null : isoTime(result.storedAt),
      checkedAt: result === null ? null : isoTime(result.checkedAt),
      pools,
      history: changes(history),
      urls: resultUrls(site(c), id),
    };
  }

  app.post("/api/results", acceptDocuments, async (c) => {
    const kept = await keepBytes(c, await receive(c), services);
    return replyJson(c.req.raw, await answer(c, kept.id, kept.report, kept.result), {
      status: kept.created ? 201 : 200,
      headers: kept.created ? { location: `${site(c).path}/api/results/${kept.id}` } : {},
    });
  });

  app.get("/api/results", async (c) => {
    const paging = readPaging(c, ["issuer", "session", "subject", "recent"]);
    const page = resultPage(site(c), await store.results(filterOf(c), paging));
    return replyJson(c.req.raw, page);
  });

  app.get("/api/results/:id", async (c) => {
    const id = c.req.param("id");
    const requirements = requireAcceptance(c, registry);
    const read = await requireReport(store, id);
    if (read.state === "checking") {
      const report = withAcceptance(read.report ?? checkingReport(id), requirements, now());
      return replyJson(c.req.raw, await answer(c, id, report, null), {
        headers: { "retry-after": COME_BACK },
      });
    }
    // A disclosed pool changes the report, and so does the time that maxage allows: caches must ask.
    const options = { cache: "no-cache", etag: true };
    const report = withAcceptance(read.report, requirements, now());
    return replyJson(c.req.raw, await answer(c, id, report, read.result), options);
  });

  app.get("/api/results/:id/document", async (c) => {
    const id = c.req.param("id");
    const bytes = isHex64(id) ? await store.document(id) : null;
    if (bytes === null) throw await absent(store, id);
    return reply(c.req.raw, bytes, {
      type: "application/json",
      cache: "public, max-age=31536000, immutable",
      etag: { id },
    });
  });
  return app;
}

/** The list that the query asks for. @throws {ProblemError} `query-malformed`. */
function filterOf(c: Context): ResultFilter {
  const { issuer, session, subject, recent } = c.req.query();
  const asked = [session ?? issuer, subject, recent].filter((value) => value !== undefined);
  if (asked.length > 1) {
    const detail =
      "results are listed by one of issuer, session (with its issuer), subject, recent";
    throw new ProblemError("query-malformed", detail);
  }
  if (session !== undefined) {
    const publicKey = issuer === undefined ? undefined : requireKey(issuer, "issuer");
    return { by: "session", sessionId: session, publicKey };
  }
  if (issuer !== undefined) return { by: "issuer", publicKey: requireKey(issuer, "issuer") };
  if (subject !== undefined) return { by: "subject", subjectKey: requireKey(subject, "subject") };
  return { by: "recent" };
}

/** A whole public key: a key id is a label, never an identity. */
function requireKey(text: string, name: string): string {
  if (parsePublicKey(text).ok) return text;
  throw new ProblemError("query-malformed", `${name} takes a whole public key in base64url`);
}

/**
 * Keeps the one document that somebody sent.
 *
 * @param ignorePools pools that came along were for a check, and are left out.
 * @throws {ProblemError} that says why nothing was stored.
 * @throws {CheckerBusy}
 */
export async function keepBytes(
  c: Context,
  bytes: Uint8Array,
  { store, checker, clientOf, onStored }: Pick<
    Services,
    "store" | "checker" | "clientOf" | "onStored"
  >,
  ignorePools = false,
): Promise<Extract<Kept, { ok: true }>> {
  const answer = await checker.intake(bytes, INPUT_LIMITS);
  if (!answer.ok) throw inputRefusal(answer);
  await payFor(c, { documents: 1, bytes: answer.bytes });
  const { intakes, pools } = answer;
  if (pools > 0 && !ignorePools) {
    throw new ProblemError("pools-not-kept", "a result is stored without pools");
  }
  const [intake = null] = intakes;
  if (intakes.length !== 1) {
    const detail = `one document is stored at a time, the body holds ${intakes.length}`;
    throw new ProblemError("not-one-document", detail);
  }
  if (intake === null) {
    throw new ProblemError("document-unrecognised", "only receipts and admissions are stored");
  }
  const kept = requireKept(
    intake.ok ? await store.keepIntake(intake.intake, clientOf(c)) : intake,
  );
  if (kept.created) onStored(kept.result);
  return kept;
}

/** The stored result; otherwise the problem that says why nothing was stored. */
function requireKept(
  kept: Kept | Extract<IntakeResult, { ok: false }>,
): Extract<Kept, { ok: true }> {
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
      // No other try of this version will come to more.
      if (reason?.code === "checker-missing") {
        throw new ProblemError("document-unrecognised", detail, extra);
      }
      throw new ProblemError("check-unfinished", detail, extra);
  }
}

/**
 * The report on a stored document.
 * @throws {ProblemError} `result-unknown`; `result-removed` with what is left.
 */
export async function requireReport(
  store: Store,
  id: string,
): Promise<Extract<ReportRead, { state: "current" | "checking" }>> {
  const read = isHex64(id) ? await store.report(id) : null;
  if (read === null || read.state === "unknown") throw unknownResult();
  if (read.state === "removed") throw await removedResult(store, read.tombstone);
  return read;
}

async function absent(store: Store, id: string): Promise<ProblemError> {
  const read = isHex64(id) ? await store.result(id) : null;
  return read?.state === "removed" ? await removedResult(store, read.tombstone) : unknownResult();
}

function unknownResult(): ProblemError {
  return new ProblemError("result-unknown", "no result with this id is stored here");
}

async function removedResult(store: Store, tombstone: Tombstone): Promise<ProblemError> {
  const { id, kind, outcome, why, removedAt, storedAt } = tombstone;
  return new ProblemError("result-removed", "the document was stored here, and was removed", {
    removed: {
      id,
      kind,
      outcome,
      why,
      removedAt: isoTime(removedAt),
      storedAt: isoTime(storedAt),
      history: changes(await store.history(id)),
    },
  });
}
