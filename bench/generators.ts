/**
 * What generating a puzzle costs, cell by cell, against the reference costs of
 * baseline/generators.jsonl, in units of the calibration loop measured in the same run.
 *
 * Run: CONFORMANCE_DIR=… deno task bench:generators [family…]
 *
 * Prints a Markdown table. A cell meets its requirement when its mean is below what it is allowed
 * (a fraction of the reference cost, or 1.25 times that and 0.01 ms), and its worst seed below 20 ms.
 * Short means hold much compilation and, on a busy machine, interruptions: run it alone, repeatedly.
 */
import { createBudget } from "../lib/suites/budget.ts";
import { familyOf } from "../lib/suites/families.ts";
import { seeded, type SeededGenerator } from "../lib/suites/generate.ts";
import { GenerationError } from "../lib/suites/instance.ts";
import { mixSeed, rng } from "../lib/suites/rng.ts";
import { calibration } from "./calibration.ts";

/** How many times cheaper than the reference a cell must be, where that is asked for. */
const FACTORS: Readonly<Record<string, number>> = {
  "sat:t4": 3,
  "sat:t5": 10,
  "sat:t6": 10,
  "satcheck:t5": 10,
  "sudoku:t4": 10,
  "sudoku:t5": 10,
  "cryptarithm:t4": 5,
  "cryptarithm:t5": 5,
  "cryptarithm:t6": 10,
  "gridxf:t6": 3,
  "gridxf:t7": 5,
};

const ROUNDS = 3;
const WARM_UP = 60;
const SEEDS = 200;
/** A calibration goes between so many seeds. */
const CALIBRATE_EVERY = 20;
const WORST_ALLOWED_MS = 20;
/** Of the slowest seeds, how many are measured again, and how often: other processes interrupt. */
const SLOWEST = 10;
const REPEATS = 5;

interface Baseline {
  suite: string;
  family: string;
  tier: number;
  meanInCalibrations: number;
}

const folder = Deno.env.get("CONFORMANCE_DIR");
if (folder === undefined) throw new Error("set CONFORMANCE_DIR to the folder with the baseline");

calibration();
// The first cell should not pay for this script's own compilation.
for (let i = 0; i < 2000; i++) time(() => ({ parts: [], answer: "" }), "", 0, i);
console.log(
  "| cell | mean ms | worst ms | mean, calibrations | worst | reference | ratio | required | met |",
);
console.log("|---|---|---|---|---|---|---|---|---|");
let missed = 0;
for (const baseline of readLines<Baseline>("baseline/generators.jsonl")) {
  const { suite, family, tier, meanInCalibrations: reference } = baseline;
  const generator = await familyOf(family);
  if (generator === undefined || (Deno.args.length > 0 && !Deno.args.includes(family))) continue;
  const cell = `${family}:t${tier}`;
  const { mean, worst, unit } = measureCell(
    cell,
    (seed) => time(seeded(family, generator.generate), suite, tier, seed),
    edgeSeeds(suite, family, tier),
  );
  const factor = FACTORS[cell];
  const allowed = factor === undefined ? 1.25 * reference * unit + 0.01 : reference * unit / factor;
  const met = mean <= allowed && worst <= WORST_ALLOWED_MS;
  if (!met) missed++;
  const columns = [
    `${suite} ${cell}`,
    mean.toFixed(4),
    worst.toFixed(2),
    (mean / unit).toFixed(5),
    (worst / unit).toFixed(3),
    reference.toFixed(5),
    `${(reference / (mean / unit)).toFixed(1)}×`,
    factor === undefined ? "1.25× + 0.01 ms" : `${factor}× cheaper`,
    met ? "yes" : "NO",
  ];
  console.log(`| ${columns.join(" | ")} |`);
}
console.log(missed === 0 ? "\nAll requirements met." : `\n${missed} requirements missed.`);

/** Median of the rounds' means (ms), the worst seed (ms), and the median calibration (ms). */
function measureCell(cell: string, run: (seed: number) => number, edges: readonly number[]) {
  const seeds = rng(mixSeed(cell, 1));
  for (let i = 0; i < WARM_UP; i++) run(seeds.next());
  const calibrations: number[] = [];
  const means: number[] = [];
  const measured = [...edges];
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0;
    for (let i = 0; i < SEEDS; i++) {
      if (i % CALIBRATE_EVERY === 0) calibrations.push(calibration());
      const seed = seeds.next();
      measured.push(seed);
      sum += run(seed);
    }
    means.push(sum / SEEDS);
  }
  const fastestOf = (seed: number, times: number) =>
    Math.min(...Array.from({ length: times }, () => run(seed)));
  const slowest = measured.map((seed) => ({ seed, ms: fastestOf(seed, 2) }))
    .sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  const worst = Math.max(...slowest.map(({ seed }) => fastestOf(seed, REPEATS)));
  return { mean: median(means), worst, unit: median(calibrations) };
}

function time(generate: SeededGenerator, suite: string, tier: number, seed: number): number {
  const budget = createBudget(Number.MAX_SAFE_INTEGER);
  const start = performance.now();
  try {
    generate(suite, tier, seed, budget);
  } catch (error) {
    // A seed without an instance costs what it costs.
    if (!(error instanceof GenerationError)) throw error;
  }
  return performance.now() - start;
}

function edgeSeeds(suite: string, family: string, tier: number): number[] {
  try {
    return readLines<{ tier: number; seed: number }>(
      `vectors/suites/${suite}.${family}.edge.jsonl`,
    ).filter((row) => row.tier === tier).map((row) => row.seed);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function readLines<T>(path: string): T[] {
  const lines = Deno.readTextFileSync(`${folder}/${path}`).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
