/** The sample run files: fixtures/runs/index.json says what each comes to. */
import assert from "node:assert/strict";
import { checkRun, type RunContext } from "../../lib/protocol/run.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { gunzip } from "../../lib/encoding/gunzip.ts";
import { suiteHash } from "../../lib/protocol/run/suite_hash.ts";
import { renderPrompt } from "../../lib/suites/prompt.ts";
import { suiteOf } from "../../lib/suites/suites.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { harvest, readExamples } from "./phrases.ts";
import { conformanceDir, conformanceTest } from "./vectors.ts";

interface Sample {
  file: string;
  parse: string;
  replay: string | null;
  rows?: number;
  suite?: string | null;
  rescored?: {
    total: number;
    n: number;
    errors: number;
    passed: number;
    finalAnswerMatches: number;
    formatOnly: number;
    lostPasses: number;
    gainedPasses: number;
  };
  replayRow?: string;
  replayed?: number;
  notReplayed?: { row: string; reason: string }[];
  ours: { outcome: string; code?: string };
}

const { references } = createVerifyContext("auto");

const context: RunContext = {
  budget: createBudget(Infinity),
  regenerate: (version, family, tier, seed) =>
    regenerate(version, family, tier, seed, references, createBudget(1e9)),
};

const runs = `${conformanceDir}/fixtures/runs`;

async function read(file: string): Promise<Uint8Array> {
  const bytes = await gunzip(Deno.readFileSync(`${runs}/${file}`), 32 * 1024 * 1024);
  assert.ok(bytes instanceof Uint8Array);
  return bytes;
}

conformanceTest("fixtures/runs: every sample comes to what the index says", async () => {
  const samples: Sample[] = JSON.parse(Deno.readTextFileSync(`${runs}/index.json`));
  assert.ok(samples.length > 0);
  for (const sample of samples) {
    const { file, rescored } = sample;
    const { outcome, reason, row, run } = await checkRun(await read(file), context);
    assert.equal(outcome, sample.ours.outcome, `${file} ${JSON.stringify(reason)}`);
    assert.equal(reason?.code, sample.ours.code, file);
    assert.equal(run === null, sample.parse !== "ok", file);
    if (run === null) continue;

    assert.equal(run.tally.total, sample.rows, file);
    assert.equal(run.suite, sample.suite, file);
    const { total, n, errors, passed, finalAnswerMatches, formatOnly } = run.tally;
    const lostPasses = run.lostPasses.length;
    const gainedPasses = run.gainedPasses.length;
    const sums = { total, n, errors, passed, finalAnswerMatches, formatOnly };
    assert.deepEqual({ ...sums, lostPasses, gainedPasses }, rescored, file);

    const cells = (member: "rows" | "passed" | "formatOnly" | "replayed" | "unaided" | "errors") =>
      run.cells.reduce((sum, cell) => sum + cell[member], 0);
    assert.equal(cells("rows"), total, file);
    assert.equal(cells("passed"), passed, file);
    assert.equal(cells("formatOnly"), formatOnly, file);
    assert.equal(cells("errors"), errors, file);

    if (sample.replayRow !== undefined) assert.equal(row, sample.replayRow, file);
    if (sample.replay === "no-manifest") assert.equal(run.unreplayed, total, file);
    if (sample.replay !== "ok") continue;
    assert.equal(run.unreplayed, 0, file);
    assert.equal(run.replayedPasses, passed, file);
    assert.equal(cells("replayed"), sample.replayed, file);
    assert.deepEqual(run.notReplayed, sample.notReplayed, file);
  }
});

conformanceTest("the suite hash of the published agent-v0 archive", async () => {
  const suite = suiteOf("clankdar-agent-v0")!;
  const rows = [];
  for (const family of Object.keys(suite.families).sort()) {
    const texts: Record<string, string> = {};
    for (const { tier, seed, prompt } of readExamples(suite.version, family)) {
      const { parts, pins } = await context.regenerate(suite.version, family, tier, seed);
      harvest(texts, prompt, parts, pins);
    }
    for (const tier of suite.families[family]!) {
      for (let seed = 301; seed <= 320; seed++) {
        const { parts, answer } = await context.regenerate(suite.version, family, tier, seed);
        const prompt = renderPrompt(parts, texts);
        rows.push({ family, tier, seed, prompt, expected: answer });
      }
    }
  }
  assert.equal(
    suiteHash(suite.version, rows),
    "d9a164d63f841cfd68f106ce750a7dbd4e14a2d0431b4f8dbac37cd598aea79e",
  );
});

conformanceTest(
  "fixtures/runs: no character of a good run's puzzles or passes can change",
  async () => {
    for (const file of ["frontier-good.jsonl", "agent-good.jsonl"]) {
      const lines = new TextDecoder().decode(await read(file)).trimEnd().split("\n");
      for (const [index, line] of lines.entries()) {
        const row = JSON.parse(line);
        if (row.type !== "result") continue;
        const changes = [
          { pass: !row.pass },
          { prompt: `${row.prompt} ` },
          { prompt: row.prompt.replace(/.$/s, "?") },
          { expected: row.expected.replace(/.$/s, (last: string) => last === "0" ? "1" : "0") },
          { seed: row.seed === 1 ? 2 : 1 },
          { tier: row.tier === 5 ? 6 : 5 },
        ];
        for (const change of changes) {
          const altered = lines.with(index, JSON.stringify({ ...row, ...change }));
          const { outcome } = await checkRun(
            new TextEncoder().encode(altered.join("\n")),
            context,
          );
          assert.equal(outcome, "invalid", `${file} line ${index} ${JSON.stringify(change)}`);
        }
      }
    }
  },
);
