/**
 * How much cheaper each fast generator is than the obvious version of it in tests/reference/, which
 * the property tests compare it with.
 *
 * Run: deno task bench:speedups
 */
import { createBudget } from "../lib/suites/budget.ts";
import { familyOf } from "../lib/suites/families.ts";
import { seeded, type SeededGenerator } from "../lib/suites/generate.ts";
import { GenerationError } from "../lib/suites/instance.ts";
import { suites } from "../lib/suites/suites.ts";
import * as bitmatrix from "../tests/reference/bitmatrix.ts";
import * as cryptarithm from "../tests/reference/cryptarithm.ts";
import * as gridpath from "../tests/reference/gridpath.ts";
import * as gridxf from "../tests/reference/gridxf.ts";
import * as hiddenfn from "../tests/reference/hiddenfn.ts";
import * as knights from "../tests/reference/knights.ts";
import * as ordering from "../tests/reference/ordering.ts";
import * as sat from "../tests/reference/sat.ts";
import * as satcheck from "../tests/reference/satcheck.ts";
import * as sudoku from "../tests/reference/sudoku.ts";

const OBVIOUS: Readonly<Record<string, { generate: SeededGenerator }>> = {
  bitmatrix,
  cryptarithm,
  gridpath,
  gridxf,
  hiddenfn,
  knights,
  ordering,
  sat,
  satcheck,
  sudoku,
};

const SEEDS = 60;
const WARM_UP = 60;

console.log("| cell | obvious, ms | fast, ms | speed-up |");
console.log("|---|---|---|---|");
for (const { version, families } of suites()) {
  // The v0 suites cost what their v1 twins cost.
  if (version.endsWith("-v0")) continue;
  for (const [name, tiers] of Object.entries(families)) {
    const obvious = OBVIOUS[name];
    const fast = await familyOf(name);
    if (obvious === undefined || fast === undefined) continue;
    for (const tier of tiers) {
      const slow = mean(obvious.generate, version, tier);
      const quick = mean(seeded(name, fast.generate), version, tier);
      const cell = `${version} ${name}:t${tier}`;
      console.log(
        `| ${cell} | ${slow.toFixed(4)} | ${quick.toFixed(4)} | ${(slow / quick).toFixed(1)}× |`,
      );
    }
  }
}

/** Mean milliseconds of a generation. */
function mean(generate: SeededGenerator, version: string, tier: number): number {
  const run = (from: number, count: number) => {
    const budget = createBudget(Infinity);
    const start = performance.now();
    for (let seed = from; seed < from + count; seed++) {
      try {
        generate(version, tier, seed, budget);
      } catch (error) {
        // Two in a thousand seeds of gridxf have no instance.
        if (!(error instanceof GenerationError)) throw error;
      }
    }
    return (performance.now() - start) / count;
  };
  run(100_000, WARM_UP);
  return run(0, SEEDS);
}
