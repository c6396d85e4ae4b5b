/**
 * A small pool of workers, with bounded queues in which clients take turns. Source: docs/platform.md,
 * "Workers".
 *
 * A busy worker can't be stopped, so jobs end by themselves: they count steps, look at the clock,
 * and at a cell of shared memory that says when nobody wants them any more. A job that does not end
 * long after its time is an alarm: its worker is written off.
 */
import type { Message, Order, Setup } from "./messages.ts";
import { type Asker, currentAsker } from "../async/asker.ts";
import type { Handler } from "./serve.ts";
import { stopwatch } from "./stopwatch.ts";
import { createTurns, type QueueLimits } from "./turns.ts";

export interface WorkerPoolOptions {
  /** The worker's module, which calls `serveJobs`. */
  module: string;
  /** Plain data for it. */
  settings: unknown;
  /** Workers at most; started when needed. 0: jobs are done here, one a lane at a time. */
  size: number;
  /** By lane. Lanes don't wait for each other: a worker may have one job of each under way. */
  lanes: readonly QueueLimits[];
  /** Does the jobs where there are no workers. */
  inLine: () => Handler | Promise<Handler>;
  /** For the operator. */
  log: (message: string) => void;
  /** Permissions of the workers; without, those of this process. */
  permissions?: Deno.PermissionOptionsObject;
  /** How much longer than its patience a job may take before its worker is written off; in ms. */
  grace?: number;
}

export interface JobOptions {
  lane: number;
  /** What the job holds, for the queue's limit. */
  bytes: number;
  /** Milliseconds from its start after which the job must have ended by itself. */
  patience: number;
  /** Buffers in the job that go to the worker instead of copies; nobody else may use them any more. */
  transfer?: ArrayBuffer[] | undefined;
  /** Answers what the job asks; when it rejects, so does the job. */
  answer?: ((question: unknown) => Promise<unknown>) | undefined;
  signal?: AbortSignal | undefined;
  /** Who takes a turn for it; default: whoever the work under way is for. */
  asker?: Asker | undefined;
  /** Told how long it took, in milliseconds, also when nobody waits for its answer any more. */
  onSpent?: ((milliseconds: number) => void) | undefined;
}

export interface WorkerPool {
  /**
   * Has a job done. Rejects with {@link QueueFull}, with {@link JobLost} when its worker failed, with
   * the signal's reason when that aborts.
   */
  run(job: unknown, options: JobOptions): Promise<unknown>;
  /** Lets go of the workers; what is under way or waits is rejected. */
  close(): void;
}

/** Too much waits in the lane. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

/** The job's worker failed or was closed; it says nothing about what was to be done. */
export class JobLost extends Error {
  override readonly name = "JobLost";
}

/** Starting and answering may take this much longer than a job's own patience, in milliseconds. */
const GRACE_MS = 10_000;

/** Workers written off before the pool refuses work: each may keep a core busy for good. */
const MAX_LOST = 3;

interface Task {
  job: unknown;
  options: JobOptions;
  asker: Asker;
  bytes: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Aborts when the job has ended: a signal that outlives it must not hold on to its bytes. */
  ended: AbortSignal;
}

interface Slot {
  worker: Worker;
  /** Its module is loaded. */
  ready: boolean;
  stops: Int32Array<SharedArrayBuffer>;
  /** Under way, by lane. */
  tasks: (Running | null)[];
}

interface Running {
  task: Task;
  number: number;
  alarm: ReturnType<typeof setTimeout>;
}

/** Makes a pool; no worker is started before the first job. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { lanes, log, grace = GRACE_MS } = options;
  const queues = lanes.map((limits) => createTurns<Task>(limits));
  const inLine = lanes.map(() => false);
  const slots: Slot[] = [];
  let size = typeof Worker === "function" ? options.size : 0;
  let handler: Promise<Handler> | null = null;
  let count = 0;
  let lost = 0;
  let closed = false;

  function pump(lane: number): void {
    const queue = queues[lane]!;
    for (let task = queue.next(); task !== null; task = queue.next()) {
      if (size === 0) {
        if (inLine[lane]) return;
        queue.start(task);
        void runInLine(lane, task);
        continue;
      }
      let slot: Slot | null;
      try {
        slot = freeSlot(lane);
      } catch {
        // The runtime has workers but lets this process have none.
        goInLine();
        continue;
      }
      if (slot === null) return;
      queue.start(task);
      start(slot, lane, task);
    }
  }

  /** The worker with the least to do that has nothing of this lane; a new one rather than a busy one. */
  function freeSlot(lane: number): Slot | null {
    const load = (slot: Slot) => slot.tasks.filter((running) => running !== null).length;
    const free = slots.filter((slot) => slot.tasks[lane] === null);
    const best = free.sort((a, b) => load(a) - load(b))[0] ?? null;
    if (best !== null && load(best) === 0) return best;
    return slots.length < size ? open() : best;
  }

  function open(): Slot {
    const worker = new Worker(options.module, {
      type: "module",
      ...(options.permissions && { deno: { permissions: options.permissions } }),
    });
    const slot: Slot = {
      worker,
      ready: false,
      stops: new Int32Array(new SharedArrayBuffer(4 * lanes.length)),
      tasks: lanes.map(() => null),
    };
    worker.onmessage = ({ data }: MessageEvent<Message>) => receive(slot, data);
    worker.onerror = (event) => {
      event.preventDefault();
      fail(slot);
    };
    worker.postMessage({ stops: slot.stops, settings: options.settings } satisfies Setup);
    slots.push(slot);
    return slot;
  }

  function start(slot: Slot, lane: number, task: Task): void {
    const number = count = count % 0x7fffffff + 1;
    const { patience, signal, transfer = [] } = task.options;
    const alarm = setTimeout(() => writeOff(slot), patience + grace);
    slot.tasks[lane] = { task, number, alarm };
    // A worker that turns out not to start gives nothing back: its first jobs go as copies.
    const given = slot.ready ? transfer : [];
    slot.worker.postMessage({ number, lane, job: task.job } satisfies Order, given);
    signal?.addEventListener("abort", () => Atomics.store(slot.stops, lane, number), {
      once: true,
      signal: task.ended,
    });
  }

  function receive(slot: Slot, message: Message): void {
    if ("log" in message) return log(message.log);
    if ("failed" in message) {
      log(`fault in a worker: ${message.failed}`);
      return fail(slot);
    }
    if ("ready" in message) {
      slot.ready = true;
      return;
    }
    const lane = slot.tasks.findIndex((running) => running?.number === message.number);
    const running = slot.tasks[lane];
    if (!running) return;
    if ("question" in message) return void reply(slot, running, message.question);
    clearTimeout(running.alarm);
    slot.tasks[lane] = null;
    queues[lane]!.end(running.task);
    running.task.options.onSpent?.(message.milliseconds);
    if ("fault" in message) {
      log(`fault in a worker: ${message.fault}`);
      running.task.reject(new JobLost("the job failed"));
    } else {
      running.task.resolve(message.value);
    }
    pump(lane);
  }

  async function reply(
    { worker }: Slot,
    { task, number }: Running,
    question: unknown,
  ): Promise<void> {
    try {
      const answer = await task.options.answer?.(question);
      worker.postMessage({ number, answer } satisfies Order);
    } catch (error) {
      task.reject(error);
      worker.postMessage({ number, refused: true } satisfies Order);
    }
  }

  function goInLine(): void {
    log("workers can't be started here: the work is done in line");
    size = 0;
  }

  /** A worker threw outside of its jobs, or could not be loaded. */
  function fail(slot: Slot): void {
    const tasks = remove(slot);
    if (slot.ready) {
      log("a worker failed and is replaced");
      for (const { task, lane } of tasks) {
        queues[lane]!.end(task);
        task.reject(new JobLost("the worker failed"));
      }
    } else {
      goInLine();
      for (const { task, lane } of tasks) queues[lane]!.putBack(task);
    }
    for (const lane of lanes.keys()) pump(lane);
  }

  /** Terminating doesn't stop a busy worker, and it may never end: there is a limit to that. */
  function writeOff(slot: Slot): void {
    lost++;
    log(`ALARM: a job did not end in its time; its worker is written off (${lost} so far)`);
    for (const { task, lane } of remove(slot)) {
      queues[lane]!.end(task);
      task.options.onSpent?.(task.options.patience);
      task.reject(new JobLost("the job did not end in time"));
    }
    for (const lane of lanes.keys()) pump(lane);
  }

  function remove(slot: Slot): { task: Task; lane: number }[] {
    slots.splice(slots.indexOf(slot), 1);
    slot.worker.terminate();
    return slot.tasks.flatMap((running, lane) => {
      if (running === null) return [];
      clearTimeout(running.alarm);
      return [{ task: running.task, lane }];
    });
  }

  async function runInLine(lane: number, task: Task): Promise<void> {
    inLine[lane] = true;
    const spent = stopwatch();
    try {
      handler ??= Promise.resolve(options.inLine());
      const { signal, answer } = task.options;
      const handle = await handler;
      const client = {
        stopped: () => closed || signal?.aborted === true,
        ask: (question: unknown) => spent.without(async () => await answer?.(question)),
        giveAway() {},
      };
      const value = await handle(task.job, client);
      task.options.onSpent?.(spent.milliseconds());
      task.resolve(value);
    } catch (error) {
      task.options.onSpent?.(spent.milliseconds());
      task.reject(error);
    } finally {
      inLine[lane] = false;
      queues[lane]!.end(task);
      pump(lane);
    }
  }

  return {
    run(job, given) {
      const { lane, bytes, signal } = given;
      if (closed) return Promise.reject(new JobLost("the pool is closed"));
      if (signal?.aborted) return Promise.reject(signal.reason);
      const full = () => new QueueFull("too many jobs wait");
      if (lost >= MAX_LOST) return Promise.reject(full());
      const queue = queues[lane]!;
      const ended = new AbortController();
      return new Promise((resolve, reject) => {
        const asker = given.asker ?? currentAsker();
        const task: Task = {
          job,
          options: given,
          asker,
          bytes,
          resolve,
          reject,
          ended: ended.signal,
        };
        signal?.addEventListener("abort", () => {
          queue.remove(task);
          reject(signal.reason);
        }, { once: true, signal: ended.signal });
        for (const refused of queue.add(task)) refused.reject(full());
        pump(lane);
      }).finally(() => ended.abort());
    },
    close() {
      closed = true;
      const error = new JobLost("the pool is closed");
      for (const slot of [...slots]) for (const { task } of remove(slot)) task.reject(error);
      for (const queue of queues) for (const task of queue.clear()) task.reject(error);
    },
  };
}
