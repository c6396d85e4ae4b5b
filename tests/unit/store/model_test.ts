import assert from "node:assert/strict";
import fc from "../../support/npm/fast_check.ts";
import type { ExportRecord, Store } from "../../../lib/store/store.ts";
import {
  forged,
  hollow,
  honest,
  type Minted,
  open,
  outcomeOf,
  plain,
  poolOf,
  withKv,
} from "../../support/store_fixtures.ts";

const POOLS = [poolOf("model 0"), poolOf("model 1")];

/** Every kind of document under every pool: its outcome without and with the pool. */
const DOCUMENTS: { minted: Minted; pool: number | null; without: string; with: string }[] = [
  { minted: await plain(), pool: null, without: "verified", with: "verified" },
];
for (const [pool, file] of POOLS.entries()) {
  DOCUMENTS.push(
    { minted: await honest(file), pool, without: "issuer-claimed", with: "verified" },
    { minted: await forged(file), pool, without: "issuer-claimed", with: "invalid" },
    { minted: await hollow(file), pool, without: "verified", with: "invalid" },
  );
}

/** What a store should hold, kept as simply as can be. */
interface Model {
  stored: Set<number>;
  removed: Set<number>;
  published: Set<number>;
  /** Outcome changes so far, by document. */
  changes: number[];
  /** What each document's result said when it was last removed. */
  last: (string | null)[];
  /** Documents that lacked the pool when it was published. */
  lacking: [number, number];
}

const expected = (model: Model, n: number): string => {
  const { pool, without, with: withPool } = DOCUMENTS[n]!;
  return pool !== null && model.published.has(pool) ? withPool : without;
};

type Step =
  | { do: "keep" | "remove" | "read" | "badge"; document: number; store: number }
  | { do: "publish" | "upgrade"; pool: number; store: number }
  | { do: "gc"; store: number };

const document = fc.nat(DOCUMENTS.length - 1);
const pool = fc.nat(POOLS.length - 1);
const store = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("keep" as const), document, store }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), document, store }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), document, store }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("badge" as const), document, store }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("publish" as const), pool, store }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("upgrade" as const), pool, store }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gc" as const), store }) },
);

async function take(stores: Store[], model: Model, at: Step): Promise<void> {
  const one = stores[at.store]!;
  switch (at.do) {
    case "keep": {
      const kept = await one.keep(DOCUMENTS[at.document]!.minted.envelope);
      assert.ok(kept.ok);
      assert.equal(kept.created, !model.stored.has(at.document));
      // What a removed document said is not forgotten: coming back as something else is a change.
      const cameBack = kept.created && model.removed.has(at.document);
      if (cameBack && model.last[at.document] !== expected(model, at.document)) {
        model.changes[at.document]!++;
      }
      model.stored.add(at.document);
      model.removed.delete(at.document);
      assert.equal(kept.report.outcome, expected(model, at.document));
      return;
    }
    case "remove": {
      const { id } = DOCUMENTS[at.document]!.minted;
      if (model.stored.has(at.document)) model.last[at.document] = expected(model, at.document);
      assert.equal(await one.deleteDocument(id), model.stored.delete(at.document));
      if ((await one.result(id)).state === "removed") model.removed.add(at.document);
      return;
    }
    case "read":
      return await checkRead(one, model, at.document);
    case "badge": {
      // What the other store did shows after the 20 ms for which the epoch counts as read.
      const read = await one.badgeRow(DOCUMENTS[at.document]!.minted.id);
      if (read.state === "current" && model.stored.has(at.document)) {
        const { outcome } = read.result;
        if (outcome !== expected(model, at.document)) {
          await new Promise((resolve) => setTimeout(resolve, 21));
          const again = await one.badgeRow(DOCUMENTS[at.document]!.minted.id);
          assert.ok(again.state === "current");
          assert.equal(again.result.outcome, expected(model, at.document));
        }
      }
      return;
    }
    case "publish": {
      const published = await one.publishPool(POOLS[at.pool]!);
      assert.equal(published.created, !model.published.has(at.pool));
      if (!published.created) return;
      model.published.add(at.pool);
      // A badge of the publishing process is right at once.
      for (const n of model.stored) {
        if (DOCUMENTS[n]!.pool !== at.pool) continue;
        model.lacking[at.pool]!++;
        const read = await one.badgeRow(DOCUMENTS[n]!.minted.id);
        assert.ok(read.state === "current");
        assert.equal(read.result.outcome, DOCUMENTS[n]!.with);
        model.changes[n]!++;
      }
      return;
    }
    case "upgrade": {
      const { ended, progress } = await one.runUpgrade(POOLS[at.pool]!.poolKey);
      assert.equal(ended, model.published.has(at.pool) ? "done" : "unknown");
      if (progress === null) return;
      const { upgraded, exposed, unchanged, unfinished } = progress;
      assert.equal(upgraded + exposed + unchanged + unfinished, model.lacking[at.pool]);
      return;
    }
    case "gc":
      assert.deepEqual(await one.gc(), { chunks: 0, bytes: 0 });
      return;
  }
}

async function checkRead(one: Store, model: Model, n: number): Promise<void> {
  const { id } = DOCUMENTS[n]!.minted;
  if (model.stored.has(n)) assert.equal(await outcomeOf(one, id), expected(model, n));
  else assert.equal(await outcomeOf(one, id), model.removed.has(n) ? "removed" : "unknown");
  assert.equal((await one.history(id)).length, model.changes[n]);
}

Deno.test("any sequence of operations leaves what a simple model says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await withKv(async (kv) => {
        const stores = [open(kv), open(kv)];
        const model: Model = {
          stored: new Set(),
          removed: new Set(),
          published: new Set(),
          changes: DOCUMENTS.map(() => 0),
          last: DOCUMENTS.map(() => null),
          lacking: [0, 0],
        };
        for (const at of steps) await take(stores, model, at);
        for (const n of DOCUMENTS.keys()) await checkRead(stores[n % 2]!, model, n);
        const stats = await stores[0]!.stats();
        assert.equal(stats.documents, model.stored.size);
        assert.equal(stats.tombstones, model.removed.size);
        assert.equal(stats.pools, model.published.size);
        const { verified, invalid, "issuer-claimed": claimed } = stats.outcomes;
        assert.equal(verified + invalid + claimed, model.stored.size);
        const { items } = await stores[1]!.results({ by: "recent" }, { limit: 100 });
        assert.equal(items.length, model.stored.size);
        await checkMoves(stores[0]!, model);
      });
    }),
    { numRuns: 60 },
  );
});

/** The store's export makes the same store again. */
async function checkMoves(store: Store, model: Model): Promise<void> {
  const records: ExportRecord[] = [];
  for await (const { record } of store.exportLines()) records.push(record);
  await withKv(async (kv) => {
    const target = open(kv);
    for (const record of records) assert.ok((await target.importLine(record)).ok);
    for (const n of DOCUMENTS.keys()) await checkRead(target, model, n);
  });
}
