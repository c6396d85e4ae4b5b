/**
 * A database that an older version wrote opens, and is read right. The stories' outcomes follow from
 * how the documents were made (protocols spec 8.4 and 16), not from what any version said of them.
 */
import assert from "node:assert/strict";
import kept from "../kept/0.2.0.json" with { type: "json" };
import { inLineChecker } from "../../service/checker.ts";
import { readPool } from "../../lib/protocol/pool.ts";
import { createStore } from "../../lib/store/create.ts";
import type { ListedResult, Page, Store, StoredResult } from "../../lib/store/store.ts";
import { REVISION } from "../../lib/verify/version.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { startServer } from "./process.ts";
import { FATE, type Item, sayingOf, type Story } from "./stock.ts";

const FILE = new URL("../kept/0.2.0.kv.gz", import.meta.url);

type KeptItem = Pick<Item, "id" | "story" | "poolKey"> & { disclosed: boolean };
const ITEMS = kept.items as (KeptItem & { story: Story })[];

/** Runs with the path of a copy of the kept database. */
async function withKept(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const file = await Deno.open(FILE);
    const target = await Deno.open(`${folder}/kept.kv`, { write: true, createNew: true });
    await file.readable.pipeThrough(new DecompressionStream("gzip")).pipeTo(target.writable);
    await run(`${folder}/kept.kv`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function withKeptStore(run: (store: Store) => Promise<void>): Promise<void> {
  await withKept(async (path) => {
    const kv = await Deno.openKv(path);
    try {
      await run(createStore(kv, inLineChecker(createVerifyContext("auto"))));
    } finally {
      kv.close();
    }
  });
}

/** The results of a page, none of which may be under way. */
function currentOf({ items }: Page<ListedResult>): StoredResult[] {
  return items.map((item) => {
    assert.equal(item.state, "current");
    return item.result;
  });
}

async function assertSaid(store: Store, item: KeptItem & { story: Story }, disclosed: boolean) {
  const { outcome, exposed } = sayingOf(item, disclosed);
  const what = `${item.story}, pool ${disclosed ? "disclosed" : "secret"}`;
  for (const read of [await store.result(item.id), await store.report(item.id)]) {
    assert.equal(read.state, "current", what);
    assert.equal(read.result.outcome, outcome, what);
    // The release that wrote the row stamped its name, which is older than every revision.
    assert.equal(read.result.verifierVersion, REVISION, what);
    assert.equal(read.result.observations.includes("exposed"), exposed, what);
  }
}

Deno.test("every result in a database of 0.2.0 is read right", async () => {
  await withKeptStore(async (store) => {
    for (const item of ITEMS) await assertSaid(store, item, item.disclosed);
    const outcomes = [];
    for (const id of [kept.claims, kept.lone, kept.altered]) {
      const read = await store.result(id);
      assert.equal(read.state, "current");
      outcomes.push(read.result.outcome);
    }
    assert.deepEqual(outcomes, ["verified", "verified", "invalid"]);
    assert.equal((await store.result(kept.removed)).state, "removed");
  });
});

Deno.test("history, feed, statement and lists of a database of 0.2.0 are still there", async () => {
  await withKeptStore(async (store) => {
    const changed = ITEMS.filter(({ story, disclosed }) =>
      disclosed && FATE[story] !== "unchanged"
    );
    assert.equal(changed.length, 3, "one upgraded, two exposed");
    const feed = await store.feed({ limit: 100 });
    assert.deepEqual(
      feed.items.map(({ id }) => id).sort(),
      changed.map(({ id }) => id).sort(),
    );
    for (const { id } of changed) assert.equal((await store.history(id)).length, 1);
    assert.notEqual(await store.disclosure(kept.pools.disclosed, kept.issuer), null);
    const mine = currentOf(
      await store.results({ by: "issuer", publicKey: kept.issuer }, { limit: 100 }),
    );
    // The altered document names no issuer, as no signature of it was verified.
    const expected = new Set([...ITEMS.map(({ id }) => id), kept.claims, kept.lone]);
    assert.deepEqual(new Set(mine.map(({ id }) => id)), expected);
    for (const { id, sessionId } of mine) {
      const session = currentOf(await store.results({ by: "session", sessionId: sessionId! }));
      assert.ok(session.some((result) => result.id === id));
    }
  });
});

Deno.test("sessions of a database of 0.2.0 are found, by whoever looks first", async () => {
  await withKept(async (path) => {
    const databases = [await Deno.openKv(path), await Deno.openKv(path)];
    try {
      const checker = inLineChecker(createVerifyContext("auto"));
      const [one, other] = databases.map((kv) => createStore(kv, checker)) as [Store, Store];
      const filter = { by: "issuer", publicKey: kept.issuer } as const;
      const mine = currentOf(await one.results(filter, { limit: 100 }));
      const admissions = mine.filter(({ kind }) => kind === "admission");
      assert.ok(admissions.length > 0 && admissions.length < mine.length);
      for (const { sessionId } of mine) {
        const expected = admissions.filter((result) => result.sessionId === sessionId);
        assert.equal(expected.length, 1, "each with its own, the lone receipt's too");
        const look = async (store: Store) => {
          for (;;) {
            const found = await store.sessionAdmissions(sessionId!, null);
            if (found.complete) return found.admissions;
          }
        };
        const wanted = expected.map(({ id }) => ({ publicKey: kept.issuer, id }));
        assert.deepEqual(await Promise.all([look(one), look(other)]), [wanted, wanted]);
        const again = await other.sessionAdmissions(sessionId!, [kept.issuer]);
        assert.deepEqual(again, { complete: true, admissions: wanted, rows: wanted.length });
      }
    } finally {
      for (const kv of databases) kv.close();
    }
  });
});

Deno.test("a pool published over a database of 0.2.0 upgrades and exposes", async () => {
  await withKeptStore(async (store) => {
    const read = readPool(kept.pools.undisclosedFile);
    assert.ok(read.ok);
    await store.publishPool(read.pool);
    assert.equal((await store.runUpgrade(read.pool.poolKey)).ended, "done");
    for (const item of ITEMS) await assertSaid(store, item, item.poolKey !== null);
  });
});

Deno.test("a server opens a database of 0.2.0 and answers from it", async () => {
  await withKept(async (path) => {
    const server = await startServer({ KV_PATH: path });
    try {
      const json = async (address: string) => await (await fetch(server.url + address)).json();
      for (const item of ITEMS) {
        const { report } = await json(`/api/results/${item.id}`);
        assert.equal(report.outcome, sayingOf(item, item.disclosed).outcome, item.story);
        const { message } = await json(`/badge/${item.id}.json`);
        const unreplayed = sayingOf(item, item.disclosed).outcome === "issuer-claimed";
        assert.equal(message.includes("unreplayed"), unreplayed, `${item.story}: ${message}`);
      }
    } finally {
      await server.stop();
    }
    assert.equal(server.errors(), "");
  });
});
