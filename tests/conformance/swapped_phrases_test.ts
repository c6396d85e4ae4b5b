/** A phrase of one tier in the prompt of another: the pins tell them apart. */
import assert from "node:assert/strict";
import { createBudget } from "../../lib/suites/budget.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { matchesPrompt, type Part, renderPrompt } from "../../lib/suites/prompt.ts";
import { suites } from "../../lib/suites/suites.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { harvest, readExamples } from "./phrases.ts";
import { conformanceTest } from "./vectors.ts";

const { references } = createVerifyContext("auto");

conformanceTest("a phrase in the place of another is never accepted", async () => {
  let swaps = 0;
  for (const suite of suites()) {
    if (suite.policyName === "touchstone") continue;
    for (const family of Object.keys(suite.families)) {
      const texts: Record<string, string> = {};
      const examples = readExamples(suite.version, family);
      const instances = [];
      for (const { tier, seed, prompt } of examples) {
        const budget = createBudget(100_000_000);
        const instance = await regenerate(suite.version, family, tier, seed, references, budget);
        harvest(texts, prompt, instance.parts, instance.pins);
        instances.push(instance);
      }
      for (const { parts, pins } of instances) {
        for (const [index, part] of parts.entries()) {
          if (!("phrase" in part)) continue;
          for (const phrase of Object.keys(texts)) {
            if (phrase === part.phrase) continue;
            const swapped: Part[] = parts.with(index, { phrase });
            const prompt = renderPrompt(swapped, texts);
            assert.ok(!matchesPrompt(prompt, parts, pins), `${part.phrase} → ${phrase}`);
            swaps++;
          }
        }
      }
    }
  }
  assert.ok(swaps > 100);
});
