/**
 * The jobs of a worker, or of the process itself where it has no workers. A job and its result are
 * plain data, so that both can cross to a worker and back. No job rejects for bad input.
 */
import type { ReasonCode } from "../protocol/codes.ts";
import { canonicalEnvelope, parseReason, readEnvelope } from "../protocol/envelope.ts";
import { sha256HexLarge } from "../encoding/digest.ts";
import { type JsonText, parseJson, toJsonText } from "../encoding/json.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Pool } from "../protocol/pool.ts";
import { breather } from "../async/breathe.ts";
import {
  type Entry,
  type Input,
  type InputLimits,
  type InputRefusal,
  readInput,
  type TimeLimits,
  verifyInput,
} from "./input.ts";
import { type IntakeResult, takeIn } from "./intake.ts";
import { expectedMs } from "./price.ts";
import { recognise } from "./recognise.ts";
import { emptyReport, type Report } from "./report.ts";
import { summarise, type Summed } from "./summary.ts";
import type { VerifyContext } from "./context.ts";
import { verifyDocument } from "./verify.ts";

/** How bytes that somebody sent are to be checked. Plain data, which crosses to a worker as it is. */
export interface CheckOptions {
  limits: InputLimits;
  /** Disclosed pools beside those that come with the documents. */
  pools?: readonly Pool[] | undefined;
  /** Which of the entries are wanted, in order; default: all. */
  only?: readonly number[] | undefined;
  /** What the reports are held against; only {@link JobContext.accept} knows what this means. */
  asked?: unknown;
  /**
   * Whether one text of all reports is wanted, as a response has it, instead of the reports each by
   * itself; `bytes` are given away then.
   */
  whole?: boolean | undefined;
}

/** Bytes that somebody sent, to be read and checked. */
export interface InputJob extends CheckOptions {
  job: "input";
  bytes: Uint8Array;
  time: TimeLimits;
}

/** What jobs need from outside. */
export interface JobContext extends VerifyContext {
  /**
   * Holds a report against what was asked (`CheckOptions.asked`), and adds what comes of it. Without,
   * nothing may be asked: verification knows no issuer's standing and no policy's name.
   */
  accept?: (report: Report, asked: unknown) => Report;
}

/** Bytes that somebody sent to be stored. */
interface IntakeJob {
  job: "intake";
  bytes: Uint8Array;
  limits: InputLimits;
}

/** A stored document's canonical bytes, and the pools to check it with. */
export interface StoredDocument {
  bytes: Uint8Array;
  pools: readonly Pool[];
}

/** Stored documents to be checked. */
interface DocumentsJob {
  job: "documents";
  documents: readonly StoredDocument[];
  time: TimeLimits;
}

/** What an input turned out to hold. */
export interface Content {
  documents: number;
  /** The size after unpacking. */
  bytes: number;
  /** How long checking all of it is expected to take. */
  milliseconds: number;
}

/** A question that a job asks whoever ordered it. */
export type Question =
  /** May this much be checked? The question rejects when it may not. */
  | { content: Content }
  /** Which of these pools are public? */
  | { lacked: string[] };

/** The way of a job to whoever ordered it. */
interface JobClient {
  stopped(): boolean;
  ask(question: Question): Promise<unknown>;
  giveAway(buffer: ArrayBuffer): void;
}

export type Job = InputJob | IntakeJob | DocumentsJob;

/** What those who don't read a report need of it. */
export interface CheckedSums extends Summed {
  /** The code of the report's reason. */
  code: ReasonCode | null;
  /** Keys of pools that would have been used if they were public. */
  lacked: string[];
}

/**
 * The report on one entry. It stays the text that crossed from the worker until somebody reads it:
 * most callers send the text on, and a text crosses faster than an object.
 */
export interface Checked extends CheckedSums {
  json: JsonText<Report>;
}

/** The reports on an input, one for each entry that was wanted. */
export interface CheckedInput {
  ok: true;
  form: "reports";
  checked: Checked[];
  /** Entries in the input. */
  entries: number;
  /** The canonical text of the only document, if it is one that can be stored. */
  storable: string | null;
}

/** The response to an input: `{"results": […], "summary": {…}}` in UTF-8, as it was asked for. */
interface CheckedText {
  ok: true;
  form: "text";
  checked: CheckedSums[];
  text: Uint8Array<ArrayBuffer>;
}

/** The first reports on an input; the others are left for another turn. */
interface CheckedPart {
  ok: true;
  form: "part";
  checked: Checked[];
  /** Entries that were wanted and are left, the input, and the time that is left for them. */
  left: { only: number[]; bytes: Uint8Array; milliseconds: number };
}

/** What comes of an input. Only who asks for one text gets one, where it was made in one turn. */
export type InputAnswer = InputRefusal | CheckedInput | CheckedText;

export type IntakeAnswer = InputRefusal | {
  ok: true;
  /** Bytes after unpacking. */
  bytes: number;
  pools: number;
  /** One an entry, in order; null for a run, and for a line that is no JSON. */
  intakes: (IntakeResult | null)[];
  /** The id of the run that the input is, or null. */
  run: string | null;
};

export type Answer<J extends Job> = J extends InputJob ? InputAnswer | CheckedPart
  : J extends IntakeJob ? IntakeAnswer
  : Report[];

/**
 * Does one job.
 *
 * @param client.stopped whether nobody wants the result any more; a job asks that now and then.
 */
export async function work<J extends Job>(
  job: J,
  context: JobContext,
  client: JobClient,
): Promise<Answer<J>>;
export async function work(
  job: Job,
  context: JobContext,
  client: JobClient,
): Promise<Answer<Job>> {
  switch (job.job) {
    case "input":
      return await checkInputJob(job, context, client);
    case "intake":
      return await readIntake(job, context);
    case "documents":
      return await checkDocuments(job, context, client);
  }
}

async function checkInputJob(
  { bytes, limits, pools = [], only, asked, whole, time }: InputJob,
  context: JobContext,
  client: JobClient,
): Promise<Answer<InputJob>> {
  const read = await readInput(bytes, limits);
  if (!read.ok) return read;
  const { entries } = read.input;
  const milliseconds = expectedMs(entries, time);
  await client.ask({
    content: { documents: entries.length, bytes: read.unpacked, milliseconds },
  });
  const input: Input = {
    entries: only === undefined ? entries : only.map((index) => entries[index]!),
    pools: [...read.input.pools, ...pools],
    observations: read.input.observations ?? [],
  };
  const start = performance.now();
  const reports = await checkWithPublicPools(input, context, time, client);
  const checked = reports.map((report) => checkedOf(report, asked, context));
  if (reports.length < input.entries.length) {
    const wanted = only ?? [...entries.keys()];
    const milliseconds = Math.max(0, time.input - (performance.now() - start));
    const left = { only: wanted.slice(reports.length), bytes, milliseconds };
    if (bytes.buffer instanceof ArrayBuffer) client.giveAway(bytes.buffer);
    return { ok: true, form: "part", checked, left };
  }
  if (whole) return together(checked, client);
  const storable = reports[0]?.outcome == null ? null : storableText(entries);
  return { ok: true, form: "reports", checked, entries: entries.length, storable };
}

/** Checks an input so that no report lacks a pool that is public when the first round is over. */
async function checkWithPublicPools(
  input: Input,
  context: VerifyContext,
  time: TimeLimits,
  { stopped, ask }: JobClient,
): Promise<Report[]> {
  const start = performance.now();
  // Others wait no longer than one document, or one run, may take.
  const reports = await verifyInput(input, context, { time, stopped, turn: time.document });
  const spent = performance.now() - start;
  const lacked = [...new Set(reports.flatMap(lackedBy))];
  if (lacked.length === 0) return reports;
  const pools = await ask({ lacked }) as Pool[];
  const known = new Set(pools.map(({ poolKey }) => poolKey));
  const stale = reports.flatMap((report, index) =>
    lackedBy(report).some((poolKey) => known.has(poolKey)) ? [index] : []
  );
  const again = await verifyInput(
    {
      entries: stale.map((index) => input.entries[index]!),
      pools: [...input.pools, ...pools],
      observations: input.observations ?? [],
    },
    context,
    { time: { ...time, input: Math.max(0, time.input - spent) }, stopped },
  );
  for (const [at, index] of stale.entries()) reports[index] = again[at]!;
  return reports;
}

function lackedBy({ pools }: Report): string[] {
  return pools.flatMap(({ poolKey, disclosed }) => disclosed ? [] : [poolKey]);
}

/** The response as it is sent, so that nobody has to put it together where others wait. */
function together(checked: readonly Checked[], { giveAway }: JobClient): CheckedText {
  const text = new TextEncoder().encode(responseText(checked));
  giveAway(text.buffer);
  return { ok: true, form: "text", checked: checked.map(({ json: _, ...sums }) => sums), text };
}

/** The reports and their sums as they are sent: `{"results": […], "summary": {…}}`. */
export function responseText(checked: readonly Checked[]): string {
  const results = checked.map(({ json }) => json).join(",");
  return `{"results":[${results}],"summary":${JSON.stringify(summarise(checked))}}`;
}

function checkedOf(report: Report, asked: unknown, { accept }: JobContext): Checked {
  const { outcome, counts, reason } = report;
  const isAsked = asked !== undefined && asked !== null;
  if (isAsked && accept === undefined) throw new Error("nothing here can tell what is accepted");
  const said = isAsked ? accept!(report, asked) : report;
  return {
    json: toJsonText(said),
    outcome,
    counts,
    code: reason?.code ?? null,
    lacked: lackedBy(report),
  };
}

function storableText(entries: readonly Entry[]): string | null {
  const entry = entries[0];
  if (entries.length !== 1 || entry === undefined || !("value" in entry)) return null;
  const recognised = recognise(entry.value);
  const envelope = recognised.kind === "unknown" ? null : readEnvelope(recognised.document);
  return envelope === null ? null : canonicalEnvelope(envelope);
}

async function readIntake(
  { bytes, limits }: IntakeJob,
  context: VerifyContext,
): Promise<IntakeAnswer> {
  const read = await readInput(bytes, limits);
  if (!read.ok) return read;
  const { entries, pools } = read.input;
  const intakes: (IntakeResult | null)[] = [];
  let run: string | null = null;
  for (const entry of entries) {
    if ("run" in entry) run = await sha256HexLarge(entry.run);
    const taken = "value" in entry
      ? await takeIn(entry.value, (value) => verifyDocument(value, context))
      : null;
    if (taken?.ok && "value" in entry && entry.unwrapped) taken.intake.unwrapped = true;
    intakes.push(taken);
  }
  return { ok: true, bytes: read.unpacked, pools: pools.length, intakes, run };
}

async function checkDocuments(
  { documents, time }: DocumentsJob,
  context: VerifyContext,
  { stopped }: JobClient,
): Promise<Report[]> {
  const breathe = breather();
  const reports: Report[] = [];
  for (const document of documents) {
    reports.push(await checkDocument(document, time, context, stopped));
    await breathe();
  }
  return reports;
}

async function checkDocument(
  { bytes, pools }: StoredDocument,
  time: TimeLimits,
  context: VerifyContext,
  stopped: () => boolean,
): Promise<Report> {
  const parsed = parseJson(new TextDecoder().decode(bytes), LIMITS.depth);
  if (!parsed.ok) {
    return emptyReport("unknown", "invalid", parseReason(parsed.code, "document", ""));
  }
  const until = performance.now() + time.document;
  const expired = () => performance.now() >= until || stopped();
  return await verifyDocument(parsed.value, { ...context, expired }, pools);
}
