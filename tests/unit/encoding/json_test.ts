import assert from "node:assert/strict";
import { decodeUtf8, MAX_DEPTH, parseJson } from "../../../lib/encoding/json.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

Deno.test("parseJson: 64 levels are allowed, 65 refused", () => {
  assert.equal(MAX_DEPTH, 64);
  assert.equal(parseJson(nested(64)).ok, true);
  assert.deepEqual(parseJson(nested(65)), { ok: false, code: "too-deep" });
  const objects = (depth: number) => '{"a":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);
  assert.equal(parseJson(objects(64)).ok, true);
  assert.deepEqual(parseJson(objects(65)), { ok: false, code: "too-deep" });
});

Deno.test("parseJson: the outermost container counts as 1, a scalar as 0", () => {
  assert.deepEqual(parseJson("1", 0), { ok: true, value: 1 });
  assert.deepEqual(parseJson("[]", 0), { ok: false, code: "too-deep" });
  assert.equal(parseJson('[{},[],{"a":1}]', 2).ok, true);
  assert.equal(parseJson('[{},[],{"a":[]}]', 2).ok, false);
});

Deno.test("parseJson: brackets inside strings don't count", () => {
  const rows = [
    `"${"[".repeat(100)}"`,
    `["${"{".repeat(100)}"]`,
    `{"${"[".repeat(100)}":1}`,
    `["\\"${"[".repeat(100)}"]`,
    `["\\\\\\"${"[".repeat(100)}"]`,
    `["\\\\","${"[".repeat(100)}"]`,
  ];
  for (const text of rows) {
    assert.deepEqual(parseJson(text, 1), { ok: true, value: JSON.parse(text) }, text);
  }
  // An even number of backslashes closes the string: here the brackets are outside.
  assert.deepEqual(parseJson(`["\\\\",${nested(64)}]`), { ok: false, code: "too-deep" });
  assert.deepEqual(parseJson(`["\\\\\\\\",${nested(64)}]`), { ok: false, code: "too-deep" });
});

Deno.test("parseJson: closers before openers don't buy depth in what parses", () => {
  for (const text of ["]]]]" + nested(66), "}" + nested(64), nested(2) + "]]" + nested(64)]) {
    assert.equal(parseJson(text).ok, false);
  }
});

Deno.test("parseJson: a million levels cost a glance", () => {
  for (const text of [nested(1e6), "[".repeat(1e6), '{"a":'.repeat(1e6), "]".repeat(1e6)]) {
    assert.equal(parseJson(text).ok, false);
  }
});

Deno.test("parseJson: long runs of escapes stay linear", () => {
  const started = performance.now();
  assert.equal(parseJson(`"${"\\".repeat(2e6)}"`).ok, true);
  assert.equal(parseJson(`"${'\\"'.repeat(1e6)}"`).ok, true);
  assert.equal(parseJson(`"${"\\".repeat(2e6 + 1)}"`).ok, false);
  assert.ok(performance.now() - started < 2000);
});

Deno.test("parseJson: not JSON", () => {
  const rows = [
    "",
    " ",
    "{",
    '"',
    '"\\',
    '["a\\"]',
    "{'a':1}",
    '{"a":1,}',
    '{"a":tru}',
    "[1,]",
    "01",
    "NaN",
    "undefined",
    "1 2",
    "\ufeff{}",
    "{}\ufeff",
    "\u00a0{}",
    '"\n"',
    '"\\x41"',
    "// c\n1",
  ];
  for (const text of rows) {
    assert.deepEqual(parseJson(text), { ok: false, code: "not-json" }, JSON.stringify(text));
  }
});

Deno.test("parseJson: what JSON.parse allows stays allowed", () => {
  assert.deepEqual(parseJson(' \t\r\n{"a":1,"a":2}\n'), { ok: true, value: { a: 2 } });
  const parsed = parseJson('{"__proto__":{"x":1}}');
  assert.ok(parsed.ok);
  const value = parsed.value as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal("x" in value, false);
});

Deno.test("decodeUtf8: fatal, and keeps the byte order mark", () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  assert.equal(decodeUtf8(new TextEncoder().encode("é😀\u0000")), "é😀\u0000");
  assert.equal(decodeUtf8(bytes()), "");
  const marked = decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d));
  assert.equal(marked, "\ufeff{}");
  assert.deepEqual(parseJson(marked ?? ""), { ok: false, code: "not-json" });
  const bad = [
    bytes(0xff),
    bytes(0xc3),
    bytes(0xc0, 0x80), // overlong
    bytes(0xe0, 0x80, 0x80),
    bytes(0xed, 0xa0, 0x80), // a surrogate
    bytes(0xf4, 0x90, 0x80, 0x80), // beyond U+10FFFF
    bytes(0x7b, 0x80, 0x7d),
    bytes(0xff, 0xfe, 0x7b, 0x00), // UTF-16
  ];
  for (const row of bad) assert.equal(decodeUtf8(row), null, row.toString());
  assert.equal(decodeUtf8(bytes(0x61)), "a", "an error leaves nothing behind");
});
