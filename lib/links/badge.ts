/** What a badge of a URL is made of. */
import type { ReportSubject } from "../badge/model.ts";
import type { Given, LinkedDocument, LinkEntry, LinkFailure } from "./rows.ts";
import type { Store, StoredResult } from "../store/store.ts";
import type { Report } from "../verify/report.ts";
import { REVISION } from "../verify/version.ts";
import type { Content, Contents } from "./content_cache.ts";
import type { FetchErrorCode } from "../fetch/error.ts";
import type { LinkedUrl } from "./url.ts";
import { type LinkView, viewOf } from "./view.ts";
import { type Looks, withoutKept } from "./revalidate.ts";
import type { Ledger } from "./row_cache.ts";
import { isSettled, subjectOf } from "./settle.ts";

/** One document of a badge. */
export interface LinkedSubject {
  id: string | null;
  subject: ReportSubject;
  /** Null: it isn't in the store, and `subject` is what a check said. */
  result: StoredResult | null;
}

export type LinkBadge =
  /**
   * `revision` names everything that the subjects say. Null: they may say something else the next
   * time, so what is drawn from them is neither to be remembered nor to be cached.
   */
  | { state: "current"; subjects: LinkedSubject[]; revision: string | null; link: LinkView }
  /** Still being fetched or checked; `code`: what it waits for, where that is a fetch's problem. */
  | { state: "checking"; code?: FetchErrorCode }
  /** This URL isn't fetched, whatever its host does. */
  | { state: "blocked"; code: FetchErrorCode }
  /** The host gave nothing that could be shown, neither now nor before. */
  | { state: "unreachable"; failure: LinkFailure; link: LinkView }
  /** The host says, and keeps saying, that there is no such file. */
  | { state: "gone"; link: LinkView }
  /** A URL of this service, of a document that isn't stored. */
  | { state: "absent"; id: string };

const BLOCKED: ReadonlySet<string> = new Set<FetchErrorCode>([
  "fetch-url-malformed",
  "fetch-scheme",
  "fetch-credentials",
  "fetch-port",
  "fetch-blocked-address",
  "fetch-own-host",
]);

/** Whether a URL isn't fetched whatever its host does. */
export function isBlocked(code: string): code is FetchErrorCode {
  return BLOCKED.has(code);
}

export interface SubjectParts {
  store: Pick<Store, "badgeRow">;
  ledger: Ledger;
  contents: Contents;
  looks: Looks;
  clock: () => number;
  /** See `settle`; the entry says what came of it. */
  settled(linked: LinkedUrl, entry: LinkEntry, content: Content): Promise<LinkEntry>;
}

/** A stored result; `checking`: it is being made again; null: there is none. */
type Read = StoredResult | "checking" | null;

/**
 * What there is to say of the documents that a URL gave last.
 *
 * @param held their bytes, where they are at hand.
 * @returns null when the URL has to be asked again first.
 */
export async function linkSubjects(
  parts: SubjectParts,
  linked: LinkedUrl,
  entry: LinkEntry,
  held: Content | null,
): Promise<LinkBadge | null> {
  const { contents, clock } = parts;
  const { given } = entry.row;
  if (given === null) return null;
  const reads = await readAll(given, parts.store);
  if (reads.includes("checking")) return { state: "checking" };
  const view = viewOf(linked, entry.row, clock());
  if (!lacks(given, reads).includes(true)) return currentBadge(given, reads, [], view);

  const settled = await settleLacking(parts, linked, entry, reads, held);
  if (settled === null) return null;
  const again = await readAll(settled.given, parts.store);
  if (again.includes("checking")) return { state: "checking" };
  const lacking = lacks(settled.given, again).includes(true);
  // Without room in the store, or an outcome: as it is now, and for this answer only.
  const { checked } = lacking ? await contents.check(settled.content) : { checked: [] };
  const reports = checked.map(({ json }) => JSON.parse(json) as Report);
  return currentBadge(settled.given, again, reports, view);
}

async function settleLacking(
  { ledger, looks, settled }: SubjectParts,
  linked: LinkedUrl,
  entry: LinkEntry,
  reads: readonly Read[],
  held: Content | null,
): Promise<{ given: Given; content: Content } | null> {
  const given = entry.row.given!;
  const lost = given.documents.map(({ kept }, index) => kept && reads[index] === null);
  const current = lost.includes(true)
    ? await ledger.update(linked, entry, (row) => ({
      row: withoutKept(row, given, lost),
      event: null,
    }))
    : entry;
  const { entry: before, content } = held === null
    ? await looks.contentOf(linked, current)
    : { entry: current, content: held };
  if (content === null) return null;
  const after = await settled(linked, before, content);
  return after.row.given?.content === content.sha ? { given: after.row.given, content } : null;
}

function currentBadge(
  given: Given,
  reads: readonly Read[],
  reports: readonly Report[],
  link: LinkView,
): LinkBadge {
  const lacking = lacks(given, reads);
  const subjects = given.documents.map((document, index): LinkedSubject => {
    const result = reads[index] as StoredResult | null;
    const said = result ??
      (lacking[index] ? subjectOf(reports[index]!) : document.found!.subject);
    return { id: document.id, subject: withObservations(said, document, result), result };
  });
  const revision = lacking.includes(true) ? null : revisionOf(given, reads);
  return { state: "current", subjects, revision, link };
}

/** What is stored says nothing of how it came. */
function withObservations(
  said: ReportSubject,
  { unwrapped, observations }: LinkedDocument,
  result: StoredResult | null,
): ReportSubject {
  const added = [...(unwrapped && result !== null ? ["unwrapped"] : []), ...observations];
  return added.length === 0 ? said : { ...said, observations: [...said.observations, ...added] };
}

function readAll(given: Given, store: Pick<Store, "badgeRow">): Promise<Read[]> {
  return Promise.all(given.documents.map(async ({ id, kept }) => {
    if (!kept || id === null) return null;
    const read = await store.badgeRow(id);
    if (read.state === "checking") return "checking";
    return read.state === "current" ? read.result : null;
  }));
}

/** Of which documents nothing can be said. */
function lacks({ documents }: Given, reads: readonly Read[]): boolean[] {
  return documents.map((document, index) =>
    document.kept ? reads[index] === null : !isSettled(document)
  );
}

function revisionOf({ documents, content }: Given, reads: readonly Read[]): string {
  return documents.map(({ id, unwrapped, observations }, index) => {
    const result = reads[index] as StoredResult | null;
    return [id, result?.revision ?? `${content} ${REVISION}`, unwrapped, ...observations].join(" ");
  }).join("\n");
}
