import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  attach,
  CHUNK_BYTES,
  INLINE_CHUNKS,
  pack,
  readContent,
  upload,
} from "../../../lib/store/content.ts";
import { createDatabase, type Database } from "../../../lib/kv/database.ts";
import { retrying, StoreUnavailable } from "../../../lib/kv/retry.ts";
import { REVISION, revisionOf } from "../../../lib/verify/version.ts";
import { withKv } from "../../support/store_fixtures.ts";

const idOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Bytes that don't compress. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)));
  }
  return bytes;
}

async function put(db: Database, bytes: Uint8Array) {
  const packed = pack(bytes);
  const uploaded = await upload(db, idOf(bytes), packed, 0);
  const commit = await db.commit((op) => attach(op, idOf(bytes), packed, uploaded));
  return { content: packed.content, ok: commit.ok, uploaded };
}

Deno.test("documents of every size come back as they were", async () => {
  await withKv(async (kv) => {
    const db = createDatabase(kv);
    const limit = CHUNK_BYTES * INLINE_CHUNKS;
    for (const length of [0, 1, CHUNK_BYTES - 100, CHUNK_BYTES, limit - 500, limit, 2_100_000]) {
      const bytes = noise(length);
      const { content, ok, uploaded } = await put(db, bytes);
      assert.equal(ok, true, `${length}`);
      assert.equal(uploaded.length, content.chunks > INLINE_CHUNKS ? content.chunks : 0);
      assert.deepEqual(await readContent(db, idOf(bytes), content), new Uint8Array(bytes));
    }
    assert.equal((await Array.fromAsync(kv.list({ prefix: ["upload"] }))).length, 0);
  });
});

Deno.test("a document whose chunks changed after they were written isn't made findable", async () => {
  await withKv(async (kv) => {
    const db = createDatabase(kv);
    const bytes = noise(CHUNK_BYTES * (INLINE_CHUNKS + 4));
    const packed = pack(bytes);
    const id = idOf(bytes);
    const uploaded = await upload(db, id, packed, 0);
    await kv.delete(uploaded[3]!.key);
    const commit = await db.commit((op) => attach(op, id, packed, uploaded));
    assert.equal(commit.ok, false);
    assert.equal(await readContent(db, id, packed.content), null);
    assert.equal((await put(db, bytes)).ok, true);
  });
});

Deno.test("damaged chunks are noticed", async () => {
  await withKv(async (kv) => {
    const db = createDatabase(kv);
    const bytes = noise(CHUNK_BYTES * 2);
    const { content } = await put(db, bytes);
    const [first] = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["document-chunk"] }));
    const flipped = first!.value.slice();
    flipped[5000]! ^= 1;
    for (const damage of [new Uint8Array(10), flipped]) {
      await kv.set(first!.key, damage);
      await assert.rejects(readContent(db, idOf(bytes), content), /damaged/);
    }
  });
});

Deno.test("a call that hangs is given up", async () => {
  const hanging = { get: () => new Promise(() => {}) } as unknown as Deno.Kv;
  await assert.rejects(createDatabase(hanging, 20).get(["x"]), StoreUnavailable);
});

Deno.test("a scan reads everything once, in order", async () => {
  await withKv(async (kv) => {
    const db = createDatabase(kv);
    for (let n = 0; n < 25; n++) await kv.set(["a", n % 5, `${n}`], n);
    await kv.set(["b"], 0);
    const all = (await Array.fromAsync(db.scan(["a"], { batch: 4 }))).map(({ key }) => key);
    assert.equal(all.length, 25);
    assert.deepEqual(all, (await Array.fromAsync(kv.list({ prefix: ["a"] }))).map((e) => e.key));
    const rest = await Array.fromAsync(db.scan(["a"], { after: all[9], batch: 4 }));
    assert.deepEqual(rest.map(({ key }) => key), all.slice(10));
  });
});

Deno.test("every stamp of before there were revisions is older than all revisions", () => {
  assert.ok(Number.isInteger(REVISION) && REVISION >= 1);
  for (
    const stamp of ["0.1.0", "0.2.0", "10.0.0", "12", "junk", "", undefined, null, -1, 1.5, NaN]
  ) {
    assert.equal(revisionOf(stamp), 0, String(stamp));
  }
  assert.deepEqual([1, 9, 10].map(revisionOf), [1, 9, 10]);
});

Deno.test("a locked database is tried again, with pauses that grow", async () => {
  const pauses: number[] = [];
  let calls = 0;
  const value = await retrying(() => {
    calls++;
    if (calls < 5) return Promise.reject(new TypeError("database is locked"));
    return Promise.resolve("done");
  }, (ms) => {
    pauses.push(ms);
    return Promise.resolve();
  });
  assert.equal(value, "done");
  assert.equal(pauses.length, 4);
  assert.ok(pauses[3]! > pauses[0]!);
});

Deno.test("a database that stays locked is unavailable; other errors pass at once", async () => {
  const noPause = () => Promise.resolve();
  await assert.rejects(
    retrying(() => Promise.reject(new TypeError("database is locked")), noPause),
    StoreUnavailable,
  );
  let calls = 0;
  await assert.rejects(
    retrying(() => {
      calls++;
      return Promise.reject(new TypeError("value too large"));
    }, noPause),
    /too large/,
  );
  assert.equal(calls, 1);
});
