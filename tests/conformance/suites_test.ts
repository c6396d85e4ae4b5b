/** The registry, the phrase pins and the algal vectors against their source. */
import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { PINS } from "../../lib/suites/families/algal.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { isPhrase, matchesPrompt, renderPrompt } from "../../lib/suites/prompt.ts";
import { suites } from "../../lib/suites/registry.ts";
import { answerFormat, canonicalAnswer } from "../../lib/suites/scoring.ts";
import { createVerifier } from "../../verifier.ts";
import { conformanceDir, conformanceTest, readJsonLines } from "./vectors.ts";

const { references } = createVerifier("auto");

conformanceTest("spec/suites/registry.json: versions, names, families, tiers, formats", () => {
  type Registry = {
    suites: Record<string, { policyName: string | null; families: Record<string, number[]> }>;
    answerFormats: Record<string, string>;
  };
  const registry = readJson<Registry>("spec/suites/registry.json");
  assert.deepEqual(
    Object.fromEntries(
      suites().map(({ version, policyName, families }) => [version, { policyName, families }]),
    ),
    Object.fromEntries(
      Object.entries(registry.suites).map(([version, { policyName, families }]) =>
        [version, { policyName, families }] as const
      ),
    ),
  );
  for (const suite of suites()) {
    for (const family of Object.keys(suite.families)) {
      assert.equal(answerFormat(family), registry.answerFormats[family] ?? "text");
    }
  }
});

conformanceTest("spec/phrases: the algal pin is the published one", () => {
  for (const [id, pin] of Object.entries(PINS)) {
    if (id.startsWith("touchstone.")) continue;
    const published = readJson<Record<string, unknown>>(`spec/phrases/${id.split(".")[0]}.json`);
    assert.deepEqual(pin, published[id], id);
  }
});

conformanceTest(
  "clankdar-algal-v1: every vector's prompt, answer and canonical answer",
  async () => {
    const [example] = readJson<{ prompt: string }[]>(
      "fixtures/prompts/clankdar-algal-v1.algal.json",
    );
    const pin = PINS["algal.intro"]!;
    const intro = example!.prompt.slice(0, pin.chars);
    assert.ok(isPhrase(intro, pin));
    type Row = {
      tier: number;
      seed: number;
      promptChars: number;
      promptSha256: string;
      answer: string;
      expected: string;
    };
    for (const row of readJsonLines<Row>("vectors/suites/clankdar-algal-v1.algal.jsonl")) {
      const name = `algal:t${row.tier} ${row.seed}`;
      const { tier, seed } = row;
      const instance = await regenerate(
        "clankdar-algal-v1",
        "algal",
        tier,
        seed,
        references,
        createBudget(100_000_000),
      );
      const prompt = renderPrompt(instance.parts, { "algal.intro": intro });
      assert.equal(prompt.length, row.promptChars, name);
      assert.equal(sha256Hex(prompt), row.promptSha256, name);
      assert.ok(matchesPrompt(prompt, instance.parts, PINS), name);
      assert.equal(instance.answer, row.answer, name);
      assert.equal(canonicalAnswer(instance.answer, "integer"), row.expected, name);
    }
  },
);

function readJson<T>(path: string): T {
  return JSON.parse(Deno.readTextFileSync(`${conformanceDir}/${path}`)) as T;
}
