/**
 * Storing what a URL gave, for its badge: results in the store follow every disclosed pool. Of a
 * document that can't be stored, the link's row has what a check found.
 */
import { fromJsonText } from "../encoding/json.ts";
import { currentAsker } from "../async/asker.ts";
import { checkInput } from "../store/check.ts";
import { type Store, StoreError, StoreUnavailable } from "../store/store.ts";
import { CheckerBusy, TIME_LIMITS } from "../verify/checker.ts";
import type { IntakeAnswer } from "../verify/jobs.ts";
import { contentOf } from "./content.ts";
import type { Content } from "./content_cache.ts";
import type { LinksContext } from "./context.ts";
import { isShowable, withReport } from "./documents.ts";
import { updateLink } from "./row_cache.ts";
import type { LinkedDocument, LinkEntry } from "./rows.ts";
import type { LinkedUrl } from "./url.ts";

/** The documents of a content that could be read. */
export type Intakes = Extract<IntakeAnswer, { ok: true }>;

interface StoringOptions {
  /** Whom the documents count for in the hourly quota; null: nobody. */
  client: string | null;
  /**
   * Somebody asked for exactly this: a document that the operator deleted is stored again, and an
   * error that stops the store from taking documents is thrown.
   */
  asked: boolean;
  /** The documents of the content, where they have been read already. */
  intakes?: Intakes;
}

/**
 * How documents are stored that nobody asks to have stored: they count for whoever's request fetched
 * them, apart from what that client stores itself. If they counted for their host, anybody could use
 * up the quota of a host.
 */
export function forReader(): { client: string | null; asked: false } {
  const { client } = currentAsker();
  return { client: client === null ? null : `look ${client}`, asked: false };
}

/** Stores the documents of a content, and notes what became of them in the link's row. */
export async function storeContent(
  context: LinksContext,
  linked: LinkedUrl,
  { entry, content }: { entry: LinkEntry; content: Content },
  how: StoringOptions,
): Promise<LinkEntry> {
  const { given, keep } = entry.row;
  if (given === null || keep && given.documents.every(isShowable)) return entry;
  const documents = await storeDocuments(context, given.documents, content.bytes, how);
  const after = await updateLink(context.links, linked, entry, (row) => {
    const next = row.given?.content === content.sha ? { ...row.given, documents } : row.given;
    return { row: { ...row, keep: true, given: next }, event: null };
  });
  if (after.row.given?.content === content.sha) return after;
  // A fetch brought something else meanwhile, before it could know that documents are to be stored.
  const newer = await contentOf(context, linked, after);
  if (newer.content === null) return newer.entry;
  const { entry: newest, content: newerContent } = newer;
  return await storeContent(context, linked, { entry: newest, content: newerContent }, forReader());
}

/**
 * Puts into the store what can be stored, and finds out what there is to say of the other documents.
 * A document that there is no time, room or database for stays as it was.
 *
 * @param documents those that `bytes` hold, in order.
 * @throws {StoreError} when `asked`.
 * @throws {CheckerBusy} when `asked`.
 * @throws {StoreUnavailable} when `asked`.
 */
export async function storeDocuments(
  context: LinksContext,
  documents: readonly LinkedDocument[],
  bytes: Uint8Array,
  options: StoringOptions,
): Promise<LinkedDocument[]> {
  const after = [...documents];
  if (documents.every(isShowable)) return after;
  try {
    await storeEach(context, after, bytes, options);
  } catch (error) {
    const passes = error instanceof StoreError || error instanceof CheckerBusy ||
      error instanceof StoreUnavailable;
    if (!passes || options.asked) throw error;
  }
  return after;
}

async function storeEach(
  context: LinksContext,
  documents: LinkedDocument[],
  bytes: Uint8Array,
  { client, asked, intakes }: StoringOptions,
): Promise<void> {
  const { checker, store, limits, signal } = context;
  const taken = intakes ?? await checker.intake(bytes, limits);
  if (!taken.ok) throw new Error(`what could be read can't be any more: ${taken.reason.code}`);
  const end = performance.now() + TIME_LIMITS.input;
  const rest: number[] = [];
  for (const [index, document] of documents.entries()) {
    if (isShowable(document) || signal.aborted) continue;
    const intake = taken.intakes[index] ?? null;
    if (intake === null) {
      rest.push(index);
    } else if (!intake.ok) {
      documents[index] = withReport(document, intake.report);
    } else {
      if (performance.now() >= end) continue;
      const { id } = intake.intake;
      if (!asked && await isDeleted(id, store)) continue;
      const stored = await store.keepIntake(intake.intake, client, !asked);
      documents[index] = stored.ok
        ? { ...document, kept: true }
        : withReport(document, stored.report);
    }
  }
  await checkRest(context, documents, bytes, rest);
}

/** Checks the documents that can't be stored. @param rest their indexes. */
async function checkRest(
  { checker, store, limits, signal }: LinksContext,
  documents: LinkedDocument[],
  bytes: Uint8Array,
  rest: readonly number[],
): Promise<void> {
  if (rest.length === 0 || signal.aborted) return;
  const checks = await checkInput(bytes, { checker, store }, { limits, only: [...rest], signal });
  if (!checks.ok) throw new Error(`what could be read can't be any more: ${checks.reason.code}`);
  for (const [at, index] of rest.entries()) {
    const report = fromJsonText(checks.checked[at]!.json);
    documents[index] = withReport(documents[index]!, report);
  }
}

async function isDeleted(id: string, store: Pick<Store, "badgeRow">): Promise<boolean> {
  const read = await store.badgeRow(id);
  return read.state === "removed" && read.tombstone.why === "deleted";
}
