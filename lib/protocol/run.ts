/**
 * Checks a recorded benchmark run: parses it, regenerates every row's puzzle, recomputes recorded
 * tool outputs, and rescores every verdict.
 * Source: docs/specification/runs.md; docs/architecture.md, "The report" (which outcome it comes to).
 */
import { EvaluatorUnavailable } from "../evaluator/reference.ts";
import { type Budget, BudgetExceeded } from "../suites/budget.ts";
import type { Regenerated } from "../suites/generate.ts";
import { GenerationError } from "../suites/instance.ts";
import { cellId } from "../suites/suites.ts";
import type { ReasonCode } from "./codes.ts";
import { type Reason, reason } from "./reason.ts";
import { type Row, rowKey } from "./run/format.ts";
import { parseRun, type Run } from "./run/parse.ts";
import { type Replayed, replayRow } from "./run/replay.ts";
import { addRow, noSums, rescore, type Sums, type Tally, tallyOf } from "./run/tally.ts";

/** What the check needs from outside. */
export interface RunContext {
  /** See `regenerate` in lib/suites/generate.ts. */
  regenerate(version: string, family: string, tier: number, seed: number): Promise<Regenerated>;
  /** What all rows together may cost. */
  budget: Budget;
  /** Called (and awaited) after each row. */
  onProgress?(done: number, total: number): void | Promise<void>;
}

/** Rows of one cell. */
export interface RunCell {
  /** `family:tN`. */
  cell: string;
  rows: number;
  /** Rescored passes. */
  passed: number;
  /** Right answers in the wrong shape; they are no passes. */
  formatOnly: number;
  /** Rows whose transcript was replayed. */
  replayed: number;
  /** Rows without tools whose puzzle was regenerated. */
  unaided: number;
  /** Rows with an error. */
  errors: number;
}

/** A run that keeps the format. */
export interface RunSummary {
  adapter: string;
  /** The next three are null for a legacy run. */
  runId: string | null;
  suite: string | null;
  suiteHash: string | null;
  /** Over all rows, rescored. */
  tally: Tally;
  /** Rescored passes among the rows that were regenerated. */
  replayedPasses: number;
  /** Rows whose puzzle was not regenerated: for want of a manifest, or after a failing row. */
  unreplayed: number;
  /** Rows recorded as passes that don't rescore as such, and the reverse. Keys, in file order. */
  lostPasses: string[];
  gainedPasses: string[];
  /** Rows regenerated of which no transcript was replayed, in file order, and why. */
  notReplayed: { row: string; reason: string }[];
  /** Sorted by cell id. */
  cells: RunCell[];
}

/** What a run comes to. */
export interface RunResult {
  /** Null when the check could not be finished. */
  outcome: "verified" | "issuer-claimed" | "invalid" | null;
  /**
   * Codes: those of runs spec 2 and 3; when not finished those of `GenerationError`,
   * `EvaluatorUnavailable` and `BudgetExceeded`. Paths: `lines[3].seed` when the file doesn't
   * parse, `rows[3].prompt` afterwards, both counted from 0.
   */
  reason: Reason | null;
  /** The key of the row that `reason` is about. */
  row: string | null;
  /** Null when the file doesn't parse. */
  run: RunSummary | null;
}

/** Longest part of a row's error that is repeated, in UTF-16 code units. */
const ERROR_SHOWN = 200;

/** How the rows of a run fared. */
interface Pass {
  total: Sums;
  cells: Map<string, RunCell>;
  regenerated: number;
  replayedPasses: number;
  lostPasses: string[];
  gainedPasses: string[];
  notReplayed: RunSummary["notReplayed"];
  /** The first row that failed or could not be replayed. */
  stop: { finished: boolean; reason: Reason; row: string } | null;
  /** The first row recorded as a pass that isn't one. */
  lost: { reason: Reason; row: string } | null;
}

/**
 * Checks the unpacked bytes of a run file.
 *
 * Rejects only when `context` does with an error of another kind than the ones named above. Memory:
 * the text of the run, one parsed row, and some hundred bytes a row.
 */
export async function checkRun(bytes: Uint8Array, context: RunContext): Promise<RunResult> {
  const parsed = parseRun(bytes);
  if (!parsed.ok) return { outcome: "invalid", reason: parsed.reason, row: null, run: null };
  const { run } = parsed;
  const pass = await passOverRows(run, context);
  return { ...conclude(run, pass), run: summarise(run, pass) };
}

/** The replay's own faults count before a false pass, wherever in the file each stands. */
function conclude(run: Run, { stop, lost }: Pass): Omit<RunResult, "run"> {
  if (stop?.finished) return { outcome: "invalid", reason: stop.reason, row: stop.row };
  if (lost !== null) return { outcome: "invalid", ...lost };
  if (stop !== null) return { outcome: null, reason: stop.reason, row: stop.row };
  if (run.manifest !== null) return { outcome: "verified", reason: null, row: null };
  const message = "without a manifest the puzzles can't be regenerated";
  return { outcome: "issuer-claimed", reason: reason("no-manifest", message), row: null };
}

/** Rescores every row, and replays them up to the first that fails. */
async function passOverRows(run: Run, context: RunContext): Promise<Pass> {
  const pass: Pass = {
    total: noSums(),
    cells: new Map(),
    regenerated: 0,
    replayedPasses: 0,
    lostPasses: [],
    gainedPasses: [],
    notReplayed: [],
    stop: null,
    lost: null,
  };
  let index = 0;
  for (const row of run.rows()) {
    const cell = cellOf(pass.cells, row);
    const passes = noteScore(pass, cell, row, index);
    if (run.manifest !== null && pass.stop === null) {
      const result = await replay(row, run.manifest.suiteVersion, context);
      if (typeof result === "string") {
        noteReplay(pass, cell, row, result);
        if (passes) pass.replayedPasses++;
      } else {
        const { finished, code, message, member } = result;
        const fault = reason(code, message, `rows[${index}].${member}`);
        pass.stop = { finished, reason: fault, row: rowKey(row) };
      }
    }
    index++;
    await context.onProgress?.(index, run.rowCount);
  }
  return pass;
}

/** Notes a row's score; returns whether it is a pass. */
function noteScore(pass: Pass, cell: RunCell, row: Row, index: number): boolean {
  const score = rescore(row);
  addRow(pass.total, row, score);
  cell.rows++;
  if (row.error !== undefined) cell.errors++;
  if (score.pass) cell.passed++;
  if (score.formatOnly) cell.formatOnly++;
  if (row.pass && !score.pass) {
    const message = "the row is recorded as a pass, but its response is not the expected answer";
    pass.lost ??= {
      reason: reason("verdict-mismatch", message, `rows[${index}].pass`),
      row: rowKey(row),
    };
    pass.lostPasses.push(rowKey(row));
  }
  if (!row.pass && score.pass) pass.gainedPasses.push(rowKey(row));
  return score.pass;
}

function noteReplay(pass: Pass, cell: RunCell, row: Row, result: Replayed): void {
  pass.regenerated++;
  if (result === "replayed") {
    cell.replayed++;
    return;
  }
  if (result === "unaided") cell.unaided++;
  pass.notReplayed.push({
    row: rowKey(row),
    reason: result === "unaided" ? "unaided row" : `episode error: ${shorten(row.error!)}`,
  });
}

interface Stop {
  /** False: it says nothing about the run. */
  finished: boolean;
  code: ReasonCode;
  message: string;
  member: string;
}

async function replay(
  row: Row,
  suiteVersion: string,
  context: RunContext,
): Promise<Replayed | Stop> {
  try {
    const { family, tier, seed } = row;
    const instance = await context.regenerate(suiteVersion, family, tier, seed);
    const result = replayRow(row, instance, context.budget);
    return typeof result === "string" ? result : { finished: true, ...result };
  } catch (error) {
    if (error instanceof GenerationError && error.code === "generation-failed") {
      const message = "the published generator yields no puzzle for this seed";
      return { finished: true, code: "instance-mismatch", message, member: "seed" };
    }
    if (
      error instanceof GenerationError || error instanceof EvaluatorUnavailable ||
      error instanceof BudgetExceeded
    ) {
      return { finished: false, code: error.code, message: error.message, member: "seed" };
    }
    throw error;
  }
}

function summarise(run: Run, pass: Pass): RunSummary {
  return {
    adapter: run.adapter,
    runId: run.manifest?.runId ?? null,
    suite: run.manifest?.suiteVersion ?? null,
    suiteHash: run.manifest?.suiteHash ?? null,
    tally: tallyOf(pass.total),
    replayedPasses: pass.replayedPasses,
    unreplayed: run.rowCount - pass.regenerated,
    lostPasses: pass.lostPasses,
    gainedPasses: pass.gainedPasses,
    notReplayed: pass.notReplayed,
    cells: [...pass.cells.values()].sort((a, b) => a.cell < b.cell ? -1 : 1),
  };
}

function cellOf(cells: Map<string, RunCell>, { family, tier }: Row): RunCell {
  const id = cellId(family, tier);
  let cell = cells.get(id);
  if (cell === undefined) {
    cell = { cell: id, rows: 0, passed: 0, formatOnly: 0, replayed: 0, unaided: 0, errors: 0 };
    cells.set(id, cell);
  }
  return cell;
}

function shorten(text: string): string {
  return text.length > ERROR_SHOWN ? `${text.slice(0, ERROR_SHOWN)}…` : text;
}
