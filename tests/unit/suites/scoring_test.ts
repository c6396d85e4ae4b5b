import assert from "node:assert/strict";
import {
  answerFormat,
  canonicalAnswer,
  extractFinalAnswer,
  scoreAnswer,
} from "../../../lib/suites/scoring.ts";

const FORMATS = ["integer", "grid", "bits", "tokens", "assignments", "text"];

const PASS = { pass: true, finalAnswerMatch: true, formatOnly: false };
const FORMAT_ONLY = { pass: false, finalAnswerMatch: true, formatOnly: true };
const NO_MATCH = { pass: false, finalAnswerMatch: false, formatOnly: false };

Deno.test("answerFormat: follows from the family's name alone", () => {
  const table = {
    integer: "arithmetic sequence gridpath registervm cryptarithm relayvm algal",
    grid: "sudoku gridxf",
    bits: "automata sat satcheck bitmatrix bitcircuit autostep",
    tokens: "ordering",
    assignments: "knights",
    text: "echo strings cipher hiddenfn unheard-of constructor __proto__ Arithmetic",
  };
  for (const [format, families] of Object.entries(table)) {
    for (const family of families.split(" ")) assert.equal(answerFormat(family), format, family);
  }
  assert.equal(answerFormat(""), "text");
});

Deno.test("canonicalAnswer: what is not a string, or in no known format, is null", () => {
  for (const answer of [undefined, null, 34, 34n, true, ["34"], { length: 2 }]) {
    for (const format of FORMATS) assert.equal(canonicalAnswer(answer, format), null);
  }
  for (const format of ["", "Integer", "constructor", "toString", "__proto__"]) {
    assert.equal(canonicalAnswer("34", format), null, format);
    assert.deepEqual(scoreAnswer("34", "34", format), NO_MATCH, format);
  }
});

Deno.test("canonicalAnswer: the white space is exactly the specified set", () => {
  const space = new Set([0x09, 0x0a, 0x0d, 0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f]);
  for (const code of [0x3000, 0xfeff]) space.add(code);
  for (let code = 0x2000; code <= 0x200a; code++) space.add(code);
  for (let code = 0; code <= 0xffff; code++) {
    const char = String.fromCharCode(code);
    const hex = code.toString(16);
    // Tab, line feed and carriage return are the only controls that get this far.
    const trimmed = space.has(code);
    const digit = code >= 0x30 && code <= 0x39;
    const canonical = canonicalAnswer(`1${char}`, "integer");
    assert.equal(canonical, trimmed ? "1" : digit ? `1${char}` : null, hex);
    const inner = canonicalAnswer(`a${char}b`, "tokens");
    assert.equal(inner, trimmed || char === "," ? "A B" : null, hex);
  }
});

Deno.test("extractFinalAnswer: trims vertical tab and form feed too", () => {
  assert.equal(extractFinalAnswer("34\v", "integer"), "34");
  assert.equal(extractFinalAnswer("\f34", "integer"), "34");
  assert.deepEqual(scoreAnswer("34", "34\v", "integer"), FORMAT_ONLY);
});

Deno.test("canonicalAnswer: every forbidden control character makes it null", () => {
  for (let code = 0; code <= 0x9f; code++) {
    const control = (code < 0x20 && ![0x09, 0x0a, 0x0d].includes(code)) || code === 0x7f;
    const got = canonicalAnswer(`x${String.fromCharCode(code)}y`, "text");
    assert.equal(got === null, control, code.toString(16));
  }
});

Deno.test("canonicalAnswer: non-ASCII look-alikes are neither letters nor digits", () => {
  for (let code = 0x80; code <= 0xffff; code++) {
    const char = String.fromCharCode(code);
    const hex = code.toString(16);
    const space = canonicalAnswer(char, "text") === null;
    if (space) continue;
    for (const format of ["integer", "bits", "tokens", "grid"]) {
      assert.equal(canonicalAnswer(char, format), null, `${format} ${hex}`);
    }
    // The Kelvin sign is the one character whose lower case is an ASCII letter.
    const named = canonicalAnswer(`${char}=knave`, "assignments");
    assert.equal(named, code === 0x212a ? "k=knave" : null, hex);
    const role = canonicalAnswer(`a=${char}night`, "assignments");
    assert.equal(role, code === 0x212a ? "a=knight" : null, hex);
    // In the prefix it is no letter either, nor is the long s.
    for (const prefix of [`an${char}wer: 1`, `Answer${char}: 1`, `${char}nswer: 1`]) {
      assert.deepEqual(scoreAnswer("1", prefix, "integer"), NO_MATCH, `${prefix} ${hex}`);
    }
  }
});

Deno.test("canonicalAnswer: a letter assigned twice is null, also by the Kelvin sign", () => {
  assert.equal(canonicalAnswer("k=knave \u212a=knave", "assignments"), null);
  assert.equal(canonicalAnswer("a=knave A=knave", "assignments"), null);
  assert.equal(canonicalAnswer("a=knave b=knight", "assignments"), "a=knave b=knight");
});

Deno.test("canonicalAnswer: a grid's line feeds belong to the slash beside them", () => {
  const grid = '[["1","2"],["3","4"]]';
  for (
    const text of ["1 2/3 4", "1 2 \n / \n3 4", "1 2\n\n\n/\n\n3 4", "1\t2\r3   4", "1 2\r\n3 4"]
  ) {
    assert.equal(canonicalAnswer(text, "grid"), grid, JSON.stringify(text));
  }
  for (
    const text of ["1 2\n\n3 4", "1 2\n \n3 4", "1 2//3 4", "/1 2\n3 4", "1 2\n3 4/", "1 2\n3"]
  ) {
    assert.equal(canonicalAnswer(text, "grid"), null, JSON.stringify(text));
  }
});

Deno.test("extractFinalAnswer: decorations go once each, in order", () => {
  const cases = [
    ["Final answer: **`34`**", "34"],
    ["Answer: Answer: 34", "Answer: 34"],
    ["**Answer: 34**", "Answer: 34"],
    ["`**34**`", "**34**"],
    ["****34****", "**34**"],
    ["*****", "*"],
    ["****", "****"],
    ["**3\u20294**", "**3\u20294**"],
    ["``", "``"],
    ["`3`4`", "`3`4`"],
    ["final  answer: 34", "final  answer: 34"],
    ["final\u00a0answer: 34", "final\u00a0answer: 34"],
    ["final final answer: 34", "final final answer: 34"],
    ["finalanswer: 34", "finalanswer: 34"],
    ["ANSWER\u00a0:\u300034", "34"],
    ["answer 34", "answer 34"],
  ] as const;
  for (const [response, extracted] of cases) {
    assert.equal(extractFinalAnswer(response, "integer"), extracted, response);
  }
});

Deno.test("extractFinalAnswer: a closing fence is looked for before anything else", () => {
  const block = "```txt\nAnswer: 34\n```";
  for (const format of FORMATS) {
    assert.equal(extractFinalAnswer(block, format), "Answer: 34");
    assert.equal(extractFinalAnswer("34\n```", format), "");
    assert.equal(extractFinalAnswer("```", format), "");
    assert.equal(extractFinalAnswer("```py3\n1\n```", format), "");
    assert.equal(extractFinalAnswer("```\n1\n```\n2\n```", format), "2");
    assert.equal(extractFinalAnswer("```\n```", format), "");
  }
});

Deno.test("scoring: exactly 65536 UTF-16 units are allowed, measured before trimming", () => {
  const digits = "1".repeat(65535);
  assert.equal(canonicalAnswer(`${digits} `, "integer"), digits);
  assert.equal(canonicalAnswer(`${digits}  `, "integer"), null);
  assert.equal(extractFinalAnswer(`${digits}  `, "integer"), "");
  // Two units each.
  const wide = "\u{1F600}".repeat(32768);
  assert.equal(canonicalAnswer(wide, "text"), wide);
  assert.equal(canonicalAnswer(`${wide}x`, "text"), null);
});

Deno.test("scoring: hostile responses of full length get the right result", () => {
  const n = 65536;
  const spaces = " ".repeat(n - 2);
  const blanks = "\n".repeat(n - 2);
  const cases = [
    ["grid", "1 2", `1${spaces}2`, PASS],
    ["grid", "1 2", `1${"\t ".repeat(n / 2 - 1)}2`, PASS],
    ["grid", "1 / 2", `1${blanks}2`, NO_MATCH],
    ["grid", "1 / 2", `1${"\n".repeat(n / 2 - 1)}/${"\n".repeat(n / 2 - 2)}2`, PASS],
    ["grid", "1 / 2", `1${"/".repeat(n - 2)}2`, NO_MATCH],
    ["grid", "2", `1${"\n ".repeat(n / 2 - 1)}2`, NO_MATCH],
    ["grid", "2", `${"1 ".repeat(n / 2 - 1)}x`, NO_MATCH],
    ["assignments", "a=knave", `a${" ".repeat(n - 7)}=knave`, PASS],
    ["assignments", "a=knave", `a=${" ".repeat(n - 7)}knave`, PASS],
    ["assignments", "a=knave", `a=knave${" ".repeat(n - 8)}x`, NO_MATCH],
    ["assignments", "a=knave", "a=knave ".repeat(n / 8), NO_MATCH],
    ["assignments", "a=knave", "=".repeat(n), NO_MATCH],
    ["assignments", "a=knave", "= ".repeat(n / 2), NO_MATCH],
    ["tokens", "A B", `A${spaces}B`, PASS],
    ["tokens", "A B", `A${", ".repeat(n / 2 - 1)}B`, PASS],
    ["tokens", "A B", `A${", ".repeat(n / 2 - 2)}11`, NO_MATCH],
    ["integer", "2", `1${spaces}2`, NO_MATCH],
    ["integer", "2", `${"0".repeat(n - 1)}2`, PASS],
    ["integer", "2", `${"0".repeat(n - 1)}x`, NO_MATCH],
    ["integer", "2", `answer${" ".repeat(n - 8)}:2`, FORMAT_ONLY],
    ["integer", "2", `answer${" ".repeat(n - 8)}2`, NO_MATCH],
    ["integer", "2", `${"```\n".repeat(n / 4 - 1)}2`, FORMAT_ONLY],
    ["integer", "2", `${"```x1\n".repeat(10000)}\`\`\``, NO_MATCH],
    ["integer", "2", `${"`".repeat(n - 3)}\n2`, FORMAT_ONLY],
    ["integer", "2", `${"*".repeat(n - 3)}\n2`, FORMAT_ONLY],
    ["integer", "*", "*".repeat(n), NO_MATCH],
    ["bits", "01", `01${spaces}`, PASS],
    ["bits", "01", `${"01".repeat(n / 2 - 1)}x`, NO_MATCH],
    ["text", "a b", `a${spaces}b`, PASS],
    ["text", "a b", `a${"\u2028".repeat(n - 2)}b`, PASS],
  ] as const;
  for (const [format, expected, response, outcome] of cases) {
    const about = `${format} ${JSON.stringify(response.slice(0, 12))}… (${response.length})`;
    assert(response.length <= n, about);
    assert.deepEqual(scoreAnswer(expected, response, format), outcome, about);
  }
});
