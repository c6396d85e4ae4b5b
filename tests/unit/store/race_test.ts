import { inLineChecker } from "../../../service/checker.ts";
import assert from "node:assert/strict";
import { createStore } from "../../../lib/store/create.ts";
import { StoreUnavailable } from "../../../lib/store/store.ts";
import {
  forged,
  hollow,
  honest,
  open,
  outcomeOf,
  plain,
  poolOf,
  verifier,
  watched,
  withFile,
  withKv,
} from "../../support/store_fixtures.ts";

Deno.test("a pool published just before a document's commit is in its result", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("just before");
    const { id, envelope } = await honest(pool);
    const other = open(kv);
    let published = false;
    const store = open(watched(kv, async (operation) => {
      if (operation !== "commit" || published) return;
      published = true;
      await other.publishPool(pool);
    }));
    const kept = await store.keep(envelope);
    assert.ok(kept.ok);
    assert.equal(kept.report.outcome, "verified");
    assert.equal(kept.result.outcome, "verified");
    assert.deepEqual(await store.history(id), []);
    // It never lacked the pool, so the upgrade has nothing to count.
    const run = await store.runUpgrade(pool.poolKey);
    const { upgraded, exposed, unchanged, scanned } = run.progress!;
    assert.deepEqual([upgraded, exposed, unchanged, scanned], [0, 0, 0, 1]);
  });
});

Deno.test("a pool published while a report is made isn't missing from the answer", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("while reporting");
    const { id, envelope } = await honest(pool);
    const other = open(kv);
    await other.keep(envelope);
    let calls = 0;
    const store = open(watched(kv, async (operation) => {
      // Row and lacked pool are read; then the document, for its report.
      if (operation === "getMany" && ++calls === 2) await other.publishPool(pool);
    }));
    const read = await store.report(id);
    assert.ok(read.state === "current");
    assert.equal(read.report.outcome, "verified");
    assert.ok(calls >= 2);
  });
});

Deno.test("a pool published just before an older result is made again is in the new one", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("made again");
    const { id, envelope } = await honest(pool);
    await open(kv, { version: 0 }).keep(envelope);
    const other = open(kv);
    let published = false;
    const store = open(watched(kv, async (operation) => {
      if (operation !== "commit" || published) return;
      published = true;
      await other.publishPool(pool);
    }));
    assert.equal(await outcomeOf(store, id), "verified");
    assert.equal((await store.history(id)).length, 1);
    assert.equal((await store.upgradeProgress(pool.poolKey))?.upgraded, 1);
  });
});

Deno.test("who joins a check under way still sees a pool that it missed", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("joined");
    const { id, envelope } = await honest(pool);
    await open(kv, { version: 0 }).keep(envelope);
    const committed = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let first = true;
    const slow = watched(kv, async (operation) => {
      if (operation !== "commit" || !first) return;
      first = false;
      committed.resolve();
      await released.promise;
    }, true);
    const store = open(slow);
    const early = store.result(id);
    await committed.promise;
    // The new result is in the database, its maker doesn't know yet; now the pool comes.
    await open(kv).publishPool(pool);
    const late = store.result(id);
    await new Promise((resolve) => setTimeout(resolve, 20));
    released.resolve();
    const read = await late;
    assert.ok(read.state === "current");
    assert.equal(read.result.outcome, "verified");
    assert.equal((await early).state, "current");
  });
});

Deno.test("an upgrade that outlived its lease leaves the job to its successor", async () => {
  let now = 1_800_000_000_000;
  await withKv(async (kv) => {
    const pool = poolOf("outlived");
    const store = open(kv, { clock: () => now });
    const documents = await Promise.all(Array.from({ length: 100 }, () => honest(pool)));
    for (const { envelope } of documents) await store.keep(envelope);
    await store.publishPool(pool);
    let overtaken = false;
    const run = await store.runUpgrade(pool.poolKey, {
      onProgress: async () => {
        if (overtaken) return;
        overtaken = true;
        now += 6000;
        const successor = await open(kv, { clock: () => now }).runUpgrade(pool.poolKey);
        assert.equal(successor.ended, "done");
      },
    });
    const { done, upgraded, scanned } = run.progress!;
    assert.deepEqual([run.ended, done, upgraded, scanned], ["done", true, 100, 100]);
    assert.deepEqual(await store.pendingUpgrades(), []);
  });
});

Deno.test("storing and publishing at the same moment leaves no stale result", async () => {
  await withFile(async (path) => {
    const kvs = await Promise.all([Deno.openKv(path), Deno.openKv(path)]);
    try {
      const [first, second] = kvs.map((kv) => open(kv));
      for (let round = 0; round < 25; round++) {
        const pool = poolOf(`race ${round}`);
        const documents = await Promise.all([honest(pool), forged(pool), hollow(pool)]);
        const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        const [, , , published] = await Promise.all([
          ...documents.map(({ envelope }) => first!.keep(envelope)),
          wait(Math.random() * 12).then(() => second!.publishPool(pool)),
        ]);
        assert.ok(published !== undefined);
        // Read as rows in the database say, before anything is made again.
        for (const [n, { id }] of documents.entries()) {
          for (const store of [first!, second!]) {
            assert.equal(await outcomeOf(store, id), n === 0 ? "verified" : "invalid");
          }
        }
        const runs = await Promise.all([
          first!.runUpgrade(pool.poolKey),
          second!.runUpgrade(pool.poolKey),
        ]);
        assert.ok(runs.some(({ ended }) => ended === "done"));
        const { upgraded, exposed, unchanged } = (await first!.upgradeProgress(pool.poolKey))!;
        const histories = await Promise.all(documents.map(({ id }) => first!.history(id)));
        const moved = histories.map((entries) => entries.length);
        assert.deepEqual([upgraded, exposed, unchanged], [moved[0], moved[1]! + moved[2]!, 0]);
        assert.ok(moved.every((n) => n <= 1));
      }
      assert.equal((await first!.stats()).documents, 75);
    } finally {
      for (const kv of kvs) kv.close();
    }
  });
});

Deno.test("reads and two upgrades at once count each document once", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("counted once");
    const store = open(kv);
    const documents = await Promise.all(
      Array.from({ length: 60 }, (_, n) => n % 3 === 0 ? forged(pool) : honest(pool)),
    );
    for (const { envelope } of documents) await store.keep(envelope);
    await store.publishPool(pool);
    const stores = [store, open(kv), open(kv)];
    const endings = new Set<string>();
    await Promise.all([
      ...stores.map(async (one) => endings.add((await one.runUpgrade(pool.poolKey)).ended)),
      ...documents.map(({ id }, n) => stores[n % 3]!.result(id)),
    ]);
    assert.ok(endings.has("done"));
    const progress = (await store.upgradeProgress(pool.poolKey))!;
    const { upgraded, exposed, unchanged, scanned, done } = progress;
    assert.deepEqual([upgraded, exposed, unchanged, scanned, done], [40, 20, 0, 60, true]);
    for (const { id } of documents) assert.equal((await store.history(id)).length, 1);
    assert.equal((await store.feed({ limit: 100 })).items.length, 60);
  });
});

Deno.test("an aborted upgrade is taken up by another, a dead one's after its lease", async () => {
  let now = 1_800_000_000_000;
  await withKv(async (kv) => {
    const pool = poolOf("taken up");
    const store = open(kv, { clock: () => now });
    const documents = await Promise.all(Array.from({ length: 150 }, () => honest(pool)));
    for (const { envelope } of documents) await store.keep(envelope);
    await store.publishPool(pool);
    assert.deepEqual(await store.pendingUpgrades(), [pool.poolKey]);
    const controller = new AbortController();
    const aborted = await store.runUpgrade(pool.poolKey, {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    assert.equal(aborted.ended, "aborted");
    const first = aborted.progress!.scanned;
    assert.ok(first > 0 && first <= 48);
    assert.equal(aborted.progress?.upgraded, first);

    // One that dies in its second batch.
    let commits = 0;
    const dying = open(
      watched(kv, (operation) => {
        if (operation === "commit" && ++commits > 2) throw new Error("power cut");
      }),
      { clock: () => now },
    );
    await assert.rejects(dying.runUpgrade(pool.poolKey), StoreUnavailable);
    const leased = await store.runUpgrade(pool.poolKey);
    assert.equal(leased.ended, "leased");
    now += 6000;
    const seen: number[] = [];
    const done = await store.runUpgrade(pool.poolKey, {
      onProgress: ({ scanned }) => void seen.push(scanned),
    });
    assert.equal(done.ended, "done");
    assert.equal(done.progress?.upgraded, 150);
    assert.ok(seen[0]! > first && seen.at(-1) === 150);
    assert.deepEqual(await store.pendingUpgrades(), []);
    assert.equal((await store.runUpgrade(pool.poolKey)).ended, "done");
    assert.equal((await store.runUpgrade("0".repeat(64))).ended, "unknown");
  });
});

Deno.test("badges come from memory, and show a publication of their own process at once", async () => {
  await withFile(async (path) => {
    const kvs = await Promise.all([Deno.openKv(path), Deno.openKv(path)]);
    try {
      let reads = 0;
      const store = open(watched(kvs[0], (operation) => {
        if (operation !== "commit") reads++;
      }));
      const other = open(kvs[1]);
      const badge = async (id: string) => {
        const read = await store.badgeRow(id);
        return read.state === "current" ? read.result.outcome : read.state;
      };
      const own = poolOf("own");
      const foreign = poolOf("foreign");
      const [mine, theirs] = await Promise.all([honest(own), forged(foreign)]);
      await store.keep(mine.envelope);
      await store.keep(theirs.envelope);
      assert.equal(await badge(mine.id), "issuer-claimed");
      assert.equal(await badge(theirs.id), "issuer-claimed");
      const before = reads;
      const until = performance.now() + 200;
      let served = 0;
      while (performance.now() < until) {
        await badge(mine.id);
        if (++served % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
      assert.ok(served > 1000);
      // The epoch, at most every 20 ms, and nothing else.
      assert.ok(reads - before <= 12, `${reads - before} reads`);

      await store.publishPool(own);
      assert.equal(await badge(mine.id), "verified");
      await other.publishPool(foreign);
      await new Promise((resolve) => setTimeout(resolve, 21));
      assert.equal(await badge(theirs.id), "invalid");

      assert.equal(await badge(mine.id), "verified");
      await other.deleteDocument(mine.id);
      await new Promise((resolve) => setTimeout(resolve, 21));
      assert.equal(await badge(mine.id), "removed");
    } finally {
      for (const kv of kvs) kv.close();
    }
  });
});

Deno.test("a database that fails or hangs is unavailable, and never an answer", async () => {
  await withKv(async (kv) => {
    const { id, envelope } = await plain();
    await open(kv).keep(envelope);
    let broken = false;
    const store = open(watched(kv, () => {
      if (broken) throw new Error("connection refused");
    }));
    assert.equal(await outcomeOf(store, id), "verified");
    await store.badgeRow(id);
    broken = true;
    await assert.rejects(store.result(id), StoreUnavailable);
    await assert.rejects(store.report(id), StoreUnavailable);
    await assert.rejects(store.keep((await plain()).envelope), StoreUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 25));
    await assert.rejects(async () => await store.badgeRow(id), StoreUnavailable);
    broken = false;
    assert.equal((await store.badgeRow(id)).state, "current");
  });
});

Deno.test("writes that find the database locked are tried again", async () => {
  await withKv(async (kv) => {
    let n = 0;
    const store = createStore(
      watched(kv, (operation) => {
        if (operation === "commit" && n++ % 3 !== 2) throw new TypeError("database is locked");
      }),
      inLineChecker(verifier),
    );
    const pool = poolOf("locked");
    const { id, envelope } = await honest(pool);
    assert.ok((await store.keep(envelope)).ok);
    await store.publishPool(pool);
    assert.equal((await store.runUpgrade(pool.poolKey)).progress?.upgraded, 1);
    assert.equal(await outcomeOf(store, id), "verified");
    assert.ok(n > 9);
  });
});
