import { inLineChecker } from "../../service/checker.ts";
import assert from "node:assert/strict";
import { createStore } from "../../lib/store/create.ts";
import type { VerifyContext } from "../../lib/verify/context.ts";
import { createApp } from "../../routes/app.ts";
import { createServices } from "../../service/services.ts";
import { upgradeSchema } from "../../routes/schemas/index.ts";
import {
  badgeOf,
  fileOf,
  keep,
  mintContradicting,
  mintUnder,
  newPool,
  publish,
  readEvents,
  resultOf,
  tallyOf,
} from "../support/disclosure.ts";
import { post, serverTest } from "../support/server.ts";

const FILE = { file: true };

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A verifier that can be made slow, or be held for as long as a test wants. */
function slowable() {
  const speed = { delay: 0, held: Promise.resolve() };
  const verifier = (own: VerifyContext): VerifyContext => ({
    ...own,
    references: {
      ...own.references,
      evaluate: async (...args) => {
        if (speed.delay > 0) await pause(speed.delay);
        await speed.held;
        return await own.references.evaluate(...args);
      },
    },
  });
  return { speed, verifier };
}

serverTest(
  "the stream ends with the tally, and a client that has it stays away",
  async (server) => {
    const pool = newPool();
    for (let n = 0; n < 5; n++) await keep(server, (await mintUnder(server, pool)).envelope);
    await keep(server, (await mintContradicting(server, pool)).envelope);
    await publish(server, fileOf(pool));
    const path = `/api/pools/${pool.poolKey}/upgrade`;
    const answer = await server.fetch(path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const { events } = readEvents(await answer.text());
    const tally = events.at(-1)!;
    assert.ok(events.slice(0, -1).every(({ event }) => event === "progress"));
    assert.deepEqual([tally.event, tally.id], ["tally", "done"]);
    const { upgraded, exposed, unchanged, done, finishedAt } = upgradeSchema.parse(tally.data);
    assert.deepEqual([upgraded, exposed, unchanged, done], [5, 1, 0, true]);
    assert.ok(finishedAt !== null);

    const again = await server.fetch(path, { headers: { "last-event-id": "3" } });
    assert.deepEqual(readEvents(await again.text()).events, [tally]);
    const seen = await server.fetch(path, { headers: { "last-event-id": "done" } });
    assert.equal(seen.status, 204);
    const head = await server.fetch(path, { method: "HEAD" });
    assert.equal(head.headers.get("content-type"), "text/event-stream");
  },
  FILE,
);

const heart = slowable();
serverTest("a quiet stream beats, and watching drives what a dead process left", async (server) => {
  const pool = newPool();
  const { id } = await keep(server, (await mintUnder(server, pool)).envelope);
  // Published by a process that died before it began.
  await createStore(server.kv, inLineChecker(server.verifier)).publishPool(pool);
  heart.speed.delay = 150;
  const answer = await server.fetch(`/api/pools/${pool.poolKey}/upgrade`);
  const { events, comments } = readEvents(await answer.text());
  assert.ok(comments >= 2, `${comments} heartbeats`);
  assert.equal(events.at(-1)?.event, "tally");
  assert.equal(upgradeSchema.parse(events.at(-1)?.data).upgraded, 1);
  assert.equal((await resultOf(server, id)).report.outcome, "verified");
}, { ...FILE, heartbeat: 20, verifier: heart.verifier });

const gone = slowable();
serverTest("a client that goes away leaves the upgrade going", async (server) => {
  const pool = newPool();
  await keep(server, (await mintUnder(server, pool)).envelope);
  gone.speed.delay = 50;
  await publish(server, fileOf(pool));
  const leaving = new AbortController();
  const answer = await server.fetch(`/api/pools/${pool.poolKey}/upgrade`, {
    signal: leaving.signal,
  });
  assert.equal(answer.status, 200);
  leaving.abort();
  await answer.body?.cancel().catch(() => {});
  await pause(20);
  gone.speed.delay = 0;
  assert.equal((await tallyOf(server, pool.poolKey)).upgraded, 1);
  assert.deepEqual(server.logs, []);
}, { ...FILE, verifier: gone.verifier });

const slow = slowable();
serverTest(
  "over budget: checking, neither the old result nor invalid, and nobody caches it",
  async (server) => {
    const pool = newPool();
    const { id } = await keep(server, (await mintContradicting(server, pool)).envelope);
    assert.equal(await badgeOf(server, id), "2/2 passed · 2 unreplayed · unknown issuer");
    const { promise, resolve: release } = Promise.withResolvers<void>();
    slow.speed.held = promise;
    await publish(server, fileOf(pool));
    for (const format of ["svg", "png", "json"]) {
      const badge = await server.fetch(`/badge/${id}.${format}`);
      assert.equal(badge.status, 200);
      assert.equal(badge.headers.get("cache-control"), "no-store");
      assert.equal(badge.headers.get("etag"), null);
      const text = await badge.text();
      if (format !== "png") assert.ok(text.includes("checking") && !text.includes("passed"));
    }
    const report = await server.fetch(`/api/results/${id}`);
    assert.equal(report.headers.get("cache-control"), "no-store");
    assert.equal(report.headers.get("etag"), null);
    assert.ok(report.headers.get("retry-after"));
    await report.body?.cancel();
    const { state, report: { outcome, reason }, checkedAt } = await resultOf(server, id);
    assert.deepEqual([state, outcome, reason?.code, checkedAt], [
      "checking",
      null,
      "checking",
      null,
    ]);
    const page = await server.fetch(`/r/${id}`);
    assert.equal(page.headers.get("cache-control"), "no-store");
    const html = await page.text();
    assert.ok(html.includes('http-equiv="refresh"') && html.includes("checked again"));
    assert.ok(!html.includes("issuer-claimed"));
    const listed = await (await server.fetch("/api/results?recent")).json();
    assert.deepEqual(Object.keys(listed.items[0]).toSorted(), ["id", "state", "urls"]);
    const pools = await (await server.fetch(`/pools/${pool.poolKey}`)).text();
    assert.ok(pools.includes('http-equiv="refresh"') && pools.includes("Under way"));
    release();
    assert.equal((await tallyOf(server, pool.poolKey)).exposed, 1);
    assert.equal(await badgeOf(server, id), "invalid · pool contradicts");
  },
  { ...FILE, verifier: slow.verifier, store: { readBudget: 30, reportBudget: 30 } },
);

serverTest("the next start takes up what was left, and stops in time", async (server) => {
  const pools = [newPool(), newPool()];
  const ids: string[] = [];
  for (const pool of pools) {
    ids.push((await keep(server, (await mintUnder(server, pool)).envelope)).id);
  }
  const dead = createStore(server.kv, inLineChecker(server.verifier));
  for (const pool of pools) await dead.publishPool(pool);
  assert.equal((await dead.pendingUpgrades()).length, 2);
  const next = createApp(createServices({
    kv: server.kv,
    checker: inLineChecker(server.verifier),
    references: server.verifier.references,
    publicUrl: null,
  }));
  next.resume();
  while ((await dead.pendingUpgrades()).length > 0) await pause(10);
  for (const pool of pools) {
    const progress = await dead.upgradeProgress(pool.poolKey);
    assert.deepEqual([progress?.done, progress?.upgraded], [true, 1]);
  }
  for (const id of ids) assert.equal(await badgeOf(server, id), "2/2 passed · unknown issuer");
  await next.close();
  await next.close();
}, FILE);

serverTest("publishing and storing at the same moment leaves nothing stale", async (server) => {
  for (let round = 0; round < 5; round++) {
    const pool = newPool();
    const minted = await Promise.all([
      ...Array.from({ length: 4 }, () => mintUnder(server, pool)),
      mintContradicting(server, pool),
    ]);
    const [, ...kept] = await Promise.all([
      publish(server, fileOf(pool)),
      ...minted.map(({ envelope }) => keep(server, envelope)),
    ]);
    const outcomes = await Promise.all(kept.map(async ({ id }) => {
      const badge = await badgeOf(server, id);
      return [(await resultOf(server, id)).report.outcome, badge];
    }));
    assert.deepEqual(outcomes, [
      ...Array.from({ length: 4 }, () => ["verified", "2/2 passed · unknown issuer"]),
      ["invalid", "invalid · pool contradicts"],
    ]);
  }
}, FILE);

serverTest("another process's publication shows in badges within 50 ms", async (server) => {
  const other = await Deno.openKv(server.kvPath);
  try {
    const elsewhere = createStore(other, inLineChecker(server.verifier));
    for (let round = 0; round < 5; round++) {
      const pool = newPool();
      const { id } = await keep(server, (await mintUnder(server, pool)).envelope);
      assert.equal(await badgeOf(server, id), "2/2 passed · 2 unreplayed · unknown issuer");
      await elsewhere.publishPool(pool);
      await pause(50);
      assert.equal(await badgeOf(server, id), "2/2 passed · unknown issuer");
    }
  } finally {
    other.close();
  }
}, FILE);

serverTest("server and watchers stop while an upgrade is under way", async (server) => {
  const pool = newPool();
  await keep(server, (await mintUnder(server, pool)).envelope);
  await server.fetch("/api/pools?confirm=publish", post(fileOf(pool)));
  // The end of the test closes the application under it.
}, FILE);
