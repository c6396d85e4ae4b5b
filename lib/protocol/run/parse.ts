/**
 * Parsing a run file. Source: runs spec 1 and 2.
 */
import { cellId, HOUSE_SUITE, suiteOf } from "../../suites/suites.ts";
import { SCORER_VERSION } from "../../suites/scoring.ts";
import { parseJson } from "../../encoding/json.ts";
import type { ReasonCode } from "../codes.ts";
import { parseReason } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { type Reason, reason } from "../reason.ts";
import { describe } from "../shape.ts";
import { type Manifest, type Row, rowKey, RUN_LIMITS } from "./format.ts";
import { decodeRun, lineSpans } from "./lines.ts";
import { faultOfRow, isObject, type Members } from "./row.ts";
import { suiteHash } from "./suite_hash.ts";

/** A run that keeps the format. Its rows stay text until they are asked for. */
export interface Run {
  /** Null for a legacy run: it can't be replayed. */
  manifest: Manifest | null;
  adapter: string;
  rowCount: number;
  /** The rows in file order, each parsed anew when it is reached. */
  rows(): Iterable<Row>;
}

/** Codes: those of runs spec 2. Paths name lines, counted from 0: `lines[3].seed`. */
type ParseResult = { ok: true; run: Run } | { ok: false; reason: Reason };

/** What stays in memory of a row. */
interface RowEntry {
  family: string;
  tier: number;
  seed: number;
  start: number;
  end: number;
}

/**
 * Parses the unpacked bytes of a run file. Never throws.
 *
 * Needs memory for the text and, beside it, for one parsed line and some hundred bytes a row.
 */
export function parseRun(bytes: Uint8Array): ParseResult {
  if (bytes.length > RUN_LIMITS.bytes) {
    return fail("too-large", `a run has at most ${RUN_LIMITS.bytes} bytes unpacked`);
  }
  const text = decodeRun(bytes);
  const spans = lineSpans(text, RUN_LIMITS.lines);
  if (spans === null) {
    return fail("line-count", `a run has between 1 and ${RUN_LIMITS.lines} lines`);
  }

  let manifest: Manifest | null = null;
  let summary: Members | null = null;
  let adapter: string | undefined;
  let passed = 0;
  let errors = 0;
  const entries: RowEntry[] = [];
  const keys = new Set<string>();

  for (const [index, { start, end }] of spans.entries()) {
    const path = `lines[${index}]`;
    const line = readLine(text.slice(start, end), path);
    if (!line.ok) return line;
    const { members } = line;

    if (members.type === "run") {
      const fault = faultOfManifest(members, index, path);
      if (fault !== null) return { ok: false, reason: fault };
      manifest = members as unknown as Manifest;
      continue;
    }
    if (members.type === "summary") {
      if (index !== spans.length - 1) {
        return fail("summary-position", "the summary is the last line", path);
      }
      summary = members;
      continue;
    }
    if (members.type !== undefined && members.type !== "result") {
      return fail("record-type", "a line is of type run, result or summary", `${path}.type`);
    }
    const fault = faultOfRow(members, manifest, path);
    if (fault !== null) return { ok: false, reason: fault };
    const row = members as unknown as Row;
    const key = rowKey(row);
    if (keys.has(key)) return fail("duplicate", `there is more than one row ${key}`, path);
    adapter ??= row.adapter;
    if (row.adapter !== adapter) {
      return fail("mixed-adapters", "all rows are of one adapter", `${path}.adapter`);
    }
    keys.add(key);
    entries.push({ family: row.family, tier: row.tier, seed: row.seed, start, end });
    if (row.pass) passed++;
    if (row.error !== undefined) errors++;
  }

  if (summary === null) {
    return fail("summary-mismatch", "there is no summary line at the end: the run was interrupted");
  }
  if (
    adapter === undefined || summary.adapter !== adapter ||
    summary.total !== entries.length || summary.passed !== passed || summary.errors !== errors
  ) {
    return fail(
      "summary-mismatch",
      summaryFault({ passed, errors, total: entries.length }, summary),
    );
  }
  const rows = (selection: readonly RowEntry[]) => readRows(text, selection);
  const fault = manifest && faultOfCoverage(manifest, { summary, adapter, entries }, rows);
  if (fault !== null) return { ok: false, reason: fault };
  return {
    ok: true,
    run: { manifest, adapter, rowCount: entries.length, rows: () => rows(entries) },
  };
}

function readLine(
  text: string,
  path: string,
): { ok: true; members: Members } | { ok: false; reason: Reason } {
  const parsed = parseJson(text, LIMITS.depth);
  if (!parsed.ok) {
    if (parsed.code === "not-json") return fail("json", "the line is not JSON", path);
    return { ok: false, reason: parseReason(parsed.code, "document", path) };
  }
  if (!isObject(parsed.value)) return fail("not-object", "the line is not a JSON object", path);
  return { ok: true, members: parsed.value };
}

/** Check 2. The members left are compared with the rows by {@link faultOfCoverage}. */
function faultOfManifest(line: Members, index: number, path: string): Reason | null {
  if (index !== 0) return reason("manifest", "the manifest is the first line", path);
  const fault = (message: string, member: string) =>
    reason(
      "manifest",
      `${message}, and ${describe(line[member])} was found`,
      `${path}.${member}`,
    );
  if (line.schemaVersion !== 2) return fault("schemaVersion is 2", "schemaVersion");
  if (typeof line.runId !== "string" || line.runId === "") {
    return fault("runId is a non-empty string", "runId");
  }
  if (typeof line.suiteHash !== "string" || !/^[0-9a-f]{64}$/.test(line.suiteHash)) {
    return fault("suiteHash is 64 lower-case hex digits", "suiteHash");
  }
  if (typeof line.suiteVersion !== "string" || !isRunSuite(line.suiteVersion)) {
    return fault("suiteVersion is one that is known for runs", "suiteVersion");
  }
  if (typeof line.scorerVersion !== "string") {
    return fault("scorerVersion is a string", "scorerVersion");
  }
  return null;
}

/** Source: runs spec 5. There are no recorded runs of the house suite. */
function isRunSuite(version: string): boolean {
  return version !== HOUSE_SUITE && suiteOf(version) !== undefined;
}

/** Checks 16 to 19: what the manifest says of the run as a whole. */
function faultOfCoverage(
  manifest: Manifest,
  { summary, adapter, entries }: {
    summary: Members;
    adapter: string;
    entries: readonly RowEntry[];
  },
  read: (selection: readonly RowEntry[]) => Iterable<Row>,
): Reason | null {
  if (manifest.scorerVersion !== SCORER_VERSION) {
    return reason("unsupported-version", `the scorer known is ${SCORER_VERSION}`);
  }
  if (
    manifest.instances !== entries.length || manifest.adapter !== adapter ||
    summary.runId !== manifest.runId || summary.suiteHash !== manifest.suiteHash ||
    summary.scorerVersion !== manifest.scorerVersion
  ) {
    return reason("manifest-coverage", "the manifest, the rows and the summary don't agree");
  }
  const seeds = distinct(entries.map((entry) => entry.seed));
  const cells = new Set(entries.map(({ family, tier }) => cellId(family, tier)));
  if (!isList(manifest.seeds, seeds)) {
    return reason("manifest-selection", "seeds are not those of the rows", "lines[0].seeds");
  }
  if (!listsAll(manifest.cells, cells)) {
    return reason("manifest-selection", "cells are not those of the rows", "lines[0].cells");
  }
  const sorted = read(entries.toSorted(byInstance));
  return suiteHash(manifest.suiteVersion, sorted) === manifest.suiteHash
    ? null
    : reason("suite-hash", "the suite hash is not that of the rows", "lines[0].suiteHash");
}

/**
 * The numbers in ascending order, each once. Sorted rather than put into a set: V8 hashes numbers,
 * and texts that look like array indexes, without a seed, so a file can choose ones that collide.
 */
function distinct(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b).filter((n, i) => i === 0 || n !== numbers[i - 1]);
}

/** Whether `list` is exactly the list `wanted`. */
function isList(list: unknown, wanted: readonly number[]): boolean {
  return Array.isArray(list) && list.length === wanted.length &&
    wanted.every((item, i) => list[i] === item);
}

/** Whether `list` is a list of exactly the members of `set`, each once. */
function listsAll(list: unknown, set: ReadonlySet<string>): boolean {
  return Array.isArray(list) && list.length === set.size &&
    [...set].every((item) => list.includes(item));
}

function byInstance(a: RowEntry, b: RowEntry): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return a.tier - b.tier || a.seed - b.seed;
}

function* readRows(text: string, entries: readonly RowEntry[]): Generator<Row> {
  for (const { start, end } of entries) yield JSON.parse(text.slice(start, end)) as Row;
}

function fail(code: ReasonCode, message: string, path = ""): { ok: false; reason: Reason } {
  return { ok: false, reason: reason(code, message, path) };
}

/** Which sum of a summary differs, and both values. */
function summaryFault(
  counted: { total: number; passed: number; errors: number },
  summary: Readonly<Record<string, unknown>>,
): string {
  const names = ["total", "passed", "errors"] as const;
  const name = names.find((one) => summary[one] !== counted[one]);
  return name === undefined
    ? "the summary names another adapter than the rows"
    : `the summary's ${name} is ${describe(summary[name])}, and counted it is ${counted[name]}`;
}
