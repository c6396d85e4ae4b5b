import assert from "node:assert/strict";
import { decodeBase64url, encodeBase64url } from "../../../lib/encoding/base64url.ts";
import { canonicalJson, isCanonicalJson } from "../../../lib/encoding/canonical.ts";
import { sha256, sha256Hex } from "../../../lib/encoding/digest.ts";
import { fromHex, isHex64, toHex } from "../../../lib/encoding/hex.ts";

Deno.test("sha256: the published digests of FIPS 180", () => {
  assert.equal(
    sha256Hex(""),
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
  assert.equal(
    sha256Hex("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  assert.equal(sha256("abc").length, 32);
});

Deno.test("sha256: a string counts as its UTF-8 bytes", () => {
  assert.equal(sha256Hex("é😀"), sha256Hex(new Uint8Array([0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80])));
});

Deno.test("sha256: the seed commitment of the specification's example", () => {
  const fields = ["clankdar/attest-seed/v1", "clankdar-frontier-v1", "bitcircuit", "4"];
  assert.equal(
    sha256Hex([...fields, "vjT8dmeb-22-aN8U", "2626184822"].join("\0")),
    "f5f84b9a660b1cb50ef93316294ca27c8c88b22454bd48bef7517b1c5c70d69a",
  );
});

Deno.test("isHex64: 64 lower-case characters and nothing else", () => {
  const good = "0123456789abcdef".repeat(4);
  assert.equal(isHex64(good), true);
  const bad: unknown[] = [
    good.toUpperCase(),
    good.slice(1),
    good + "0",
    good + "\n",
    "\n" + good,
    "g" + good.slice(1),
    "",
    null,
    undefined,
    64,
    [good],
    { toString: () => good },
  ];
  for (const text of bad) assert.equal(isHex64(text), false, String(text));
});

Deno.test("hex: there and back", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(fromHex(toHex(bytes)), bytes);
  assert.equal(toHex(new Uint8Array([0, 255, 16])), "00ff10");
  assert.throws(() => fromHex("0"));
  assert.throws(() => fromHex("0g"));
});

Deno.test("base64url: the test vectors of RFC 4648, without padding", () => {
  const rows = { "": "", f: "Zg", fo: "Zm8", foo: "Zm9v", foob: "Zm9vYg", foobar: "Zm9vYmFy" };
  for (const [plain, text] of Object.entries(rows)) {
    const bytes = new TextEncoder().encode(plain);
    assert.equal(encodeBase64url(bytes), text);
    assert.deepEqual(decodeBase64url(text, bytes.length), bytes);
  }
  assert.equal(encodeBase64url(new Uint8Array([0xfb, 0xff, 0xfe])), "-__-");
});

Deno.test("base64url: refuses what isn't the canonical spelling", () => {
  const key = "MMP-mO0IcwK9gE43NeBPeZ7xsFtol0lXYtiQWZcHFf8";
  assert.equal(decodeBase64url(key, 32)?.length, 32);
  const bad = [
    "",
    key + "=",
    key + "A",
    key.slice(1),
    key.slice(0, -1) + "9", // an unused bit set: the same 32 bytes to a lenient decoder
    key.replace("-", "+"),
    key.replace("M", "/"),
    key.replace("M", " "),
    key.replace("M", "\0"),
    key.replace("M", "é"),
    key.replace("M", "\ud800"),
    key.replace("M", "\u014d"), // its low byte is an M
    key + "\n",
  ];
  for (const text of bad) assert.equal(decodeBase64url(text, 32), null, JSON.stringify(text));
});

Deno.test("base64url: of all spellings of the last character one is accepted", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const spellings = (bytes: number, chars: number) =>
    [...alphabet].filter((c) => decodeBase64url("A".repeat(chars - 1) + c, bytes) !== null);
  assert.deepEqual(spellings(64, 86), ["A", "Q", "g", "w"]);
  assert.equal(spellings(32, 43).length, 16);
  assert.equal(spellings(12, 16).length, 64);
});

Deno.test("canonicalJson: the six rules of the specification", () => {
  const rows: [string, string][] = [
    [' [ null , true,false , "x" ] ', '[null,true,false,"x"]'],
    ['{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
    ['{"a":1,"B":2,"é":3,"e":4,"":5}', '{"":5,"B":2,"a":1,"e":4,"é":3}'],
    ['{"b":1,"10":2,"9":3,"-1":4,"01":5}', '{"9":3,"10":2,"-1":4,"01":5,"b":1}'],
    ['{"4294967295":1,"4294967294":2}', '{"4294967294":2,"4294967295":1}'],
    ['{"4294967296":1,"5":2,"42949672960":3}', '{"5":2,"4294967296":1,"42949672960":3}'],
    ['{"4294967295":1,"300":2," ":3}', '{"300":2," ":3,"4294967295":1}'],
    ['{"\\ud83d\\ude00":1,"\\uffff":2}', '{"😀":1,"\uffff":2}'],
    [
      '"\\u0022\\u005c\\u002f\\u0008\\u0009\\u000a\\u000c\\u000d"',
      '"\\"\\\\/\\b\\t\\n\\f\\r"',
    ],
    ['"\\u0000\\u000b\\u001F\\u007f\\u2028"', '"\\u0000\\u000b\\u001f\x7f\u2028"'],
    ['"\\uD800\\uDC00 \\uD800 \\uDFFF"', '"\ud800\udc00 \\ud800 \\udfff"'],
    ['{"\\uDBFF":1}', '{"\\udbff":1}'],
    ["[-0,1.0,1e2,1e21,1e-7,0.1,1e400,-1e400]", "[0,1,100,1e+21,1e-7,0.1,null,null]"],
    [
      "[9007199254740993,123456789012345678901234567890]",
      "[9007199254740992,1.2345678901234568e+29]",
    ],
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    [
      '{"__proto__":{"b":1,"a":2},"a":{"__proto__":3}}',
      '{"__proto__":{"a":2,"b":1},"a":{"__proto__":3}}',
    ],
    [
      '{"toJSON":1,"constructor":2,"hasOwnProperty":3}',
      '{"constructor":2,"hasOwnProperty":3,"toJSON":1}',
    ],
    ["[]", "[]"],
    ["{}", "{}"],
    ["null", "null"],
    ['""', '""'],
  ];
  for (const [text, canonical] of rows) {
    const parsed: unknown = JSON.parse(text);
    assert.equal(canonicalJson(parsed), canonical, text);
    assert.equal(isCanonicalJson(text, parsed), text === canonical, text);
    const again: unknown = JSON.parse(canonical);
    assert.equal(isCanonicalJson(canonical, again), true, canonical);
  }
});

Deno.test("canonicalJson: a value built in code", () => {
  assert.equal(canonicalJson({ b: undefined, a: 1, c: undefined, d: [] }), '{"a":1,"d":[]}');
  assert.equal(canonicalJson(Object.assign(Object.create(null), { b: 1, a: 2 })), '{"a":2,"b":1}');
  for (const value of [undefined, () => 1, Symbol("x"), 1n, [undefined]]) {
    assert.throws(() => canonicalJson(value), TypeError);
  }
});

Deno.test("isCanonicalJson: member order is checked at every level", () => {
  for (const text of ['{"b":1,"a":2}', '[{"b":1,"a":2}]', '{"a":[0,{"x":{"b":1,"a":2}}]}']) {
    assert.equal(isCanonicalJson(text, JSON.parse(text)), false, text);
  }
});
