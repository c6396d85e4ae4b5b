/** The largest legal run, checked by the command line as a user runs it. */
import assert from "node:assert/strict";
import { createBudget } from "../../lib/suites/budget.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { renderPrompt } from "../../lib/suites/prompt.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { memoryOf } from "../support/memory.ts";
import { type Line, linesOf, rowOf } from "../support/runs.ts";
import { harvest, readExamples } from "./phrases.ts";
import { conformanceTest } from "./vectors.ts";

const SUITE = "clankdar-suite-v2";
const ROWS = 10_000;
const BYTES = 32 * 1024 * 1024;

conformanceTest("the largest legal run: verified, in a bounded multiple of its size", async () => {
  const { references } = createVerifyContext("auto");
  const budget = createBudget(Infinity);
  const texts: Record<string, string> = {};
  for (const { tier, seed, prompt } of readExamples(SUITE, "sequence")) {
    const { parts, pins } = await regenerate(SUITE, "sequence", tier, seed, references, budget);
    harvest(texts, prompt, parts, pins);
  }
  const rows: Line[] = [];
  for (let seed = 0; seed < ROWS; seed++) {
    const { parts, answer } = await regenerate(SUITE, "sequence", 2, seed, references, budget);
    const prompt = renderPrompt(parts, texts);
    rows.push(rowOf("sequence", 2, seed, { prompt, expected: answer, response: answer }));
  }
  // Wrong, long-winded answers fill the file up to its limit.
  const room = BYTES - new TextEncoder().encode(textOf(rows)).length;
  const filler = "x".repeat(Math.floor(room / ROWS) - 20);
  const wrong = { response: filler, pass: false, finalAnswerMatch: false };
  const text = textOf(rows.map((row) => ({ ...row, ...wrong })));
  assert.ok(text.length > BYTES * 0.98 && text.length <= BYTES);

  const file = await Deno.makeTempFile({ suffix: ".jsonl" });
  try {
    await Deno.writeTextFile(file, text);
    const { report, peak } = await verify(file);
    assert.equal(report.outcome, "verified");
    assert.equal(report.counts.challenges, ROWS);
    assert.equal(report.counts.unreplayed, 0);
    // The runtime takes some 100 MB by itself.
    assert.equal(peak !== null, Deno.build.os === "linux");
    if (peak !== null) assert.ok(peak < 100e6 + 8 * BYTES, `${peak} bytes at the peak`);
  } finally {
    await Deno.remove(file);
  }
});

function textOf(rows: readonly Line[]): string {
  return linesOf(SUITE, rows).map((line) => JSON.stringify(line)).join("\n");
}

/** The first report, and the process's largest resident size where the system tells it. */
async function verify(file: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--allow-env", "cli/main.ts", "verify", "--json", file],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let peak: number | null = null;
  const watch = setInterval(() => peak = memoryOf(child.pid, "VmHWM") ?? peak, 50);
  const { stdout, stderr } = await child.output();
  clearInterval(watch);
  assert.equal(new TextDecoder().decode(stderr), "", "no progress bar when piped");
  return { report: JSON.parse(new TextDecoder().decode(stdout))[0], peak };
}
