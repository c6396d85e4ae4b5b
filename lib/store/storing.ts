/** Storing documents. Source: docs/architecture.md, "Storage". */
import { reason } from "../protocol/reason.ts";
import { checkOne } from "../verify/checker.ts";
import { type Intake, takeIn } from "../verify/intake.ts";
import { emptyReport, type Outcome, type Report } from "../verify/report.ts";
import { revisionOf } from "../verify/version.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import { checkAbsent, setFeed } from "./changes.ts";
import { attach, pack, type Packed, upload } from "./content.ts";
import { ATTEMPTS, type StoreContext } from "./context.ts";
import { reportOf } from "./documents.ts";
import {
  askedKey,
  counterKey,
  historyKey,
  indexKeys,
  resultKey,
  tombstoneKey,
  visitKey,
} from "./keys.ts";
import { publicPools } from "./pools.ts";
import { countBytes, countDocument, ENTRY_BYTES, requireRoom } from "./quota.ts";
import { rememberReport } from "./results.ts";
import { bytesFor, isExposed, lackedBy, resultOf, type Row, type RowEntry, rowOf } from "./row.ts";
import type { HistoryEntry, Kept, Tombstone } from "./store.ts";
import { dayOf } from "./upkeep.ts";
import { endVisit } from "./visits.ts";

const encoder = new TextEncoder();

/** See `Store.keep`. */
export async function storeValue(
  context: StoreContext,
  value: unknown,
  client: string | null = null,
): Promise<Kept> {
  const taken = await takeIn(value, (other) => {
    const text = JSON.stringify(other) ?? "null";
    return checkOne(context.checker, { bytes: encoder.encode(text), pools: [] }, "upload");
  });
  return taken.ok ? await storeIntake(context, taken.intake, client) : taken;
}

/**
 * Stores a document that was taken in. See `Store.keepIntake`.
 *
 * @param client counted for the hourly quota; null: not counted.
 * @param visiting nobody asked to have the document stored, see {@link ./visits.ts}.
 */
export async function storeIntake(
  context: StoreContext,
  intake: Intake,
  client: string | null = null,
  visiting = false,
): Promise<Kept> {
  const { db, quotas, clock } = context;
  const { id, kind, unwrapped, bytes, poolKeys } = intake;
  const known = await storedAlready(context, intake);
  if (known !== null) {
    if (!visiting) await endVisit(db, id);
    return known;
  }

  // A document that there is no room for isn't counted for its client.
  await requireRoom(db, quotas, pack(bytes).content.packedBytes + ENTRY_BYTES);
  await countDocument(db, quotas, client, clock());
  const added = await addDocument(context, { id, bytes, poolKeys }, {
    storedAt: clock(),
    imported: false,
    visiting,
    outcome: null,
    history: [],
  });
  switch (added.state) {
    case "known":
      if (!visiting) await endVisit(db, id);
      return await storedAlready(context, intake) ?? unfinished(kind, id, null);
    case "unfinished":
    case "too-large":
    case "unrecognised":
      return { ok: false, why: added.state, report: added.report };
    case "created": {
      const report = toldOf(added.report, unwrapped);
      return { ok: true, id, result: resultOf(added.entry), report, created: true };
    }
  }
}

async function storedAlready(
  context: StoreContext,
  { id, kind, unwrapped }: Pick<Intake, "id" | "kind" | "unwrapped">,
): Promise<Kept | null> {
  const read = await reportOf(context, id);
  switch (read.state) {
    case "current": {
      const { result, report } = read;
      return { ok: true, id, result, report: toldOf(report, unwrapped), created: false };
    }
    case "checking":
      return unfinished(kind, id, read.report);
    default:
      return null;
  }
}

/** The report for whoever sent the document in a wrapper; what is stored has no wrapper. */
function toldOf(report: Report, unwrapped: boolean): Report {
  if (!unwrapped) return report;
  return { ...report, observations: [...report.observations, "unwrapped"] };
}

function unfinished(kind: Report["kind"], id: string, report: Report | null): Kept {
  const why = reason("budget-exceeded", "the stored document is still being checked");
  return { ok: false, why: "unfinished", report: report ?? emptyReport(kind, null, why, id) };
}

/** What a stored document is to bring along. */
interface Arrival {
  storedAt: number;
  imported: boolean;
  /** Nobody asked to have the document stored, see {@link ./visits.ts}. */
  visiting?: boolean;
  /** The outcome that another store had last; null: there is none to speak of. */
  outcome: Outcome | null;
  /** Of another store; taken over unless this store has a history of its own. */
  history: readonly HistoryEntry[];
}

/** What became of a document that wasn't stored a moment ago. */
type Created =
  | { state: "created"; entry: RowEntry; report: Report }
  /** Somebody else stored it meanwhile. */
  | { state: "known" }
  | Refused;

interface Refused {
  state: "unfinished" | "too-large" | "unrecognised";
  report: Report;
}

/**
 * Checks a document with the pools public at the moment of its commit, and stores it.
 *
 * @throws {StoreError} `quota-bytes`.
 */
export async function addDocument(
  context: StoreContext,
  document: Pick<Intake, "id" | "bytes" | "poolKeys">,
  arrival: Arrival,
): Promise<Created> {
  const { db, quotas } = context;
  const { id, bytes } = document;
  let named = document.poolKeys;
  let packed: Packed | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pools = await publicPools(context, named);
    const job = { bytes, pools: [...pools.values()] };
    const report = await checkOne(context.checker, job, "upload");
    const refused = refusalOf(report);
    if (refused !== null) return refused;

    const tombstone = await db.get<Tombstone>(tombstoneKey(id));
    const past = pastOf(tombstone.value, arrival);
    packed ??= pack(bytes);
    const row = arrivingRow(context, report, past, { arrival, content: packed.content });
    await requireRoom(db, quotas, row.content.counted!);
    const uploaded = await upload(db, id, packed, context.clock());
    const commit = await db.commit((operation) => {
      operation.check({ key: resultKey(id), versionstamp: null }, tombstone);
      attach(operation, id, packed!, uploaded);
      enter(operation, id, { row, past, arrival, today: dayOf(context.clock()) });
      if (tombstone.value !== null) operation.sum(counterKey("tombstones-out"), 1n);
    });
    if (commit.ok) {
      const entry = { id, row, versionstamp: commit.versionstamp };
      rememberReport(context, entry, report);
      return { state: "created", entry, report };
    }
    if ((await db.get(resultKey(id))).value !== null) return { state: "known" };
    named = [...new Set([...named, ...report.pools.map(({ poolKey }) => poolKey)])];
  }
  throw new StoreUnavailable("the store is being changed by others all the time");
}

/** Why a checked document isn't stored; null: it is. */
function refusalOf(report: Report): Refused | null {
  if (report.outcome === null) return { state: "unfinished", report };
  // Three members may look like an envelope in what is something else altogether.
  if (report.kind === "unknown") return { state: "unrecognised", report };
  if (report.reason?.code === "document-too-large") return { state: "too-large", report };
  return null;
}

/** The row of a document that arrives, which says what the document counts for. */
function arrivingRow(
  { clock, version }: StoreContext,
  report: Report,
  past: Past,
  { arrival, content }: { arrival: Arrival; content: Row["content"] },
): Row {
  const changed = past.outcome !== null && past.outcome !== report.outcome;
  const stamp = {
    storedAt: past.storedAt,
    checkedAt: clock(),
    verifierVersion: version,
    changes: past.changes + (changed ? 1 : 0),
    imported: arrival.imported,
  };
  const counted = bytesFor(rowOf(report, { ...stamp, content }));
  return rowOf(report, { ...stamp, content: { ...content, counted } });
}

/** Adds a document's row to a commit, with everything that is filed for it. */
function enter(
  operation: Deno.AtomicOperation,
  id: string,
  { row, past, arrival, today }: { row: Row; past: Past; arrival: Arrival; today: number },
): void {
  operation.set(resultKey(id), row)
    .delete(tombstoneKey(id))
    .sum(counterKey("documents-in"), 1n);
  countBytes(operation, row.content.counted!);
  // An imported document brings its age along: nobody has had a chance to ask for it here.
  if (arrival.imported) operation.set(askedKey(id), today);
  if (arrival.visiting) operation.set(visitKey(id), today);
  checkAbsent(operation, lackedBy(row));
  for (const key of indexKeys(id, row)) operation.set(key, true);
  for (const [n, entry] of past.history.entries()) operation.set(historyKey(id, n), entry);
  const change = past.outcome !== null && past.outcome !== row.outcome
    ? changeSince(past.outcome, row, arrival.imported)
    : null;
  if (change !== null) operation.set(historyKey(id, past.changes), change);
  feedArrival(operation, id, row, change ?? past.history.at(-1) ?? null);
}

/** What was known of a document before it arrived. */
interface Past {
  storedAt: number;
  outcome: Outcome | null;
  changes: number;
  history: readonly HistoryEntry[];
}

/** What was known of a document: what its tombstone here says, or what another store said. */
function pastOf(tombstone: Tombstone | null, arrival: Arrival): Past {
  if (tombstone !== null) {
    const { storedAt, outcome, changes } = tombstone;
    return { storedAt, outcome, changes, history: [] };
  }
  const { storedAt, outcome, history } = arrival;
  return { storedAt, outcome, changes: history.length, history };
}

/** The change from what was claimed before the document was away to what it comes to now. */
function changeSince(from: Outcome, row: Row, imported: boolean): HistoryEntry {
  return {
    at: row.checkedAt,
    from,
    to: row.outcome,
    poolKey: disclosedOf(row),
    exposed: isExposed(row),
    reason: row.reason?.code ?? null,
    inner: row.reason?.inner?.code ?? null,
    verifierVersion: revisionOf(row.verifierVersion),
    imported,
  };
}

/** The pool that decided, or null. */
function disclosedOf(row: Row): string | null {
  return row.pools.find((pool) => pool.disclosed)?.poolKey ?? null;
}

/**
 * News of an arrival: what a disclosed pool made of the document. `last` is the last change of its
 * history, whose word is taken only for what this store finds as well.
 */
function feedArrival(
  operation: Deno.AtomicOperation,
  id: string,
  row: Row,
  last: HistoryEntry | null,
): void {
  const poolKey = disclosedOf(row);
  if (poolKey === null) return;
  const known = last !== null && last.poolKey === poolKey && last.to === row.outcome ? last : null;
  const from = known?.from ?? null;
  const at = known?.at ?? row.storedAt;
  const { imported } = row;
  if (isExposed(row)) {
    setFeed(operation, id, row, { what: "exposed", at, from, poolKey, imported });
  } else if (known !== null && row.outcome === "verified") {
    setFeed(operation, id, row, { what: "upgraded", at, from, poolKey, imported });
  }
}
