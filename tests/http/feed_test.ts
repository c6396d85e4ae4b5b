import { inLineChecker } from "../../service/checker.ts";
import assert from "node:assert/strict";
import { createStore } from "../../lib/store/create.ts";
import { feedSchema } from "../../routes/schemas/index.ts";
import {
  fileOf,
  keep,
  mintContradicting,
  mintUnder,
  newPool,
  problem,
  publish,
  tallyOf,
} from "../support/disclosure.ts";
import { serverTest, type TestServer } from "../support/server.ts";

async function feedOf(server: TestServer, query = "") {
  const answer = await server.fetch(`/api/feed${query}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/feed+json");
  return feedSchema.parse(await answer.json());
}

serverTest("upgrades and exposures, newest first, page by page", async (server) => {
  const empty = await feedOf(server);
  assert.equal(empty.feed_url, `${server.url}/api/feed`);
  assert.deepEqual(empty.items, []);
  const pool = newPool();
  const sound = await keep(server, (await mintUnder(server, pool)).envelope);
  const false_ = await keep(server, (await mintContradicting(server, pool)).envelope);
  await publish(server, fileOf(pool));
  await tallyOf(server, pool.poolKey);
  const arrival = await keep(server, (await mintContradicting(server, pool)).envelope);

  const { items, next_url } = await feedOf(server);
  assert.equal(next_url, undefined);
  assert.equal(items.length, 3);
  assert.deepEqual(items[0]?._touchstone.result, arrival.id);
  assert.deepEqual(items[0]?._touchstone.from, null);
  const by = new Map(items.map((item) => [item._touchstone.result, item]));
  assert.deepEqual(by.get(sound.id)?.tags, ["upgraded"]);
  assert.deepEqual(by.get(false_.id)?.tags, ["exposed"]);
  assert.equal(by.get(false_.id)?.url, `${server.url}/r/${false_.id}`);
  assert.match(by.get(false_.id)!.content_text, /contradicts/);
  assert.equal(by.get(sound.id)?._touchstone.poolKey, pool.poolKey);
  const times = items.map((item) => item.date_published);
  assert.deepEqual(times, times.toSorted().reverse());
  assert.ok(items.every((item) => !item._touchstone.imported));
  assert.ok(items.every((item) => !item.content_text.includes("(imported)")));

  const paged: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const page = await feedOf(server, query);
    paged.push(...page.items.map(({ id }) => id));
    if (page.next_url === undefined) break;
    query = `${new URL(page.next_url).search}&limit=2`;
  }
  assert.deepEqual(paged, items.map(({ id }) => id));

  const answer = await server.fetch("/api/feed");
  await answer.body?.cancel();
  const again = await server.fetch("/api/feed", {
    headers: { "if-none-match": answer.headers.get("etag")! },
  });
  assert.equal(again.status, 304);
  await problem(await server.fetch("/api/feed?cursor=x"), 400, "cursor-malformed");
  await problem(await server.fetch("/api/feed?limit=0"), 400, "query-malformed");
}, { file: true });

serverTest("what another store's record tells says that it is imported", async (server) => {
  const kv = await Deno.openKv(":memory:");
  try {
    const other = createStore(kv, inLineChecker(server.verifier));
    const pool = newPool();
    const kept = await other.keep((await mintUnder(server, pool)).envelope);
    assert.ok(kept.ok);
    await other.publishPool(pool);
    assert.equal((await other.runUpgrade(pool.poolKey)).ended, "done");
    const here = createStore(server.kv, inLineChecker(server.verifier));
    for await (const { record } of other.exportLines()) {
      assert.ok((await here.importLine(record)).ok);
    }
    const { items } = await feedOf(server);
    assert.deepEqual(items.map((item) => item._touchstone.result), [kept.id]);
    assert.equal(items[0]!._touchstone.imported, true);
    assert.match(items[0]!.content_text, / \(imported\)$/);
  } finally {
    kv.close();
  }
}, { file: true });
