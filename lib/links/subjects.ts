/** What there is to say of the documents that a URL gave, for a badge. */
import { fromJsonText } from "../encoding/json.ts";
import type { Store, StoredResult } from "../store/store.ts";
import type { Report } from "../verify/report.ts";
import { REVISION } from "../verify/version.ts";
import type { ReportSubject } from "../words/subject.ts";
import { contentOf } from "./content.ts";
import { checkContent, type Content } from "./content_cache.ts";
import type { LinksContext } from "./context.ts";
import { isShowable, subjectOf, withoutStored } from "./documents.ts";
import type { LinkBadge, LinkedSubject } from "./links.ts";
import { updateLink } from "./row_cache.ts";
import type { Given, LinkedDocument, LinkEntry } from "./rows.ts";
import { forReader, storeContent } from "./storing.ts";
import type { LinkedUrl } from "./url.ts";
import { type LinkView, viewOf } from "./view.ts";

/** A stored result; `checking`: it is being made again; null: there is none. */
type Read = StoredResult | "checking" | null;

/**
 * What there is to say of the documents that a URL gave last.
 *
 * @param known their bytes, if a fetch has just brought them.
 * @returns null when the URL has to be fetched again first.
 */
export async function linkSubjects(
  context: LinksContext,
  linked: LinkedUrl,
  entry: LinkEntry,
  known: Content | null,
): Promise<LinkBadge | null> {
  const { store, contents, clock } = context;
  const { given } = entry.row;
  if (given === null) return null;
  const reads = await readAll(given, store);
  if (reads.includes("checking")) return { state: "checking" };
  const view = viewOf(linked, entry.row, clock());
  if (!lacks(given, reads).includes(true)) return currentBadge(given, reads, [], view);

  const lost = given.documents.map(({ kept }, index) => kept && reads[index] === null);
  const stored = await storeLacking(context, linked, entry, { lost, known });
  if (stored === null) return null;
  const again = await readAll(stored.given, store);
  if (again.includes("checking")) return { state: "checking" };
  const lacking = lacks(stored.given, again).includes(true);
  // A document that the store has no room for, or that has no outcome, is checked for this one badge.
  const { checked } = lacking ? await checkContent(contents, stored.content) : { checked: [] };
  const reports = checked.map(({ json }) => fromJsonText(json));
  return currentBadge(stored.given, again, reports, view);
}

/** Stores the documents that nothing can be said of. Null: their bytes are gone. */
async function storeLacking(
  context: LinksContext,
  linked: LinkedUrl,
  entry: LinkEntry,
  { lost, known }: { lost: readonly boolean[]; known: Content | null },
): Promise<{ given: Given; content: Content } | null> {
  const given = entry.row.given!;
  const current = lost.includes(true)
    ? await updateLink(context.links, linked, entry, (row) => ({
      row: withoutStored(row, given, lost),
      event: null,
    }))
    : entry;
  const { entry: before, content } = known === null
    ? await contentOf(context, linked, current)
    : { entry: current, content: known };
  if (content === null) return null;
  const after = await storeContent(context, linked, { entry: before, content }, forReader());
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

/** What is said of a document, with how it came: a stored result says nothing of that. */
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
    document.kept ? reads[index] === null : !isShowable(document)
  );
}

function revisionOf({ documents, content }: Given, reads: readonly Read[]): string {
  return documents.map(({ id, unwrapped, observations }, index) => {
    const result = reads[index] as StoredResult | null;
    return [id, result?.revision ?? `${content} ${REVISION}`, unwrapped, ...observations].join(" ");
  }).join("\n");
}
