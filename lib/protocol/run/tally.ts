/**
 * Rescoring a run's rows and summing them up. Source: runs spec 6.
 */
import { answerFormat, type Score, scoreAnswer } from "../../suites/scoring.ts";
import type { Row } from "./format.ts";

/** Sums over rows. The shares are of `n`, and null when that is 0. */
export interface Tally {
  total: number;
  /** Rows without an error. */
  n: number;
  errors: number;
  passed: number;
  strict: number | null;
  /** Wilson interval of `strict` at 95 %. */
  interval95: [number, number] | null;
  finalAnswerMatches: number;
  finalAnswer: number | null;
  formatOnly: number;
}

/** The number of rows, and how many of them have each property. */
export interface Sums {
  total: number;
  errors: number;
  passed: number;
  finalAnswerMatches: number;
  formatOnly: number;
}

/** Sums over no rows. */
export function noSums(): Sums {
  return { total: 0, errors: 0, passed: 0, finalAnswerMatches: 0, formatOnly: 0 };
}

/** Adds a row, by its score from {@link rescore}. */
export function addRow(sums: Sums, row: Row, score: Score): void {
  sums.total++;
  if (row.error !== undefined) sums.errors++;
  if (score.pass) sums.passed++;
  if (score.finalAnswerMatch) sums.finalAnswerMatches++;
  if (score.formatOnly) sums.formatOnly++;
}

/** The tally of rows that sum up to `sums`. */
export function tallyOf(sums: Sums): Tally {
  const { total, errors, passed, finalAnswerMatches, formatOnly } = sums;
  const n = total - errors;
  return {
    total,
    n,
    errors,
    passed,
    strict: n === 0 ? null : passed / n,
    interval95: wilson95(passed, n),
    finalAnswerMatches,
    finalAnswer: n === 0 ? null : finalAnswerMatches / n,
    formatOnly,
  };
}

/** Scores a row whatever its recorded verdict. One that failed, was cut off or refused has no pass. */
export function rescore(row: Row): Score {
  if (row.error !== undefined || row.truncated === true || row.refused === true) {
    return { pass: false, finalAnswerMatch: false, formatOnly: false };
  }
  return scoreAnswer(row.expected, row.response, answerFormat(row.family));
}

/** The Wilson interval at 95 % of `passed` out of `n`, or null for n = 0. */
export function wilson95(passed: number, n: number): [number, number] | null {
  if (n === 0) return null;
  const z = 1.959963984540054;
  const p = passed / n;
  const d = 1 + z * z / n;
  const c = (p + z * z / (2 * n)) / d;
  const m = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d;
  return [Math.max(0, c - m), Math.min(1, c + m)];
}
