import { inLineChecker } from "../../../service/checker.ts";
import assert from "node:assert/strict";
import { canonicalEnvelope } from "../../../lib/protocol/envelope.ts";
import { createKey } from "../../../lib/issuer/keys.ts";
import { seededRandom } from "../../../lib/issuer/random.ts";
import { createStore } from "../../../lib/store/create.ts";
import { StoreError } from "../../../lib/store/store.ts";
import {
  forged,
  hollow,
  honest,
  ISSUER,
  mint,
  open,
  outcomeOf,
  plain,
  poolOf,
  verifier,
  withKv,
  withStore,
} from "../../support/store_fixtures.ts";

const POOL = poolOf("results");

Deno.test("a document is stored once, whatever its formatting", async () => {
  await withStore(async (store) => {
    const { id, envelope } = await plain();
    const first = await store.keep(envelope);
    assert.ok(first.ok);
    assert.equal(first.created, true);
    assert.equal(first.id, id);
    const { signature, payload, protocol } = envelope;
    const again = await store.keep({ extra: 1, signature, payload, protocol });
    assert.ok(again.ok);
    assert.equal(again.created, false);
    assert.equal(again.id, id);
    const wrapped = await store.keep({ admission: envelope, receipts: [] });
    assert.ok(wrapped.ok);
    assert.deepEqual(wrapped.report.observations.filter((o) => o === "unwrapped"), ["unwrapped"]);
    const read = await store.report(id);
    assert.ok(read.state === "current");
    assert.equal(read.report.observations.includes("unwrapped"), false);
    assert.equal((await store.stats()).documents, 1);
    const bytes = await store.document(id);
    assert.equal(new TextDecoder().decode(bytes!), canonicalEnvelope(envelope));
    const page = await store.results({ by: "recent" });
    assert.equal(page.items.length, 1);
  });
});

Deno.test("many store the same document at once: one creates it, everything is counted once", async () => {
  await withStore(async (store) => {
    const { envelope } = await honest(POOL);
    const kept = await Promise.all(Array.from({ length: 12 }, () => store.keep(envelope)));
    assert.equal(kept.filter((one) => one.ok && one.created).length, 1);
    assert.equal(kept.every((one) => one.ok), true);
    assert.equal((await store.stats()).documents, 1);
  });
});

Deno.test("what is no document is not stored", async () => {
  await withStore(async (store) => {
    const lookalike = { protocol: "x", payload: "hello", signature: "y", head: {}, entries: [] };
    for (
      const value of [
        null,
        1,
        "x",
        {},
        [],
        { protocol: "clankdar-gate-v1" },
        lookalike,
        { receipt: lookalike },
      ]
    ) {
      const kept = await store.keep(value);
      assert.ok(!kept.ok);
      assert.equal(kept.why, "unrecognised");
    }
    const large = { protocol: "clankdar-gate-v1", payload: "x".repeat(3_000_000), signature: "" };
    const kept = await store.keep(large);
    assert.ok(!kept.ok);
    assert.equal(kept.why, "too-large");
    assert.equal((await store.stats()).documents, 0);
    assert.deepEqual(await store.result("0".repeat(64)), { state: "unknown" });
    assert.deepEqual(await store.report("0".repeat(64)), { state: "unknown" });
    assert.equal(await store.document("0".repeat(64)), null);
  });
});

Deno.test("an unfinished check stores nothing", async () => {
  await withKv(async (kv) => {
    const store = createStore(kv, inLineChecker({ ...verifier, steps: 1 }));
    const { id, envelope } = await plain();
    const kept = await store.keep(envelope);
    assert.ok(!kept.ok);
    assert.equal(kept.why, "unfinished");
    assert.equal(kept.report.reason?.code, "budget-exceeded");
    assert.deepEqual(await store.result(id), { state: "unknown" });
  });
});

Deno.test("publishing changes every result under the pool, with history and feed", async () => {
  await withStore(async (store) => {
    const [good, bad, empty, other] = await Promise.all([
      honest(POOL),
      forged(POOL),
      hollow(POOL),
      plain(),
    ]);
    for (const { envelope } of [good, bad, empty, other]) {
      assert.ok((await store.keep(envelope)).ok);
    }
    assert.equal(await outcomeOf(store, good.id), "issuer-claimed");
    assert.equal(await outcomeOf(store, bad.id), "issuer-claimed");
    assert.equal(await outcomeOf(store, empty.id), "verified");

    const published = await store.publishPool(POOL);
    assert.equal(published.created, true);
    // No read rests on an old result, upgrade or not.
    assert.equal(await outcomeOf(store, good.id), "verified");
    assert.equal(await outcomeOf(store, bad.id), "invalid");
    assert.equal(await outcomeOf(store, empty.id), "invalid");
    assert.equal(await outcomeOf(store, other.id), "verified");

    const exposed = await store.report(bad.id);
    assert.ok(exposed.state === "current");
    assert.equal(exposed.report.reason?.code, "receipt-invalid");
    assert.equal(exposed.report.reason?.inner?.code, "prompt-mismatch");
    assert.ok(exposed.report.observations.includes("exposed"));
    const hollowed = await store.report(empty.id);
    assert.ok(hollowed.state === "current");
    assert.equal(hollowed.report.reason?.code, "policy-cell-not-in-pool");
    assert.ok(hollowed.report.observations.includes("exposed"));

    const [change, ...more] = await store.history(good.id);
    assert.deepEqual(more, []);
    assert.equal(change?.from, "issuer-claimed");
    assert.equal(change?.to, "verified");
    assert.equal(change?.poolKey, POOL.poolKey);
    assert.equal(change?.exposed, false);
    const [fall] = await store.history(empty.id);
    assert.equal(fall?.from, "verified");
    assert.equal(fall?.to, "invalid");
    assert.equal(fall?.exposed, true);
    assert.deepEqual(await store.history(other.id), []);

    const run = await store.runUpgrade(POOL.poolKey);
    assert.equal(run.ended, "done");
    const { upgraded, exposed: bared, unchanged, unfinished } = run.progress!;
    assert.deepEqual([upgraded, bared, unchanged, unfinished], [1, 2, 0, 0]);
    assert.deepEqual(await store.pendingUpgrades(), []);

    const feed = await store.feed();
    assert.deepEqual(
      new Set(feed.items.map(({ id, what }) => `${id} ${what}`)),
      new Set([`${good.id} upgraded`, `${bad.id} exposed`, `${empty.id} exposed`]),
    );
  });
});

Deno.test("exposed is the same whatever arrives first", async () => {
  const [good, bad, empty] = await Promise.all([honest(POOL), forged(POOL), hollow(POOL)]);
  const observe = async (poolFirst: boolean) => {
    const found: unknown[] = [];
    await withStore(async (store) => {
      if (poolFirst) await store.publishPool(POOL);
      for (const { envelope } of [good, bad, empty]) await store.keep(envelope);
      if (!poolFirst) await store.publishPool(POOL);
      for (const { id } of [good, bad, empty]) {
        const read = await store.report(id);
        assert.ok(read.state === "current");
        const { outcome, reason, observations, counts } = read.report;
        found.push({ outcome, reason, observations, counts });
      }
      const feed = await store.feed();
      const exposed = feed.items.filter(({ what }) => what === "exposed");
      assert.deepEqual(new Set(exposed.map(({ id }) => id)), new Set([bad.id, empty.id]));
      assert.equal(exposed.every(({ from }) => poolFirst ? from === null : from !== null), true);
    });
    return found;
  };
  assert.deepEqual(await observe(true), await observe(false));
});

Deno.test("a result of an older verifier is made again, one of a newer never", async () => {
  await withKv(async (kv) => {
    const { id, envelope } = await honest(POOL);
    const v9 = open(kv, { version: 9 });
    const v10 = open(kv, { version: 10 });
    await v9.keep(envelope);
    const old = await v9.result(id);
    assert.ok(old.state === "current" && old.result.verifierVersion === 9);
    const made = await v10.result(id);
    assert.ok(made.state === "current" && made.result.verifierVersion === 10);
    const seen = await v9.result(id);
    assert.ok(seen.state === "current" && seen.result.verifierVersion === 10);
    assert.ok((await v9.report(id)).state === "current");
    assert.deepEqual(await v10.history(id), []);
    // What only the newer one may decide, the older one doesn't show.
    await v10.publishPool(POOL);
    assert.equal(await outcomeOf(v9, id), "checking");
    assert.equal((await v9.report(id)).state, "checking");
    const run = await v9.runUpgrade(POOL.poolKey);
    assert.equal(run.progress?.unfinished, 1);
    assert.equal(await outcomeOf(v10, id), "verified");
    assert.equal(await outcomeOf(v9, id), "verified");
    assert.equal((await v10.upgradeProgress(POOL.poolKey))?.upgraded, 1);
  });
});

Deno.test("a read over budget says checking, and never the old result", async () => {
  await withKv(async (kv) => {
    const { id, envelope } = await honest(POOL);
    const store = open(kv);
    await store.keep(envelope);
    await store.publishPool(POOL);
    const hasty = open(kv, { readBudget: 0, reportBudget: 0 });
    for (const read of [await hasty.result(id), await hasty.badgeRow(id), await hasty.report(id)]) {
      assert.ok(read.state === "checking" || read.state === "current");
      if (read.state === "current") assert.equal(read.result.outcome, "verified");
    }
    // A check that comes to no outcome: neither the old result nor invalid.
    const second = await honest(poolOf("second"));
    await store.keep(second.envelope);
    await store.publishPool(poolOf("second"));
    const weak = createStore(kv, inLineChecker({ ...verifier, steps: 1 }));
    assert.deepEqual(await weak.result(second.id), { state: "checking", id: second.id });
    assert.equal((await weak.badgeRow(second.id)).state, "checking");
    const report = await weak.report(second.id);
    assert.ok(report.state === "checking");
    assert.equal(report.report?.outcome, null);
    const page = await weak.results({ by: "pool", poolKey: poolOf("second").poolKey });
    assert.deepEqual(page.items, [{ state: "checking", id: second.id }]);
    const run = await weak.runUpgrade(poolOf("second").poolKey);
    assert.deepEqual([run.ended, run.progress?.unfinished], ["done", 1]);
    assert.equal(await outcomeOf(store, second.id), "verified");
  });
});

Deno.test("lists are complete, newest first, and their cursors hold", async () => {
  let now = 1_800_000_000_000;
  await withStore(async (store) => {
    const key = createKey(seededRandom("another issuer"));
    const subjectKey = createKey(seededRandom("subject"));
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      const { id, envelope } = await mint(["algal:t1"], ["right"], {
        key: n % 2 === 0 ? key : ISSUER,
        ...(n < 3 ? { subjectKey } : {}),
      });
      // Two share their time.
      now += n === 3 ? 0 : 1000;
      await store.keep(envelope);
      ids.push(id);
    }
    const all = async (filter: Parameters<typeof store.results>[0], limit: number) => {
      const found: string[] = [];
      let cursor: string | undefined;
      for (;;) {
        const page = await store.results(filter, { cursor, limit });
        assert.ok(page.items.length <= limit);
        for (const item of page.items) {
          assert.ok(item.state === "current");
          found.push(item.result.id);
        }
        if (page.cursor === null) return found;
        cursor = page.cursor;
      }
    };
    const recent = await all({ by: "recent" }, 2);
    assert.equal(recent.length, 7);
    assert.deepEqual(new Set(recent), new Set(ids));
    assert.equal(recent[0], ids[6]);
    assert.equal(recent.at(-1), ids[0]);
    const issued = await all({ by: "issuer", publicKey: key.publicKey.text }, 1);
    assert.deepEqual(issued, [ids[6], ids[4], ids[2], ids[0]]);
    const subject = await all({ by: "subject", subjectKey: subjectKey.publicKey.text }, 2);
    assert.deepEqual(subject, [ids[2], ids[1], ids[0]]);
    const read = await store.result(ids[1]!);
    assert.ok(read.state === "current");
    const sessionId = read.result.sessionId!;
    assert.deepEqual(await all({ by: "session", sessionId }, 2), [ids[1]]);
    assert.deepEqual(await all({ by: "session", sessionId, publicKey: publicKeyText() }, 2), [
      ids[1],
    ]);
    assert.deepEqual(
      await all({ by: "session", sessionId, publicKey: key.publicKey.text }, 2),
      [],
    );

    const page = await store.results({ by: "recent" }, { limit: 2 });
    const wrong = ["", "x", "AAAA", "!", "x".repeat(10_000), page.cursor!.slice(1), "bnVsbA"];
    for (const cursor of wrong) {
      await assert.rejects(
        store.results({ by: "recent" }, { cursor }),
        (error) => error instanceof StoreError && error.code === "cursor-malformed",
        cursor.slice(0, 20),
      );
    }
    // A cursor of one list is none of another.
    await assert.rejects(store.feed({ cursor: page.cursor! }), StoreError);
    await assert.rejects(
      store.results({ by: "issuer", publicKey: publicKeyText() }, { cursor: page.cursor! }),
      StoreError,
    );
    assert.deepEqual(await store.results({ by: "issuer", publicKey: "x".repeat(5000) }), {
      items: [],
      cursor: null,
    });
    for (const limit of [0, -1, NaN, 1e9]) {
      assert.ok((await store.results({ by: "recent" }, { limit })).items.length >= 1);
    }
  }, { clock: () => now });
});

function publicKeyText(): string {
  return ISSUER.publicKey.text;
}
