import assert from "node:assert/strict";
import { canonicalAnswer, extractFinalAnswer, scoreAnswer } from "../../lib/suites/scoring.ts";
import { conformanceDir, conformanceTest, type Described } from "./vectors.ts";
import { expand, readVectors } from "./vectors.ts";

interface ScoreVector {
  format: string;
  expected: Described;
  response: Described;
  canonical: Described | null;
  pass: boolean;
  finalAnswerMatch: boolean;
  formatOnly: boolean;
}

Deno.test("scoring: canonical forms and scores of all vectors", () => {
  const vectors = readVectors<ScoreVector>("scoring.jsonl");
  assert(vectors.length >= 433);
  for (const vector of vectors) {
    const { format, canonical, pass, finalAnswerMatch, formatOnly } = vector;
    const response = expand(vector.response);
    const about = JSON.stringify(vector);
    const got = canonicalAnswer(response, format);
    assert.equal(got, canonical === null ? null : expand(canonical), about);
    const score = scoreAnswer(expand(vector.expected), response, format);
    assert.deepEqual(score, { pass, finalAnswerMatch, formatOnly }, about);
  }
});

Deno.test("scoring: extraction of all vectors", () => {
  const vectors = readVectors<{ format: string; response: Described; extracted: Described }>(
    "scoring-extract.jsonl",
  );
  assert(vectors.length >= 233);
  for (const { format, response, extracted } of vectors) {
    const about = JSON.stringify({ format, response });
    assert.equal(extractFinalAnswer(expand(response), format), expand(extracted), about);
  }
});

interface AnswerCheck {
  file: string;
  at: string;
  kind: string;
  expect: { ok: boolean; canonical?: string; pass?: boolean };
}

type AnswerCase = { text: string; format: string; expected?: string };

conformanceTest("scoring: answers of the independent checker's fixtures", () => {
  const folder = `${conformanceDir}/fixtures/valhalla`;
  const checks = (JSON.parse(Deno.readTextFileSync(`${folder}/index.json`)) as AnswerCheck[])
    .filter((check) => check.kind === "answer");
  assert(checks.length >= 49);
  for (const { file, at, expect } of checks) {
    const cases = JSON.parse(Deno.readTextFileSync(`${folder}/${file}`)) as Record<
      string,
      AnswerCase
    >;
    const answer = cases[at.slice(1)];
    assert(answer, at);
    if (answer.expected === undefined) {
      const canonical = expect.ok ? expect.canonical : null;
      assert.equal(canonicalAnswer(answer.text, answer.format), canonical, at);
    } else {
      const score = scoreAnswer(answer.expected, answer.text, answer.format);
      assert.equal(score.pass, expect.pass, at);
    }
  }
});
