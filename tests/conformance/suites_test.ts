/** The registry, the phrase pins and the algal vectors against their source. */
import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { PINS } from "../../lib/suites/families/algal.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { isPhrase, matchesPrompt, renderPrompt } from "../../lib/suites/prompt.ts";
import { suites } from "../../lib/suites/suites.ts";
import { answerFormat, canonicalAnswer } from "../../lib/suites/scoring.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { conformanceDir, conformanceTest, readVectors } from "./vectors.ts";
import { promptLength } from "./phrases.ts";

const { references } = createVerifyContext("auto");

Deno.test("the registry of the specification: versions, names, families, tiers, formats", () => {
  type Registry = {
    suites: Record<string, { policyName: string | null; families: Record<string, number[]> }>;
    answerFormats: Record<string, string>;
  };
  const registry = readSpecification<Registry>("suites/registry.json");
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

Deno.test("the algal pin is the published one", () => {
  for (const [id, pin] of Object.entries(PINS)) {
    if (id.startsWith("touchstone.")) continue;
    const published = readSpecification<Record<string, unknown>>(
      `phrases/${id.split(".")[0]}.json`,
    );
    assert.deepEqual(pin, published[id], id);
  }
});

type AlgalRow = {
  tier: number;
  seed: number;
  promptChars: number;
  promptSha256: string;
  answer: string;
  expected: string;
};

const algalRows = () => readVectors<AlgalRow>("suites/clankdar-algal-v1.algal.jsonl");

function algalInstance({ tier, seed }: AlgalRow) {
  const budget = createBudget(100_000_000);
  return regenerate("clankdar-algal-v1", "algal", tier, seed, references, budget);
}

Deno.test("clankdar-algal-v1: every vector's answer, and how long its prompt is", async () => {
  for (const row of algalRows()) {
    const name = `algal:t${row.tier} ${row.seed}`;
    const { answer, parts } = await algalInstance(row);
    assert.equal(answer, row.answer, name);
    assert.equal(canonicalAnswer(answer, "integer"), row.expected, name);
    assert.equal(promptLength(parts, PINS), row.promptChars, name);
  }
});

conformanceTest("clankdar-algal-v1: every vector's prompt", async () => {
  const [example] = readJson<{ prompt: string }[]>("fixtures/prompts/clankdar-algal-v1.algal.json");
  const pin = PINS["algal.intro"]!;
  const intro = example!.prompt.slice(0, pin.chars);
  assert.ok(isPhrase(intro, pin));
  for (const row of algalRows()) {
    const name = `algal:t${row.tier} ${row.seed}`;
    const { parts } = await algalInstance(row);
    const prompt = renderPrompt(parts, { "algal.intro": intro });
    assert.equal(sha256Hex(prompt), row.promptSha256, name);
    assert.ok(matchesPrompt(prompt, parts, PINS), name);
  }
});

function readJson<T>(path: string): T {
  return JSON.parse(Deno.readTextFileSync(`${conformanceDir}/${path}`)) as T;
}

function readSpecification<T>(path: string): T {
  const file = new URL(`../../docs/specification/${path}`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(file)) as T;
}
