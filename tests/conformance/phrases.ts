/**
 * Conformance of a puzzle family: its vectors, and the recorded example prompts.
 *
 * The vectors pin whole prompts by hash, while the repository holds no phrase's text. The texts are
 * therefore cut out of the recorded prompts when the test runs, each checked against its pin.
 */
import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { seeded } from "../../lib/suites/generate.ts";
import { GenerationError, type Generator } from "../../lib/suites/instance.ts";
import {
  isPhrase,
  matchesPrompt,
  type Part,
  type PhrasePins,
  renderPrompt,
} from "../../lib/suites/prompt.ts";
import { answerFormat, canonicalAnswer } from "../../lib/suites/scoring.ts";
import { conformanceDir, conformanceTest, readVectors } from "./vectors.ts";

/** An entry of fixtures/prompts/<suite>.<family>.json. */
export interface Example {
  tier: number;
  seed: number;
  prompt: string;
  answer: string;
}

/** A line of tests/vectors/suites/<suite>.<family>.jsonl. */
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
  const edge = `suites/${suite}.${family}.edge.jsonl`;
  return [
    ...readVectors<InstanceRow>(`suites/${suite}.${family}.jsonl`),
    ...(hasVectors(edge) ? readVectors<InstanceRow>(edge) : []),
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
  generator: Generator,
  pins: PhrasePins,
): void {
  const generate = seeded(family, generator);
  Deno.test(`${family}: the pins are those of the specification`, () => {
    const path = new URL(`../../docs/specification/phrases/${family}.json`, import.meta.url);
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

    Deno.test(`${suite} ${family}: every vector's answer, and how long its prompt is`, () => {
      const rows = readInstances(suite, family);
      assert.ok(rows.length > 0);
      for (const row of rows) {
        const name = `tier ${row.tier}, seed ${row.seed}`;
        const instance = () => generate(suite, row.tier, row.seed, createBudget(AMPLE));
        if (row.error) {
          assert.throws(
            instance,
            (error) => error instanceof GenerationError && error.code === "generation-failed",
            name,
          );
          continue;
        }
        const { parts, answer } = instance();
        assert.equal(answer, row.answer, name);
        assert.equal(canonicalAnswer(answer, answerFormat(family)), row.expected, name);
        assert.equal(promptLength(parts, pins), row.promptChars, name);
      }
    });

    conformanceTest(`${suite} ${family}: every vector's prompt`, () => {
      const texts: Record<string, string> = {};
      for (const { tier, seed, prompt } of readExamples(suite, family)) {
        const { parts } = generate(suite, tier, seed, createBudget(AMPLE));
        harvest(texts, prompt, parts, pins);
      }
      for (const row of readInstances(suite, family).filter(({ error }) => !error)) {
        const { parts } = generate(suite, row.tier, row.seed, createBudget(AMPLE));
        const hash = sha256Hex(renderPrompt(parts, texts));
        assert.equal(hash, row.promptSha256, `tier ${row.tier}, seed ${row.seed}`);
      }
    });
  }
}

/** The length of a prompt in UTF-16 code units, which needs the phrases' pins and not their texts. */
export function promptLength(parts: readonly Part[], pins: PhrasePins): number {
  const lengths = parts.map((part) => "text" in part ? part.text.length : pins[part.phrase]!.chars);
  return lengths.reduce((sum, length) => sum + length, 0);
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

function hasVectors(name: string): boolean {
  try {
    return Deno.statSync(new URL(`../vectors/${name}`, import.meta.url)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
