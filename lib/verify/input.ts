/**
 * Reads bytes into documents and pools: the same forms for command line and HTTP.
 *
 * A document or a wrapper around some; an array of these; `{"documents": […], "pools": […]}`; JSON
 * lines; a text of any of these in a Markdown fence, in the answer of an HTTP request, or as base64;
 * and gzip of any of these, told by its first bytes.
 */
import { decodeUtf8, type JsonEnd, parseJson, whereJsonEnds } from "../encoding/json.ts";
import type { InputCode, ReasonCode } from "../protocol/codes.ts";
import { parseReason } from "../protocol/envelope.ts";
import { exceedsBytes, LIMITS } from "../protocol/limits.ts";
import { type Pool, readPool } from "../protocol/pool.ts";
import { type Reason, reason } from "../protocol/reason.ts";
import { decodeRun } from "../protocol/run/lines.ts";
import { breather } from "../async/breathe.ts";
import { gunzip } from "../encoding/gunzip.ts";
import { isWithSecrets, lookOfBytes, lookOfText } from "./looks_like.ts";
import { emptyReport, type Report } from "./report.ts";
import { isFenceLine, textWithin } from "./pasted.ts";
import { isRun, isTooDeep } from "./recognise.ts";
import { isDocument, nameOf, unwrap, valueOfText } from "./unwrap.ts";
import type { VerifyContext } from "./context.ts";
import { verifyDocument, verifyRun } from "./verify.ts";

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
type InputResult = { ok: true; input: Input; unpacked: number } | InputRefusal;

/** Why an input could not be read: the input as a whole is at fault, or (`pool`) a pool in it. */
export type InputRefusal = WholeRefusal | {
  ok: false;
  pool: true;
  /** `too-many-pools`, `pools-malformed`, or what is wrong with one pool. */
  reason: Reason;
  looksLike?: undefined;
};

interface WholeRefusal {
  ok: false;
  pool: false;
  reason: Reason<InputCode>;
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

/** Said where hidden seeds or answers stand beside the documents, as in an issuer's session file. */
const SECRETS_BESIDE = "secrets-beside";

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
  // A run is decoded leniently (runs spec 1), so it has to be told before bad bytes are refused.
  if (isRun(decoded ?? decodeRun(unpacked), holdsDocument)) {
    const read: Read = { ok: true, input: { entries: [{ run: unpacked }], pools: [] } };
    return decoded !== null && withoutMark(decoded) !== decoded
      ? noting(BYTE_ORDER_MARK, read)
      : read;
  }
  return decoded === null ? refuseBytes(unpacked) : readText(decoded, limits);
}

/** What was read, with an observation more for the report of every entry. */
function noting(observation: string, read: Read): Read {
  if (!read.ok) return read;
  const observations = new Set([...read.input.observations ?? [], observation]);
  return { ok: true, input: { ...read.input, observations: [...observations] } };
}

/** A text without the byte order marks that it begins with: tools that join files leave several. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF+/, "");
}

function holdsDocument(value: unknown): boolean {
  return isDocument(value) || unwrap(value).documents.length > 0;
}

function refuseBytes(bytes: Uint8Array): InputRefusal {
  const looksLike = lookOfBytes(bytes) ?? undefined;
  const message = looksLike === undefined
    ? "the input is not UTF-8"
    : `this is ${looksLike}, not a receipt: give the receipt itself, as UTF-8`;
  return { ...refuse("document-not-utf8", message), looksLike };
}

function readText(given: string, limits: InputLimits): Read {
  const text = withoutMark(given);
  const inner = textWithin(text);
  const body = inner === null ? text : withoutMark(inner);
  const read = readBody(body, limits);
  const isMarked = text !== given || inner !== null && body !== inner;
  return isMarked ? noting(BYTE_ORDER_MARK, read) : read;
}

function readBody(text: string, limits: InputLimits): Read {
  if (text.trim() === "") return refuseEmpty("there is nothing but white space");
  const whole = parseJson(text, LIMITS.depth + BUNDLE_DEPTH);
  if (whole.ok) return readValue(whole.value, limits);
  // What is only broken may have more lines than there may be documents.
  if (looksLikeLines(firstLines(text))) {
    const lines = linesOf(text, limits.documents);
    if (lines === null) return tooMany(limits);
    if (lines.length > 1) return readLines(lines, limits);
  }
  if (whole.code !== "not-json") {
    return { ok: false, pool: false, reason: parseReason(whole.code, "document", "") };
  }
  const spelled = valueOfText(text);
  return spelled === undefined ? refuseText(text) : readValue(spelled, limits);
}

function refuseText(text: string): InputRefusal {
  const where = whereJsonEnds(text);
  const looksLike = lookOfText(text) ?? lookOfBroken(text, where) ?? undefined;
  const at = where === null || where.atEnd ? "" : ` (line ${where.line}, column ${where.column})`;
  const message = looksLike === undefined
    ? `the input is neither JSON nor JSON lines${at}`
    : `this is ${looksLike}, neither JSON nor JSON lines${at}: give the receipt itself`;
  return { ...refuse("document-not-json", message), looksLike };
}

/** What a text looks like that begins like JSON, or has JSON in it; null where that can't be told. */
function lookOfBroken(text: string, where: JsonEnd | null): string | null {
  if (/^\s*[[{]/.test(text)) {
    if (where?.atEnd) return "a text that was cut off";
    return where?.isWhole ? "a JSON text with something behind it" : null;
  }
  return firstLines(text).some(({ text: line }) => isFenceLine(line))
    ? "a text that is more than one Markdown fence"
    : null;
}

/** How long checking may take, in milliseconds from its start. */
export interface TimeLimits {
  document: number;
  /** All documents of an input together. */
  input: number;
}

interface VerifyOptions {
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
  context: VerifyContext,
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
    const timed = { ...context, expired: () => performance.now() >= until || stopped() };
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
  context: VerifyContext,
  pools: readonly Pool[],
): Promise<Report> {
  const report = await verifyDocument(value, context, pools);
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
    return refusePool("pools-malformed", "pools is a list of pool files", "pools");
  }
  const given: GivenPool[] = (pools ?? []).map((entry, index) => ({
    entry,
    path: `pools[${index}]`,
  }));
  if (pool !== undefined) given.push({ entry: pool, path: "pool" });
  // Whatever else stands beside the list is no less of a document, or of a pool.
  const beside = unwrap(
    Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(BUNDLE, name))),
  );
  given.push(...beside.pools.map((entry) => ({ entry, path: "pool" })));
  const listed = new Set(unwrap(documents).documents.map(nameOf));
  const more = beside.documents.filter((document) => !listed.has(nameOf(document)));
  const read = withEntries(more.length === 0 ? documents : [...documents, { more }], given, limits);
  return beside.secrets ? noting(SECRETS_BESIDE, read) : read;
}

/** The members of a bundle that have a meaning of their own. */
const BUNDLE: Readonly<Record<keyof Bundle, true>> = { documents: true, pools: true, pool: true };

/** A pool as it was given, and where. */
interface GivenPool {
  entry: unknown;
  path: string;
}

function readPools(given: readonly GivenPool[]): { ok: true; pools: Pool[] } | InputRefusal {
  if (given.length > MAX_POOLS) {
    const message = `at most ${MAX_POOLS} pools can be used for one check`;
    return refusePool("too-many-pools", message, "pools");
  }
  const pools = new Map<string, Pool>();
  for (const { entry, path } of given) {
    if (exceedsBytes(JSON.stringify(entry), LIMITS.poolBytes)) {
      const message = `a pool has at most ${LIMITS.poolBytes} bytes`;
      return refusePool("pool-malformed", message, path);
    }
    const read = readPool(entry, path);
    if (!read.ok) return { ok: false, pool: true, reason: read.reason };
    pools.set(read.pool.poolKey, read.pool);
  }
  return { ok: true, pools: [...pools.values()] };
}

/** A line that isn't blank, without a byte order mark; counted from 1. */
interface Line {
  text: string;
  number: number;
  marked: boolean;
}

function* eachLine(text: string): Generator<Line> {
  let number = 1;
  for (let start = 0; start < text.length; number++) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    const given = text.slice(start, end);
    const line = withoutMark(given);
    if (line.trim() !== "") yield { text: line, number, marked: line !== given };
    start = end + 1;
  }
}

/** Lines by which a text is told. */
const TELLING_LINES = 10;

function firstLines(text: string): Line[] {
  return eachLine(text).take(TELLING_LINES).toArray();
}

/** The lines that aren't blank, or null when there are more than `limit`, or very many blank ones. */
function linesOf(text: string, limit: number): Line[] | null {
  const lines: Line[] = [];
  for (const line of eachLine(text)) {
    lines.push(line);
    if (lines.length > limit || line.number - lines.length > 10 * limit) return null;
  }
  return lines;
}

/** Tells JSON lines from a document that is only broken: the first line, or a whole object on one. */
function looksLikeLines(lines: readonly Line[]): boolean {
  // A document in a page of notes is no line of its own: what stands beside it may say more.
  if (lines.some(({ text }) => isFenceLine(text)) || /^\s*HTTP\//.test(lines[0]!.text)) {
    return false;
  }
  return lines.some(({ text }, index) => {
    const parsed = parseJson(text, LIMITS.depth);
    // Beyond a limit nothing is parsed: what begins like an object is one as far as can be told.
    if (!parsed.ok) return parsed.code !== "not-json" && text.trimStart().startsWith("{");
    return index === 0 || typeof parsed.value === "object" && parsed.value !== null;
  });
}

function readLines(lines: readonly Line[], limits: InputLimits): Read {
  const values: (unknown | BrokenLine)[] = lines.map(({ text, number }) => {
    const parsed = parseJson(text, LIMITS.depth);
    if (parsed.ok) return parsed.value;
    const { code, message } = parseReason(parsed.code, "document", "");
    const where = parsed.code === "not-json" ? whereJsonEnds(text) : null;
    const column = where === null ? "" : `, column ${where.column}`;
    return new BrokenLine(reason(code, `line ${number}${column}: ${message}`));
  });
  const read = withEntries(values, [], limits);
  return lines.some(({ marked }) => marked) ? noting(BYTE_ORDER_MARK, read) : read;
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
  let secrets = false;
  for (const value of values) {
    if (value instanceof BrokenLine) {
      entries.push({ reason: value.reason });
      continue;
    }
    const isWrapper = !isDocument(value) && !isTooDeep(value, LIMITS.depth);
    const inside = isWrapper ? unwrap(value) : { documents: [], pools: [], secrets: false };
    // A pool alone is no document beside which it could be used: its entry says so.
    if (inside.documents.length === 0) entries.push({ value });
    else {
      found.push(...inside.pools.map((entry) => ({ entry, path: "pool" })));
      secrets ||= inside.secrets;
      entries.push(...inside.documents.map((document) => ({ value: document, unwrapped: true })));
    }
    if (entries.length > limits.documents) return tooMany(limits);
  }
  if (entries.length === 0) return refuseEmpty("the list of documents is empty");
  const read = readPools(found);
  if (!read.ok) return read;
  const kept = withoutSessions(entries);
  const input: Read = { ok: true, input: { entries: kept, pools: read.pools } };
  return secrets || kept.length < entries.length ? noting(SECRETS_BESIDE, input) : input;
}

/**
 * Entries without the sessions of an issuer's ledger: a ledger has a line for each session and one for
 * each decision, and only decisions hold documents. Sessions alone stay, and are told what they are.
 */
function withoutSessions(entries: Entry[]): Entry[] {
  const others = entries.filter((entry) =>
    !("value" in entry && isObject(entry.value) && entry.value.type === "session" &&
      isWithSecrets(entry.value))
  );
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

function refuse(code: InputCode, message: string): WholeRefusal {
  return { ok: false, pool: false, reason: reason(code, message) };
}

function refusePool(code: ReasonCode, message: string, path: string): InputRefusal {
  return { ok: false, pool: true, reason: reason(code, message, path) };
}
