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

export interface Turns<T extends Turn> {
  /**
   * Lets a job wait. Where there is no room, it is made by whoever has most waiting.
   *
   * @returns the jobs that can't wait: others, which waited until now, or this one.
   */
  add(job: T): T[];
  /** Lets a job that was started wait again, before all others of its client. */
  putBack(job: T): void;
  /** The job to be started next; null: none waits whose client has nothing under way. */
  next(): T | null;
  /** A job that waited is under way. */
  start(job: T): void;
  /** A job that was under way isn't any more. */
  end(job: T): void;
  /** A job needn't be done. */
  remove(job: T): void;
  /** Takes out all jobs. */
  clear(): T[];
}

interface Waiting<T> {
  job: T;
  /** When it came, on the clock of {@link createTurns}. */
  at: number;
}

export function createTurns<T extends Turn>(limits: QueueLimits): Turns<T> {
  let waiting: Waiting<T>[] = [];
  /** Whose turn a job under way takes, and when it came. */
  const running = new Map<T, { client: string | null; at: number }>();
  /** When clients who have jobs waiting had their last turn. */
  const ended = new Map<string | null, number>();
  /** Counts what happens: places are told by order alone. */
  let clock = 0;

  function isRunning(client: string | null): boolean {
    if (client === null) return false;
    for (const turn of running.values()) if (turn.client === client) return true;
    return false;
  }

  /** The client whose turn is the first for a job, and its place; null: all have something under way. */
  function placeOf({ job, at }: Waiting<T>): { client: string | null; place: number } | null {
    let best: { client: string | null; place: number } | null = null;
    for (const client of clientsOf(job.asker)) {
      const place = Math.max(at, ended.get(client) ?? 0);
      if ((best === null || place < best.place) && !isRunning(client)) best = { client, place };
    }
    return best;
  }

  function first(): { entry: Waiting<T>; client: string | null } | null {
    let best: { entry: Waiting<T>; client: string | null; place: number } | null = null;
    for (const entry of waiting) {
      // None behind it came earlier, so none can have a better place.
      if (best !== null && best.place <= entry.at) break;
      const found = placeOf(entry);
      if (found !== null && (best === null || found.place < best.place)) best = { entry, ...found };
    }
    return best;
  }

  /** How much of the room a client takes, `more` included. */
  function shareOf(client: string | null, more: readonly T[] = []): number {
    const own = waiting.map(({ job }) => job).filter((job) => job.asker.client === client);
    const jobs = [...own, ...more];
    const bytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
    return Math.max(jobs.length / limits.jobs, bytes / limits.bytes);
  }

  function isFullFor(job: T): boolean {
    // What is larger than the queue may wait alone.
    if (waiting.length === 0) return false;
    const bytes = waiting.reduce((sum, one) => sum + one.job.bytes, job.bytes);
    return waiting.length >= limits.jobs || bytes > limits.bytes;
  }

  /** The last job of the client that takes most of the room, if that is more than `share`. */
  function dispensable(share: number): T | null {
    let found: T | null = null;
    for (const client of new Set(waiting.map(({ job }) => job.asker.client))) {
      const most = shareOf(client);
      if (most <= share) continue;
      share = most;
      found = waiting.findLast(({ job }) => job.asker.client === client)!.job;
    }
    return found;
  }

  function remove(job: T): void {
    waiting = waiting.filter((entry) => entry.job !== job);
    forget();
  }

  /** What a client did is of no concern once nothing of it waits: a new job comes after all that. */
  function forget(): void {
    if (ended.size === 0) return;
    const wanted = new Set(waiting.flatMap(({ job }) => [...clientsOf(job.asker)]));
    for (const client of ended.keys()) if (!wanted.has(client)) ended.delete(client);
  }

  return {
    add(job) {
      const { client } = job.asker;
      const own = waiting.filter((entry) => entry.job.asker.client === client);
      if (client !== null && own.length >= (limits.each ?? Infinity)) return [job];
      const gone: T[] = [];
      const share = shareOf(client, [job]);
      while (isFullFor(job)) {
        const other = dispensable(share);
        if (other === null) return [...gone, job];
        remove(other);
        gone.push(other);
      }
      waiting.push({ job, at: ++clock });
      return gone;
    },
    putBack(job) {
      const turn = running.get(job);
      running.delete(job);
      waiting.push({ job, at: turn?.at ?? ++clock });
      waiting.sort((a, b) => a.at - b.at);
    },
    next: () => first()?.entry.job ?? null,
    start(job) {
      const entry = waiting.find((one) => one.job === job);
      if (entry === undefined) throw new Error("a job is started that doesn't wait");
      running.set(job, { client: placeOf(entry)?.client ?? job.asker.client, at: entry.at });
      remove(job);
    },
    end(job) {
      const turn = running.get(job);
      if (turn === undefined) return;
      running.delete(job);
      ended.set(turn.client, ++clock);
      forget();
    },
    remove,
    clear() {
      const jobs = waiting.map(({ job }) => job);
      waiting = [];
      ended.clear();
      return jobs;
    },
  };
}
