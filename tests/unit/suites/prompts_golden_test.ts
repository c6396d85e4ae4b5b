/**
 * Instances against golden numbers that were cut out of the recorded example prompts
 * (tests/vectors/derive_prompts.ts), so that they need none of those prompts.
 */
import assert from "node:assert/strict";
import { sha256Hex } from "../../../lib/encoding/digest.ts";
import { createBudget } from "../../../lib/suites/budget.ts";
import { regenerate } from "../../../lib/suites/generate.ts";
import type { Part } from "../../../lib/suites/prompt.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";
import golden from "../../vectors/prompts.json" with { type: "json" };

type Row = [
  suite: string,
  family: string,
  tier: number,
  seed: number,
  answer: string,
  phrases: string[],
  between: string,
];

const { references } = createVerifyContext("auto");

Deno.test("instances of the example seeds: answer, phrases and text between them", async () => {
  for (const row of golden as Row[]) {
    const [suite, family, tier, seed, answer, phrases, between] = row;
    const name = `${suite} ${family}:t${tier} ${seed}`;
    const budget = createBudget(100_000_000);
    const instance = await regenerate(suite, family, tier, seed, references, budget);
    assert.equal(instance.answer, answer, name);
    assert.deepEqual(instance.parts.flatMap((p) => "phrase" in p ? [p.phrase] : []), phrases, name);
    assert.equal(sha256Hex(JSON.stringify(textBetween(instance.parts))), between, name);
  }
});

/** The computed text before, between and after the phrases. */
function textBetween(parts: readonly Part[]): string[] {
  const between = [""];
  for (const part of parts) {
    if ("phrase" in part) between.push("");
    else between[between.length - 1] += part.text;
  }
  return between;
}
