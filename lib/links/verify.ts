/** The reports on what a URL gives. */
import { fromJsonText, toJsonText } from "../encoding/json.ts";
import { checkContent, type Checked, type Content } from "./content_cache.ts";
import { contentOf } from "./content.ts";
import type { LinksContext } from "./context.ts";
import { currentLink, FROM_MEMORY } from "./current.ts";
import { withoutStored } from "./documents.ts";
import { mayFetch } from "./freshness.ts";
import type { LinkResult, VerifyOptions } from "./links.ts";
import { ownHostError } from "./own_urls.ts";
import type { Given, LinkEntry } from "./rows.ts";
import { storeContent } from "./storing.ts";
import type { LinkedUrl } from "./url.ts";
import { ownView, viewOf } from "./view.ts";

/** A fetch may find that what it rests on is gone; the next one asks without conditions. */
export const ROUNDS = 3;

/** See `Links.verify`. */
export async function verifyUrl(
  context: LinksContext,
  url: string,
  { keep = false, client = null, own = null }: VerifyOptions = {},
): Promise<LinkResult> {
  const { contents, clock } = context;
  const linked = context.readUrl(url, own);
  if (linked.isOwn) return await verifyOwn(context, linked);
  for (let round = 0; round < ROUNDS; round++) {
    // The documents are stored below instead, in the asker's name.
    const how = { purpose: "reports", keep: false, client, patience: null } as const;
    const current = (await currentLink(context, linked, how))!;
    const { row } = current.entry;
    if (row.goneAt !== null) return { state: "gone", link: viewOf(linked, row, clock()) };
    const { entry, content } = current.content === null
      ? await contentOf(context, linked, current.entry)
      : current;
    if (content !== null && row.given !== null) {
      const checked = withObservations(await checkContent(contents, content), row.given);
      const after = keep ? await storeAsked(context, linked, { entry, content }, client) : entry;
      const link = viewOf(linked, after.row, clock());
      return { state: "given", checked, link, served: current.served };
    }
    if (row.failure !== null && !mayFetch(row, clock())) {
      return { state: "failed", failure: row.failure, link: viewOf(linked, row, clock()) };
    }
  }
  throw new Error("what a URL gave went missing again and again");
}

/** The report on the stored document that a URL of this service is about. */
export async function verifyOwn(
  { store, contents, ownDocument, clock }: LinksContext,
  linked: LinkedUrl,
): Promise<Extract<LinkResult, { state: "given" }>> {
  const id = ownDocument(linked.url);
  const bytes = id === null ? null : await store.document(id);
  if (id === null || bytes === null) throw ownHostError();
  const checked = await checkContent(contents, { sha: id, bytes });
  const reports = checked.checked.map(({ json }) => fromJsonText(json));
  const link = ownView(linked, reports, clock());
  return { state: "given", checked, link, served: FROM_MEMORY };
}

/** Stores the documents because somebody asks for it, whatever became of them before. */
async function storeAsked(
  context: LinksContext,
  linked: LinkedUrl,
  { entry, content }: { entry: LinkEntry; content: Content },
  client: string | null,
): Promise<LinkEntry> {
  const { given } = entry.row;
  if (given === null) return entry;
  const lost = await Promise.all(
    given.documents.map(async ({ id, kept }) =>
      kept && id !== null && (await context.store.badgeRow(id)).state === "removed"
    ),
  );
  const row = withoutStored(entry.row, given, lost);
  const now = { entry: { ...entry, row }, content };
  return await storeContent(context, linked, now, { client, asked: true });
}

/** The reports, with what is to be said of how the documents were fetched. */
function withObservations(checked: Checked, { documents }: Given): Checked {
  if (documents.every(({ observations }) => observations.length === 0)) return checked;
  return {
    ...checked,
    checked: checked.checked.map((one, index) => {
      const added = documents[index]?.observations ?? [];
      if (added.length === 0) return one;
      const report = fromJsonText(one.json);
      report.observations.push(...added);
      return { ...one, json: toJsonText(report) };
    }),
  };
}
