/**
 * The checking of a service, put together: workers, their queues, and what does the work in line
 * where there are no workers.
 */
import {
  type Checker,
  CheckerBusy,
  type InputOptions,
  type Lane,
  TIME_LIMITS,
} from "../lib/verify/checker.ts";
import type { TimeLimits } from "../lib/verify/input.ts";
import type { Answer, Checked, InputAnswer, InputJob, Job, Question } from "../lib/verify/jobs.ts";
import type { VerifyContext } from "../lib/verify/context.ts";
import { currentAsker, workForNobody } from "../lib/async/asker.ts";
import { createWorkers, type JobOptions, QueueFull, type Workers } from "../lib/workers/workers.ts";
import type { QueueLimits } from "../lib/workers/turns.ts";
import { createVerifyContext, jobHandler } from "./verify_context.ts";
import type { Settings } from "./verify_worker.ts";

const MIB = 1024 * 1024;

/**
 * A client's jobs wait behind each other, and the client is told to come back when they are many. More
 * reads may wait than uploads, since one image proxy asks for the badges of very many readers.
 */
const LANES: Record<Lane, QueueLimits & { index: number }> = {
  read: { index: 0, jobs: 400, bytes: 64 * MIB, each: 100 },
  upload: { index: 1, jobs: 256, bytes: 64 * MIB, each: 64 },
  background: { index: 2, jobs: 1000, bytes: 64 * MIB },
};

/** Seconds until a full queue is worth another try. */
const RETRY_AFTER = 2;

interface CheckerOptions {
  evaluator: "auto" | "official";
  /** Workers; 0: in line. */
  workers: number;
  time?: TimeLimits;
  log?: (message: string) => void;
  /** Does the work in line, in place of one made from `evaluator`. */
  context?: VerifyContext;
}

/** A checker without workers, for commands and tests. */
export function inLineChecker(context: VerifyContext, time: TimeLimits = TIME_LIMITS): Checker {
  return createChecker({ evaluator: "auto", workers: 0, context, time });
}

/** What the functions below share. */
interface Checking {
  workers: Workers;
  time: TimeLimits;
}

/** Makes the checker of a service. Nothing is started or loaded before the first check. */
export function createChecker(options: CheckerOptions): Checker {
  const { evaluator, time = TIME_LIMITS, log = console.error } = options;
  const workers = createWorkers({
    module: import.meta.resolve("./verify_worker.ts"),
    settings: { evaluator } satisfies Settings,
    size: options.workers,
    lanes: Object.values(LANES),
    inLine: () => jobHandler(options.context ?? createVerifyContext(evaluator, log)),
    log,
    // All that a check reads: the official evaluator.
    permissions: { read: ["data"], env: false, net: false, write: false, run: false },
  });
  const checking: Checking = { workers, time };
  return {
    input: (bytes, options) => checkInTurns(checking, bytes, options),
    intake: (bytes, limits) => run(checking, { job: "intake", bytes, limits }, "upload"),
    documents(documents, lane) {
      const work = () => run(checking, { job: "documents", documents, time }, lane);
      return lane === "background" ? workForNobody(work) : work();
    },
    close: () => Promise.resolve(workers.close()),
  };
}

/** Has a job done, and charged to whoever the work under way is for. */
async function run<J extends Job>(
  { workers, time }: Checking,
  job: J,
  lane: Lane,
  options: Pick<JobOptions, "answer" | "signal" | "transfer"> = {},
): Promise<Answer<J>> {
  const asker = currentAsker();
  let paid: Promise<void> | null = null;
  try {
    const answer = await workers.run(job, {
      lane: LANES[lane].index,
      bytes: sizeOf(job),
      patience: patienceOf(job, time),
      asker,
      onSpent: (milliseconds) => paid = asker.pay({ milliseconds }),
      ...options,
    }) as Answer<J>;
    // So that the response can say what the check has cost.
    await paid;
    return answer;
  } catch (error) {
    if (error instanceof QueueFull) throw new CheckerBusy(RETRY_AFTER);
    throw error;
  }
}

/** Checks an input. Others have their turn between parts of what takes long. */
async function checkInTurns(
  checking: Checking,
  bytes: Uint8Array,
  { publicPools, admit, signal, ...wanted }: InputOptions,
): Promise<InputAnswer> {
  const { time } = checking;
  const checked: Checked[] = [];
  let job: InputJob = { ...wanted, job: "input", bytes, time };
  let isAdmitted = false;
  for (;;) {
    const answer = async (question: Question) => {
      if ("lacked" in question) return await publicPools?.(question.lacked) ?? [];
      // All of the input was admitted at its first turn.
      if (!isAdmitted) await admit?.(question.content);
    };
    const part = await run(checking, job, "upload", {
      answer: (question) => answer(question as Question),
      transfer: givenAway(job),
      signal,
    });
    if (!part.ok || part.form === "text") return part;
    checked.push(...part.checked);
    if (part.form === "reports") return { ...part, checked };
    const { bytes, only, milliseconds } = part.left;
    isAdmitted = true;
    job = { ...job, bytes, only, whole: false, time: { ...time, input: milliseconds } };
  }
}

/** The buffers of a job that its worker may have; a view into a larger buffer would take that along. */
function givenAway({ whole, bytes: { buffer, length } }: InputJob): ArrayBuffer[] {
  if (!whole || !(buffer instanceof ArrayBuffer) || length !== buffer.byteLength) return [];
  return [buffer];
}

function sizeOf(job: Job): number {
  if (job.job !== "documents") return job.bytes.length;
  return job.documents.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** How long a job may take by its own limits, in milliseconds. */
function patienceOf(job: Job, time: TimeLimits): number {
  switch (job.job) {
    case "input":
      return time.input;
    case "intake":
      return time.document;
    case "documents":
      return time.document * job.documents.length;
  }
}
