/**
 * Reads bytes into documents and pools: the same forms for command line and HTTP.
 *
 * A document or a wrapper around some; an array of these; `{"documents": […], "pools": […]}`; JSON
 * lines; a text of any of these in a Markdown fence, in the answer of an HTTP request, or as base64;
 * and gzip of any of these, told by its first bytes.
 */
import { decodeUtf8, parseJson, whereJsonEnds } from "../encoding/json.ts";
import { parseReason } from "../protocol/envelope.ts";
import { exceedsBytes, LIMITS } from "../protocol/limits.ts";
import { type Pool, readPool } from "../protocol/pool.ts";
import { type Reason, reason } from "../protocol/reason.ts";
import { decodeRun } from "../protocol/run/lines.ts";
import { breather } from "./breathe.ts";
import { gunzip } from "./gunzip.ts";
import { lookOfBytes, lookOfText } from "./looks_like.ts";
import { emptyReport, type Report } from "./report.ts";
import { isRun, isTooDeep, kindOf } from "./recognise.ts";
import { isSigned, unwrap, valueOfText } from "./unwrap.ts";
import { type Verifier, verifyDocument, verifyRun } from "./verify.ts";

/** One entry: a value to verify, a line that is no JSON, or a benchmark run's bytes. */
export type Entry =
  | { value: unknown; unwrapped?: boolean }
  | { reason: Reason; looksLike?: string | undefined }
  | { run: Uint8Array };

export interface Input {
  entries: Entry[];
  /** Disclosed pools that came with the documents; each key once. */
  pools: Pool[];
  /** What is worth knowing of the bytes, for the report of every entry. */
  observations?: string[];
}

/** What was read; `unpacked`: bytes of it after unpacking. */
export type InputResult = { ok: true; input: Input; unpacked: number } | InputRefusal;

/**
 * What could not be read. `pool`: a pool among `pools` is at fault, otherwise the input as a whole.
 * Codes: `document-too-large`, `document-not-utf8`, `document-not-json`, `document-too-deep`,
 * `documents-empty`, `gzip-malformed`, `too-many-documents`, `too-many-pools`, `pools-malformed`, and
 * those of a pool.
 */
export interface InputRefusal {
  ok: false;
  pool: boolean;
  reason: Reason;
  /** What the input looks like, with an article; absent where that can't be told. */
  looksLike?: string | undefined;
}

type Read = { ok: true; input: Input } | InputRefusal;

export interface InputLimits {
  /** Bytes, after unpacking. */
  bytes: number;
  documents: number;
}

/** Disclosed pools for one check. Source: protocols spec 9 no. 0 and 13. */
export const MAX_POOLS = 64;

/** Containers around an entry in a bundle: the bundle itself and its list. */
const BUNDLE_DEPTH = 2;

/** Said of a text that began with one; the documents in it are what they are without it. */
const BYTE_ORDER_MARK = "byte-order-mark";

/** Reads an input. Never rejects. */
export async function readInput(bytes: Uint8Array, limits: InputLimits): Promise<InputResult> {
  const unpacked = await gunzip(bytes, limits.bytes);
  if (unpacked === "malformed") return refuse("gzip-malformed", "the gzip data is damaged");
  if (unpacked === "too-large" || unpacked.length > limits.bytes) {
    return refuse("document-too-large", `the input is larger than ${limits.bytes} bytes`);
  }
  const read = readUnpacked(unpacked, limits);
  return read.ok ? { ...read, unpacked: unpacked.length } : read;
}

function readUnpacked(unpacked: Uint8Array, limits: InputLimits): Read {
  const decoded = decodeUtf8(unpacked);
  const marked = unpacked[0] === 0xef && unpacked[1] === 0xbb && unpacked[2] === 0xbf;
  const noted = (read: Read): Read =>
    read.ok && marked
      ? { ok: true, input: { ...read.input, observations: [BYTE_ORDER_MARK] } }
      : read;
  // A run is decoded leniently (runs spec 1), so it has to be told before bad bytes are refused.
  if (isRun(decoded ?? decodeRun(unpacked), holdsDocument)) {
    return noted({ ok: true, input: { entries: [{ run: unpacked }], pools: [] } });
  }
  if (decoded === null) return refuseBytes(unpacked);
  return noted(readText(marked ? decoded.slice(1) : decoded, limits));
}

function holdsDocument(value: unknown): boolean {
  return kindOf(value) !== null || unwrap(value, 1).documents.length > 0;
}

function refuseBytes(bytes: Uint8Array): InputRefusal {
  const looksLike = lookOfBytes(bytes) ?? undefined;
  const message = looksLike === undefined
    ? "the input is not UTF-8"
    : `this is ${looksLike}, not a receipt: give the receipt itself, as UTF-8`;
  return { ...refuse("document-not-utf8", message), looksLike };
}

/** Heads of answers (one for each redirect) and fences around a text that are taken off. */
const MOST_AROUND = 8;

function readText(text: string, limits: InputLimits, around = MOST_AROUND): Read {
  if (text.trim() === "") return refuseEmpty("there is nothing but white space");
  const whole = parseJson(text, LIMITS.depth + BUNDLE_DEPTH);
  if (whole.ok) return readValue(whole.value, limits);
  const inner = whole.code === "not-json" && around > 0 ? textWithin(text) : null;
  if (inner !== null) return readText(inner, limits, around - 1);
  const { lines, all } = linesOf(text, limits.documents);
  if ((lines.length > 1 || !all) && looksLikeLines(lines)) {
    return all ? readLines(lines, limits) : tooMany(limits);
  }
  if (whole.code !== "not-json") {
    return { ok: false, pool: false, reason: parseReason(whole.code, "document", "") };
  }
  const spelled = valueOfText(text);
  return spelled === undefined ? refuseText(text) : readValue(spelled, limits);
}

/** The text inside a Markdown fence or behind the head of an HTTP answer; null for any other. */
function textWithin(text: string): string | null {
  const fenced = textInFence(text);
  if (fenced !== null) return fenced;
  const answer = /^\s*HTTP\/[\d.]+ \d{3}[^\n]*\n(?:[^\n:]+:[^\n]*\n)*\r?\n([\s\S]+)$/.exec(text);
  return answer === null ? null : answer[1]!;
}

const FENCE = /^[ \t]*(```+|~~~+)([^`\n]*)$/gm;

/** The text in the only fence of a text; null where a document may stand outside of it. */
function textInFence(text: string): string | null {
  const fences: RegExpExecArray[] = [];
  for (const fence of text.matchAll(FENCE)) {
    // Of two fences one would be taken for nothing.
    if (fences.push(fence) > 2) return null;
  }
  const [open, close] = fences;
  if (open === undefined || close === undefined) return null;
  if (open[1] !== close[1] || close[2]!.trim() !== "") return null;
  const outside = text.slice(0, open.index) + text.slice(close.index + close[0].length);
  if (/"payload"|^\s*[[{]/m.test(outside)) return null;
  return text.slice(open.index + open[0].length, close.index);
}

function refuseText(text: string): InputRefusal {
  const look = lookOfText(text);
  const where = whereJsonEnds(text);
  const cut = look === null && (where?.atEnd ?? false) && /^\s*[[{]/.test(text);
  const looksLike = cut ? "a text that was cut off" : look ?? undefined;
  const at = where === null || where.atEnd ? "" : ` (line ${where.line}, column ${where.column})`;
  const message = looksLike === undefined
    ? `the input is neither JSON nor JSON lines${at}`
    : `this is ${looksLike}, neither JSON nor JSON lines${at}: give the receipt itself`;
  return { ...refuse("document-not-json", message), looksLike };
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
    let report: Report;
    if ("reason" in entry) report = unreadReport(entry);
    else if (start >= end || stopped()) report = unchecked();
    else if ("run" in entry) report = await verifyRun(entry.run, timed, onRow);
    else report = await reportOnEntry(entry, timed, input.pools);
    report.observations.push(...input.observations ?? []);
    reports.push(report);
    await breathe();
  }
  return reports;
}

async function reportOnEntry(
  { value, unwrapped }: { value: unknown; unwrapped?: boolean },
  verifier: Verifier,
  pools: readonly Pool[],
): Promise<Report> {
  const report = await verifyDocument(value, verifier, pools);
  if (unwrapped && !report.observations.includes("unwrapped")) {
    report.observations.push("unwrapped");
  }
  return report;
}

/** The report on what could not be read as a document. */
export function unreadReport({ reason, looksLike }: {
  reason: Reason;
  looksLike?: string | undefined;
}): Report {
  const report = emptyReport("unknown", "invalid", reason);
  return looksLike === undefined ? report : { ...report, looksLike };
}

function unchecked(): Report {
  const message = "the documents before this one took all the time that a request has";
  return emptyReport("unknown", null, reason("budget-exceeded", message));
}

function readValue(value: unknown, limits: InputLimits): Read {
  if (Array.isArray(value)) return withEntries(value, [], limits);
  if (!isBundle(value)) return withEntries([value], [], limits);
  const { documents, pools, pool } = value;
  if (pools !== undefined && !Array.isArray(pools)) {
    return refuse("pools-malformed", "pools is a list of pool files", "pools", true);
  }
  const given: GivenPool[] = (pools ?? []).map((entry, index) => ({
    entry,
    path: `pools[${index}]`,
  }));
  if (pool !== undefined) given.push({ entry: pool, path: "pool" });
  return withEntries(documents, given, limits);
}

/** A pool as it was given, and where. */
interface GivenPool {
  entry: unknown;
  path: string;
}

function readPools(given: readonly GivenPool[]): { ok: true; pools: Pool[] } | InputRefusal {
  if (given.length > MAX_POOLS) {
    const message = `at most ${MAX_POOLS} pools can be used for one check`;
    return refuse("too-many-pools", message, "pools", true);
  }
  const pools = new Map<string, Pool>();
  for (const { entry, path } of given) {
    if (exceedsBytes(JSON.stringify(entry), LIMITS.poolBytes)) {
      const message = `a pool has at most ${LIMITS.poolBytes} bytes`;
      return refuse("pool-malformed", message, path, true);
    }
    const read = readPool(entry, path);
    if (!read.ok) return { ok: false, pool: true, reason: read.reason };
    pools.set(read.pool.poolKey, read.pool);
  }
  return { ok: true, pools: [...pools.values()] };
}

/** The lines that aren't blank; not all of them beyond `limit`, or behind very many blank ones. */
function linesOf(text: string, limit: number): { lines: string[]; all: boolean } {
  const lines: string[] = [];
  let blank = 0;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(start, end);
    if (line.trim() === "") blank++;
    else lines.push(line);
    if (lines.length > limit || blank > 10 * limit) return { lines, all: false };
    start = end + 1;
  }
  return { lines, all: true };
}

/** Tells JSON lines from a document that is only broken: the first line, or a whole object on one. */
function looksLikeLines(lines: readonly string[]): boolean {
  if (/^\s*(?:```|~~~|HTTP\/)/.test(lines[0]!)) return false;
  return lines.slice(0, 10).some((line, index) => {
    const parsed = parseJson(line, LIMITS.depth);
    // Beyond a limit nothing is parsed: what begins like an object is one as far as can be told.
    if (!parsed.ok) return parsed.code !== "not-json" && line.trimStart().startsWith("{");
    return index === 0 || typeof parsed.value === "object" && parsed.value !== null;
  });
}

function readLines(lines: readonly string[], limits: InputLimits): Read {
  const values: (unknown | BrokenLine)[] = lines.map((line, index) => {
    const parsed = parseJson(line, LIMITS.depth);
    if (parsed.ok) return parsed.value;
    const { code, message } = parseReason(parsed.code, "document", "");
    const where = parsed.code === "not-json" ? whereJsonEnds(line) : null;
    const column = where === null ? "" : `, column ${where.column}`;
    return new BrokenLine(reason(code, `line ${index + 1}${column}: ${message}`));
  });
  return withEntries(values, [], limits);
}

/** A line that is no JSON, among those that are. */
class BrokenLine {
  constructor(readonly reason: Reason) {}
}

/** The entries that values come to: documents, what wrappers hold, and what is neither. */
function withEntries(
  values: readonly (unknown | BrokenLine)[],
  given: readonly GivenPool[],
  limits: InputLimits,
): Read {
  if (values.length > limits.documents) return tooMany(limits);
  const entries: Entry[] = [];
  const found: GivenPool[] = [...given];
  for (const value of values) {
    if (value instanceof BrokenLine) {
      entries.push({ reason: value.reason });
      continue;
    }
    const isWrapper = kindOf(value) === null && !isSigned(value) &&
      !isTooDeep(value, LIMITS.depth);
    const { documents, pools } = isWrapper
      ? unwrap(value, limits.documents + 1)
      : { documents: [], pools: [] };
    // A pool alone is no document beside which it could be used: its entry says so.
    if (documents.length > 0) found.push(...pools.map((entry) => ({ entry, path: "pool" })));
    if (documents.length === 0) entries.push({ value });
    for (const document of documents) entries.push({ value: document, unwrapped: true });
    if (entries.length > limits.documents) return tooMany(limits);
  }
  if (entries.length === 0) return refuseEmpty("the list of documents is empty");
  const read = readPools(found);
  if (!read.ok) return read;
  return { ok: true, input: { entries: withoutSessions(entries), pools: read.pools } };
}

/**
 * Entries without the sessions of an issuer's ledger: a ledger has a line for each session and one for
 * each decision, and only decisions hold documents. Sessions alone stay, and are told what they are.
 */
function withoutSessions(entries: Entry[]): Entry[] {
  const isSession = (entry: Entry) =>
    "value" in entry && isObject(entry.value) && entry.value.type === "session" &&
    isObject(entry.value.session);
  const others = entries.filter((entry) => !isSession(entry));
  return others.some((entry) => "value" in entry && entry.unwrapped) ? others : entries;
}

interface Bundle {
  documents: unknown[];
  pools?: unknown;
  pool?: unknown;
}

function isBundle(value: unknown): value is Bundle {
  return isObject(value) && !Object.hasOwn(value, "protocol") &&
    Object.hasOwn(value, "documents") && Array.isArray(value.documents);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tooMany(limits: InputLimits): InputRefusal {
  return refuse("too-many-documents", `at most ${limits.documents} documents can be given at once`);
}

/** Nothing to verify is no success: absence of a failure would be taken for one. */
function refuseEmpty(why: string): InputRefusal {
  return refuse("documents-empty", `${why}: give at least one receipt or admission`);
}

function refuse(code: string, message: string, path = "", pool = false): InputRefusal {
  return { ok: false, pool, reason: reason(code, message, path) };
}
