/** Comparing a generator with its obvious version. */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { seeded, type SeededGenerator } from "../../lib/suites/generate.ts";
import { GenerationError, type Generator } from "../../lib/suites/instance.ts";
import type { Part } from "../../lib/suites/prompt.ts";
import { suites } from "../../lib/suites/suites.ts";

/** Far more steps than any seed of any family needs. */
const AMPLE = 1e9;

/** Tests that both give the same instance for any seed, in every cell that the family has. */
export function testAgainstReference(
  family: string,
  generate: Generator,
  reference: SeededGenerator,
  numRuns = 150,
): void {
  const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
  for (const { version, families } of suites()) {
    for (const tier of families[family] ?? []) {
      Deno.test(`${version} ${family}:t${tier} equals its reference for any seed`, () => {
        const same = fc.property(seeds, (seed) => {
          const got = outcome(seeded(family, generate), version, tier, seed);
          assert.deepEqual(got, outcome(reference, version, tier, seed));
        });
        fc.assert(same, { numRuns });
      });
    }
  }
}

/** Answer and parts, or why there is no instance. */
function outcome(generate: SeededGenerator, version: string, tier: number, seed: number) {
  try {
    const { answer, parts } = generate(version, tier, seed, createBudget(AMPLE));
    return { answer, parts: joined(parts) };
  } catch (error) {
    if (error instanceof GenerationError) return { code: error.code };
    throw error;
  }
}

/** The parts with neighbouring texts made one: where computed text is cut means nothing. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if ("text" in part && last !== undefined && "text" in last) {
      result[result.length - 1] = { text: last.text + part.text };
    } else result.push(part);
  }
  return result;
}
