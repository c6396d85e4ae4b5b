/**
 * Reading stored documents, their results and their reports. Whatever is read is brought up to date
 * first; a read that would take too long says `checking`.
 */
import { within } from "../async/within.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import { readContent } from "./content.ts";
import type { StoreContext } from "./context.ts";
import { askedKey, tombstoneKey } from "./keys.ts";
import { bringUpToDate, readRow, readUpToDate, remakeReport, rememberedReport } from "./results.ts";
import { resultOf, type RowEntry, type UpToDate } from "./row.ts";
import { forgetRow, readThrough } from "./row_cache.ts";
import { damaged, type ReportRead, type ResultRead, StoreError, type Tombstone } from "./store.ts";
import { dayOf } from "./upkeep.ts";

/** Reports made again for one read, each because the row changed meanwhile. */
const REPORT_ATTEMPTS = 3;

/** See `Store.result`. */
export async function readResult(context: StoreContext, id: string): Promise<ResultRead> {
  const entry = await readRow(context.db, id);
  const read = entry === null
    ? await readAbsent(context, id)
    : await readEntry(context, entry, context.readBudget);
  return await noteAsked(context, id, read);
}

/** See `Store.report`. */
export async function readReport(context: StoreContext, id: string): Promise<ReportRead> {
  return await noteAsked(context, id, await reportOf(context, id));
}

/** See `Store.badgeRow`. @param ready resolves when the pools are public that come with the service. */
export function readBadgeRow(
  context: StoreContext,
  id: string,
  ready: () => Promise<void>,
): ResultRead | Promise<ResultRead> {
  const noted = (read: ResultRead) => {
    // A badge waits for nobody's bookkeeping.
    if (isToBeNoted(context, id, read)) noteAsked(context, id, read).catch(() => {});
    return read;
  };
  const read = readThrough(context.rows, id, async () => {
    await ready();
    return await readForBadge(context, id);
  });
  return read instanceof Promise ? read.then(noted) : noted(read);
}

/** See `Store.document`. */
export async function readDocument(
  context: StoreContext,
  id: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { db } = context;
  const entry = await readRow(db, id);
  const bytes = entry && await readContent(db, id, entry.row.content);
  if (entry !== null && bytes === null && await readRow(db, id) !== null) throw damaged(id);
  if (bytes !== null) await noteAsked(context, id, { state: "current" });
  return bytes;
}

/** What a row says once it is up to date; `checking` where that takes longer than `budget` ms. */
export async function readEntry(
  context: StoreContext,
  entry: RowEntry,
  budget: number,
): Promise<ResultRead> {
  const late: UpToDate = { state: "unfinished", report: null };
  const read = await within(bringUpToDate(context, entry), budget, late);
  switch (read.state) {
    case "current":
      return { state: "current", result: resultOf(read.entry) };
    case "unfinished":
      return { state: "checking", id: entry.id };
    case "absent":
      return await readAbsent(context, entry.id);
  }
}

/** What is left of a document that isn't stored. */
async function readAbsent(
  { db }: StoreContext,
  id: string,
): Promise<Extract<ResultRead, { state: "removed" | "unknown" }>> {
  const { value } = await db.get<Tombstone>(tombstoneKey(id));
  return value === null ? { state: "unknown" } : { state: "removed", tombstone: value };
}

/** Reads a result whose document is whole: a badge must not stay green on what can't be checked. */
async function readForBadge(context: StoreContext, id: string): Promise<ResultRead> {
  const { db, readBudget } = context;
  try {
    const entry = await readRow(db, id);
    if (entry === null) return await readAbsent(context, id);
    const [read, bytes] = await Promise.all([
      readEntry(context, entry, readBudget),
      readContent(db, id, entry.row.content),
    ]);
    if (read.state !== "current" || bytes !== null) return read;
    // The document went after its row was read; or the row is all that is left of it.
    return await readRow(db, id) === null
      ? await readAbsent(context, id)
      : { state: "checking", id };
  } catch (error) {
    if (isDamage(error)) return { state: "checking", id };
    throw error;
  }
}

/** Whether reading failed because the document is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === "document-damaged";
}

/** A stored result with its report, up to date; for whoever doesn't ask for it (see noteAsked). */
export async function reportOf(context: StoreContext, id: string): Promise<ReportRead> {
  const late: ReportRead = { state: "checking", id, report: null };
  try {
    return await within(makeReport(context, id), context.reportBudget, late);
  } catch (error) {
    if (isDamage(error)) forgetRow(context.rows, id);
    throw error;
  }
}

async function makeReport(context: StoreContext, id: string): Promise<ReportRead> {
  const { db } = context;
  // Making a report takes a while, so whether the row still holds is asked again after it.
  for (let attempt = 0; attempt <= REPORT_ATTEMPTS; attempt++) {
    const read = await readUpToDate(context, id);
    if (read.state === "unfinished") return { state: "checking", id, report: read.report };
    if (read.state === "absent") return await readAbsent(context, id);
    const { entry } = read;
    const report = rememberedReport(context, entry);
    if (report !== null) return { state: "current", result: resultOf(entry), report };
    // The first failure may mean that the document is being removed; the second one means that a
    // newer verifier made the row, which this one can't make again.
    if (await remakeReport(context, entry) !== null || attempt === 0) continue;
    if (await readContent(db, id, entry.row.content) !== null) break;
    if (await readRow(db, id) !== null) throw damaged(id);
  }
  return { state: "checking", id, report: null };
}

function isToBeNoted({ asked, clock }: StoreContext, id: string, read: { state: string }): boolean {
  return read.state === "current" && asked.get(id) !== dayOf(clock());
}

/** Notes, once a day, that somebody asked for a stored document; gives what was read of it. */
async function noteAsked<R extends { state: string }>(
  context: StoreContext,
  id: string,
  read: R,
): Promise<R> {
  if (!isToBeNoted(context, id, read)) return read;
  const { db, asked, clock } = context;
  const today = dayOf(clock());
  asked.set(id, today);
  try {
    await db.commit((operation) => {
      operation.set(askedKey(id), today);
    });
  } catch (error) {
    // The note serves retention alone: what was read can be given without it.
    if (!(error instanceof StoreUnavailable)) throw error;
    asked.set(id, today - 1);
  }
  return read;
}
