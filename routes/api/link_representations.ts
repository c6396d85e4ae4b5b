/** Public JSON and headers from what is known of a URL. */
import { FRESH_MS } from "../../lib/links/freshness.ts";
import type { LinkView, Refreshed, Served } from "../../lib/links/links.ts";
import type { LinkEvent, LinkFailure } from "../../lib/links/rows.ts";
import { isoTime } from "./representations.ts";
import {
  isProblemCode,
  type ProblemDetails,
  problemDetails,
  ProblemError,
} from "../http/problems.ts";
import { resultUrls, type Site } from "../http/site.ts";
import type { Link } from "../schemas/link.ts";
import type { LastGiven } from "../schemas/problem.ts";

export type { LastGiven };

function linkedDocuments(site: Site, { documents }: LinkView): LastGiven["documents"] {
  return documents.map(({ id, kind, kept }) => ({
    id,
    kind,
    urls: kept && id !== null ? resultUrls(site, id) : null,
  }));
}

/** What a URL gave last; undefined: it never gave anything. */
export function lastGiven(site: Site, link: LinkView): LastGiven | undefined {
  if (link.fetchedAt === null) return undefined;
  return {
    documents: linkedDocuments(site, link),
    fetchedAt: isoTime(link.fetchedAt),
    goneAt: link.goneAt === null ? null : isoTime(link.goneAt),
  };
}

/** The problem with a URL that gave nothing, with what it gave before. */
export function failureProblem(site: Site, failure: LinkFailure, link: LinkView): ProblemError {
  const { code, message, status, reason, until } = failure;
  if (!isProblemCode(code)) throw new Error(`no problem is defined for ${code}`);
  const last = lastGiven(site, link);
  return new ProblemError(code, message, {
    ...(reason && { reason: { code: reason.code, message: reason.message, path: reason.path } }),
    ...(status !== null && { remoteStatus: status }),
    ...(last && { last }),
  }, Math.max(1, Math.ceil((until - link.now) / 1000)));
}

/** The problem with a URL that is gone. */
export function goneProblem(site: Site, link: LinkView): ProblemError {
  const last = lastGiven(site, link);
  const detail = "the host keeps saying that there is no such file";
  return new ProblemError("fetch-gone", detail, last && { last });
}

/** Events of a link's history. */
function linkEvents(history: readonly LinkEvent[]): Link["history"] {
  return history.map(({ at, ...event }) => ({ at: isoTime(at), ...event }));
}

/** A link after a look. */
export function linkAnswer(
  site: Site,
  { link, changed }: Refreshed,
  history: readonly LinkEvent[],
): Link {
  const { url, state, fetchedAt, age, goneAt, failure } = link;
  return {
    url,
    state,
    documents: linkedDocuments(site, link),
    fetchedAt: fetchedAt === null ? null : isoTime(fetchedAt),
    age: age === null ? null : Math.floor(age / 1000),
    goneAt: goneAt === null ? null : isoTime(goneAt),
    changed,
    problem: failure === null ? null : problemOf(site, failure, link),
    history: linkEvents(history),
  };
}

/** Without what the link itself says beside it. */
function problemOf(site: Site, failure: LinkFailure, link: LinkView): ProblemDetails {
  const { last: _, ...problem } = problemDetails(failureProblem(site, failure, link), site.path);
  return problem;
}

/**
 * What headers say of an answer: its age, how it came about (RFC 9211), and where the one stored
 * document is shown.
 */
export function linkHeaders(
  site: Site,
  link: LinkView,
  served: Served,
): Record<string, string> {
  const age = link.age ?? 0;
  const [only] = link.documents;
  const page = link.documents.length === 1 && only!.kept && only!.id !== null
    ? resultUrls(site, only!.id).page
    : null;
  return {
    "age": `${Math.floor(age / 1000)}`,
    "cache-status": cacheStatus(age, served, link.failure),
    ...(page !== null && { "link": `<${page}>; rel="canonical"` }),
  };
}

function cacheStatus(age: number, { look, problem }: Served, failure: LinkFailure | null): string {
  const parts = ["touchstone"];
  if (look === null) parts.push("hit");
  else {
    parts.push(`fwd=${look.why}`);
    if (look.status !== null) parts.push(`fwd-status=${look.status}`);
    if (look.collapsed) parts.push("collapsed");
  }
  parts.push(`ttl=${Math.floor((FRESH_MS - age) / 1000)}`);
  const detail = problem ?? failure?.code ?? null;
  if (detail !== null) parts.push(`detail=${detail}`);
  return parts.join("; ");
}
