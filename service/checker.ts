/**
 * Puts the checking of a service together: workers, their queues, and what does the work in line
 * where there are none.
 */
import {
  type Checker,
  CheckerBusy,
  type InputOptions,
  type Lane,
  TIME_LIMITS,
} from "../lib/verify/checker.ts";
import type { TimeLimits } from "../lib/verify/input.ts";
import {
  type Answer,
  type Checked,
  type InputAnswer,
  type InputJob,
  type Job,
  type Question,
  work,
} from "../lib/verify/jobs.ts";
import type { Verifier } from "../lib/verify/verify.ts";
import { currentAsker, workForNobody } from "../lib/async/asker.ts";
import { createWorkerPool, type JobOptions, QueueFull } from "../lib/workers/worker_pool.ts";
import type { QueueLimits } from "../lib/workers/turns.ts";
import { createVerifier } from "./verify_context.ts";
import type { Settings } from "./verify_worker.ts";

const MIB = 1024 * 1024;

/**
 * A client's own jobs wait behind its own, and it is told to come back when there are many. More of
 * what is read may wait, as one image proxy asks for the badges of very many.
 */
const LANES: Record<Lane, QueueLimits & { index: number }> = {
  read: { index: 0, jobs: 400, bytes: 64 * MIB, each: 100 },
  upload: { index: 1, jobs: 256, bytes: 64 * MIB, each: 64 },
  background: { index: 2, jobs: 1000, bytes: 64 * MIB },
};

/** Seconds until a full queue is worth another try. */
const RETRY_AFTER = 2;

export interface CheckerOptions {
  evaluator: "auto" | "official";
  /** Workers; 0: in line. */
  workers: number;
  time?: TimeLimits;
  log?: (message: string) => void;
  /** Does the work in line, in place of one made from `evaluator`. */
  verifier?: Verifier;
}

/** A checker without workers, for commands and tests. */
export function inLineChecker(verifier: Verifier, time: TimeLimits = TIME_LIMITS): Checker {
  return createChecker({ evaluator: "auto", workers: 0, verifier, time });
}

/** Makes the checker of a service. Nothing is started or loaded before the first check. */
export function createChecker(options: CheckerOptions): Checker {
  const { evaluator, workers, time = TIME_LIMITS, log = console.error } = options;
  const pool = createWorkerPool({
    module: import.meta.resolve("./verify_worker.ts"),
    settings: { evaluator } satisfies Settings,
    size: workers,
    lanes: Object.values(LANES),
    inLine: () => {
      const verifier = options.verifier ?? createVerifier(evaluator, log);
      return (job, client) => work(job as Job, verifier, client);
    },
    log,
    // All that a check reads: the official evaluator.
    permissions: { read: ["data"], env: false, net: false, write: false, run: false },
  });

  async function run<J extends Job>(
    job: J,
    lane: Lane,
    options: Pick<JobOptions, "answer" | "signal" | "transfer"> = {},
  ): Promise<Answer<J>> {
    const asker = currentAsker();
    let paid: Promise<void> | null = null;
    try {
      const answer = await pool.run(job, {
        lane: LANES[lane].index,
        bytes: sizeOf(job),
        patience: patienceOf(job, time),
        asker,
        onSpent: (milliseconds) => paid = asker.pay({ milliseconds }),
        ...options,
      }) as Answer<J>;
      // So that the answer can say what it has cost.
      await paid;
      return answer;
    } catch (error) {
      if (error instanceof QueueFull) throw new CheckerBusy(RETRY_AFTER);
      throw error;
    }
  }

  /** Others have their turn between parts of what takes long. */
  async function inTurns(first: InputJob, options: InputOptions): Promise<InputAnswer> {
    const { publicPools, signal } = options;
    const checked: Checked[] = [];
    let job = first;
    let { admit } = options;
    for (;;) {
      const answer = async (question: Question) =>
        "lacked" in question
          ? await publicPools?.(question.lacked) ?? []
          : await admit?.(question.content);
      const { bytes: { buffer, length }, whole } = job;
      const part = await run(job, "upload", {
        answer: (question) => answer(question as Question),
        // A view into something larger would take that along.
        ...(whole && buffer instanceof ArrayBuffer && length === buffer.byteLength &&
          { transfer: [buffer] }),
        signal,
      });
      if (!part.ok || part.left === null && checked.length === 0) return part;
      checked.push(...part.checked);
      if (part.left === null) return { ...part, checked };
      const { bytes, only, milliseconds } = part.left;
      // All of it was admitted at first.
      admit = undefined;
      job = { ...job, bytes, only, whole: false, time: { ...time, input: milliseconds } };
    }
  }

  return {
    input(bytes, options) {
      const { limits, pools = [], only = null, asked = null, whole = false } = options;
      const job: InputJob = {
        job: "input",
        bytes,
        limits,
        pools,
        only,
        asked,
        whole,
        time,
      };
      return inTurns(job, options);
    },
    intake: (bytes, limits) => run({ job: "intake", bytes, limits }, "upload"),
    documents(documents, lane) {
      const work = () => run({ job: "documents", documents, time }, lane);
      return lane === "background" ? workForNobody(work) : work();
    },
    close: () => Promise.resolve(pool.close()),
  };
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
