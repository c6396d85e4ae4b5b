/** gzip of one member and of several, within limits. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { gunzip } from "../../../lib/encoding/gunzip.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function concatenated(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function unpack(packed: Uint8Array, limit = 1000): Promise<string> {
  const unpacked = await gunzip(packed, limit);
  return typeof unpacked === "string" ? unpacked : new TextDecoder().decode(unpacked);
}

const hello = new Uint8Array(gzipSync(bytes("hello\n")));
const world = new Uint8Array(gzipSync(bytes("world\n")));

Deno.test("gzip of several members is read to its end", async () => {
  assert.equal(await unpack(hello), "hello\n");
  assert.equal(await unpack(concatenated(hello, world)), "hello\nworld\n");
  assert.equal(await unpack(concatenated(hello, world, hello)), "hello\nworld\nhello\n");
  const empty = new Uint8Array(gzipSync(bytes("")));
  assert.equal(await unpack(concatenated(empty, hello, empty)), "hello\n");
  const large = new Uint8Array(gzipSync(crypto.getRandomValues(new Uint8Array(60_000))));
  const unpacked = await gunzip(concatenated(large, large), 1_000_000);
  assert.equal(typeof unpacked === "string" ? unpacked : unpacked.length, 120_000);
});

Deno.test("the limit is that of all members together", async () => {
  assert.equal(await unpack(concatenated(hello, world), 12), "hello\nworld\n");
  assert.equal(await unpack(concatenated(hello, world), 11), "too-large");
  const bomb = new Uint8Array(gzipSync(new Uint8Array(50_000_000)));
  assert.equal(await unpack(concatenated(hello, bomb), 1_000_000), "too-large");
});

Deno.test("each member is checked, and nothing else may follow one", async () => {
  const both = concatenated(hello, world);
  for (const at of [hello.length - 6, both.length - 6]) {
    const damaged = both.slice();
    damaged[at]! ^= 1;
    assert.equal(await unpack(damaged), "malformed", `sum at ${at}`);
  }
  assert.equal(await unpack(both.subarray(0, -3)), "malformed");
  assert.equal(await unpack(concatenated(hello, new Uint8Array(8))), "malformed", "zero padding");
  assert.equal(await unpack(concatenated(hello, bytes("{}"))), "malformed", "text behind");
  assert.equal(await unpack(concatenated(hello, hello.subarray(0, 5))), "malformed");
});

Deno.test("what looks like the head of a member inside one is its content", async () => {
  const heads = new Uint8Array(40_000);
  for (let at = 0; at < heads.length; at += 4) heads.set([0x1f, 0x8b, 8, 0], at);
  const stored = new Uint8Array(gzipSync(heads, { level: 0 }));
  const unpacked = await gunzip(concatenated(stored, hello), 100_000);
  assert.ok(unpacked instanceof Uint8Array);
  assert.deepEqual(unpacked.subarray(0, 40_000), heads);
  assert.equal(new TextDecoder().decode(unpacked.subarray(40_000)), "hello\n");
});

Deno.test("tiny members without end don't keep the service busy", async () => {
  assert.equal((await unpack(concatenated(...Array(256).fill(hello)), 10_000)).length, 1536);
  assert.equal(await unpack(concatenated(...Array(257).fill(hello)), 10_000), "malformed");
});
