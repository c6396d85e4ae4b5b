/**
 * Instances against golden numbers that were cut out of the recorded example prompts
 * (tests/vectors/derive_prompts.ts), so that they need none of those prompts.
 */
import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { regenerate } from "../../lib/suites/generate.ts";
import { GenerationError } from "../../lib/suites/instance.ts";
import type { Part } from "../../lib/suites/prompt.ts";
import { createVerifier } from "../../verifier.ts";
import { PENDING_SUITES } from "../conformance/pending.ts";
import golden from "../vectors/prompts.json" with { type: "json" };

type Row = [
  suite: string,
  family: string,
  tier: number,
  seed: number,
  answer: string,
  phrases: string[],
  between: string,
];

const { references } = createVerifier("auto");

Deno.test("instances of the example seeds: answer, phrases and text between them", async () => {
  let checked = 0;
  for (const row of golden as Row[]) {
    const [suite, family, tier, seed, answer, phrases, between] = row;
    const name = `${suite} ${family}:t${tier} ${seed}`;
    if (PENDING_SUITES.includes(suite)) {
      await assert.rejects(
        regenerate(suite, family, tier, seed, references),
        (error) => error instanceof GenerationError && error.code === "generator-missing",
        name,
      );
      continue;
    }
    const instance = await regenerate(suite, family, tier, seed, references);
    assert.equal(instance.answer, answer, name);
    assert.deepEqual(instance.parts.flatMap((p) => "phrase" in p ? [p.phrase] : []), phrases, name);
    assert.equal(sha256Hex(JSON.stringify(textBetween(instance.parts))), between, name);
    checked++;
  }
  assert.ok(checked >= 6);
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
