import assert from "node:assert/strict";
import { sha256Hex } from "../../../lib/encoding/digest.ts";
import { HOUSE_PHRASES } from "../../../lib/suites/house.ts";
import { PINS } from "../../../lib/suites/families/algal.ts";
import { matchesPrompt, type Part, renderPrompt } from "../../../lib/suites/prompt.ts";
import { HOUSE_EVALUATOR, suites } from "../../../lib/suites/suites.ts";
import { OFFICIAL, OWN } from "../../../wasm/pins.ts";
import { ALGAL_EVALUATOR } from "../../../lib/suites/suites.ts";

const hello = "Hello, 🌍! ";
const pins = { hello: { chars: hello.length, sha256: sha256Hex(hello) } };
const parts: Part[] = [{ phrase: "hello" }, { text: "1 + 1" }, { phrase: "hello" }, { text: "?" }];
const prompt = `${hello}1 + 1${hello}?`;

Deno.test("a prompt matches its parts, and nothing but its parts", () => {
  assert.ok(matchesPrompt(prompt, parts, pins));
  for (let at = 0; at <= prompt.length; at++) {
    assert.ok(!matchesPrompt(prompt.slice(0, at) + "x" + prompt.slice(at), parts, pins), `+${at}`);
    if (at === prompt.length) continue;
    assert.ok(!matchesPrompt(prompt.slice(0, at) + prompt.slice(at + 1), parts, pins), `-${at}`);
    assert.ok(!matchesPrompt(prompt.slice(0, at) + "x" + prompt.slice(at + 1), parts, pins));
  }
  assert.ok(!matchesPrompt("", parts, pins));
});

Deno.test("a lone surrogate does not stand in for U+FFFD in a phrase", () => {
  const text = "replacement \ufffd here";
  const pin = { p: { chars: text.length, sha256: sha256Hex(text) } };
  assert.ok(!matchesPrompt(text.replace("\ufffd", "\ud800"), [{ phrase: "p" }], pin));
  assert.ok(matchesPrompt(text, [{ phrase: "p" }], pin));
  assert.ok(!matchesPrompt(text.replace("\ufffd", "\udfff"), [{ phrase: "p" }], pin));
});

Deno.test("a phrase without a pin is a fault of the generator", () => {
  assert.throws(() => matchesPrompt("x", [{ phrase: "constructor" }], {}), /has no pin/);
  assert.throws(() => renderPrompt([{ phrase: "toString" }], {}), /not at hand/);
});

Deno.test("rendering and matching agree on the house suite's phrases", () => {
  for (const [id, text] of Object.entries(HOUSE_PHRASES)) {
    const rendered = renderPrompt([{ phrase: id }, { text: "." }], HOUSE_PHRASES);
    assert.equal(rendered, `${text}.`);
    assert.ok(matchesPrompt(rendered, [{ phrase: id }, { text: "." }], PINS), id);
  }
});

Deno.test("the house suite's evaluator is the committed module: a new one needs a new version", () => {
  assert.equal(HOUSE_EVALUATOR, OWN.sha256);
  assert.equal(ALGAL_EVALUATOR, OFFICIAL.sha256);
});

Deno.test("suite versions and policy names are unique", () => {
  const versions = suites().map((suite) => suite.version);
  assert.equal(new Set(versions).size, versions.length);
  const names = suites().flatMap((suite) => suite.policyName ?? []);
  assert.deepEqual(names.sort(), ["agent", "algal", "frontier", "touchstone", "v2"]);
});
