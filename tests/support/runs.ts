/** Run files made for tests, straight from runs spec 1. */
import { createBudget } from "../../lib/suites/budget.ts";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import type { RunContext } from "../../lib/protocol/run.ts";
import { answerFormat } from "../../lib/suites/scoring.ts";

export type Line = Record<string, unknown>;

/** Suite hash of a placeholder puzzle's rows, whole in memory. */
export function hashOf(suiteVersion: string, rows: readonly Line[]): string {
  const sorted = rows.toSorted((a, b) => {
    const [x, y] = [a, b].map(({ family, tier, seed }) => [family, tier, seed]);
    const at = [0, 1, 2].find((i) => x![i] !== y![i]);
    return at === undefined ? 0 : (x![at] as number) < (y![at] as number) ? -1 : 1;
  });
  const puzzles = sorted.map(({ family, tier, seed, prompt, expected }) => [
    family,
    tier,
    seed,
    prompt,
    expected,
    answerFormat(String(family)),
  ]);
  return sha256Hex(JSON.stringify([suiteVersion, ...puzzles]));
}

/** A right unaided row of placeholder puzzle `seed`; a transcript makes an agent row of it. */
export function rowOf(family: string, tier: number, seed: number, more: Line = {}): Line {
  return {
    adapter: "local/test",
    family,
    tier,
    seed,
    prompt: `${family} ${tier} ${seed} \u2227`,
    expected: "0110",
    response: "0110",
    pass: true,
    finalAnswerMatch: true,
    latencyMs: 12.5,
    ...more,
  };
}

/** Manifest, rows and summary of a run that keeps the format. */
export function linesOf(suiteVersion: string, rows: readonly Line[]): Line[] {
  const binding = {
    schemaVersion: 2,
    runId: "00000000-0000-4000-8000-000000000000",
    suiteVersion,
    suiteHash: hashOf(suiteVersion, rows),
    scorerVersion: "clankdar-score-v2",
  };
  const seeds = rows.map(({ seed }) => Number(seed));
  const cells = rows.map(({ family, tier }) => `${family}:t${tier}`);
  return [
    {
      type: "run",
      ...binding,
      adapter: "local/test",
      instances: rows.length,
      seeds: [...new Set(seeds)].sort((a, b) => a - b),
      cells: [...new Set(cells)],
    },
    ...rows.map((row) => ({ type: "result", ...binding, ...row })),
    summaryOf(rows, binding),
  ];
}

/** The summary line over `rows`. */
export function summaryOf(rows: readonly Line[], binding: Line = {}): Line {
  return {
    type: "summary",
    ...binding,
    adapter: "local/test",
    total: rows.length,
    passed: rows.filter(({ pass }) => pass).length,
    errors: rows.filter(({ error }) => error !== undefined).length,
  };
}

/** The file. A line may be given as text that is no JSON. */
export function bytesOf(lines: readonly (Line | string)[]): Uint8Array {
  const text = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
  return new TextEncoder().encode(text.join("\n"));
}

/** Regenerates the placeholder puzzles of {@link rowOf}. */
export const placeholders: RunContext = {
  budget: createBudget(Infinity),
  regenerate: (_version, family, tier, seed) =>
    Promise.resolve({
      parts: [{ text: `${family} ${tier} ${seed} \u2227` }],
      answer: "0110",
      pins: {},
    }),
};
