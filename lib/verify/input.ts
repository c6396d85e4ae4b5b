/**
 * Reads bytes into documents and pools: the same forms for command line and HTTP.
 *
 * A receipt or admission; an array of them; `{"documents": […], "pools": […]}`; JSON lines; and gzip
 * of any of these, told by its first bytes.
 */
import { decodeUtf8, parseJson } from "../encoding/json.ts";
import { parseReason } from "../protocol/envelope.ts";
import { exceedsBytes, LIMITS } from "../protocol/limits.ts";
import { type Pool, readPool } from "../protocol/pool.ts";
import { type Reason, reason } from "../protocol/reason.ts";
import { decodeRun } from "../protocol/run/lines.ts";
import { breather } from "./breathe.ts";
import { gunzip } from "./gunzip.ts";
import { emptyReport, type Report } from "./report.ts";
import { isRun } from "./recognise.ts";
import { type Verifier, verifyDocument, verifyRun } from "./verify.ts";

/** One entry: a value to verify, a line that is no JSON, or a benchmark run's bytes. */
export type Entry = { value: unknown } | { reason: Reason } | { run: Uint8Array };

export interface Input {
  entries: Entry[];
  /** Disclosed pools that came with the documents; each key once. */
  pools: Pool[];
}

/** What was read; `unpacked`: bytes of it after unpacking. */
export type InputResult = { ok: true; input: Input; unpacked: number } | InputRefusal;

/**
 * What could not be read. `pool`: a pool among `pools` is at fault, otherwise the input as a whole.
 * Codes: `document-too-large`, `document-not-utf8`, `document-not-json`, `document-too-deep`,
 * `gzip-malformed`, `too-many-documents`, `too-many-pools`, `pools-malformed`, and those of a pool.
 */
export interface InputRefusal {
  ok: false;
  pool: boolean;
  reason: Reason;
}

type Read = { ok: true; input: Input } | InputRefusal;

export interface InputLimits {
  /** Bytes, after unpacking. */
  bytes: number;
  documents: number;
}

/** Disclosed pools for one check. Source: protocols spec 9 no. 0 and 13. */
export const MAX_POOLS = 64;

/** Containers around a document in a bundle: the bundle itself and its list. */
const BUNDLE_DEPTH = 2;

/** Reads an input. Never rejects. */
export async function readInput(bytes: Uint8Array, limits: InputLimits): Promise<InputResult> {
  const unpacked = await gunzip(bytes, limits.bytes);
  if (unpacked === "malformed") {
    return refuse("gzip-malformed", "the gzip data is damaged, or has more than one part");
  }
  if (unpacked === "too-large" || unpacked.length > limits.bytes) {
    return refuse("document-too-large", `the input is larger than ${limits.bytes} bytes`);
  }
  const read = readUnpacked(unpacked, limits);
  return read.ok ? { ...read, unpacked: unpacked.length } : read;
}

function readUnpacked(unpacked: Uint8Array, limits: InputLimits): Read {
  const text = decodeUtf8(unpacked);
  // A run is decoded leniently (runs spec 1), so it has to be told before bad bytes are refused.
  if (isRun(text ?? decodeRun(unpacked))) {
    return { ok: true, input: { entries: [{ run: unpacked }], pools: [] } };
  }
  if (text === null) return refuse("document-not-utf8", "the input is not UTF-8");

  const whole = parseJson(text, LIMITS.depth + BUNDLE_DEPTH);
  if (whole.ok) return readValue(whole.value, limits);
  const lines = linesOf(text, limits.documents);
  if (lines === null) return tooMany(limits);
  if (lines.length > 1 && looksLikeLines(lines)) return readLines(lines);
  if (whole.code === "not-json") {
    return refuse("document-not-json", "the input is neither JSON nor JSON lines");
  }
  return { ok: false, pool: false, reason: parseReason(whole.code, "document", "") };
}

/** How long checking may take, in milliseconds from its start. */
export interface TimeLimits {
  document: number;
  /** All documents of an input together. */
  input: number;
}

export interface VerifyOptions {
  /** Called (and awaited) after each row of a run. */
  onProgress?: ((done: number, total: number) => void | Promise<void>) | undefined;
  /** Without: as long as it takes. */
  time?: TimeLimits | undefined;
  /** Whether nobody wants the reports any more. */
  stopped?: (() => boolean) | undefined;
  /** Milliseconds after which no second entry is begun: fewer reports come back. Without: all do. */
  turn?: number | undefined;
}

/**
 * Verifies all entries of an input, one after the other; a report an entry, in order. What there is
 * no time for is not finished: `outcome: null`, `budget-exceeded`.
 *
 * Pauses now and then, so that a large input does not keep the event loop from others.
 */
export async function verifyInput(
  input: Input,
  verifier: Verifier,
  { onProgress, time, stopped = () => false, turn = Infinity }: VerifyOptions = {},
): Promise<Report[]> {
  const breathe = breather();
  const onRow = async (done: number, total: number) => {
    await onProgress?.(done, total);
    await breathe();
  };
  const began = performance.now();
  const end = time === undefined ? Infinity : began + time.input;
  const reports: Report[] = [];
  for (const entry of input.entries) {
    const start = performance.now();
    if (reports.length > 0 && start - began >= turn && start < end) break;
    const until = Math.min(end, time === undefined ? Infinity : start + time.document);
    const timed = { ...verifier, expired: () => performance.now() >= until || stopped() };
    if ("reason" in entry) reports.push(emptyReport("unknown", "invalid", entry.reason));
    else if (start >= end || stopped()) reports.push(unchecked());
    else if ("run" in entry) reports.push(await verifyRun(entry.run, timed, onRow));
    else reports.push(await verifyDocument(entry.value, timed, input.pools));
    await breathe();
  }
  return reports;
}

function unchecked(): Report {
  const message = "the documents before this one took all the time that a request has";
  return emptyReport("unknown", null, reason("budget-exceeded", message));
}

function readValue(value: unknown, limits: InputLimits): Read {
  if (Array.isArray(value)) return withEntries(value, [], limits);
  if (!isBundle(value)) return withEntries([value], [], limits);
  const { documents, pools: entries = [] } = value;
  if (!Array.isArray(entries)) {
    return refuse("pools-malformed", "pools is a list of pool files", "pools", true);
  }
  if (entries.length > MAX_POOLS) {
    const message = `at most ${MAX_POOLS} pools can be used for one check`;
    return refuse("too-many-pools", message, "pools", true);
  }
  const pools = new Map<string, Pool>();
  for (const [index, entry] of entries.entries()) {
    if (exceedsBytes(JSON.stringify(entry), LIMITS.poolBytes)) {
      const message = `a pool has at most ${LIMITS.poolBytes} bytes`;
      return refuse("pool-malformed", message, `pools[${index}]`, true);
    }
    const read = readPool(entry, `pools[${index}]`);
    if (!read.ok) return { ok: false, pool: true, reason: read.reason };
    pools.set(read.pool.poolKey, read.pool);
  }
  return withEntries(documents, [...pools.values()], limits);
}

/** The lines that aren't blank, or null when there are more than `limit`, or very many blank ones. */
function linesOf(text: string, limit: number): string[] | null {
  const lines: string[] = [];
  let blank = 0;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(start, end);
    if (line.trim() === "") blank++;
    else lines.push(line);
    if (lines.length > limit || blank > 10 * limit) return null;
    start = end + 1;
  }
  return lines;
}

/** Tells JSON lines from a document that is only broken: the first line, or a whole object on one. */
function looksLikeLines(lines: readonly string[]): boolean {
  return lines.slice(0, 10).some((line, index) => {
    const parsed = parseJson(line, LIMITS.depth);
    // Beyond a limit nothing is parsed: what begins like an object is one as far as can be told.
    if (!parsed.ok) return parsed.code !== "not-json" && line.trimStart().startsWith("{");
    return index === 0 || typeof parsed.value === "object" && parsed.value !== null;
  });
}

function readLines(lines: readonly string[]): Read {
  const entries = lines.map((line, index): Entry => {
    const parsed = parseJson(line, LIMITS.depth);
    if (parsed.ok) return { value: parsed.value };
    const { code, message } = parseReason(parsed.code, "document", "");
    return { reason: reason(code, `line ${index + 1}: ${message}`) };
  });
  return { ok: true, input: { entries, pools: [] } };
}

function withEntries(values: readonly unknown[], pools: Pool[], limits: InputLimits): Read {
  if (values.length > limits.documents) return tooMany(limits);
  return { ok: true, input: { entries: values.map((value) => ({ value })), pools } };
}

function isBundle(value: unknown): value is { documents: unknown[]; pools?: unknown } {
  return typeof value === "object" && value !== null && !Object.hasOwn(value, "protocol") &&
    Object.hasOwn(value, "documents") &&
    Array.isArray((value as { documents: unknown }).documents);
}

function tooMany(limits: InputLimits): InputRefusal {
  return refuse("too-many-documents", `at most ${limits.documents} documents can be given at once`);
}

function refuse(code: string, message: string, path = "", pool = false): InputRefusal {
  return { ok: false, pool, reason: reason(code, message, path) };
}
