/**
 * A few workers, with bounded queues in which clients take turns. Source: docs/platform.md, "Workers".
 *
 * A busy worker can't be stopped, so jobs end by themselves: they count steps, look at the clock,
 * and at a cell of shared memory that says when nobody wants them any more. A job that does not end
 * long after its time is an alarm: its worker is written off.
 */
import type { Message, Order, Setup } from "./messages.ts";
import { type Asker, currentAsker } from "../async/asker.ts";
import type { Handler } from "./serve.ts";
import { stopwatch } from "./stopwatch.ts";
import {
  addJob,
  clearJobs,
  createTurns,
  endJob,
  nextJob,
  putBackJob,
  type QueueLimits,
  removeJob,
  startJob,
  type Turns,
} from "./turns.ts";

export interface WorkersOptions {
  /** The worker's module, which calls `serveJobs`. */
  module: string;
  /** What the module needs to know; plain data. */
  settings: unknown;
  /** Workers at most; started when needed. 0: jobs are done here, one a lane at a time. */
  size: number;
  /** The queues. They don't wait for each other: a worker may have one job of each lane under way. */
  lanes: readonly QueueLimits[];
  /** Makes what does the jobs where there are no workers. */
  inLine: () => Handler | Promise<Handler>;
  /** Receives what the operator should know. */
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

/** What workers do for others. */
export interface Workers {
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

/** Workers written off before all work is refused: each may keep a core busy for good. */
const MAX_LOST = 3;

/** A job, and who waits for it. */
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

/** A worker that was started, and what it has under way. */
interface Slot {
  worker: Worker;
  /** Its module is loaded. */
  ready: boolean;
  stops: Int32Array<SharedArrayBuffer>;
  /** Under way, by lane. */
  tasks: (Running | null)[];
}

/** A job under way in a worker. */
interface Running {
  task: Task;
  number: number;
  alarm: ReturnType<typeof setTimeout>;
}

/** The state of one set of workers; all functions below are handed it. */
interface WorkersContext {
  readonly options: WorkersOptions;
  /** By lane. */
  readonly queues: readonly Turns<Task>[];
  /** By lane: whether a job is being done in line. */
  readonly busyInLine: boolean[];
  readonly slots: Slot[];
  /** Workers at most; 0 once it turned out that none can be started. */
  size: number;
  /** Does jobs in line; made when the first is. */
  handler: Promise<Handler> | null;
  /** The number of the last job. */
  count: number;
  /** Workers that were written off. */
  lost: number;
  closed: boolean;
}

/** Makes a set of workers; none is started before the first job. */
export function createWorkers(options: WorkersOptions): Workers {
  const context: WorkersContext = {
    options,
    queues: options.lanes.map((limits) => createTurns<Task>(limits)),
    busyInLine: options.lanes.map(() => false),
    slots: [],
    size: typeof Worker === "function" ? options.size : 0,
    handler: null,
    count: 0,
    lost: 0,
    closed: false,
  };
  return {
    run: (job, given) => run(context, job, given),
    close: () => close(context),
  };
}

function run(context: WorkersContext, job: unknown, options: JobOptions): Promise<unknown> {
  const { lane, bytes, signal } = options;
  if (context.closed) return Promise.reject(new JobLost("the workers are closed"));
  if (signal?.aborted) return Promise.reject(signal.reason);
  const full = () => new QueueFull("too many jobs wait");
  if (context.lost >= MAX_LOST) return Promise.reject(full());
  const queue = context.queues[lane]!;
  const ended = new AbortController();
  return new Promise((resolve, reject) => {
    const asker = options.asker ?? currentAsker();
    const task: Task = { job, options, asker, bytes, resolve, reject, ended: ended.signal };
    signal?.addEventListener("abort", () => {
      removeJob(queue, task);
      reject(signal.reason);
    }, { once: true, signal: ended.signal });
    for (const refused of addJob(queue, task)) refused.reject(full());
    startWaiting(context, lane);
  }).finally(() => ended.abort());
}

function close(context: WorkersContext): void {
  context.closed = true;
  const error = new JobLost("the workers are closed");
  for (const slot of [...context.slots]) {
    for (const { task } of dismiss(context, slot)) task.reject(error);
  }
  for (const queue of context.queues) for (const task of clearJobs(queue)) task.reject(error);
}

/** Starts the jobs of a lane that wait, as far as there are workers that are free. */
function startWaiting(context: WorkersContext, lane: number): void {
  const queue = context.queues[lane]!;
  for (let task = nextJob(queue); task !== null; task = nextJob(queue)) {
    if (context.size === 0) {
      if (context.busyInLine[lane]) return;
      startJob(queue, task);
      void doInLine(context, lane, task);
      continue;
    }
    let slot: Slot | null;
    try {
      slot = freeSlot(context, lane);
    } catch {
      // The runtime has workers but lets this process have none.
      goInLine(context);
      continue;
    }
    if (slot === null) return;
    startJob(queue, task);
    hand(context, slot, lane, task);
  }
}

/** The worker with the least to do that has nothing of this lane; a new one rather than a busy one. */
function freeSlot(context: WorkersContext, lane: number): Slot | null {
  const load = (slot: Slot) => slot.tasks.filter((running) => running !== null).length;
  const free = context.slots.filter((slot) => slot.tasks[lane] === null);
  const best = free.sort((a, b) => load(a) - load(b))[0] ?? null;
  if (best !== null && load(best) === 0) return best;
  return context.slots.length < context.size ? open(context) : best;
}

/** Starts a worker. @throws where the runtime doesn't let this process have any. */
function open(context: WorkersContext): Slot {
  const { module, permissions, settings, lanes } = context.options;
  const worker = new Worker(module, {
    type: "module",
    ...(permissions && { deno: { permissions } }),
  });
  const slot: Slot = {
    worker,
    ready: false,
    stops: new Int32Array(new SharedArrayBuffer(4 * lanes.length)),
    tasks: lanes.map(() => null),
  };
  worker.onmessage = ({ data }: MessageEvent<Message>) => receive(context, slot, data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(context, slot);
  };
  worker.postMessage({ stops: slot.stops, settings } satisfies Setup);
  context.slots.push(slot);
  return slot;
}

/** Hands a job to a worker. */
function hand(context: WorkersContext, slot: Slot, lane: number, task: Task): void {
  const number = context.count = context.count % 0x7fffffff + 1;
  const { patience, signal, transfer = [] } = task.options;
  const grace = context.options.grace ?? GRACE_MS;
  const alarm = setTimeout(() => writeOff(context, slot), patience + grace);
  slot.tasks[lane] = { task, number, alarm };
  // A worker that turns out not to start gives nothing back: its first jobs go as copies.
  const given = slot.ready ? transfer : [];
  slot.worker.postMessage({ number, lane, job: task.job } satisfies Order, given);
  signal?.addEventListener("abort", () => Atomics.store(slot.stops, lane, number), {
    once: true,
    signal: task.ended,
  });
}

function receive(context: WorkersContext, slot: Slot, message: Message): void {
  const { log } = context.options;
  if ("log" in message) return log(message.log);
  if ("failed" in message) {
    log(`fault in a worker: ${message.failed}`);
    return fail(context, slot);
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
  endJob(context.queues[lane]!, running.task);
  running.task.options.onSpent?.(message.milliseconds);
  if ("fault" in message) {
    log(`fault in a worker: ${message.fault}`);
    running.task.reject(new JobLost("the job failed"));
  } else {
    running.task.resolve(message.value);
  }
  startWaiting(context, lane);
}

/** Sends a worker what it asked for, or that its job is not to go on. */
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

function goInLine(context: WorkersContext): void {
  context.options.log("workers can't be started here: the work is done in line");
  context.size = 0;
}

/** A worker threw outside of its jobs, or could not be loaded. */
function fail(context: WorkersContext, slot: Slot): void {
  const tasks = dismiss(context, slot);
  if (slot.ready) {
    context.options.log("a worker failed and is replaced");
    for (const { task, lane } of tasks) {
      endJob(context.queues[lane]!, task);
      task.reject(new JobLost("the worker failed"));
    }
  } else {
    goInLine(context);
    for (const { task, lane } of tasks) putBackJob(context.queues[lane]!, task);
  }
  for (const lane of context.queues.keys()) startWaiting(context, lane);
}

/** Terminating doesn't stop a busy worker, and it may never end: there is a limit to that. */
function writeOff(context: WorkersContext, slot: Slot): void {
  context.lost++;
  context.options.log(
    `ALARM: a job did not end in its time; its worker is written off (${context.lost} so far)`,
  );
  for (const { task, lane } of dismiss(context, slot)) {
    endJob(context.queues[lane]!, task);
    task.options.onSpent?.(task.options.patience);
    task.reject(new JobLost("the job did not end in time"));
  }
  for (const lane of context.queues.keys()) startWaiting(context, lane);
}

/** Lets go of a worker. @returns what it had under way. */
function dismiss({ slots }: WorkersContext, slot: Slot): { task: Task; lane: number }[] {
  slots.splice(slots.indexOf(slot), 1);
  slot.worker.terminate();
  return slot.tasks.flatMap((running, lane) => {
    if (running === null) return [];
    clearTimeout(running.alarm);
    return [{ task: running.task, lane }];
  });
}

async function doInLine(context: WorkersContext, lane: number, task: Task): Promise<void> {
  context.busyInLine[lane] = true;
  const spent = stopwatch();
  const { signal, answer, onSpent } = task.options;
  try {
    context.handler ??= Promise.resolve(context.options.inLine());
    const handle = await context.handler;
    const value = await handle(task.job, {
      stopped: () => context.closed || signal?.aborted === true,
      ask: (question: unknown) => spent.without(async () => await answer?.(question)),
      giveAway() {},
    });
    onSpent?.(spent.milliseconds());
    task.resolve(value);
  } catch (error) {
    onSpent?.(spent.milliseconds());
    task.reject(error);
  } finally {
    context.busyInLine[lane] = false;
    endJob(context.queues[lane]!, task);
    startWaiting(context, lane);
  }
}
