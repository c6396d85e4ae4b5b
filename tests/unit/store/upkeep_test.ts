import assert from "node:assert/strict";
import { type VerifiedDisclosure, verifyDisclosure } from "../../../lib/protocol/disclosure.ts";
import { createDisclosure } from "../../../lib/issuer/disclosure.ts";
import { createKey } from "../../../lib/issuer/keys.ts";
import { seededRandom } from "../../../lib/issuer/random.ts";
import { canonicalJson } from "../../../lib/encoding/canonical.ts";
import { disclosureText } from "../../../lib/protocol/disclosure.ts";
import { readPool } from "../../../lib/protocol/pool.ts";
import {
  type Disclosure,
  type ExportRecord,
  type Store,
  StoreError,
} from "../../../lib/store/store.ts";
import {
  forged,
  hollow,
  honest,
  ISSUER,
  open,
  outcomeOf,
  plain,
  poolOf,
  watched,
  withKv,
  withStore,
} from "../../support/store_fixtures.ts";

const DAY_MS = 86_400_000;
const NOON = 20_000 * DAY_MS + DAY_MS / 2;

const hasCode = (code: string) => (error: unknown) =>
  error instanceof StoreError && error.code === code;

async function disclose(poolKey: string, key = ISSUER): Promise<VerifiedDisclosure> {
  const verified = await verifyDisclosure(poolKey, await createDisclosure(key, poolKey));
  assert.ok(verified !== null);
  return verified;
}

async function exported(
  store: Store,
  after?: string,
): Promise<{ record: ExportRecord; after: string }[]> {
  return await Array.fromAsync(store.exportLines(after));
}

Deno.test("a full store takes no more bytes, but what it holds stays known", async () => {
  await withKv(async (kv) => {
    const unlimited = open(kv);
    const { envelope } = await plain();
    await unlimited.keep(envelope);
    const { bytes } = await unlimited.stats();
    assert.ok(bytes > 2048 && bytes < 10_000);
    const store = open(kv, { quotas: { bytes: bytes + 100, documentsPerHour: null } });
    await assert.rejects(store.keep((await plain()).envelope), hasCode("quota-bytes"));
    await assert.rejects(store.publishPool(poolOf("full")), hasCode("quota-bytes"));
    assert.equal(await store.pool(poolOf("full").poolKey), null);
    const again = await store.keep(envelope);
    assert.ok(again.ok && !again.created);
    await store.deleteDocument(again.id);
    assert.equal((await store.stats()).bytes, 0);
    assert.ok((await store.keep(envelope)).ok);
  });
});

Deno.test("a client stores so many documents an hour; known ones and other clients don't count", async () => {
  let now = NOON + 60_000;
  await withStore(async (store) => {
    const first = await plain();
    await store.keep(first.envelope, "a");
    for (let n = 0; n < 5; n++) assert.ok((await store.keep(first.envelope, "a")).ok);
    await store.keep((await plain()).envelope, "a");
    const refused = await plain();
    await assert.rejects(store.keep(refused.envelope, "a"), (error) => {
      assert.ok(hasCode("quota-rate")(error));
      assert.equal((error as StoreError).retryAfter, 3600 - 60);
      return true;
    });
    assert.equal(await outcomeOf(store, refused.id), "unknown");
    await assert.rejects(store.publishPool(poolOf("rate"), { client: "a" }), hasCode("quota-rate"));
    assert.ok((await store.keep((await plain()).envelope, "b")).ok);
    assert.ok((await store.keep((await plain()).envelope)).ok);
    now += 3_540_000;
    assert.ok((await store.keep(refused.envelope, "a")).ok);
  }, { quotas: { bytes: null, documentsPerHour: 2 }, clock: () => now });
});

Deno.test("documents sent at once count one by one", async () => {
  await withStore(async (store) => {
    const documents = await Promise.all(Array.from({ length: 8 }, () => plain()));
    const kept = await Promise.allSettled(
      documents.map(({ envelope }) => store.keep(envelope, "a")),
    );
    assert.equal(kept.filter(({ status }) => status === "fulfilled").length, 3);
    assert.equal((await store.stats()).documents, 3);
  }, { quotas: { bytes: null, documentsPerHour: 3 } });
});

Deno.test("nothing of a client's name is kept", async () => {
  await withStore(async (store, kv) => {
    await store.keep((await plain()).envelope, "198.51.100.77");
    for await (const entry of kv.list({ prefix: [] })) {
      assert.equal(Deno.inspect(entry).includes("198.51.100.77"), false);
    }
  }, { quotas: { bytes: null, documentsPerHour: 2 } });
});

Deno.test("retention removes what nobody asked for, and leaves the history", async () => {
  let now = NOON;
  await withStore(async (store, kv) => {
    const pool = poolOf("retention");
    const [asked, forgotten, badge] = await Promise.all([honest(pool), forged(pool), plain()]);
    for (const { envelope } of [asked, forgotten, badge]) await store.keep(envelope);
    await store.publishPool(pool);
    await store.runUpgrade(pool.poolKey);
    assert.equal((await store.history(forgotten.id)).length, 1);
    assert.deepEqual(await store.sweep(now, 30), { removed: 0 });
    now += 29 * DAY_MS;
    await store.result(asked.id);
    await store.badgeRow(badge.id);
    now += 1 * DAY_MS;
    assert.deepEqual(await store.sweep(now, 30), { removed: 0 });
    now += 1 * DAY_MS;
    assert.deepEqual(await store.sweep(now, 30), { removed: 1 });

    const read = await store.result(forgotten.id);
    assert.ok(read.state === "removed");
    assert.equal(read.tombstone.why, "retention");
    assert.equal(read.tombstone.outcome, "invalid");
    assert.equal(read.tombstone.removedAt, now);
    assert.equal((await store.report(forgotten.id)).state, "removed");
    assert.equal((await store.badgeRow(forgotten.id)).state, "removed");
    assert.equal(await store.document(forgotten.id), null);
    const [entry] = await store.history(forgotten.id);
    assert.deepEqual([entry?.from, entry?.to, entry?.exposed], ["issuer-claimed", "invalid", true]);
    assert.equal((await store.results({ by: "recent" })).items.length, 2);
    assert.equal((await store.results({ by: "pool", poolKey: pool.poolKey })).items.length, 1);
    assert.equal(await outcomeOf(store, asked.id), "verified");
    const stats = await store.stats();
    assert.deepEqual([stats.documents, stats.tombstones], [2, 1]);
    assert.deepEqual(await store.gc(), { chunks: 0, bytes: 0 });

    // It may come back, and its history goes on.
    const back = await store.keep(forgotten.envelope);
    assert.ok(back.ok && back.created);
    assert.equal(back.result.changes, 1);
    assert.equal((await store.history(forgotten.id)).length, 1);
    assert.equal((await store.stats()).tombstones, 0);

    // Asking is noted once a day.
    const version = async () => (await kv.get(["asked", asked.id])).versionstamp;
    await store.result(asked.id);
    const noted = await version();
    await store.result(asked.id);
    await store.report(asked.id);
    assert.equal(await version(), noted);
  }, { clock: () => now });
});

Deno.test("who asks while a sweep is under way keeps the document", async () => {
  let now = NOON;
  await withKv(async (kv) => {
    const { id, envelope } = await plain();
    const store = open(kv, { clock: () => now });
    await store.keep(envelope);
    now += 40 * DAY_MS;
    const sweeping = open(watched(kv, async (operation) => {
      if (operation === "commit") await store.result(id);
    }));
    assert.deepEqual(await sweeping.sweep(now, 30), { removed: 0 });
    assert.equal(await outcomeOf(store, id), "verified");
  });
});

Deno.test("a document is as fresh as its import, however old it is", async () => {
  let now = NOON;
  await withStore(async (store) => {
    await store.keep((await plain()).envelope);
    const [line] = await exported(store);
    now += 400 * DAY_MS;
    await withStore(async (target) => {
      assert.ok((await target.importLine(line!.record)).ok);
      assert.deepEqual(await target.sweep(now, 30), { removed: 0 });
      now += 31 * DAY_MS;
      assert.deepEqual(await target.sweep(now, 30), { removed: 1 });
    }, { clock: () => now });
  }, { clock: () => now });
});

Deno.test("a removed document is gone from everywhere but its tombstone and history", async () => {
  await withStore(async (store, kv) => {
    const { id, envelope } = await plain();
    await store.keep(envelope);
    await store.result(id);
    assert.equal(await store.deleteDocument(id), true);
    assert.equal(await store.deleteDocument(id), false);
    const left: string[] = [];
    for await (const { key } of kv.list({ prefix: [] })) {
      if (key[0] !== "counter" && key[0] !== "pools-epoch") left.push(key.join(" "));
    }
    assert.deepEqual(left, [`tombstone ${id}`]);
  });
});

Deno.test("gc removes orphan chunks, and never those of a store under way", async () => {
  await withStore(async (store, kv) => {
    const { id, envelope } = await plain();
    await store.keep(envelope);
    const orphan = "a".repeat(64);
    const fresh = "b".repeat(64);
    await kv.set(["document-chunk", orphan, orphan, 0], new Uint8Array(1000));
    await kv.set(["document-chunk", orphan, orphan, 1], new Uint8Array(500));
    // Another packing of a stored document.
    await kv.set(["document-chunk", id, orphan, 0], new Uint8Array(7));
    await kv.set(["upload", fresh, fresh], NOON - 1000);
    await kv.set(["document-chunk", fresh, fresh, 0], new Uint8Array(10));
    assert.deepEqual(await store.gc(NOON), { chunks: 3, bytes: 1507 });
    assert.deepEqual(await store.gc(NOON), { chunks: 0, bytes: 0 });
    assert.notEqual(await store.document(id), null);
    assert.deepEqual(await store.gc(NOON + 3_600_000), { chunks: 1, bytes: 10 });
    assert.equal((await kv.get(["upload", fresh, fresh])).value, null);
  });
});

Deno.test("pools are published once, listed newest first, and kept exactly", async () => {
  let now = NOON;
  await withStore(async (store) => {
    const pools = [poolOf("one"), poolOf("two"), poolOf("three")];
    for (const pool of pools) {
      now += 1000;
      const first = await store.publishPool(pool);
      assert.deepEqual([first.created, first.record.source], [true, "published"]);
      now += 1000;
      const second = await store.publishPool(pool);
      assert.deepEqual([second.created, second.record.firstSeen], [false, first.record.firstSeen]);
    }
    const page = await store.pools({ limit: 2 });
    assert.deepEqual(page.items.map((p) => p.poolKey), [pools[2]!.poolKey, pools[1]!.poolKey]);
    const rest = await store.pools({ limit: 2, cursor: page.cursor! });
    assert.deepEqual([rest.items[0]?.poolKey, rest.cursor], [pools[0]!.poolKey, null]);
    const record = (await store.pool(pools[0]!.poolKey))!;
    assert.equal(record.file, canonicalJson(JSON.parse(record.file)));
    const read = readPool(JSON.parse(record.file));
    assert.ok(read.ok);
    assert.deepEqual(read.pool, pools[0]);
    assert.deepEqual(record.pool, pools[0]);
    assert.equal(await store.pool("0".repeat(64)), null);
    await assert.rejects(store.pools({ cursor: "zzz" }), hasCode("cursor-malformed"));
    assert.equal((await store.stats()).pools, 3);
  }, { clock: () => now });
});

Deno.test("a statement signs the canonical list of its name, the pool and the key", () => {
  assert.equal(
    disclosureText("ab".repeat(32), "A".repeat(43)),
    `["touchstone/disclosure/v1","${"ab".repeat(32)}","${"A".repeat(43)}"]`,
  );
});

Deno.test("statements are kept by key, and only with a good signature", async () => {
  await withStore(async (store) => {
    const pool = poolOf("disclosed");
    const other = createKey(seededRandom("discloser"));
    const good = await disclose(pool.poolKey);
    const bad: Disclosure[] = [
      { ...good, signature: (await disclose("0".repeat(64))).signature },
      { ...good, publicKey: other.publicKey.text },
      { ...good, publicKey: "A".repeat(43) },
      { publicKey: "", signature: "" },
    ];
    for (const disclosure of bad) {
      assert.equal(await verifyDisclosure(pool.poolKey, disclosure), null);
    }
    // Nor does a statement about another pool go with this one.
    const ofAnother = await disclose("0".repeat(64));
    await assert.rejects(store.publishPool(pool, { disclosure: ofAnother }), /another pool/);
    assert.equal(await store.pool(pool.poolKey), null);
    const published = await store.publishPool(pool, { disclosure: good });
    assert.deepEqual([published.created, published.disclosure], [true, true]);
    const again = await store.publishPool(pool, { disclosure: good });
    assert.deepEqual([again.created, again.disclosure], [false, false]);
    const second = await store.publishPool(pool, {
      disclosure: await disclose(pool.poolKey, other),
    });
    assert.equal(second.disclosure, true);
    const kept = await store.disclosure(pool.poolKey, good.publicKey);
    assert.equal(kept?.signature, good.signature);
    assert.notEqual(await store.disclosure(pool.poolKey, other.publicKey.text), null);
    assert.equal(await store.disclosure("0".repeat(64), good.publicKey), null);
  });
});

Deno.test("a dry run tells what publishing would do, and stores nothing of it", async () => {
  await withStore(async (store, kv) => {
    const pool = poolOf("dry");
    const documents = await Promise.all([honest(pool), honest(pool), forged(pool), hollow(pool)]);
    for (const { envelope } of documents) await store.keep(envelope);
    const before = await Array.fromAsync(kv.list({ prefix: [] }));
    const preview = await store.previewPool(pool);
    assert.deepEqual(await Array.fromAsync(kv.list({ prefix: [] })), before);
    const { known, upgraded, exposed, unchanged, complete } = preview;
    assert.deepEqual([known, upgraded, exposed, unchanged, complete], [false, 2, 2, 0, true]);
    assert.deepEqual(new Set(preview.upgradedIds), new Set([documents[0]!.id, documents[1]!.id]));
    assert.deepEqual(new Set(preview.exposedIds), new Set([documents[2]!.id, documents[3]!.id]));
    assert.equal(await outcomeOf(store, documents[0]!.id), "issuer-claimed");
    await store.publishPool(pool);
    const { progress } = await store.runUpgrade(pool.poolKey);
    assert.deepEqual([progress?.upgraded, progress?.exposed], [upgraded, exposed]);
    assert.equal((await store.previewPool(pool)).known, true);
  });
});

Deno.test("shipped pools are public from the first call on, and upgrade what was there", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("shipped");
    const { id, envelope } = await honest(pool);
    await open(kv).keep(envelope);
    const store = open(kv, { shipped: [pool] });
    assert.equal(await outcomeOf(store, id), "verified");
    assert.equal((await store.pool(pool.poolKey))?.source, "shipped");
    assert.deepEqual(await store.pendingUpgrades(), [pool.poolKey]);
    await store.runUpgrade(pool.poolKey);
    const again = open(kv, { shipped: [pool], quotas: { bytes: 0, documentsPerHour: 0 } });
    assert.deepEqual(await again.pendingUpgrades(), []);
    assert.equal((await again.stats()).pools, 1);
  });
});

Deno.test("rotation: an issuer's pools stand side by side", async () => {
  await withStore(async (store) => {
    const [retired, current] = [poolOf("retired"), poolOf("current")];
    const [old, fresh] = await Promise.all([honest(retired), honest(current)]);
    for (const { envelope } of [old, fresh]) await store.keep(envelope);
    await store.publishPool(retired);
    assert.equal(await outcomeOf(store, old.id), "verified");
    assert.equal(await outcomeOf(store, fresh.id), "issuer-claimed");
  });
});

/** A store with some of everything. */
async function fill(store: Store): Promise<void> {
  const pool = poolOf("moved");
  const documents = await Promise.all([
    honest(pool),
    forged(pool),
    hollow(pool),
    plain(),
    honest(poolOf("still secret")),
  ]);
  for (const { envelope } of documents) assert.ok((await store.keep(envelope)).ok);
  await store.publishPool(pool, { disclosure: await disclose(pool.poolKey) });
  await store.runUpgrade(pool.poolKey);
  await store.deleteDocument(documents[1]!.id);
}

function withoutMarks(record: ExportRecord): unknown {
  if (!("history" in record)) return record;
  return { ...record, history: record.history.map((entry) => ({ ...entry, imported: false })) };
}

Deno.test("a store moved by export and import is the same, its history marked", async () => {
  await withStore(async (store) => {
    await fill(store);
    const lines = (await exported(store)).map(({ record }) => JSON.stringify(record));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).type),
      ["pool", "disclosure", "document", "document", "document", "document", "tombstone"],
    );
    await withStore(async (target) => {
      for (const round of [true, false]) {
        for (const line of lines) {
          const imported = await target.importLine(JSON.parse(line));
          assert.ok(imported.ok, line.slice(0, 100));
          assert.equal(imported.created, round);
        }
      }
      const back = (await exported(target)).map(({ record }) => record);
      assert.deepEqual(back.map(withoutMarks), lines.map((line) => withoutMarks(JSON.parse(line))));
      const histories = back.flatMap((record) => "history" in record ? record.history : []);
      assert.equal(histories.length, 3);
      assert.equal(histories.every((entry) => entry.imported), true);
      const [from, to] = await Promise.all([store.stats(), target.stats()]);
      assert.deepEqual({ ...to, pendingUpgrades: 0, bytes: 0 }, { ...from, bytes: 0 });
      for (const poolKey of await target.pendingUpgrades()) {
        assert.equal((await target.runUpgrade(poolKey)).ended, "done");
      }
      const feed = (await target.feed()).items;
      assert.equal(feed.length, 2);
      assert.equal(feed.every((entry) => entry.imported), true);
      const page = await target.results({ by: "recent" });
      const original = await store.results({ by: "recent" });
      const ids = (items: typeof page.items) =>
        items.map((item) => item.state === "current" ? [item.result.id, item.result.outcome] : []);
      assert.deepEqual(ids(page.items), ids(original.items));
    });
  });
});

Deno.test("an import without the pool, then with it, comes to the same results", async () => {
  await withStore(async (store) => {
    await fill(store);
    const records = (await exported(store)).map(({ record }) => record);
    await withStore(async (target) => {
      for (const record of records.toReversed()) {
        const imported = await target.importLine(record);
        assert.equal(imported.ok, record.type !== "disclosure");
      }
      for (const poolKey of await target.pendingUpgrades()) await target.runUpgrade(poolKey);
      for (const record of records) {
        if (record.type !== "document") continue;
        assert.equal(await outcomeOf(target, record.id), await outcomeOf(store, record.id));
      }
    });
  });
});

Deno.test("an export goes on where it stopped", async () => {
  await withStore(async (store) => {
    await fill(store);
    const all = await exported(store);
    for (const [n, { after }] of all.entries()) {
      assert.deepEqual(await exported(store, after), all.slice(n + 1));
    }
    for (const after of ["", "x", "bnVsbA"]) {
      await assert.rejects(exported(store, after), hasCode("cursor-malformed"));
    }
  });
});

Deno.test("an import takes nothing on trust", async () => {
  await withStore(async (store) => {
    await fill(store);
    const records = (await exported(store)).map(({ record }) => record);
    const of = <T extends ExportRecord["type"]>(type: T) =>
      records.find((r): r is Extract<ExportRecord, { type: T }> => r.type === type)!;
    const [pool, disclosure, document, tombstone] = [
      of("pool"),
      of("disclosure"),
      of("document"),
      of("tombstone"),
    ];
    await withStore(async (target) => {
      const refused: [unknown, string][] = [
        [null, "record-malformed"],
        [{}, "record-malformed"],
        [{ type: "result", id: document.id, outcome: "verified" }, "record-malformed"],
        [{ ...document, verdict: "pass" }, "record-malformed"],
        [{ ...document, outcome: "fine" }, "record-malformed"],
        [{ ...document, document: `${document.document} ` }, "hash-mismatch"],
        [
          {
            ...document,
            document: document.document.replace("right", "wrong"),
            id: "0".repeat(64),
          },
          "hash-mismatch",
        ],
        [{ ...document, document: "[[[[" }, "hash-mismatch"],
        [{ ...document, history: [{ at: 1 }] }, "record-malformed"],
        [{ ...pool, file: pool.file.replace(/"label":"./, '"label":"Z') }, "pool-key-mismatch"],
        [{ ...pool, file: "{" }, "pool-malformed"],
        [{ ...pool, suiteVersion: "clankdar-algal-v1" }, "pool-suite-unknown"],
        [disclosure, "pool-unknown"],
        [{ ...tombstone, changes: tombstone.changes + 1 }, "record-malformed"],
      ];
      for (const [record, code] of refused) {
        const imported = await target.importLine(record);
        assert.ok(!imported.ok, JSON.stringify(record)?.slice(0, 80));
        assert.equal(imported.code, code);
      }
      assert.ok((await target.importLine(pool)).ok);
      const forgedStatement = { ...disclosure, publicKey: createKey().publicKey.text };
      const imported = await target.importLine(forgedStatement);
      assert.ok(!imported.ok);
      assert.equal(imported.code, "disclosure-invalid");
      const stats = await target.stats();
      assert.deepEqual([stats.documents, stats.pools, stats.tombstones], [0, 1, 0]);
      // Times from elsewhere are no later than now.
      const late = { ...document, storedAt: 8e15 };
      assert.ok((await target.importLine(late)).ok);
      const read = await target.result(document.id);
      assert.ok(read.state === "current" && read.result.storedAt <= Date.now());
      assert.equal(read.result.imported, true);
    });
  });
});

Deno.test("what was claimed before a removal is part of the history of what comes back", async () => {
  await withStore(async (store) => {
    const pool = poolOf("claimed before the removal");
    const claimed = await honest(pool);
    const empty = await hollow(pool);
    const steady = await plain();
    for (const { envelope } of [claimed, empty, steady]) await store.keep(envelope);
    const first = await store.result(claimed.id);
    for (const { id } of [claimed, empty, steady]) await store.deleteDocument(id);
    await store.publishPool(pool);
    for (const { envelope } of [claimed, empty, steady]) await store.keep(envelope);

    assert.equal(await outcomeOf(store, claimed.id), "verified");
    assert.equal(await outcomeOf(store, empty.id), "invalid");
    const changes = async (id: string) =>
      (await store.history(id)).map((
        { from, to, poolKey, exposed, imported },
      ) => [from, to, poolKey, exposed, imported]);
    const { poolKey } = pool;
    assert.deepEqual(await changes(claimed.id), [
      ["issuer-claimed", "verified", poolKey, false, false],
    ]);
    assert.deepEqual(await changes(empty.id), [["verified", "invalid", poolKey, true, false]]);
    assert.deepEqual(await changes(steady.id), []);
    const again = await store.result(claimed.id);
    assert.ok(first.state === "current" && again.state === "current");
    assert.equal(again.result.storedAt, first.result.storedAt);
    assert.equal(again.result.changes, 1);
    const feed = (await store.feed({ limit: 100 })).items;
    assert.deepEqual(
      new Set(feed.map(({ id, what, from, to }) => `${id} ${what} ${from} ${to}`)),
      new Set([
        `${claimed.id} upgraded issuer-claimed verified`,
        `${empty.id} exposed verified invalid`,
      ]),
    );
  });
});

Deno.test("an import under a pool that is public here records the change it brings", async () => {
  const pool = poolOf("public where it is imported");
  const empty = await hollow(pool);
  await withStore(async (source) => {
    await source.keep(empty.envelope);
    const { record } = (await exported(source)).find(({ record }) => record.type === "document")!;
    await withStore(async (target) => {
      await target.publishPool(pool);
      assert.ok((await target.importLine(record)).ok);
      assert.equal(await outcomeOf(target, empty.id), "invalid");
      const [change] = await target.history(empty.id);
      assert.deepEqual(
        [change?.from, change?.to, change?.exposed, change?.imported],
        ["verified", "invalid", true, true],
      );
    });
  });
});

Deno.test("an imported history makes no news that this store does not find itself", async () => {
  const steady = await plain();
  await withStore(async (source) => {
    await source.keep(steady.envelope);
    const { record } = (await exported(source)).find(({ record }) => record.type === "document")!;
    assert.ok(record.type === "document");
    await withStore(async (target) => {
      const entry = {
        at: 8.64e15,
        from: "verified",
        to: "invalid",
        poolKey: "ab".repeat(32),
        exposed: true,
        reason: null,
        inner: null,
        verifierVersion: "0.1.0",
        imported: false,
      };
      const imported = await target.importLine({ ...record, history: [entry] });
      assert.ok(imported.ok);
      assert.equal(await outcomeOf(target, steady.id), "verified");
      assert.deepEqual((await target.feed({ limit: 100 })).items, []);
      const [kept] = await target.history(steady.id);
      assert.ok(kept!.at <= Date.now());
      assert.equal(kept!.imported, true);
    });
  });
});

Deno.test("a pool and its statement are published together or not at all", async () => {
  const pool = poolOf("together or not at all");
  const disclosure = await disclose(pool.poolKey);
  await withKv(async (kv) => {
    const used = (await open(kv).stats()).bytes;
    const size = canonicalJson({
      protocol: pool.protocol,
      suite: pool.suite,
      poolKey: pool.poolKey,
      cells: pool.cells,
    }).length;
    // Room for the pool, none for the statement.
    const full = open(kv, { quotas: { bytes: used + size + 2048 + 100, documentsPerHour: null } });
    await assert.rejects(full.publishPool(pool, { disclosure }), hasCode("quota-bytes"));
    assert.equal(await full.pool(pool.poolKey), null);
    assert.ok((await full.publishPool(pool)).created);
    await assert.rejects(full.publishPool(pool, { disclosure }), hasCode("quota-bytes"));
    const roomy = open(kv);
    const published = await roomy.publishPool(pool, { disclosure });
    assert.deepEqual([published.created, published.disclosure], [false, true]);
  });
});

Deno.test("statements count for the hourly quota, refused documents do not", async () => {
  const pool = poolOf("statements are counted");
  await withKv(async (kv) => {
    const store = open(kv, { quotas: { bytes: null, documentsPerHour: 2 } });
    await open(kv).publishPool(pool);
    const publish = async () => {
      const disclosure = await disclose(pool.poolKey, createKey());
      return await store.publishPool(pool, { disclosure, client: "somebody" });
    };
    await publish();
    await publish();
    await assert.rejects(publish(), hasCode("quota-rate"));
  });
  await withKv(async (kv) => {
    const full = open(kv, { quotas: { bytes: 1, documentsPerHour: 1 } });
    const { envelope } = await plain();
    await assert.rejects(full.keep(envelope, "somebody"), hasCode("quota-bytes"));
    await assert.rejects(full.keep(envelope, "somebody"), hasCode("quota-bytes"));
  });
});
