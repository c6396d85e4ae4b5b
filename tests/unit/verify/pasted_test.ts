/**
 * What people paste and what tools write: fences, answers of `curl -i`, byte order marks, control
 * characters; and texts that are made to be costly. Protocols protocols spec 14 no. 3, 20; RFC 9112; RFC 7464.
 */
import assert from "node:assert/strict";
import { readInput } from "../../../lib/verify/input.ts";

const E = { protocol: "clankdar-attest-v1", payload: '{"n":1}', signature: "AA" };
const F = { protocol: "clankdar-attest-v1", payload: '{"n":2}', signature: "BB" };
const ONE = JSON.stringify(E);
const TWO = JSON.stringify(F);
const PRETTY = JSON.stringify({ receipt: E, more: Array(40).fill(0) }, null, 2);
const LIMITS = { bytes: 8_000_000, documents: 20 };
const utf8 = new TextEncoder();

const read = (text: string | Uint8Array) =>
  readInput(typeof text === "string" ? utf8.encode(text) : text, LIMITS);

async function valuesOf(text: string | Uint8Array): Promise<unknown[]> {
  const result = await read(text);
  assert.ok(result.ok, result.ok ? "" : `${result.reason.code}: ${result.reason.message}`);
  return result.input.entries.map((entry) =>
    "value" in entry ? entry.value : "run" in entry ? "run" : entry.reason.message
  );
}

async function refusalOf(text: string | Uint8Array): Promise<[string, string | undefined]> {
  const result = await read(text);
  assert.ok(!result.ok, "it was read");
  return [result.reason.code, result.looksLike];
}

const READ: [name: string, text: string, values: unknown[]][] = [
  ["a fence without a language", "```\n" + ONE + "\n```", [E]],
  ["a fence with a language and more", "```json title=receipt.json\n" + ONE + "\n```\n\n", [E]],
  ["an indented fence", "  \n   ```json\r\n  " + ONE + "\r\n   ```\r\n", [E]],
  ["a longer fence", "`````\n" + ONE + "\n`````", [E]],
  ["a longer end of a fence", "~~~json\n" + ONE + "\n~~~~~  ", [E]],
  ["a fence around a document of many lines", "```json\n" + PRETTY + "\n```", [E]],
  ["a fence around lines", "```jsonl\n" + ONE + "\n" + TWO + "\n```", [E, F]],
  ["a fence around a marked text", "```\n\ufeff" + ONE + "\n```", [E]],
  ["one head", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n" + ONE, [E]],
  ["a head without fields", "HTTP/1.0 200\n\n" + ONE, [E]],
  ["a head and many lines", "HTTP/2 200 \r\ncontent-type: x\r\n\r\n" + PRETTY, [E]],
  ["a continue before", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\na: b\r\n\r\n" + ONE, [E]],
  [
    "redirects before, with folded fields",
    "HTTP/1.1 301 Moved\r\nlocation: /x\r\n\r\nHTTP/1.1 302 Found\r\nlink: <a>,\r\n\t<b>\r\n\r\n\r\n" +
    'HTTP/2 200\r\netag: "x"\r\n\r\n' + ONE + "\n" + TWO,
    [E, F],
  ],
  ["an answer in a fence", "```\nHTTP/1.1 200 OK\nA: b\n\n" + ONE + "\n```", [E]],
  ["carriage returns", `${ONE}\r\n\r\n${TWO}\r\n`, [E, F]],
  ["lone carriage returns are white space", `\r${ONE}\r`, [E]],
  ["two marks", "\ufeff\ufeff" + ONE, [E]],
  ["marks of joined files", `\ufeff${ONE}\n\ufeff${TWO}\n`, [E, F]],
  ["a line separator within a text", JSON.stringify({ receipt: E, note: "a\u2028b\u2029" }), [E]],
];

for (const [name, text, values] of READ) {
  Deno.test(`read as pasted: ${name}`, async () => {
    assert.deepEqual(await valuesOf(text), values);
  });
}

const FENCES = "a text that is more than one Markdown fence";
const REFUSED: [name: string, text: string, code: string, looksLike: string | undefined][] = [
  ["text before a fence", "Here it is:\n```\n" + ONE + "\n```", "document-not-json", FENCES],
  ["text behind a fence", "```\n" + ONE + "\n```\nThanks!", "document-not-json", FENCES],
  ["two fences", "```\n" + ONE + "\n```\n```\n" + TWO + "\n```", "document-not-json", FENCES],
  [
    "a fence of each kind",
    "~~~\n" + ONE + "\n~~~\n```\n" + TWO + "\n```",
    "document-not-json",
    FENCES,
  ],
  ["a fence that isn't closed", "```json\n" + ONE, "document-not-json", FENCES],
  ["a fence closed by a shorter one", "`````\n" + ONE + "\n```", "document-not-json", FENCES],
  ["an empty fence", "```json\n```", "documents-empty", undefined],
  ["a head alone", "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n", "documents-empty", undefined],
  ["a head cut short", "HTTP/1.1 200 OK\r\nA: b", "documents-empty", undefined],
  [
    "an answer that is a page",
    "HTTP/1.1 404 Not Found\r\n\r\n<!DOCTYPE html>",
    "document-not-json",
    "a web page",
  ],
  [
    "a head with a document in it",
    `HTTP/1.1 200 OK\r\n${ONE}\r\n\r\n${TWO}`,
    "document-not-json",
    undefined,
  ],
  [
    "two documents on a line",
    ONE + TWO,
    "document-not-json",
    "a JSON text with something behind it",
  ],
  [
    "a line separator between",
    `${ONE}\u2028${TWO}`,
    "document-not-json",
    "a JSON text with something behind it",
  ],
  [
    "a carriage return between",
    `${ONE}\r${TWO}`,
    "document-not-json",
    "a JSON text with something behind it",
  ],
  ["a NUL behind", ONE + "\0", "document-not-json", "a JSON text with something behind it"],
  [
    "UTF-16 without a mark",
    [...ONE].map((char) => char + "\0").join(""),
    "document-not-json",
    "a text in UTF-16",
  ],
  ["a JSON text sequence", `\x1e${ONE}\n\x1e${TWO}\n`, "document-not-json", "a JSON text sequence"],
  [
    "gzip as base64",
    "H4sIAAAAAAAAA6tWSkksSVSyUkpUqgUAvPXC+RAAAAA=",
    "document-not-json",
    "a gzip file written as base64",
  ],
  [
    "a trailing comma in many lines",
    PRETTY.replace(/\n}$/, ",\n}"),
    "document-not-json",
    undefined,
  ],
];

for (const [name, text, code, looksLike] of REFUSED) {
  Deno.test(`refused as pasted: ${name}`, async () => {
    assert.deepEqual(await refusalOf(text), [code, looksLike]);
  });
}

Deno.test("a broken line is named by its number in the file", async () => {
  const values = await valuesOf(`${ONE}\n\n\r\n{"a":1,}\n${TWO}`);
  assert.deepEqual(values, [E, "line 4, column 8: the document is not JSON", F]);
});

Deno.test("base64 in more lines than documents are allowed is one document", async () => {
  const text = btoa(PRETTY).replace(/(.{20})/g, "$1\r\n");
  assert.ok(text.split("\n").length > LIMITS.documents);
  assert.deepEqual(await valuesOf(text), [E]);
  assert.deepEqual(await valuesOf(btoa("\xef\xbb\xbf" + ONE)), [E]);
  assert.deepEqual(await valuesOf(JSON.stringify({ content: btoa(`${ONE}\n${TWO}\n`) })), [E, F]);
});

Deno.test("answers of hosts' own APIs", async () => {
  const contents = {
    name: "r.json",
    encoding: "base64",
    content: btoa(ONE).replace(/(.{60})/g, "$1\n"),
  };
  assert.deepEqual(await valuesOf(JSON.stringify(contents)), [E]);
  const gist = {
    id: "aa",
    files: { "r.json": { content: ONE, truncated: false }, "notes.md": { content: "# [x]" } },
    history: [{ user: { login: "payload" } }],
  };
  assert.deepEqual(await valuesOf(JSON.stringify(gist)), [E]);
  assert.deepEqual(await valuesOf(JSON.stringify({ receipt: btoa(ONE) })), [E]);
});

Deno.test("a document of a protocol that isn't known is not looked into", async () => {
  const newer = {
    protocol: "clankdar-gate-v2",
    payload: JSON.stringify({ kind: "admission", receipts: [E] }),
    signature: "AA",
  };
  assert.deepEqual(await valuesOf(JSON.stringify(newer)), [newer]);
  assert.deepEqual(await valuesOf(JSON.stringify({ badge: newer })), [newer]);
  const { protocol: _, ...without } = newer;
  assert.deepEqual(await valuesOf(JSON.stringify(without)), [without]);
  const body = { kind: "admission", challenges: [], receipts: [E], verdict: {} };
  assert.deepEqual(await valuesOf(JSON.stringify(body)), [body]);
});

Deno.test("what names a protocol and has nothing signed is no document beside one", async () => {
  const challenge = { protocol: "clankdar-attest-v1", kind: "challenge" };
  const policy = { protocol: "clankdar-gate-v1", policy: {}, verifier: {} };
  assert.deepEqual(await valuesOf(JSON.stringify({ challenge, policy, receipt: E })), [E]);
  assert.deepEqual(await valuesOf(JSON.stringify({ ...policy, admission: E })), [E]);
  assert.deepEqual(await valuesOf(JSON.stringify(policy)), [policy]);
});

Deno.test("secrets beside a document are warned of, and not repeated", async () => {
  const secret = "s3cr3t";
  const session = {
    format: "touchstone-session-v1",
    sessionId: "gs_1",
    policy: {},
    items: [{ challenge: { protocol: "clankdar-attest-v1" }, seed: 1, expected: secret }],
  };
  const line = { type: "session", session: { sessionId: "gs_1", seeds: [1], note: secret } };
  const decision = { type: "decision", admission: E, receipts: [] };
  for (
    const text of [
      JSON.stringify({ ...session, admission: E }, null, 2),
      `${JSON.stringify(line)}\n${JSON.stringify(decision)}`,
      JSON.stringify([line, decision]),
      JSON.stringify({ ledger: [line, decision] }),
      JSON.stringify({ documents: [E], session }),
    ]
  ) {
    const result = await read(text);
    assert.ok(result.ok);
    assert.deepEqual(result.input.observations, ["secrets-beside"], text);
    assert.deepEqual(await valuesOf(text), [E]);
    assert.ok(!JSON.stringify(result.input).includes(secret));
  }
  const plain = await read(JSON.stringify({ receipt: E }));
  assert.ok(plain.ok && plain.input.observations === undefined);
});

Deno.test("a list of documents hides nothing that stands beside it", async () => {
  assert.deepEqual(await valuesOf(JSON.stringify({ documents: [E], receipt: F })), [E, F]);
  assert.deepEqual(await valuesOf(JSON.stringify({ documents: [E, E], receipt: E })), [E, E]);
  assert.deepEqual(await valuesOf(JSON.stringify({ documents: [], data: { receipt: E } })), [E]);
  assert.deepEqual(await refusalOf(JSON.stringify({ documents: [], data: {} })), [
    "documents-empty",
    undefined,
  ]);
});

Deno.test("a pool beside a document is never ignored, whatever it is named and however it is broken", async () => {
  const broken = { poolKey: "0".repeat(64), cells: [{}] };
  for (
    const text of [
      { receipt: E, pool: broken },
      { receipt: E, heldout: { secret: JSON.stringify(broken) } },
      { documents: [E], disclosed: broken },
      { documents: [{ receipt: E, pools: [broken] }] },
    ]
  ) {
    const result = await read(JSON.stringify(text));
    assert.ok(!result.ok && result.pool, JSON.stringify(text));
    assert.equal(result.reason.code, "protocol-unknown");
  }
});

Deno.test("a wrapper with more documents than are allowed is refused, copies aside", async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...E, payload: `{"n":${n}}` }));
  const refused = ["too-many-documents", undefined];
  for (const wrap of [(list: unknown[]) => list, (list: unknown[]) => JSON.stringify(list)]) {
    assert.equal((await valuesOf(JSON.stringify({ receipts: wrap(many(20)) }))).length, 20);
    assert.deepEqual(await refusalOf(JSON.stringify({ receipts: wrap(many(21)) })), refused);
  }
  const pairs = JSON.stringify([{ receipts: many(15) }, { receipts: many(15) }]);
  assert.deepEqual(await refusalOf(pairs), refused);
  // Copies of an admission's receipts don't count, and they hide no admission behind them.
  const admissions = Array.from({ length: 10 }, (_, n) => ({
    protocol: "clankdar-gate-v1",
    payload: JSON.stringify({ kind: "admission", n, receipts: many(9) }),
    signature: "AA",
  }));
  const copies = {
    receipts: many(9),
    more: admissions.map((one) => ({ admission: one, receipts: many(9) })),
  };
  assert.deepEqual(await valuesOf(JSON.stringify(copies)), admissions);
});

/** The characters that are handed to the parser meanwhile. */
async function parsedBy(text: string): Promise<number> {
  const { parse } = JSON;
  let length = 0;
  JSON.parse = (given, ...rest) => {
    length += given.length;
    return parse(given, ...rest);
  };
  try {
    await read(text);
  } finally {
    JSON.parse = parse;
  }
  return length;
}

const SIZE = 4_000_000;
const filled = (part: string) => part.repeat(SIZE / part.length);

/** A document in texts of texts, as deep as fits. */
function textsOfTexts(): string {
  let value: unknown = E;
  while (JSON.stringify(value).length < SIZE / 3) value = { a: [JSON.stringify(value)] };
  return JSON.stringify(value);
}

/** Any of them would take hours if the time grew with the square of the length. */
const COSTLY: [name: string, text: () => string][] = [
  ["base64-like text", () => `{"a":"${filled("eyJwYXlsb2FkIjoi")}"}`],
  ["base64-like text alone", () => filled("eyJwYXlsb2FkIjoi")],
  [
    "a hundred thousand strings",
    () => JSON.stringify({ a: Array(100_000).fill('{"payload": "signature"}}') }),
  ],
  ["texts of texts", textsOfTexts],
  [
    "lists in texts",
    () => JSON.stringify({ a: Array(1000).fill(JSON.stringify(Array(500).fill("[1]"))) }),
  ],
  ["fences in fences", () => filled("```\n````\n")],
  ["a fence of ticks", () => "`".repeat(SIZE / 2) + "\n" + filled("`".repeat(SIZE / 4) + " ")],
  ["blanks in a fence", () => "```\n" + filled(" ") + "x\n```"],
  ["heads behind heads", () => filled("HTTP/1.1 200\n\n")],
  ["a head of colons", () => "HTTP/1.1 200 OK\n" + filled("a:\t") + "\n\n{"],
  ["line separators in a run", () => `{"type":"run","a":"${filled("\u2028")}"}\n{"type":"row"}`],
  ["carriage returns in a run", () => `{"type":"run"}\n${filled("\r")}{`],
  ["names of members in a run", () => `{"type":"run"}\n${filled('"signature" "payload"')}`],
  ["lines with names in a run", () => `{"type":"run"}\n${filled('"signature" "payload"\n')}`],
  ["a broken text of escapes", () => `{"a":"${filled("\\n")}"`],
  ["a broken text of letters", () => `{"a":"${filled("x")}"} x`],
  ["byte order marks", () => filled("\ufeff") + "{"],
  ["blank lines", () => filled("\n") + "{"],
];

for (const [name, text] of COSTLY) {
  Deno.test(`read in one pass or a few: ${name}`, async () => {
    const given = text();
    const parsed = await parsedBy(given);
    assert.ok(parsed <= 8 * given.length, `${parsed} characters parsed of ${given.length}`);
  });
}
