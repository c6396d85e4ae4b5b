import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { createPool } from "../../../lib/issuer/pool.ts";
import { readInput } from "../../../lib/verify/input.ts";

const LIMITS = { bytes: 100_000, documents: 10 };
const receipt = { protocol: "clankdar-attest-v1", payload: "{}", signature: "" };
const bytes = (text: string) => new TextEncoder().encode(text);

/** The values of all entries, or the code of what was refused. */
async function read(input: string | Uint8Array): Promise<unknown> {
  const result = await readInput(typeof input === "string" ? bytes(input) : input, LIMITS);
  if (!result.ok) return result.reason.code;
  return result.input.entries.map((entry) =>
    "value" in entry ? entry.value : "run" in entry ? "run" : entry.reason.code
  );
}

Deno.test("one document, an array, a bundle, JSON lines", async () => {
  const text = JSON.stringify(receipt);
  assert.deepEqual(await read(text), [receipt]);
  assert.deepEqual(await read(JSON.stringify(receipt, null, 2) + "\n"), [receipt]);
  assert.deepEqual(await read(`[${text},1,null]`), [receipt, 1, null]);
  assert.deepEqual(await read(`{"documents":[${text},${text}]}`), [receipt, receipt]);
  assert.deepEqual(await read(`${text}\r\n\r\n${text}\n`), [receipt, receipt]);
  assert.deepEqual(await read(`${text}\nnonsense\n3`), [receipt, "document-not-json", 3]);
  assert.deepEqual(await read(`nonsense\n${text}`), ["document-not-json", receipt]);
  assert.deepEqual(await read("null"), [null]);
});

Deno.test("gzip of any of these, told by its first bytes", async () => {
  assert.deepEqual(await read(gzipSync(bytes(JSON.stringify(receipt)))), [receipt]);
  assert.deepEqual(await read(gzipSync(bytes("1\n2"))), [1, 2]);
  const damaged = gzipSync(bytes(JSON.stringify(receipt)));
  assert.equal(await read(damaged.subarray(0, -3)), "gzip-malformed");
  damaged[15]! ^= 0xff;
  assert.equal(await read(damaged), "gzip-malformed");
  assert.equal(await read(new Uint8Array([0x1f, 0x8b])), "gzip-malformed");
});

Deno.test("a gzip bomb is cut off at the limit", async () => {
  const bomb = gzipSync(new Uint8Array(200_000_000));
  assert.ok(bomb.length < 250_000);
  assert.equal(await read(bomb), "document-too-large");
});

Deno.test("what can't be read as a whole", async () => {
  for (
    const text of ["{", "{'a':1}", "nonsense\n1", '{"a":1}}', "[\n1\n2\n]"]
  ) {
    assert.equal(await read(text), "document-not-json", JSON.stringify(text));
  }
  assert.equal(await read(new Uint8Array([0x22, 0xff, 0x22])), "document-not-utf8");
  assert.equal(await read("x".repeat(100_001)), "document-too-large");
  assert.equal(await read("[".repeat(50_000) + "]".repeat(50_000)), "document-too-deep");
  assert.equal(await read(JSON.stringify(Array(11).fill(1))), "too-many-documents");
  assert.equal(await read("1\n".repeat(11)), "too-many-documents");
  assert.equal(await read(`1${"\n".repeat(200)}1`), "too-many-documents");
});

Deno.test("hundreds of thousands of members are refused before anything is built from them", async () => {
  const limits = { bytes: 10_000_000, documents: 1_000_000 };
  const many = [
    `[${"{},".repeat(250_001)}{}]`,
    `{${Array.from({ length: 250_002 }, (_, i) => `"${i}":0`).join()}}`,
    `{"documents":[${"0,".repeat(250_001)}0]}`,
  ];
  for (const text of many) {
    const result = await readInput(bytes(text), limits);
    assert.ok(!result.ok);
    assert.equal(result.reason.code, "document-too-large");
  }
  const fine = await readInput(bytes(`[${"0,".repeat(200_000)}0]`), limits);
  assert.ok(fine.ok);
});

Deno.test("the depth of a document counts from the document, also inside a bundle", async () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const bundle = (inner: string) => `{"documents":[${inner}]}`;
  assert.equal((await read(bundle(deep(64))) as unknown[]).length, 1);
  assert.equal(await read(bundle(deep(65))), "document-too-deep");
});

Deno.test("a benchmark run is told by its first or last line", async () => {
  assert.deepEqual(await read('{"type":"run","schemaVersion":2}\n{"type":"row"}'), ["run"]);
  assert.deepEqual(await read('{"type":"row"}\n{"type":"summary","schemaVersion":2}'), ["run"]);
  const legacy = '{"pass":true}\n{"type":"summary","adapter":"a","total":1,"passed":1,"errors":0}';
  assert.deepEqual(await read(legacy), ["run"]);
  assert.deepEqual(await read('{"type":"row"}\n{"type":"row"}'), [{ type: "row" }, {
    type: "row",
  }]);
});

Deno.test("pools of a bundle: read strictly, each once, the faulty one named", async () => {
  const pool = createPool("touchstone", ["algal:t1"]);
  const { protocol, suite, poolKey, cells } = pool;
  const file = { protocol, suite, poolKey, cells };
  const withPools = (pools: unknown) => bytes(JSON.stringify({ documents: [receipt], pools }));
  const good = await readInput(withPools([file, file]), LIMITS);
  assert.ok(good.ok);
  assert.deepEqual(good.input.pools, [pool]);
  const wrong = { ...file, poolKey: "0".repeat(64) };
  const bad = await readInput(withPools([file, wrong]), LIMITS);
  assert.ok(!bad.ok && bad.pool);
  assert.equal(bad.reason.code, "pool-key-mismatch");
  assert.equal(bad.reason.path, "pools[1].poolKey");
  for (const [pools, code] of [[3, "pools-malformed"], [Array(65).fill(file), "too-many-pools"]]) {
    const refused = await readInput(withPools(pools), LIMITS);
    assert.ok(!refused.ok && refused.pool);
    assert.equal(refused.reason.code, code);
  }
});
