/**
 * Making the results under a published pool again, early: a read would do it too, one by one.
 *
 * The job's state is in the database: a lease, so that usually one process is at it, and a cursor,
 * so that any other goes on where it stopped. Right numbers don't rest on the lease: each document
 * adds to the tally in the very commit that changes its row.
 */
import { readContents } from "./content.ts";
import type { Database } from "../kv/database.ts";
import { applyAll, type Change } from "./changes.ts";
import type { StoreContext } from "./context.ts";
import { prepareChanges, type Prepared, readRow, readUpToDate } from "./results.ts";
import { indexPrefix, pendingUpgradeKey, resultKey, tallyKey, upgradeKey } from "./keys.ts";
import { isWhole, lackedBy, type Row, type RowEntry } from "./row.ts";
import type { Tally, UpgradeOptions, UpgradeProgress, UpgradeRun } from "./store.ts";

/** A job as it lies in the database. */
export interface Job {
  startedAt: number;
  /** Where the last document is that was read. */
  cursor: Position | null;
  scanned: number;
  unfinished: number;
  done: boolean;
  finishedAt: number | null;
  lease: { owner: string; until: number } | null;
}

export function newJob(startedAt: number): Job {
  return {
    startedAt,
    cursor: null,
    scanned: 0,
    unfinished: 0,
    done: false,
    finishedAt: null,
    lease: null,
  };
}

/** Documents read at once: as many as one commit takes, if each lacks one pool. */
const BATCH = 48;
/** Batches read while one is checked. */
const READ_AHEAD = 2;
/** The least time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 100;
/** Bytes of documents read at once; a single one may be larger. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** How long checking goes on before what it found is committed, in milliseconds. */
const COMMIT_MS = 500;
/** Checks of a commit, of the 100 that one may have; a dossier alone brings up to 65. */
const MAX_CHECKS = 99;

/** How long others wait after a crash, in milliseconds. */
const LEASE_MS = 5000;

const WHATS: readonly (keyof Tally)[] = ["upgraded", "exposed", "unchanged"];

/** See `Store.upgradeProgress`. */
export async function readProgress(
  { db }: StoreContext,
  poolKey: string,
): Promise<UpgradeProgress | null> {
  // One snapshot: at most ten keys.
  const keys = [upgradeKey(poolKey), ...WHATS.map((what) => tallyKey(poolKey, what))];
  const [job, ...tally] = await db.getAll<Job | Deno.KvU64>(keys);
  if (job === undefined || job.value === null) return null;
  const { startedAt, scanned, unfinished, done, finishedAt } = job.value as Job;
  const [upgraded = 0, exposed = 0, unchanged = 0] = tally.map(({ value }) =>
    Number((value as Deno.KvU64 | null)?.value ?? 0n)
  );
  return {
    poolKey,
    startedAt,
    done,
    finishedAt,
    unfinished,
    scanned,
    upgraded,
    exposed,
    unchanged,
  };
}

/** See `Store.pendingUpgrades`. */
export async function pendingUpgrades({ db }: StoreContext): Promise<string[]> {
  const pending: string[] = [];
  for await (const { key } of db.scan(["upgrade-pending"])) pending.push(String(key[1]));
  return pending;
}

/** See `Store.runUpgrade`. */
export async function upgrade(
  context: StoreContext,
  poolKey: string,
  { signal, onProgress }: UpgradeOptions = {},
): Promise<UpgradeRun> {
  const { db, clock } = context;
  const owner = crypto.randomUUID();
  const end = async (ended: UpgradeRun["ended"]): Promise<UpgradeRun> => ({
    ended,
    progress: await readProgress(context, poolKey),
  });
  let told = -PROGRESS_MS;
  const report = async (isLast: boolean) => {
    if (onProgress === undefined || !isLast && performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    const progress = await readProgress(context, poolKey);
    if (progress !== null) await onProgress(progress);
  };
  /** Another process has the job, and may be done by now. */
  const takenOver = async (): Promise<UpgradeRun> => {
    const progress = await readProgress(context, poolKey);
    return { ended: progress?.done ? "done" : "leased", progress };
  };
  const lease = () => ({ owner, until: clock() + LEASE_MS });

  const read = await db.get<Job>(upgradeKey(poolKey));
  if (read.value === null || read.versionstamp === null) return await end("unknown");
  if (read.value.done) return await end("done");
  if (isLeased(read.value, clock())) return await end("leased");

  const taken: HeldJob = { poolKey, job: read.value, versionstamp: read.versionstamp };
  // Reading the next documents, checking these and committing the last ones go on side by side.
  let writing = started(write(context, taken, { ...taken.job, lease: lease() }, []));
  const ahead = [started(readBatch(db, poolKey, taken.job.cursor))];
  let batches = 0;
  for (let last = false; !last;) {
    while (ahead.length <= READ_AHEAD) {
      ahead.push(started(ahead.at(-1)!.then((batch) => readNext(db, poolKey, batch))));
    }
    const batch = await ahead.shift()!;
    last = batch.isLast;
    let next = 0;
    do {
      const checked = await check(context, batch.items, next);
      const held = await writing;
      if (held !== null && batches++ > 0) await report(false);
      if (held === null) return await takenOver();
      if (signal?.aborted) {
        await write(context, held, { ...held.job, lease: null }, []);
        return await end("aborted");
      }
      next = checked.next;
      const done = batch.isLast && next === batch.items.length;
      writing = started(write(context, held, {
        ...held.job,
        cursor: batch.items[next - 1]?.position ?? held.job.cursor,
        scanned: held.job.scanned + checked.scanned,
        unfinished: held.job.unfinished + checked.unfinished,
        done,
        finishedAt: done ? clock() : null,
        lease: done ? null : lease(),
      }, checked.changes));
    } while (next < batch.items.length);
  }
  if (await writing === null) return await takenOver();
  await report(true);
  return await end("done");
}

/**
 * Whether a process has the job. A lease that ends later than one taken now would is a clock's that
 * ran ahead, and none.
 */
function isLeased({ lease }: Job, now: number): boolean {
  return lease !== null && lease.until > now && lease.until <= now + LEASE_MS;
}

/** The same promise; should nobody come to await it, its failure ends no process. */
function started<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** A job as it was last read or written. */
interface HeldJob {
  poolKey: string;
  job: Job;
  versionstamp: string;
}

type Position = [storedAt: number, id: string];

/** A document under the pool. */
interface Item {
  position: Position;
  /** Null: it needs no check. */
  entry: RowEntry | null;
  bytes: Uint8Array | null;
}

interface Batch {
  items: Item[];
  isLast: boolean;
}

/** Reads the documents behind a batch; behind the last one there is nothing to read. */
async function readNext(db: Database, poolKey: string, { items, isLast }: Batch): Promise<Batch> {
  if (isLast) return { items: [], isLast };
  return await readBatch(db, poolKey, items.at(-1)!.position);
}

/** Reads the documents behind `from`, as many as fit. */
async function readBatch(db: Database, poolKey: string, from: Position | null): Promise<Batch> {
  const prefix = indexPrefix({ by: "pool", poolKey });
  const selector = from === null ? { prefix } : { prefix, start: [...prefix, ...from, 0] };
  const index = await db.list<unknown>(selector, { limit: BATCH });
  const positions = index.map(({ key }) => key.slice(prefix.length) as Position);
  const rows = await db.getAll<Row>(positions.map(([, id]) => resultKey(id)));
  const items: Item[] = [];
  let bytes = 0;
  for (const [at, { value: row, versionstamp }] of rows.entries()) {
    const position = positions[at]!;
    const needed = versionstamp !== null && isWhole(row) && lackedBy(row).includes(poolKey);
    if (needed) bytes += row.content.bytes;
    if (bytes > BATCH_BYTES && items.length > 0) break;
    const entry = needed ? { id: position[1], row, versionstamp } : null;
    items.push({ position, entry, bytes: null });
  }
  const wanted = items.filter(({ entry }) => entry !== null);
  const contents = await readContents(
    db,
    wanted.map(({ entry }) => ({ id: entry!.id, content: entry!.row.content })),
  );
  for (const [at, item] of wanted.entries()) {
    const bytes = contents[at]!;
    // Like one that there was no time for: it stays as it is, and its badge says `checking`.
    item.bytes = bytes === "damaged" ? null : bytes;
  }
  return { items, isLast: items.length === index.length && index.length < BATCH };
}

interface Checked {
  /** Index of the first item that wasn't checked. */
  next: number;
  scanned: number;
  unfinished: number;
  changes: Change[];
}

/** Documents handed over together to be checked. */
const TOGETHER = 12;

/** Checks items from `start` on, as many as one commit takes. */
async function check(
  context: StoreContext,
  items: readonly Item[],
  start: number,
): Promise<Checked> {
  const until = performance.now() + COMMIT_MS;
  const parts = partsOf(items, start);
  const checked: Checked = { next: start, scanned: 0, unfinished: 0, changes: [] };
  const prepare = (part: Item[] | undefined) =>
    started(prepareChanges(context, (part ?? []).flatMap(withBytes)));
  let ahead = prepare(parts[0]);
  for (const [index, part] of parts.entries()) {
    if (index > 0 && performance.now() > until) break;
    const prepared = await ahead;
    ahead = prepare(parts[index + 1]);
    checked.next += part.length;
    checked.scanned += part.length;
    let at = 0;
    for (const { entry, bytes } of part) {
      if (entry === null) continue;
      const outcome: Prepared = bytes === null ? { report: null } : prepared[at++]!;
      if ("row" in outcome) checked.changes.push(outcome);
      // A newer verifier's result stays; a removed document needs none.
      else if (outcome.report !== null || await readRow(context.db, entry.id) !== null) {
        checked.unfinished++;
      }
    }
  }
  return checked;
}

/** The items from `start` on that fit into one commit, in parts to be handed over together. */
function partsOf(items: readonly Item[], start: number): Item[][] {
  const parts: Item[][] = [];
  // The job's own row is checked too.
  let checks = 1;
  for (const item of items.slice(start)) {
    checks += item.entry === null ? 0 : 1 + lackedBy(item.entry.row).length;
    if (checks > MAX_CHECKS) break;
    const last = parts.at(-1);
    if (last === undefined || last.length === TOGETHER) parts.push([item]);
    else last.push(item);
  }
  return parts;
}

function withBytes({ entry, bytes }: Item): { entry: RowEntry; bytes: Uint8Array }[] {
  return entry === null || bytes === null ? [] : [{ entry, bytes }];
}

/**
 * Writes the job together with what the changes of its documents bring about; null: somebody else
 * has the job by now.
 */
async function write(
  context: StoreContext,
  held: HeldJob,
  job: Job,
  changes: readonly Change[],
): Promise<HeldJob | null> {
  const { db } = context;
  const { poolKey } = held;
  const commit = async (job: Job, changes: readonly Change[]): Promise<HeldJob | null> => {
    const { versionstamp } = held;
    const committed = await db.commit((operation) => {
      operation.check({ key: upgradeKey(poolKey), versionstamp }).set(upgradeKey(poolKey), job);
      if (job.done) operation.delete(pendingUpgradeKey(poolKey));
      applyAll(operation, changes);
    });
    if (committed.ok) return { poolKey, job, versionstamp: committed.versionstamp };
    return await stillHeld(db, poolKey, job);
  };
  const together = await commit(job, changes);
  if (together !== null || changes.length === 0) return together;
  // Some row changed meanwhile: one by one, whoever has the job.
  let { unfinished } = job;
  for (const { entry } of changes) {
    if ((await readUpToDate(context, entry.id)).state === "unfinished") unfinished++;
  }
  return await commit({ ...job, unfinished }, []);
}

/**
 * A commit whose response was lost, and which the client then repeated, seems to have failed. It went
 * through if the job is now what it was to become.
 */
async function stillHeld(db: Database, poolKey: string, job: Job): Promise<HeldJob | null> {
  const { value, versionstamp } = await db.get<Job>(upgradeKey(poolKey));
  if (value === null || versionstamp === null || job.lease === null) return null;
  const isOurs = value.lease?.owner === job.lease.owner && value.lease.until === job.lease.until &&
    value.scanned === job.scanned;
  return isOurs ? { poolKey, job: value, versionstamp } : null;
}
