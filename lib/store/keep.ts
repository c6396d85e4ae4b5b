/** Storing documents. Source: docs/architecture.md, "Storage". */
import { reason } from "../protocol/reason.ts";
import { type Checker, checkOne } from "../verify/checker.ts";
import type { Intake } from "../verify/intake.ts";
import { emptyReport, type Outcome, type Report } from "../verify/report.ts";
import { attach, pack, type Packed, upload } from "./content.ts";
import type { Database } from "../kv/database.ts";
import { ATTEMPTS, checkAbsent, type Engine, setFeed } from "./results.ts";
import {
  askedKey,
  counterKey,
  historyKey,
  indexKeys,
  resultKey,
  tombstoneKey,
  visitKey,
} from "./keys.ts";
import { keepForGood } from "./visits.ts";
import { countBytes, countDocument, ENTRY_BYTES, requireRoom } from "./quota.ts";
import { revisionOf } from "../verify/version.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import { bytesFor, isExposed, lackedBy, resultOf, type Row, type RowEntry, rowOf } from "./row.ts";
import type { Shelf } from "./pools.ts";
import { dayOf } from "./upkeep.ts";
import type { HistoryEntry, Kept, Quotas, ReportRead, Tombstone } from "./store.ts";

export interface KeepParts {
  db: Database;
  shelf: Shelf;
  engine: Engine;
  checker: Pick<Checker, "documents">;
  version: number;
  quotas: Quotas;
  clock: () => number;
  /** A stored result with its report, up to date. */
  read(id: string): Promise<ReportRead>;
}

export interface KeepOptions {
  /** Counted for the hourly quota; null: not counted. */
  client: string | null;
  /** Nobody asked to have it kept, see {@link ./visits.ts}. */
  visiting?: boolean | undefined;
}

/** See `Store.keep`. */
export async function keep(
  parts: KeepParts,
  { id, kind, unwrapped, bytes, poolKeys }: Intake,
  { client, visiting = false }: KeepOptions,
): Promise<Kept> {
  const { db, quotas, clock } = parts;
  const known = await keptAlready(parts, id, kind, unwrapped);
  if (known !== null) {
    if (!visiting) await keepForGood(db, id);
    return known;
  }

  // What there is no room for doesn't count as stored.
  await requireRoom(db, quotas, pack(bytes).content.packedBytes + ENTRY_BYTES);
  await countDocument(db, quotas, client, clock());
  const created = await create(parts, { id, bytes, poolKeys }, {
    storedAt: clock(),
    imported: false,
    visiting,
    outcome: null,
    history: [],
  });
  switch (created.state) {
    case "known":
      if (!visiting) await keepForGood(db, id);
      return await keptAlready(parts, id, kind, unwrapped) ?? unfinished(kind, id, null);
    case "unfinished":
    case "too-large":
    case "unrecognised":
      return { ok: false, why: created.state, report: created.report };
    case "created": {
      const { entry, report } = created;
      return {
        ok: true,
        id,
        result: resultOf(entry),
        report: say(report, unwrapped),
        created: true,
      };
    }
  }
}

async function keptAlready(
  parts: KeepParts,
  id: string,
  kind: Report["kind"],
  unwrapped: boolean,
): Promise<Kept | null> {
  const read = await parts.read(id);
  switch (read.state) {
    case "current": {
      const { result, report } = read;
      return { ok: true, id, result, report: say(report, unwrapped), created: false };
    }
    case "checking":
      return unfinished(kind, id, read.report);
    default:
      return null;
  }
}

/** Said to whoever sent the wrapper; what is stored has none. */
function say(report: Report, unwrapped: boolean): Report {
  if (!unwrapped) return report;
  return { ...report, observations: [...report.observations, "unwrapped"] };
}

function unfinished(kind: Report["kind"], id: string, report: Report | null): Kept {
  const why = reason("budget-exceeded", "the stored document is still being checked");
  return { ok: false, why: "unfinished", report: report ?? emptyReport(kind, null, why, id) };
}

/** What a stored document is to bring along. */
export interface Arrival {
  storedAt: number;
  imported: boolean;
  /** Nobody asked to have it kept, see {@link ./visits.ts}. */
  visiting?: boolean;
  /** The outcome that another store had last; null: there is none to speak of. */
  outcome: Outcome | null;
  /** Of another store; taken over unless this store has a history of its own. */
  history: readonly HistoryEntry[];
}

/** What became of a document that wasn't stored a moment ago. */
export type Created =
  | { state: "created"; entry: RowEntry; report: Report }
  /** Somebody else stored it meanwhile. */
  | { state: "known" }
  | { state: "unfinished" | "too-large" | "unrecognised"; report: Report };

/**
 * Checks a document with the pools public at the moment of its commit, and stores it.
 *
 * @throws {StoreError} `quota-bytes`.
 */
export async function create(
  parts: Pick<
    KeepParts,
    "db" | "shelf" | "engine" | "checker" | "version" | "quotas" | "clock"
  >,
  { id, bytes, poolKeys }: Pick<Intake, "id" | "bytes" | "poolKeys">,
  arrival: Arrival,
): Promise<Created> {
  const { db, shelf, engine, checker, version, quotas, clock } = parts;
  let named = poolKeys;
  let packed: Packed | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pools = await shelf.known(named);
    const report = await checkOne(checker, { bytes, pools: [...pools.values()] }, "upload");
    if (report.outcome === null) return { state: "unfinished", report };
    // Three members may look like an envelope in what is something else altogether.
    if (report.kind === "unknown") return { state: "unrecognised", report };
    if (report.reason?.code === "document-too-large") return { state: "too-large", report };
    packed ??= pack(bytes);

    const tombstone = await db.get<Tombstone>(tombstoneKey(id));
    const past = pastOf(tombstone.value, arrival);
    const stamp = {
      storedAt: past.storedAt,
      checkedAt: clock(),
      verifierVersion: version,
      imported: arrival.imported,
      content: packed.content,
    };
    const changed = past.outcome !== null && past.outcome !== report.outcome;
    const changes = past.changes + (changed ? 1 : 0);
    const counted = bytesFor(rowOf(report, { ...stamp, changes }));
    const row = rowOf(report, { ...stamp, content: { ...packed.content, counted }, changes });
    await requireRoom(db, quotas, counted);
    const change = changed ? changeSince(past.outcome!, row, arrival.imported) : null;
    const uploaded = await upload(db, id, packed, clock());
    const commit = await db.commit((operation) => {
      operation.check({ key: resultKey(id), versionstamp: null }, tombstone)
        .set(resultKey(id), row)
        .delete(tombstoneKey(id))
        .sum(counterKey("documents-in"), 1n);
      countBytes(operation, counted);
      // Imported ones bring their age along: nobody has had a chance to ask for them here.
      if (arrival.imported) operation.set(askedKey(id), dayOf(clock()));
      if (arrival.visiting) operation.set(visitKey(id), dayOf(clock()));
      if (tombstone.value !== null) operation.sum(counterKey("tombstones-out"), 1n);
      checkAbsent(operation, lackedBy(row));
      attach(operation, id, packed!, uploaded);
      for (const key of indexKeys(id, row)) operation.set(key, true);
      for (const [n, entry] of past.history.entries()) operation.set(historyKey(id, n), entry);
      if (change !== null) operation.set(historyKey(id, past.changes), change);
      feedArrival(operation, id, row, change ?? past.history.at(-1) ?? null);
    });
    if (commit.ok) {
      const { versionstamp } = commit;
      engine.remember(id, versionstamp, report, bytes.length);
      return { state: "created", entry: { id, row, versionstamp }, report };
    }
    if ((await db.get(resultKey(id))).value !== null) return { state: "known" };
    named = [...new Set([...named, ...report.pools.map(({ poolKey }) => poolKey)])];
  }
  throw new StoreUnavailable("the store is being changed by others all the time");
}

/** What was known of a document before it arrived: of its tombstone here, or of another store. */
function pastOf(tombstone: Tombstone | null, arrival: Arrival) {
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
  if (isExposed(row)) {
    setFeed(operation, id, row, { what: "exposed", at, from, poolKey }, row.imported);
  } else if (known !== null && row.outcome === "verified") {
    setFeed(operation, id, row, { what: "upgraded", at, from, poolKey }, row.imported);
  }
}
