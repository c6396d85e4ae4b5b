/**
 * The store and the server on a KV server by URL. Whatever the server does, answers are right or an
 * error is clear. Source: docs/architecture.md, "Storage"; `KV_URL` in config.ts.
 */
import { inLineChecker } from "../../../service/checker.ts";
import assert from "node:assert/strict";
import { createKey } from "../../../lib/issuer/keys.ts";
import { systemRandom } from "../../../lib/issuer/random.ts";
import { createStore } from "../../../lib/store/create.ts";
import { type Store, StoreUnavailable } from "../../../lib/store/store.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";
import { type KvRequest, startKvServer } from "../../support/kv_server.ts";
import { checkItem, publish, readBadge, store as post, watchUpgrade } from "../../store/client.ts";
import { startServer } from "../../store/process.ts";
import {
  createPoolPair,
  HELD_OUT,
  type Item,
  mintItem,
  mintItems,
  type PoolPair,
  sayingOf,
} from "../../store/stock.ts";

const TOKEN = "a-token-of-these-tests";
const TALLY = { upgraded: 1, exposed: 2, unchanged: 1 };

const verifier = createVerifyContext("auto");
const from = { key: createKey(), references: verifier.references, random: systemRandom };

/** One held-out document of each story. */
async function mintStock(): Promise<{ pair: PoolPair; items: Item[] }> {
  const pair = createPoolPair(systemRandom);
  return { pair, items: await mintItems(HELD_OUT.length, HELD_OUT, pair, from) };
}

async function openStore(
  url: string,
  clock = Date.now,
): Promise<{ kv: Deno.Kv; store: Store }> {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", TOKEN);
  const kv = await Deno.openKv(url);
  return { kv, store: createStore(kv, inLineChecker(verifier), { clock }) };
}

async function checkRows(store: Store, items: readonly Item[], disclosed: boolean): Promise<void> {
  for (const item of items) {
    for (const read of [await store.badgeRow(item.id), await store.result(item.id)]) {
      assert.ok(read.state === "current", `${item.story}: ${read.state}`);
      const { outcome, exposed } = sayingOf(item, disclosed);
      assert.equal(read.result.outcome, outcome, item.story);
      assert.equal(read.result.observations.includes("exposed"), exposed, item.story);
    }
  }
}

async function tallyOf(store: Store, poolKey: string) {
  const progress = await store.upgradeProgress(poolKey);
  const { upgraded, exposed, unchanged, done } = progress!;
  assert.equal(done, true);
  return { upgraded, exposed, unchanged };
}

Deno.test("the store works on a KV server: documents, pools, upgrade, lists", async () => {
  await using server = startKvServer({ token: TOKEN });
  const { kv, store } = await openStore(server.url);
  try {
    const { pair, items } = await mintStock();
    for (const item of items) {
      const kept = await store.keep(JSON.parse(item.body));
      assert.ok(kept.ok && kept.created && kept.id === item.id);
      const again = await store.keep(JSON.parse(item.body));
      assert.ok(again.ok && !again.created);
    }
    await checkRows(store, items, false);
    const { items: listed } = await store.results({ by: "pool", poolKey: pair.poolKey });
    assert.equal(listed.length, items.length);
    assert.equal((await store.previewPool(pair.pool)).upgraded, TALLY.upgraded);

    assert.equal((await store.publishPool(pair.pool)).created, true);
    await checkRows(store, items, true);
    assert.equal((await store.runUpgrade(pair.poolKey)).ended, "done");
    assert.deepEqual(await tallyOf(store, pair.poolKey), TALLY);
    const page = await store.results({ by: "recent" }, { limit: 3 });
    const rest = await store.results({ by: "recent" }, { cursor: page.cursor ?? undefined });
    assert.deepEqual(
      [...page.items, ...rest.items].map((row) => row.state === "current" ? row.result.id : row.id)
        .sort(),
      items.map(({ id }) => id).sort(),
    );
    assert.equal((await store.feed()).items.length, TALLY.upgraded + TALLY.exposed);
    assert.equal((await store.stats()).documents, items.length);
  } finally {
    kv.close();
  }
});

Deno.test("two stores on one KV server see each other's pools", async () => {
  await using server = startKvServer({ token: TOKEN });
  const first = await openStore(server.url);
  const second = await openStore(server.url);
  try {
    const { pair, items } = await mintStock();
    for (const item of items) await first.store.keep(JSON.parse(item.body));
    await checkRows(second.store, items, false);
    await first.store.publishPool(pair.pool);
    // Longer than the time for which a badge may rest on what the epoch was.
    await new Promise((done) => setTimeout(done, 30));
    await checkRows(second.store, items, true);
    await Promise.all([first, second].map(({ store }) => store.runUpgrade(pair.poolKey)));
    while ((await second.store.pendingUpgrades()).length > 0) {
      await second.store.runUpgrade(pair.poolKey);
    }
    assert.deepEqual(await tallyOf(first.store, pair.poolKey), TALLY);
  } finally {
    first.kv.close();
    second.kv.close();
  }
});

Deno.test("commits whose answer is lost are not counted twice", async () => {
  let losing = false;
  let writes = 0;
  let skipped = 0;
  await using server = startKvServer({
    token: TOKEN,
    // After the server has done it; the client then asks for the same once more.
    lose: (kind) => losing && kind === "write" && ++writes % 3 === 1,
  });
  const { kv, store } = await openStore(server.url, () => Date.now() + skipped);
  try {
    const { pair, items } = await mintStock();
    losing = true;
    for (const item of items) {
      const kept = await store.keep(JSON.parse(item.body));
      assert.ok(kept.ok);
    }
    await store.publishPool(pair.pool);
    await checkRows(store, items, true);
    while ((await store.pendingUpgrades()).length > 0) {
      // Whoever takes the lease and isn't told so has to wait until it is over.
      if ((await store.runUpgrade(pair.poolKey)).ended === "leased") skipped += 60_000;
    }
    losing = false;
    assert.ok(writes > 10, `${writes}`);
    assert.deepEqual(await tallyOf(store, pair.poolKey), TALLY);
    const stats = await store.stats();
    assert.equal(stats.documents, items.length);
    assert.equal(stats.pools, 1);
    assert.equal((await store.feed()).items.length, TALLY.upgraded + TALLY.exposed);
    for (const item of items) {
      assert.equal((await store.history(item.id)).length, item.story === "silent" ? 0 : 1);
    }
  } finally {
    kv.close();
  }
});

Deno.test("a KV server that refuses or answers nonsense is unavailable, at once", async () => {
  const responses: Record<string, () => Response> = {
    nonsense: () =>
      new Response("<html>what?</html>", { headers: { "content-type": "text/html" } }),
    empty: () => new Response(new Uint8Array([255, 255, 255])),
    refusal: () => new Response("no", { status: 403 }),
    gone: () => new Response("no", { status: 404 }),
  };
  let broken: (() => Response) | null = null;
  await using server = startKvServer({
    token: TOKEN,
    intercept: (kind) => kind === "metadata" ? undefined : broken?.(),
  });
  const { kv, store } = await openStore(server.url);
  try {
    const { pair, items } = await mintStock();
    const [kept, ...others] = items;
    await store.keep(JSON.parse(kept!.body));
    for (const [name, response] of Object.entries(responses)) {
      broken = response;
      const value = JSON.parse(others[0]!.body);
      const started = performance.now();
      await assert.rejects(store.keep(value), StoreUnavailable, name);
      await assert.rejects(store.result(kept!.id), StoreUnavailable, name);
      await assert.rejects(store.publishPool(pair.pool), StoreUnavailable, name);
      assert.ok(performance.now() - started < 3000, name);
      broken = null;
      assert.equal((await store.result(kept!.id)).state, "current", name);
      assert.equal(await store.pool(pair.poolKey), null, name);
    }
  } finally {
    kv.close();
  }
});

Deno.test("a server on a KV server by URL keeps what it is given", async () => {
  await using kvServer = startKvServer({ token: TOKEN });
  const environment = { KV_URL: kvServer.url, DENO_KV_ACCESS_TOKEN: TOKEN };
  const { pair, items } = await mintStock();
  const first = await startServer(environment);
  const second = await startServer(environment);
  try {
    for (const item of items) await post(first.url, item);
    for (const item of items) await checkItem(second.url, item, false);
    await publish(second.url, pair.file);
    for (const item of items) await checkItem(second.url, item, true);
    assert.deepEqual(await watchUpgrade(first.url, pair.poolKey), TALLY);
    await first.kill();
    for (const item of items) await checkItem(second.url, item, true);
  } finally {
    await first.kill();
    await second.stop();
  }
});

Deno.test("a server whose KV server goes away says so, and goes on when it is back", async () => {
  const kvServer = startKvServer({ token: TOKEN });
  const { pair } = await mintStock();
  const [known, late] = [await mintItem("plain", pair, from), await mintItem("plain", pair, from)];
  const server = await startServer({ KV_URL: kvServer.url, DENO_KV_ACCESS_TOKEN: TOKEN });
  try {
    await post(server.url, known);
    await kvServer.stop();
    const started = performance.now();
    const refused = await fetch(`${server.url}/api/results`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: late.body,
    });
    assert.equal(refused.status, 503);
    assert.equal((await refused.json()).code, "storage-unavailable");
    const badge = await fetch(`${server.url}/badge/${late.id}.json`);
    assert.equal((await badge.json()).message, "checking");
    assert.equal(badge.headers.get("cache-control"), "no-store");
    const read = await fetch(`${server.url}/api/results/${known.id}`);
    assert.equal(read.status, 503, await read.text());
    assert.ok(performance.now() - started < 15_000);

    const { port, database } = kvServer;
    await using _back = startKvServer({ token: TOKEN, port, database });
    await post(server.url, late);
    await checkItem(server.url, known, false);
    assert.equal(await readBadge(server.url, late.id), sayingOf(late, false).badge);
  } finally {
    await server.kill();
  }
});

Deno.test("a server that can't use its KV server does not start, and says why", async () => {
  const misbehaving = (response: () => Response) =>
    startKvServer({ token: TOKEN, intercept: (kind: KvRequest) => ofMetadata(kind, response) });
  const ofMetadata = (kind: KvRequest, response: () => Response) =>
    kind === "metadata" ? response() : undefined;
  await using sound = startKvServer({ token: TOKEN });
  await using html = misbehaving(() => new Response("<html></html>"));
  await using odd = misbehaving(() => Response.json({ version: 99, endpoints: [] }));
  const away = startKvServer({ token: TOKEN });
  await away.stop();

  const cases: [name: string, environment: Record<string, string>, said: RegExp][] = [
    ["away", { KV_URL: away.url, DENO_KV_ACCESS_TOKEN: TOKEN }, /KV_URL/],
    ["wrong token", { KV_URL: sound.url, DENO_KV_ACCESS_TOKEN: "other" }, /KV_URL.*401/],
    ["no token", { KV_URL: sound.url, DENO_KV_ACCESS_TOKEN: "" }, /DENO_KV_ACCESS_TOKEN/],
    ["a page", { KV_URL: html.url, DENO_KV_ACCESS_TOKEN: TOKEN }, /KV_URL/],
    ["another version", { KV_URL: odd.url, DENO_KV_ACCESS_TOKEN: TOKEN }, /KV_URL/],
    ["both", { KV_URL: sound.url, KV_PATH: "x.kv", DENO_KV_ACCESS_TOKEN: TOKEN }, /KV_PATH/],
    ["no URL", { KV_URL: "127.0.0.1:4512", DENO_KV_ACCESS_TOKEN: TOKEN }, /KV_URL/],
  ];
  await Promise.all(cases.map(async ([name, environment, said]) => {
    await assert.rejects(startServer(environment), (error: Error) => {
      assert.match(error.message, said, name);
      assert.doesNotMatch(error.message, /at file:|Uncaught/, `${name}: ${error.message}`);
      assert.ok(!error.message.includes(TOKEN), `${name} tells the token`);
      return true;
    });
  }));
});
