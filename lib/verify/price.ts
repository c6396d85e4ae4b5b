/**
 * How long a check will take, told before it begins: by the puzzles that it will have to generate
 * again. What it really took is charged afterwards, so this errs on the side of too little.
 */
import { decodeRun } from "../protocol/run/lines.ts";
import type { Entry, TimeLimits } from "./input.ts";

/**
 * Milliseconds that one puzzle of a cell takes on average. Source: the reference costs of 200 seeds a
 * cell (bench/README.md, "Generators"); cells that aren't named take less than a tenth of one. Seeds
 * can be chosen that take five times as long.
 */
const CELL_MS: Readonly<Record<string, number>> = {
  "cryptarithm:t4": 2.1,
  "cryptarithm:t5": 3.5,
  "cryptarithm:t6": 25.8,
  "gridpath:t3": 0.4,
  "gridxf:t5": 0.1,
  "gridxf:t6": 0.4,
  "gridxf:t7": 1.9,
  "sat:t4": 0.5,
  "sat:t5": 6.5,
  "sat:t6": 19.5,
  "satcheck:t5": 6.6,
  "sudoku:t4": 1.6,
  "sudoku:t5": 19.8,
};

/** Of any other puzzle, with reading and rescoring its row, in milliseconds. */
const ROW_MS = 0.05;

/** Between a puzzle's family and its tier stand a few short members, if any, in characters. */
const APART = 200;

/** A member `family`, at whatever depth of documents within documents. */
const FAMILY = /"family\\*":\\*"([a-z]{1,20})\\*"/g;
const TIER = /"tier\\*":(\d)/;

/**
 * The milliseconds that checking some entries is expected to take, as far as they are given that
 * long.
 */
export function expectedMs(entries: readonly Entry[], time: TimeLimits): number {
  const sum = entries.reduce((sum, entry) => sum + Math.min(time.document, ofEntry(entry)), 0);
  return Math.min(time.input, sum);
}

function ofEntry(entry: Entry): number {
  if ("reason" in entry) return 0;
  if ("run" in entry) return ofText(decodeRun(entry.run));
  // An admission names each puzzle twice: as its challenge, and in the receipt.
  return ofText(JSON.stringify(entry.value) ?? "") / 2;
}

function ofText(text: string): number {
  let sum = 0;
  for (const { 0: whole, 1: family, index } of text.matchAll(FAMILY)) {
    const end = index + whole.length;
    const tier = TIER.exec(text.slice(end, end + APART))?.[1];
    sum += CELL_MS[`${family}:t${tier}`] ?? ROW_MS;
  }
  return sum;
}
