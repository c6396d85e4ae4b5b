/** What a disk did to the database: no badge stays green on it, and each answer says what is wrong. */
import assert from "node:assert/strict";
import { inLineChecker } from "../../service/checker.ts";
import { createStore } from "../../lib/store/create.ts";
import { createApp } from "../../routes/app.ts";
import { createServices } from "../../service/services.ts";
import { resultKey } from "../../lib/store/keys.ts";
import { fileOf, mintUnder, newPool, publish, tallyOf } from "../support/disclosure.ts";
import { mint, post, serverTest, type TestServer } from "../support/server.ts";

const HTML = { headers: { accept: "text/html" } };

type Damage = (kv: Deno.Kv, id: string) => Promise<void>;

async function chunkOf(kv: Deno.Kv, id: string): Promise<Deno.KvEntry<Uint8Array>> {
  for await (const entry of kv.list<Uint8Array>({ prefix: ["document-chunk", id] })) return entry;
  throw new Error("no chunk");
}

function inChunk(change: (bytes: Uint8Array) => unknown): Damage {
  return async (kv, id) => {
    const { key, value } = await chunkOf(kv, id);
    await kv.set(key, change(value.slice()));
  };
}

// deno-lint-ignore no-explicit-any
function inRow(change: (row: any) => unknown): Damage {
  return async (kv, id) => {
    const { value } = await kv.get(resultKey(id));
    await kv.set(resultKey(id), change(value));
  };
}

const DAMAGES: Record<string, Damage> = {
  "a bit of a chunk": inChunk((bytes) => {
    bytes[bytes.length >> 1]! ^= 1;
    return bytes;
  }),
  "the head of a chunk": inChunk((bytes) => bytes.fill(0, 0, 4)),
  "the end of a chunk": inChunk((bytes) => bytes.subarray(0, -5)),
  "an empty chunk": inChunk(() => new Uint8Array(0)),
  "a chunk that is something else": inChunk(() => "text"),
  "a lost chunk": async (kv, id) => await kv.delete((await chunkOf(kv, id)).key),
  "a number of a row": inRow((row) => ({ ...row, counts: { ...row.counts, passed: 99 } })),
  "an outcome of a row": inRow((row) => ({ ...row, outcome: "verifieD" })),
  "an observation of a row": inRow((row) => ({ ...row, observations: ["exposed"] })),
  "a lost part of a row": inRow(({ pools: _, ...row }) => row),
  "a lost part of an older row": inRow(({ pools: _, seal: __, ...row }) => row),
  "nothing but a row's seal": inRow(({ seal }) => ({ seal })),
  "a row that is something else": inRow(() => "text"),
  "a row that is a number": inRow(() => 7),
};

async function badges(server: TestServer, id: string): Promise<string[]> {
  const paths = [`/badge/${id}.json`, `/badge/${id}.json?style=card`];
  const says: string[] = [];
  for (const path of paths) {
    const answer = await server.fetch(path);
    assert.equal(answer.status, 200);
    says.push((await answer.json()).message);
  }
  const svg = await server.fetch(`/badge/${id}.svg`);
  says.push(/<title>([^<]*)/.exec(await svg.text())![1]!);
  return says;
}

for (const [what, damage] of Object.entries(DAMAGES)) {
  serverTest(`damaged on disk: ${what}`, async (server) => {
    const { envelope } = await mint(server);
    const { id } = await (await server.fetch("/api/results", post(envelope))).json();
    const other = await (await server.fetch("/api/results", post((await mint(server)).envelope)))
      .json();
    assert.equal((await badges(server, id))[0], "2/2 passed · unknown issuer");
    await damage(server.kv, id);
    // Another process, or this one after it has been asked for something else: it reads anew.
    await server.kv.atomic().sum(["pools-epoch"], 1n).commit();
    await new Promise((resolve) => setTimeout(resolve, 25));
    for (const said of await badges(server, id)) {
      assert.match(said, /checking|being checked/);
      assert.doesNotMatch(said, /passed|verified/);
    }
    // A process that remembers no report of before the damage.
    const next = createApp(createServices({
      kv: server.kv,
      checker: inLineChecker(server.verifier),
      references: server.verifier.references,
      publicUrl: null,
      log: (line) => void server.logs.push(line),
    }));
    const ask = (path: string, init?: RequestInit) =>
      Promise.resolve(next.fetch(new Request(`${server.url}${path}`, init)));
    for (const path of [`/api/results/${id}`, `/api/results/${id}/document`, `/r/${id}`]) {
      const answer = await ask(path, path.startsWith("/r/") ? HTML : {});
      assert.equal(answer.status, 500, path);
      assert.match(await answer.text(), /damaged/, path);
    }
    // Lists go on, and so does everything else.
    assert.equal((await ask("/api/results")).status, 200);
    assert.equal((await ask("/")).status, 200);
    assert.equal((await badges(server, other.id))[0], "2/2 passed · unknown issuer");
    const again = await ask("/api/results", post(envelope));
    assert.equal(again.status, 500);
    assert.equal((await again.json()).code, "document-damaged");
    assert.ok(server.logs.every((line) => /is damaged/.test(line)), server.logs.join("\n"));
    await next.close();
    // What the operator deletes can be stored anew.
    const store = createStore(server.kv, inLineChecker(server.verifier));
    assert.ok(await store.deleteDocument(id));
    await store.gc();
    assert.ok((await store.keep(envelope)).ok);
    assert.equal((await store.badgeRow(id)).state, "current");
  }, { file: true });
}

serverTest("one damaged document doesn't keep a pool from its others", async (server) => {
  const pool = newPool();
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const answer = await server.fetch(
      "/api/results",
      post((await mintUnder(server, pool)).envelope),
    );
    ids.push((await answer.json()).id);
  }
  await DAMAGES["a bit of a chunk"]!(server.kv, ids[0]!);
  await DAMAGES["a row that is something else"]!(server.kv, ids[1]!);
  await publish(server, fileOf(pool));
  const tally = await tallyOf(server, pool.poolKey);
  assert.equal(tally.upgraded, 2);
  assert.equal((await badges(server, ids[0]!))[0], "checking");
  assert.equal((await badges(server, ids[1]!))[0], "checking");
  assert.match((await badges(server, ids[2]!))[0]!, /passed/);
});
