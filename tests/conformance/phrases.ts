/**
 * Conformance of a puzzle family: its vectors, and the recorded example prompts.
 *
 * The vectors pin whole prompts by hash, while the repository holds no phrase's text. The texts are
 * therefore cut out of the recorded prompts when the test runs, each checked against its pin.
 */
import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { GenerationError, type Generator } from "../../lib/suites/instance.ts";
import {
  isPhrase,
  matchesPrompt,
  type Part,
  type PhrasePins,
  renderPrompt,
} from "../../lib/suites/prompt.ts";
import { answerFormat, canonicalAnswer } from "../../lib/suites/scoring.ts";
import { conformanceDir, conformanceTest, readJsonLines } from "./vectors.ts";

/** An entry of fixtures/prompts/<suite>.<family>.json. */
export interface Example {
  tier: number;
  seed: number;
  prompt: string;
  answer: string;
}

/** A line of vectors/suites/<suite>.<family>.jsonl. */
export interface InstanceRow {
  suite: string;
  family: string;
  tier: number;
  seed: number;
  /** The seed has no instance; the members below are missing then. */
  error?: true;
  promptChars: number;
  promptSha256: string;
  answer: string;
  expected: string;
}

/** Far more steps than any seed of any family needs. */
const AMPLE = 1e9;

/** The recorded example prompts of a family in a suite version. */
export function readExamples(suite: string, family: string): Example[] {
  const path = `${conformanceDir}/fixtures/prompts/${suite}.${family}.json`;
  return JSON.parse(Deno.readTextFileSync(path));
}

/** The vectors of a family in a suite version, those of its edge file included. */
export function readInstances(suite: string, family: string): InstanceRow[] {
  const edge = `vectors/suites/${suite}.${family}.edge.jsonl`;
  return [
    ...readJsonLines<InstanceRow>(`vectors/suites/${suite}.${family}.jsonl`),
    ...(exists(edge) ? readJsonLines<InstanceRow>(edge) : []),
  ];
}

/** Cuts the phrases that `parts` name out of a recorded prompt, and adds them to `texts` by id. */
export function harvest(
  texts: Record<string, string>,
  prompt: string,
  parts: readonly Part[],
  pins: PhrasePins,
): void {
  let at = 0;
  for (const part of parts) {
    if ("text" in part) {
      assert.equal(prompt.slice(at, at + part.text.length), part.text);
      at += part.text.length;
    } else {
      const pin = pins[part.phrase];
      assert.ok(pin !== undefined, `${part.phrase} has a pin`);
      const text = prompt.slice(at, at + pin.chars);
      assert.ok(isPhrase(text, pin), `${part.phrase} stands at ${at}`);
      texts[part.phrase] = text;
      at += pin.chars;
    }
  }
  assert.equal(at, prompt.length);
}

/** Tests a family's generator and pins against everything recorded for it in those suites. */
export function testFamily(
  family: string,
  suites: readonly string[],
  generate: Generator,
  pins: PhrasePins,
): void {
  conformanceTest(`${family}: the pins are those of the spec`, () => {
    const path = `${conformanceDir}/spec/phrases/${family}.json`;
    assert.deepEqual(pins, JSON.parse(Deno.readTextFileSync(path)));
  });

  for (const suite of suites) {
    conformanceTest(`${suite} ${family}: example prompts match, and no altered one does`, () => {
      for (const { tier, seed, prompt, answer } of readExamples(suite, family)) {
        const instance = generate(suite, tier, seed, createBudget(AMPLE));
        assert.equal(instance.answer, answer);
        assert.ok(matchesPrompt(prompt, instance.parts, pins), `tier ${tier}, seed ${seed}`);
        for (const altered of alterations(prompt)) {
          assert.ok(!matchesPrompt(altered, instance.parts, pins), `tier ${tier}, seed ${seed}`);
        }
      }
    });

    conformanceTest(`${suite} ${family}: every vector is met`, () => {
      const texts: Record<string, string> = {};
      for (const { tier, seed, prompt } of readExamples(suite, family)) {
        const { parts } = generate(suite, tier, seed, createBudget(AMPLE));
        harvest(texts, prompt, parts, pins);
      }
      const rows = readInstances(suite, family);
      assert.ok(rows.length > 0);
      for (const row of rows) {
        const name = `tier ${row.tier}, seed ${row.seed}`;
        if (row.error) {
          assert.throws(
            () => generate(suite, row.tier, row.seed, createBudget(AMPLE)),
            (error) => error instanceof GenerationError && error.code === "generation-failed",
            name,
          );
          continue;
        }
        const { parts, answer } = generate(suite, row.tier, row.seed, createBudget(AMPLE));
        assert.equal(answer, row.answer, name);
        assert.equal(canonicalAnswer(answer, answerFormat(family)), row.expected, name);
        const prompt = renderPrompt(parts, texts);
        assert.equal(prompt.length, row.promptChars, name);
        assert.equal(sha256Hex(prompt), row.promptSha256, name);
      }
    });
  }
}

/** The prompt with one character replaced (every one in turn), dropped, added, or twice over. */
function* alterations(prompt: string): Iterable<string> {
  for (let i = 0; i < prompt.length; i++) {
    const other = String.fromCharCode(prompt.charCodeAt(i) ^ 1);
    yield prompt.slice(0, i) + other + prompt.slice(i + 1);
  }
  yield prompt.slice(0, -1);
  yield prompt.slice(1);
  yield `${prompt} `;
  yield `${prompt}\n`;
  yield ` ${prompt}`;
  yield prompt + prompt;
  yield "";
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(`${conformanceDir}/${path}`).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
