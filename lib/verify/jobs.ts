/**
 * The work that is done off the event loop where it can be: plain data in, plain data out, so that
 * both can cross to a worker and back. Nothing here rejects for bad input.
 */
import { canonicalEnvelope, parseReason, readEnvelope } from "../protocol/envelope.ts";
import { sha256HexLarge } from "../encoding/digest.ts";
import { parseJson } from "../encoding/json.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Pool } from "../protocol/pool.ts";
import type { Reason } from "../protocol/reason.ts";
import {
  type Entry,
  type Input,
  type InputLimits,
  readInput,
  type TimeLimits,
  verifyInput,
} from "./input.ts";
import { type IntakeResult, takeIn } from "./intake.ts";
import { recognise } from "./recognise.ts";
import { emptyReport, type Report } from "./report.ts";
import type { Summed } from "./summary.ts";
import { type Verifier, verifyDocument } from "./verify.ts";

/** Bytes that somebody sent, to be read and checked. */
export interface InputJob {
  job: "input";
  bytes: Uint8Array;
  limits: InputLimits;
  /** Beside those that come with the documents. */
  pools: readonly Pool[];
  /** Which of the entries are wanted, in order; null: all. */
  only: readonly number[] | null;
  time: TimeLimits;
}

/** Bytes that somebody sent to be kept. */
export interface IntakeJob {
  job: "intake";
  bytes: Uint8Array;
  limits: InputLimits;
}

/** A stored document's canonical bytes, to be checked. */
export interface DocumentJob {
  job: "document";
  bytes: Uint8Array;
  pools: readonly Pool[];
  time: TimeLimits;
}

export type Job = InputJob | IntakeJob | DocumentJob;

/** The input as a whole, or one of its pools, could not be read; see `InputResult`. */
export interface Refused {
  ok: false;
  pool: boolean;
  reason: Reason;
}

/** One entry's report as JSON, which is what most callers send on, and what they need of it. */
export interface Checked extends Summed {
  json: string;
  /** Of the report's reason. */
  code: string | null;
  /** Keys of pools that would have been used. */
  lacked: string[];
}

export type InputAnswer = Refused | {
  ok: true;
  /** One an entry that was wanted. */
  checked: Checked[];
  /** Entries in the input. */
  entries: number;
  /** The canonical text of the only document, if it is one that can be kept. */
  keepable: string | null;
};

export type IntakeAnswer = Refused | {
  ok: true;
  pools: number;
  /** One an entry, in order; null for a run, and for a line that is no JSON. */
  intakes: (IntakeResult | null)[];
  /** The id of the run that the input is, or null. */
  run: string | null;
};

export type Answer<J extends Job> = J extends InputJob ? InputAnswer
  : J extends IntakeJob ? IntakeAnswer
  : Report;

/**
 * Does one job.
 *
 * @param stopped whether nobody wants the answer any more; asked now and then.
 */
export async function work<J extends Job>(
  job: J,
  verifier: Verifier,
  stopped: () => boolean,
): Promise<Answer<J>>;
export async function work(
  job: Job,
  verifier: Verifier,
  stopped: () => boolean,
): Promise<InputAnswer | IntakeAnswer | Report> {
  switch (job.job) {
    case "input":
      return await checkInput(job, verifier, stopped);
    case "intake":
      return await readIntake(job, verifier);
    case "document":
      return await checkDocument(job, verifier, stopped);
  }
}

async function checkInput(
  { bytes, limits, pools, only, time }: InputJob,
  verifier: Verifier,
  stopped: () => boolean,
): Promise<InputAnswer> {
  const read = await readInput(bytes, limits);
  if (!read.ok) return read;
  const { entries } = read.input;
  const wanted: Input = {
    entries: only === null ? entries : only.map((index) => entries[index]!),
    pools: [...read.input.pools, ...pools],
  };
  const reports = await verifyInput(wanted, verifier, { time, stopped });
  return {
    ok: true,
    checked: reports.map(checkedOf),
    entries: entries.length,
    keepable: reports[0]?.outcome == null ? null : keepable(entries),
  };
}

function checkedOf(report: Report): Checked {
  const { outcome, counts, reason } = report;
  const lacked = report.pools.flatMap(({ poolKey, disclosed }) => disclosed ? [] : [poolKey]);
  return { json: JSON.stringify(report), outcome, counts, code: reason?.code ?? null, lacked };
}

function keepable(entries: readonly Entry[]): string | null {
  const entry = entries[0];
  if (entries.length !== 1 || entry === undefined || !("value" in entry)) return null;
  const recognised = recognise(entry.value);
  const envelope = recognised.kind === "unknown" ? null : readEnvelope(recognised.document);
  return envelope === null ? null : canonicalEnvelope(envelope);
}

async function readIntake(
  { bytes, limits }: IntakeJob,
  verifier: Verifier,
): Promise<IntakeAnswer> {
  const read = await readInput(bytes, limits);
  if (!read.ok) return read;
  const { entries, pools } = read.input;
  const intakes: (IntakeResult | null)[] = [];
  let run: string | null = null;
  for (const entry of entries) {
    if ("run" in entry) run = await sha256HexLarge(entry.run);
    const taken = "value" in entry
      ? await takeIn(entry.value, (value) => verifyDocument(value, verifier))
      : null;
    intakes.push(taken);
  }
  return { ok: true, pools: pools.length, intakes, run };
}

async function checkDocument(
  { bytes, pools, time }: DocumentJob,
  verifier: Verifier,
  stopped: () => boolean,
): Promise<Report> {
  const parsed = parseJson(new TextDecoder().decode(bytes), LIMITS.depth);
  if (!parsed.ok) {
    return emptyReport("unknown", "invalid", parseReason(parsed.code, "document", ""));
  }
  const until = performance.now() + time.document;
  const expired = () => performance.now() >= until || stopped();
  return await verifyDocument(parsed.value, { ...verifier, expired }, pools);
}
