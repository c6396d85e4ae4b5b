/**
 * Results: made when a document is stored, and again whenever a pool that one lacked is public by
 * now, or an older verifier made it. Source: docs/architecture.md, "Storage".
 *
 * A commit that writes a result checks that each pool it lacks is still absent, so that no result can
 * become stale while it is made: any number of processes may work on one database.
 */
import { checkOne } from "../verify/checker.ts";
import type { Pool } from "../protocol/pool.ts";
import type { Report } from "../verify/report.ts";
import { revisionOf } from "../verify/version.ts";
import type { Database } from "../kv/database.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import { applyAll, type Change, changeOf } from "./changes.ts";
import { readContent } from "./content.ts";
import { ATTEMPTS, type StoreContext } from "./context.ts";
import { resultKey } from "./keys.ts";
import { publicPools } from "./pools.ts";
import {
  isExposed,
  isWhole,
  lackedBy,
  type Row,
  type RowEntry,
  rowOf,
  type UpToDate,
} from "./row.ts";
import { damaged } from "./store.ts";

/** How long a check that came to no outcome isn't tried again, in milliseconds. */
const UNFINISHED_MS = 5000;

/**
 * What a row may become. A report instead: the check came to no outcome; null: the document is gone,
 * or a newer verifier's result is there.
 */
export type Prepared = Change | { report: Report | null };

/** A document's row, or null. @throws {StoreError} `document-damaged`. */
export async function readRow(db: Database, id: string): Promise<RowEntry | null> {
  const { value, versionstamp } = await db.get<unknown>(resultKey(id));
  if (value === null || versionstamp === null) return null;
  if (!isWhole(value)) throw damaged(id);
  return { id, row: value, versionstamp };
}

/** Reads a row and makes its result again if it is out of date, for as long as that takes. */
export async function readUpToDate(context: StoreContext, id: string): Promise<UpToDate> {
  const entry = await readRow(context.db, id);
  return entry === null ? { state: "absent" } : await bringUpToDate(context, entry);
}

/** Makes the result of a row that was just read again, if it is out of date. */
export async function bringUpToDate(context: StoreContext, entry: RowEntry): Promise<UpToDate> {
  const { id } = entry;
  for (;;) {
    const known = await publicPools(context, lackedBy(entry.row));
    if (!isStale(context, entry.row, known)) return { state: "current", entry };
    // Many readers of one result share its check.
    const { result, joined } = context.remaking.run(id, () => remake(context, id));
    const made = await result;
    // A check that began before this read may have missed a pool published before the read.
    if (!joined || made.state !== "current") return made;
    entry = made.entry;
  }
}

async function remake(context: StoreContext, id: string): Promise<UpToDate> {
  const { db, unfinished } = context;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = await readRow(db, id);
    if (entry === null) return { state: "absent" };
    const known = await publicPools(context, lackedBy(entry.row));
    if (!isStale(context, entry.row, known)) return { state: "current", entry };
    const failed = unfinished.get(id);
    if (failed !== undefined && failed.until > performance.now()) {
      return { state: "unfinished", report: failed.report };
    }
    const prepared = await prepareChange(context, entry);
    if (!("row" in prepared)) {
      const { report } = prepared;
      if (report !== null) {
        unfinished.set(id, { until: performance.now() + UNFINISHED_MS, report });
      }
      // Without a report the document may be gone: the next round tells.
      if (report !== null || await readRow(db, id) !== null) {
        return { state: "unfinished", report };
      }
      continue;
    }
    const commit = await db.commit((operation) => applyAll(operation, [prepared]));
    if (commit.ok) {
      const { versionstamp } = commit;
      return { state: "current", entry: { id, row: prepared.row, versionstamp } };
    }
  }
  throw new StoreUnavailable("the result is being changed by others all the time");
}

/** Whether a row's result must be made again, given the public pools among those that it lacked. */
export function isStale(
  { version }: StoreContext,
  row: Row,
  known: ReadonlyMap<string, Pool>,
): boolean {
  return revisionOf(row.verifierVersion) < version ||
    lackedBy(row).some((poolKey) => known.has(poolKey));
}

/** What a newer verifier decided, an older one doesn't decide again. */
function isNewer({ version }: StoreContext, { row }: RowEntry): boolean {
  return revisionOf(row.verifierVersion) > version;
}

/** Checks a stored document with pools; null: the document is gone. */
export async function checkStored(
  { db, checker }: StoreContext,
  { id, row }: RowEntry,
  pools: ReadonlyMap<string, Pool>,
): Promise<Report | null> {
  const bytes = await readContent(db, id, row.content);
  if (bytes === null) return null;
  return await checkOne(checker, { bytes, pools: [...pools.values()] }, "read");
}

/** Makes a row's result again, without committing it. */
async function prepareChange(context: StoreContext, entry: RowEntry): Promise<Prepared> {
  if (isNewer(context, entry)) return { report: null };
  const report = await checkStored(context, entry, await poolsOf(context, entry));
  return preparedOf(context, entry, report);
}

/** Makes the results of documents again whose bytes are here, after whatever anybody waits for. */
export async function prepareChanges(
  context: StoreContext,
  documents: readonly { entry: RowEntry; bytes: Uint8Array }[],
): Promise<Prepared[]> {
  const wanted = documents.filter(({ entry }) => !isNewer(context, entry));
  const reports = wanted.length === 0 ? [] : await context.checker.documents(
    await Promise.all(wanted.map(async ({ entry, bytes }) => {
      return { bytes, pools: [...(await poolsOf(context, entry)).values()] };
    })),
    "background",
  );
  const made = new Map(wanted.map((document, index) => [document, reports[index]!]));
  return documents.map((document) =>
    preparedOf(context, document.entry, made.get(document) ?? null)
  );
}

/** The public ones of all pools that a row names. */
function poolsOf(context: StoreContext, { row }: RowEntry): Promise<Map<string, Pool>> {
  return publicPools(context, row.pools.map(({ poolKey }) => poolKey));
}

function preparedOf(context: StoreContext, entry: RowEntry, report: Report | null): Prepared {
  if (report === null || report.outcome === null) return { report };
  const { row } = entry;
  const changed = report.outcome !== row.outcome;
  const next = rowOf(report, {
    storedAt: row.storedAt,
    checkedAt: context.clock(),
    verifierVersion: context.version,
    changes: row.changes + (changed ? 1 : 0),
    imported: row.imported,
    content: row.content,
  });
  return changeOf(entry, next);
}

/** The report that a row was made from, if it is in memory. */
export function rememberedReport(
  { reports }: StoreContext,
  { id, versionstamp }: RowEntry,
): Report | null {
  const known = reports.get(id);
  return known?.revision === versionstamp ? known.report : null;
}

/** Remembers the report that a row was made from. */
export function rememberReport(
  { reports }: StoreContext,
  { id, row, versionstamp }: RowEntry,
  report: Report,
): void {
  reports.set(id, { revision: versionstamp, report }, { size: row.content.bytes });
}

/**
 * Makes the report that a row was made from again, and remembers it. Null: the document is gone, or
 * (where a newer verifier made the row, say) the check here doesn't come to that result.
 */
export async function remakeReport(
  context: StoreContext,
  entry: RowEntry,
): Promise<Report | null> {
  const { id, row, versionstamp } = entry;
  return await context.reporting.run(`${id} ${versionstamp}`, async () => {
    const used = row.pools.filter((pool) => pool.disclosed).map(({ poolKey }) => poolKey);
    const report = await checkStored(context, entry, await publicPools(context, used));
    if (report === null || !agrees(report, row)) return null;
    rememberReport(context, entry, report);
    return report;
  }).result;
}

/** Whether a report made again is the one that the row came from. */
function agrees(report: Report, row: Row): boolean {
  return report.outcome === row.outcome && report.reason?.code === row.reason?.code &&
    report.observations.includes("exposed") === isExposed(row);
}
