/** What is stored is bounded, whatever it is: all of it counts, and caches make room for documents. */
import assert from "node:assert/strict";
import { type VerifiedDisclosure, verifyDisclosure } from "../../../lib/protocol/disclosure.ts";
import { createDatabase } from "../../../lib/kv/database.ts";
import { createDrawings } from "../../../lib/store/drawings.ts";
import { createLinkRows, type LinkEvent, type LinkRow } from "../../../lib/links/rows.ts";
import { newLink } from "../../../lib/links/freshness.ts";
import { sha256Hex } from "../../../lib/encoding/digest.ts";
import { createDisclosure } from "../../../lib/issuer/disclosure.ts";
import { type Quotas, StoreError } from "../../../lib/store/store.ts";
import { START } from "../../support/links.ts";
import {
  honest,
  ISSUER,
  open,
  outcomeOf,
  plain,
  poolOf,
  withKv,
} from "../../support/store_fixtures.ts";

const KIB = 1024;

const noFault = (error: unknown) => assert.fail(`${error}`);

const quota = (bytes: number): Quotas => ({ bytes, documentsPerHour: null });

/** A link of so many documents that aren't kept, each with what was found. */
function linkRow(n: number, documents = 100): LinkRow {
  return {
    ...newLink(`https://files.example/${n}?…`),
    given: {
      documents: Array.from({ length: documents }, (_, index) => ({
        id: sha256Hex(`${n} ${index}`),
        kind: "run" as const,
        unwrapped: false,
        observations: [],
        kept: false,
        found: null,
      })),
      content: sha256Hex(`${n}`),
      pools: false,
      at: START,
      validators: null,
    },
    lookedAt: START + n,
    changes: 1,
  };
}

const event: LinkEvent = { at: START, what: "first", ids: [sha256Hex("x")], documents: 1 };

/** Bytes of what lies in the database, as JSON where it isn't bytes; of prefixes, or of all that counts. */
async function written(kv: Deno.Kv, ...prefixes: string[]): Promise<number> {
  const others = ["counter", "limit", "pools-epoch", "upgrade", "upgrade-pending", "tally"];
  let sum = 0;
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const kind = String(key[0]);
    if (prefixes.length > 0 ? !prefixes.includes(kind) : others.includes(kind)) continue;
    sum += key.reduce((all: number, part) => all + String(part).length, 0);
    if (value instanceof Uint8Array) sum += value.length;
    else if (kind === "drawn") sum += (value as { body: Uint8Array }).body.length;
    else sum += JSON.stringify(value)!.length;
  }
  return sum;
}

async function draw(kv: Deno.Kv, count: number, quotas?: Quotas): Promise<void> {
  const drawings = createDrawings(createDatabase(kv), noFault, quotas);
  for (let n = 0; n < count; n++) {
    drawings.put(`${n}`, { body: new Uint8Array(8 * KIB), type: "image/png" } as never);
    await drawings.idle();
  }
}

async function link(kv: Deno.Kv, count: number, quotas: Quotas): Promise<number> {
  const rows = createLinkRows(createDatabase(kv), quotas);
  let kept = 0;
  for (let n = 0; n < count; n++) {
    try {
      if (await rows.write(sha256Hex(`link ${n}`), null, linkRow(n), event) !== null) kept++;
    } catch (error) {
      assert.ok(error instanceof StoreError && error.code === "quota-bytes", `${error}`);
    }
  }
  return kept;
}

async function disclose(poolKey: string): Promise<VerifiedDisclosure> {
  const verified = await verifyDisclosure(poolKey, await createDisclosure(ISSUER, poolKey));
  assert.ok(verified !== null);
  return verified;
}

Deno.test("all that is written counts, each part by itself", async () => {
  await withKv(async (kv) => {
    const store = open(kv);
    const pool = poolOf("counted");
    for (let n = 0; n < 5; n++) await store.keep((await honest(pool)).envelope);
    await store.keep((await plain()).envelope);
    await store.publishPool(pool, { disclosure: await disclose(pool.poolKey) });
    await store.runUpgrade(pool.poolKey);
    await draw(kv, 10);
    await link(kv, 10, quota(100 * KIB * KIB));
    const stats = await store.stats();
    const { documentBytes, poolBytes, linkBytes, drawingBytes } = stats;
    assert.equal(stats.bytes, documentBytes + poolBytes + linkBytes + drawingBytes);
    assert.deepEqual([stats.documents, stats.pools, stats.links, stats.drawings], [6, 1, 10, 10]);
    const documents = await written(
      kv,
      ...["result", "document-chunk", "history", "feed", "asked"],
      ...["by-recent", "by-pool", "by-issuer", "by-session", "by-subject"],
    );
    const parts = [
      [documentBytes, documents],
      [poolBytes, await written(kv, "pool", "pool-recent", "disclosure")],
      [linkBytes, await written(kv, "link", "link-history")],
      [drawingBytes, await written(kv, "drawn")],
    ] as const;
    for (const [counted, there] of parts) {
      assert.ok(counted >= there && counted < 2 * there + 8 * KIB, `${counted} for ${there}`);
    }
    assert.ok(stats.bytes >= await written(kv));
  });
});

Deno.test("drawings stay within an eighth, links within a quarter, and the newest are there", async () => {
  await withKv(async (kv) => {
    const quotas = quota(800 * KIB);
    const store = open(kv, { quotas });
    await draw(kv, 100, quotas);
    assert.ok(await link(kv, 100, quotas) === 100);
    const { bytes, linkBytes, drawingBytes } = await store.stats();
    assert.ok(drawingBytes <= 100 * KIB && drawingBytes > 50 * KIB, `${drawingBytes}`);
    assert.ok(linkBytes <= 200 * KIB && linkBytes > 100 * KIB, `${linkBytes}`);
    assert.equal(bytes, drawingBytes + linkBytes);
    assert.ok(await written(kv, "drawn", "link", "link-history") <= 300 * KIB);
    const rows = createLinkRows(createDatabase(kv), quotas);
    assert.notEqual(await rows.read(sha256Hex("link 99")), null);
    const drawings = createDrawings(createDatabase(kv), noFault, quotas);
    assert.equal((await drawings.get("99"))?.body.length, 8 * KIB);
    // Histories go with their links.
    let histories = 0;
    for await (const { key } of kv.list({ prefix: ["link-history"] })) {
      histories++;
      assert.notEqual(await rows.read(String(key[1])), null);
    }
    assert.equal(histories, (await store.stats()).links);
  });
});

Deno.test("a cached thing larger than its share isn't kept, and takes nothing away", async () => {
  await withKv(async (kv) => {
    const quotas = quota(80 * KIB);
    await draw(kv, 1, quotas);
    await draw(kv, 3, quota(40 * KIB));
    assert.equal((await open(kv).stats()).drawings, 1);
    assert.equal(await link(kv, 3, quota(20 * KIB)), 0);
    assert.equal((await open(kv).stats()).drawings, 1);
  });
});

Deno.test("without a limit, the caches have one all the same", async () => {
  await withKv(async (kv) => {
    // As if 256 MiB had been drawn and 1 GiB of links were known.
    const [drawn, known] = [256n * 1024n * 1024n, 1024n * 1024n * 1024n];
    await kv.atomic()
      .sum(["counter", "drawing-bytes-in"], drawn)
      .sum(["counter", "link-bytes-in"], known)
      .sum(["counter", "bytes-in"], drawn + known)
      .commit();
    await draw(kv, 2);
    assert.equal(await link(kv, 2, { bytes: null, documentsPerHour: null }), 0);
    assert.equal((await open(kv).stats()).drawings, 0);
  });
});

Deno.test("where room is short, drawings go first, then links, and documents and pools are taken", async () => {
  await withKv(async (kv) => {
    const quotas = quota(200 * KIB);
    const store = open(kv, { quotas });
    await draw(kv, 10, quotas);
    await link(kv, 10, quotas);
    const ids: string[] = [];
    let drawn = (await store.stats()).drawings;
    const { links } = await store.stats();
    assert.ok(drawn > 1 && links > 1);
    for (;;) {
      const { id, envelope } = await plain();
      try {
        assert.ok((await store.keep(envelope)).ok);
      } catch (error) {
        assert.ok(error instanceof StoreError && error.code === "quota-bytes");
        break;
      }
      ids.push(id);
      const stats = await store.stats();
      assert.ok(stats.bytes <= 200 * KIB, `${stats.bytes}`);
      if (stats.links < links) assert.equal(stats.drawings, 0, "links go when no drawing is left");
      drawn = Math.min(drawn, stats.drawings);
    }
    const full = await store.stats();
    assert.equal(drawn, 0);
    assert.ok(ids.length > 20);
    for (const id of ids) assert.equal(await outcomeOf(store, id), "verified");
    // What can't be taken in any case doesn't clear the caches for it.
    await store.deleteDocument(ids.pop()!);
    await draw(kv, 1, quotas);
    const before = await store.stats();
    assert.ok(before.bytes <= full.bytes);
    await assert.rejects(open(kv, { quotas: quota(1000) }).keep((await plain()).envelope));
    assert.deepEqual(await store.stats(), before);
  });
});

Deno.test("removing gives back what was counted, to the byte", async () => {
  await withKv(async (kv) => {
    const store = open(kv, { pause: () => Promise.resolve() });
    const pool = poolOf("to the byte");
    const kept = await honest(pool);
    await store.keep(kept.envelope);
    await store.publishPool(pool, { disclosure: await disclose(pool.poolKey) });
    await store.runUpgrade(pool.poolKey);
    await link(kv, 3, quota(1000 * KIB));
    const rows = createLinkRows(createDatabase(kv), quota(1000 * KIB));
    const entry = await rows.read(sha256Hex("link 1"));
    await rows.write(sha256Hex("link 1"), entry!.versionstamp, linkRow(1, 3), null);
    for (let n = 0; n < 3; n++) assert.ok(await rows.remove(sha256Hex(`link ${n}`)));
    assert.ok(!await rows.remove(sha256Hex("link 0")));
    assert.ok(await store.deleteDocument(kept.id));
    assert.deepEqual([...(await store.removePools([pool.poolKey])).values()], ["removed"]);
    const { bytes, documentBytes, poolBytes, linkBytes, links, pools } = await store.stats();
    assert.deepEqual([bytes, documentBytes, poolBytes, linkBytes, links, pools], [
      0,
      0,
      0,
      0,
      0,
      0,
    ]);
    const left = [];
    for await (const { key } of kv.list({ prefix: [] })) left.push(String(key[0]));
    const kinds = new Set(left.filter((kind) => kind !== "counter"));
    assert.deepEqual(
      [...kinds].toSorted(),
      ["feed", "history", "pool-tombstone", "pools-epoch", "tombstone"],
    );
  });
});

Deno.test("a pool that a document names stays; others go, and only a publication brings them back", async () => {
  await withKv(async (kv) => {
    const [named, unused, shipped] = [poolOf("named"), poolOf("unused"), poolOf("shipped")];
    const paused: number[] = [];
    const pause = (ms: number) => Promise.resolve(void paused.push(ms));
    const store = open(kv, { shipped: [shipped], pause });
    const kept = await honest(named);
    await store.keep(kept.envelope);
    for (const pool of [named, unused]) await store.publishPool(pool);
    const lines = await Array.fromAsync(store.exportLines());
    assert.deepEqual(await store.unusedPools(), [unused.poolKey]);
    const removed = await store.removePools([
      named.poolKey,
      unused.poolKey,
      shipped.poolKey,
      "0".repeat(64),
    ]);
    assert.deepEqual(Object.fromEntries(removed), {
      [named.poolKey]: "named",
      [unused.poolKey]: "removed",
      [shipped.poolKey]: "removed",
      ["0".repeat(64)]: "unknown",
    });
    // As long as others may have it in memory, and a check may take.
    assert.deepEqual(paused, [10_000]);
    assert.equal(await outcomeOf(store, kept.id), "verified");
    // Neither the next start nor the store's own export brings one back.
    const next = open(kv, { shipped: [shipped], pause });
    assert.equal(await next.pool(shipped.poolKey), null);
    for (const { record } of lines) {
      const taken = await next.importLine(record);
      if (record.type === "pool" && !record.file.includes(named.poolKey)) {
        assert.ok(!taken.ok && taken.code === "pool-removed");
      } else assert.ok(taken.ok);
    }
    assert.equal(await next.pool(unused.poolKey), null);
    assert.deepEqual((await next.pools()).items.map(({ poolKey }) => poolKey), [named.poolKey]);
    assert.equal((await next.pendingUpgrades()).includes(unused.poolKey), false);
    // Who discloses a pool may do so, and then it is as any other.
    assert.ok((await next.publishPool(unused)).created);
    assert.notEqual(await next.pool(unused.poolKey), null);
    assert.equal((await next.stats()).pools, 2);
  });
});

Deno.test("a document that another process stores with a pool as it goes brings the pool back", async () => {
  await withKv(async (kv) => {
    const pool = poolOf("raced");
    const other = open(kv);
    const kept = await honest(pool);
    const store = open(kv, {
      // In its memory the pool is still there.
      pause: async () => void await other.keep(kept.envelope),
    });
    const { record } = await store.publishPool(pool);
    await other.pool(pool.poolKey);
    assert.deepEqual([...(await store.removePools([pool.poolKey])).values()], ["named"]);
    assert.deepEqual(await open(kv).pool(pool.poolKey), record);
    assert.equal(await outcomeOf(open(kv), kept.id), "verified");
    assert.equal((await store.stats()).pools, 1);
  });
});
