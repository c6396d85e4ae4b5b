import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Cache } from "../../lib/store/cache.ts";
import { CHUNK_BYTES, createDocuments } from "../../lib/store/documents.ts";
import { retrying, StoreUnavailable } from "../../lib/store/retry.ts";

const idOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Bytes that don't compress. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)));
  }
  return bytes;
}

async function withKv(run: (kv: Deno.Kv) => Promise<void>): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  try {
    await run(kv);
  } finally {
    kv.close();
  }
}

Deno.test("documents of every size come back as they were", async () => {
  await withKv(async (kv) => {
    const documents = createDocuments(kv);
    for (const length of [0, 1, CHUNK_BYTES - 100, CHUNK_BYTES, CHUNK_BYTES * 11 + 7, 2_000_000]) {
      const bytes = noise(length);
      const id = idOf(bytes);
      assert.equal(await documents.get(id), null);
      assert.equal(await documents.put(id, bytes), true, `${length}`);
      assert.equal(await documents.put(id, bytes), false);
      assert.deepEqual(await documents.get(id), new Uint8Array(bytes));
    }
  });
});

Deno.test("the entry is written last, so a document cut short isn't there", async () => {
  await withKv(async (kv) => {
    const written: string[] = [];
    const watched = new Proxy(kv, {
      get(target, name) {
        if (name === "set") {
          return (key: Deno.KvKey, value: unknown) => {
            written.push(String(key[0]));
            if (written.length === 3) return Promise.reject(new Error("power cut"));
            return target.set(key, value);
          };
        }
        const member = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const bytes = noise(CHUNK_BYTES * 4);
    const id = idOf(bytes);
    await assert.rejects(createDocuments(watched).put(id, bytes), /power cut/);
    assert.deepEqual(written, ["document-chunk", "document-chunk", "document-chunk"]);
    assert.equal(await createDocuments(kv).get(id), null);
    assert.equal(await createDocuments(kv).put(id, bytes), true);
    assert.deepEqual(await createDocuments(kv).get(id), new Uint8Array(bytes));
  });
});

Deno.test("one of many concurrent writers creates a document", async () => {
  await withKv(async (kv) => {
    const documents = createDocuments(kv);
    const bytes = noise(200_000);
    const id = idOf(bytes);
    const created = await Promise.all(Array.from({ length: 16 }, () => documents.put(id, bytes)));
    assert.equal(created.filter((one) => one).length, 1);
    assert.deepEqual(await documents.get(id), new Uint8Array(bytes));
  });
});

Deno.test("damaged chunks are noticed", async () => {
  await withKv(async (kv) => {
    const documents = createDocuments(kv);
    const bytes = noise(CHUNK_BYTES * 2);
    const id = idOf(bytes);
    await documents.put(id, bytes);
    for await (const { key } of kv.list({ prefix: ["document-chunk"] })) {
      await kv.set(key, new Uint8Array(10));
      break;
    }
    await assert.rejects(documents.get(id), /damaged/);
  });
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

Deno.test("two connections to one file store the same documents", async () => {
  const folder = await Deno.makeTempDir();
  const first = await Deno.openKv(`${folder}/a.kv`);
  const second = await Deno.openKv(`${folder}/a.kv`);
  try {
    const all = Array.from({ length: 30 }, () => noise(100_000));
    const created = await Promise.all([first, second].map(async (kv) => {
      const documents = createDocuments(kv);
      const results = await Promise.all(all.map((bytes) => documents.put(idOf(bytes), bytes)));
      return results.filter((one) => one).length;
    }));
    assert.equal(created[0]! + created[1]!, 30);
    for (const bytes of all) {
      assert.deepEqual(await createDocuments(first).get(idOf(bytes)), new Uint8Array(bytes));
    }
  } finally {
    first.close();
    second.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the cache is bounded by weight and forgets what was used least", () => {
  const cache = new Cache<string>(10);
  cache.set("a", "A", 4);
  cache.set("b", "B", 4);
  assert.equal(cache.get("a"), "A");
  cache.set("c", "C", 4);
  assert.equal(cache.get("b"), undefined);
  assert.equal(cache.get("a"), "A");
  assert.equal(cache.get("c"), "C");
  cache.set("a", "A2", 1);
  assert.equal(cache.weight, 5);
  cache.set("large", "X", 11);
  assert.equal(cache.get("large"), undefined);
  assert.equal(cache.weight, 5);
});
