/** Documents in what their holders really have (protocols spec 12, 20). */
import assert from "node:assert/strict";
import { readInput } from "../../../lib/verify/input.ts";
import { createPool, toPoolFile } from "../../../lib/issuer/pool.ts";

const E = { protocol: "clankdar-attest-v1", payload: '{"n":1}', signature: "AA" };
const F = { protocol: "clankdar-attest-v1", payload: '{"n":2}', signature: "BB" };
/** An admission that holds the receipt E. */
const A = {
  protocol: "clankdar-gate-v1",
  payload: JSON.stringify({ kind: "admission", receipts: [E] }),
  signature: "CC",
};
const text = (value: unknown) => JSON.stringify(value);
const POOL = toPoolFile(createPool("touchstone", ["algal:t1"]));

const utf8 = new TextEncoder();
const base64 = (value: string) => btoa(String.fromCharCode(...utf8.encode(value)));

async function entriesOf(given: string | Uint8Array) {
  const bytes = typeof given === "string" ? utf8.encode(given) : given;
  const read = await readInput(bytes, { bytes: 1_000_000, documents: 20 });
  assert.ok(read.ok, read.ok ? "" : `${read.reason.code}: ${read.reason.message}`);
  return read.input;
}

/** The documents of an input, and whether each came out of a wrapper. */
async function documentsOf(given: unknown): Promise<unknown[]> {
  const { entries } = await entriesOf(typeof given === "string" ? given : text(given));
  return entries.map((entry) => {
    assert.ok("value" in entry);
    return entry.value;
  });
}

const WRAPPERS: [name: string, given: unknown, documents: unknown[]][] = [
  ["bare", E, [E]],
  ["receipt", { receipt: E }, [E]],
  ["badge", { badge: A, instances: [1], subject: "x" }, [A]],
  ["badges", { badges: [A, E] }, [A]],
  ["admissions", { admissions: [A, F] }, [A, F]],
  ["receipts", { receipts: [E, F] }, [E, F]],
  ["a check", { check: { receipt: E } }, [E]],
  ["a result", { ok: true, result: { id: "x", receipt: F } }, [F]],
  ["data", { data: E }, [E]],
  ["three levels", { data: { check: { receipt: E } } }, [E]],
  ["rows", { results: [{ receipt: E }, { receipt: F }] }, [E, F]],
  ["a text", { id: 1, receiptText: text(E) }, [E]],
  ["a text of a list", { texts: text([E, F]) }, [E, F]],
  ["texts", { receipts: [text(E), text(F)] }, [E, F]],
  ["a text of a text", text(text(E)), [E]],
  ["a string", text(text({ receipt: E })), [E]],
  ["an admission and its receipts", { admission: A, receipts: [E] }, [A]],
  ["an admission and another's receipt", { admission: A, receipts: [E, F] }, [A, F]],
  ["a list of wrappers", [{ receipt: E }, F, { admission: A, receipts: [E] }], [E, F, A]],
  ["a bundle of wrappers", { documents: [{ receipt: E }, F] }, [E, F]],
  ["the answer of a host's API", { content: base64(text(E)), encoding: "base64" }, [E]],
  ["base64", base64(text(E)), [E]],
  ["base64 in lines", base64(text(A)).replace(/(.{60})/g, "$1\n"), [A]],
  ["base64 in many lines", base64(text({ receipt: A })).replace(/(.{4})/g, "$1\n"), [A]],
  ["base64 of a text with a byte order mark", base64("\ufeff" + text(E)), [E]],
  ["base64url", base64(text(E)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, ""), [E]],
  ["a fence", "```json\n" + text(E) + "\n```\n", [E]],
  ["a fence of tildes", "~~~\n" + JSON.stringify(E, null, 2) + "\n~~~", [E]],
  [
    "a fence of many lines",
    "```\n[" + text(E) + "," + "\n".repeat(90) + text(F) + "]\n```",
    [E, F],
  ],
  ["curl -iL", `HTTP/2 302 \r\nlocation: /x\r\n\r\nHTTP/2 200 \r\n\r\n${text(E)}`, [E]],
  ["curl -i", `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${text(E)}`, [E]],
  ["curl -i, HTTP/2", `HTTP/2 200 \r\netag: "x"\r\n\r\n${text({ receipt: E })}\n`, [E]],
  [
    "a ledger",
    [
      text({ type: "session", session: { sessionId: "gs_1", seeds: [1] } }),
      text({ type: "decision", sessionId: "gs_1", admission: A, receipts: [E] }),
    ].join("\n"),
    [A],
  ],
];

for (const [name, given, documents] of WRAPPERS) {
  Deno.test(`found in its wrapper: ${name}`, async () => {
    assert.deepEqual(await documentsOf(given), documents);
  });
}

Deno.test("what is deeper than three levels, or inside a document, is not looked for", async () => {
  const four = { a: { b: { c: { receipt: E } } } };
  assert.deepEqual(await documentsOf(four), [four]);
  // An envelope is what it is, whatever unsigned members stand beside its own.
  const around = { ...E, receipt: F, admission: A };
  assert.deepEqual(await documentsOf(around), [around]);
});

Deno.test("a line with the type of a run's line is a document where it is one", async () => {
  for (const type of ["run", "summary", "result"]) {
    const document = { ...A, type };
    const wrapper = { type, admission: A };
    assert.deepEqual(await documentsOf(document), [document]);
    assert.deepEqual(await documentsOf(JSON.stringify(document, null, 2)), [document]);
    assert.deepEqual(await documentsOf(wrapper), [A]);
    const lines = [text(E), text(F), text({ type, total: 2 })].join("\n");
    const [first, second] = await documentsOf(lines);
    assert.deepEqual([first, second], [E, F]);
  }
  const { entries } = await entriesOf('{"type":"run","schemaVersion":2}\n{"type":"summary"}');
  assert.ok("run" in entries[0]!);
});

Deno.test("another tool's lines of the types of a run's lines are no run", async () => {
  for (const lines of [[{ type: "run" }, { type: "summary", passed: 3 }], [{ type: "run" }]]) {
    assert.deepEqual(await documentsOf(lines.map(text).join("\n")), lines);
  }
});

Deno.test("a text signed by an unknown rule is that, and isn't looked into", async () => {
  for (const protocol of ["clankdar-gate-v2", "CLANKDAR-GATE-V1", "acme", "", 1, undefined]) {
    const signed = { ...A, protocol, payload: JSON.stringify({ receipts: [E], admission: F }) };
    assert.deepEqual(await documentsOf(signed), [JSON.parse(text(signed))]);
    assert.deepEqual(await documentsOf({ receipt: signed }), [JSON.parse(text(signed))]);
  }
});

Deno.test("a pool beside a document is used, or refused with a word", async () => {
  const used = [
    { admission: A, pool: POOL },
    { documents: [A], pool: POOL },
    { admission: A, pool: text(POOL) },
    { data: { admission: A, disclosed: { poolText: base64(text(POOL)) } } },
  ];
  for (const given of used) {
    const { entries, pools } = await entriesOf(text(given));
    assert.equal(entries.length, 1);
    assert.deepEqual(pools.map(({ poolKey }) => poolKey), [POOL.poolKey]);
  }
  const lie = { ...POOL, poolKey: "0".repeat(64) };
  for (const given of [{ admission: A, pool: lie }, { documents: [A], pool: lie }]) {
    const read = await readInput(utf8.encode(text(given)), { bytes: 100_000, documents: 9 });
    assert.ok(!read.ok && read.pool);
    assert.equal(read.reason.code, "pool-key-mismatch");
  }
});

Deno.test("nothing to verify is refused, in every form", async () => {
  for (const given of ["", " \n\t", "\ufeff", "[]", " [ ] ", '{"documents":[]}', "[[]]x"]) {
    const read = await readInput(utf8.encode(given), { bytes: 1000, documents: 9 });
    assert.ok(!read.ok, given);
    const code = given === "[[]]x" ? "document-not-json" : "documents-empty";
    assert.equal(read.reason.code, code, JSON.stringify(given));
  }
});

Deno.test("a byte order mark is skipped and noted, before every form", async () => {
  const gzip = async (value: string) => {
    const stream = new Blob([value]).stream().pipeThrough(new CompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  const mark = "\ufeff";
  for (
    const given of [
      mark + text(E),
      `${mark}${text(E)}\n${text(F)}\n`,
      await gzip(mark + text(E)),
      `${mark}[${text(E)}]`,
    ]
  ) {
    const { entries, observations } = await entriesOf(given);
    const [first] = entries;
    assert.ok(first !== undefined && "value" in first);
    assert.deepEqual(first.value, E);
    assert.deepEqual(observations, ["byte-order-mark"]);
  }
  assert.equal((await entriesOf(text(E))).observations, undefined);
});

const NOT_JSON: [given: string, looksLike: string | undefined, message: RegExp][] = [
  ["https://example.org/receipt.json", "a URL", /^this is a URL/],
  ["<!doctype html><title>x</title>", "a web page", /^this is a web page/],
  ['{"a":1,}', undefined, /\(line 1, column 8\)$/],
  ['{"a":1,\n"b":}', undefined, /\(line 2, column 5\)$/],
  [text(E).slice(0, -5), "a text that was cut off", /cut off/],
  [text({ a: text({ b: "c" }) }).slice(0, -6), "a text that was cut off", /cut off/],
  ['{"a":"b\nc"', undefined, /line 1, column 6/],
  ["<!-- by x -->\n<html>", "a web page", /^this is a web page/],
];

Deno.test("what isn't JSON is told with its place, and with what it looks like", async () => {
  for (const [given, looksLike, message] of NOT_JSON) {
    const read = await readInput(utf8.encode(given), { bytes: 10_000, documents: 9 });
    assert.ok(!read.ok);
    assert.equal(read.reason.code, "document-not-json");
    assert.equal(read.looksLike, looksLike, given);
    assert.match(read.reason.message, message);
  }
  const read = await readInput(new Uint8Array([0x50, 0x4b, 3, 4, 0xff]), {
    bytes: 100,
    documents: 1,
  });
  assert.ok(!read.ok);
  assert.equal(read.reason.code, "document-not-utf8");
  assert.equal(read.looksLike, "a zip archive");
});
