/**
 * Whose turn it is. Jobs of one client wait behind each other, and clients take turns: of each, one
 * job at a time is under way, and when it ends the client stands behind all who wait by then. So
 * between a client's asking and the start of its job, every other client has one job at most.
 */
import { type Asker, clientsOf } from "../async/asker.ts";

/** How much may wait. */
export interface QueueLimits {
  jobs: number;
  bytes: number;
  /** Of the jobs, those of one client; default: all. */
  each?: number;
}

export interface Turn {
  readonly asker: Asker;
  /** What the job holds. */
  readonly bytes: number;
}

/** The jobs of one lane that wait, and what decides whose turn is next. Plain state. */
export interface Turns<T extends Turn> {
  readonly limits: QueueLimits;
  waiting: Waiting<T>[];
  /** Whose turn a job under way takes, and when it came. */
  readonly running: Map<T, { client: string | null; at: number }>;
  /** When clients who have jobs waiting had their last turn. */
  readonly ended: Map<string | null, number>;
  /** Counts what happens: places are told by order alone. */
  clock: number;
}

interface Waiting<T> {
  job: T;
  /** When it came, on the clock of {@link Turns}. */
  at: number;
}

/** An empty queue. */
export function createTurns<T extends Turn>(limits: QueueLimits): Turns<T> {
  return { limits, waiting: [], running: new Map(), ended: new Map(), clock: 0 };
}

/**
 * Lets a job wait. Where there is no room, it is made by whoever has most waiting.
 *
 * @returns the jobs that can't wait: others, which waited until now, or this one.
 */
export function addJob<T extends Turn>(turns: Turns<T>, job: T): T[] {
  const { client } = job.asker;
  const own = turns.waiting.filter((entry) => entry.job.asker.client === client);
  if (client !== null && own.length >= (turns.limits.each ?? Infinity)) return [job];
  const gone: T[] = [];
  const share = shareOf(turns, client, [job]);
  while (isFullFor(turns, job)) {
    const other = dispensable(turns, share);
    if (other === null) return [...gone, job];
    removeJob(turns, other);
    gone.push(other);
  }
  turns.waiting.push({ job, at: ++turns.clock });
  return gone;
}

/** Lets a job that was started wait again, before all others of its client. */
export function putBackJob<T extends Turn>(turns: Turns<T>, job: T): void {
  const turn = turns.running.get(job);
  turns.running.delete(job);
  turns.waiting.push({ job, at: turn?.at ?? ++turns.clock });
  turns.waiting.sort((a, b) => a.at - b.at);
}

/** The job to be started next; null: none waits whose client has nothing under way. */
export function nextJob<T extends Turn>(turns: Turns<T>): T | null {
  let best: { entry: Waiting<T>; place: number } | null = null;
  for (const entry of turns.waiting) {
    // No job behind this one came earlier, so none can have a better place.
    if (best !== null && best.place <= entry.at) break;
    const found = placeOf(turns, entry);
    if (found !== null && (best === null || found.place < best.place)) {
      best = { entry, place: found.place };
    }
  }
  return best?.entry.job ?? null;
}

/** A job that waited is under way. */
export function startJob<T extends Turn>(turns: Turns<T>, job: T): void {
  const entry = turns.waiting.find((one) => one.job === job);
  if (entry === undefined) throw new Error("a job is started that doesn't wait");
  const client = placeOf(turns, entry)?.client ?? job.asker.client;
  turns.running.set(job, { client, at: entry.at });
  removeJob(turns, job);
}

/** A job that was under way isn't any more. */
export function endJob<T extends Turn>(turns: Turns<T>, job: T): void {
  const turn = turns.running.get(job);
  if (turn === undefined) return;
  turns.running.delete(job);
  turns.ended.set(turn.client, ++turns.clock);
  forgetClients(turns);
}

/** A job needn't be done. */
export function removeJob<T extends Turn>(turns: Turns<T>, job: T): void {
  turns.waiting = turns.waiting.filter((entry) => entry.job !== job);
  forgetClients(turns);
}

/** Takes out all jobs that wait. */
export function clearJobs<T extends Turn>(turns: Turns<T>): T[] {
  const jobs = turns.waiting.map(({ job }) => job);
  turns.waiting = [];
  turns.ended.clear();
  return jobs;
}

function isRunning<T extends Turn>({ running }: Turns<T>, client: string | null): boolean {
  if (client === null) return false;
  for (const turn of running.values()) if (turn.client === client) return true;
  return false;
}

/** The client whose turn is the first for a job, and its place; null: all have something under way. */
function placeOf<T extends Turn>(
  turns: Turns<T>,
  { job, at }: Waiting<T>,
): { client: string | null; place: number } | null {
  let best: { client: string | null; place: number } | null = null;
  for (const client of clientsOf(job.asker)) {
    const place = Math.max(at, turns.ended.get(client) ?? 0);
    if ((best === null || place < best.place) && !isRunning(turns, client)) {
      best = { client, place };
    }
  }
  return best;
}

/** How much of the room a client takes, `more` included. */
function shareOf<T extends Turn>(
  { waiting, limits }: Turns<T>,
  client: string | null,
  more: readonly T[] = [],
): number {
  const own = waiting.map(({ job }) => job).filter((job) => job.asker.client === client);
  const jobs = [...own, ...more];
  const bytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
  return Math.max(jobs.length / limits.jobs, bytes / limits.bytes);
}

function isFullFor<T extends Turn>({ waiting, limits }: Turns<T>, job: T): boolean {
  // A job that is larger than the queue may wait alone.
  if (waiting.length === 0) return false;
  const bytes = waiting.reduce((sum, one) => sum + one.job.bytes, job.bytes);
  return waiting.length >= limits.jobs || bytes > limits.bytes;
}

/** The last job of the client that takes most of the room, if that is more than `share`. */
function dispensable<T extends Turn>(turns: Turns<T>, share: number): T | null {
  let found: T | null = null;
  for (const client of new Set(turns.waiting.map(({ job }) => job.asker.client))) {
    const most = shareOf(turns, client);
    if (most <= share) continue;
    share = most;
    found = turns.waiting.findLast(({ job }) => job.asker.client === client)!.job;
  }
  return found;
}

/** What a client did is of no concern once nothing of it waits: a new job comes after all that. */
function forgetClients<T extends Turn>({ waiting, ended }: Turns<T>): void {
  if (ended.size === 0) return;
  const wanted = new Set(waiting.flatMap(({ job }) => [...clientsOf(job.asker)]));
  for (const client of ended.keys()) if (!wanted.has(client)) ended.delete(client);
}
