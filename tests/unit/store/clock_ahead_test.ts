/**
 * A clock ran ahead by a year, wrote its times down, and is right again: whatever it wrote, nothing
 * waits for that year to pass.
 */
import assert from "node:assert/strict";
import { createLeases } from "../../../lib/limits/leases.ts";
import { apply, mayFetch, newLink, stateOf } from "../../../lib/links/freshness.ts";
import { chunkKey, resultKey, upgradeKey, uploadKey } from "../../../lib/store/keys.ts";
import { createDatabase } from "../../../lib/kv/database.ts";
import { StoreUnavailable } from "../../../lib/store/store.ts";
import type { Job } from "../../../lib/store/upgrade.ts";
import { START } from "../../support/links.ts";
import { honest, open, plain, poolOf, withKv } from "../../support/store_fixtures.ts";

const YEAR = 365 * 86_400_000;
const DAY = 86_400_000;
const MINUTE = 60_000;

/** A clock that a test sets. */
function clockAt(now: number) {
  const clock = { now, read: () => clock.now };
  return clock;
}

Deno.test("an upgrade that was under way goes on at once", async () => {
  await withKv(async (kv) => {
    const clock = clockAt(START);
    const store = open(kv, { clock: clock.read });
    const pool = poolOf("ahead");
    await store.keep((await honest(pool)).envelope);
    await store.publishPool(pool);
    const key = upgradeKey(pool.poolKey);
    const { value: job } = await kv.get<Job>(key);
    const leased = (until: number) => kv.set(key, { ...job, lease: { owner: "x", until } });
    // A lease has 5 s: one of its own length holds, a longer one is none.
    await leased(START + 5000);
    assert.equal((await store.runUpgrade(pool.poolKey)).ended, "leased");
    for (const until of [START + 5001, START + YEAR]) {
      await leased(until);
      const run = await store.runUpgrade(pool.poolKey);
      assert.equal(run.ended, "done", `${until - START} ms ahead`);
    }
  });
});

Deno.test("a link: fresh for no longer, no pause without end, and gone when it is", () => {
  const given = { documents: [], content: "a", pools: false, validators: null };
  const { row } = apply(newLink("https://x.example/"), { kind: "given", given, at: START + YEAR });
  assert.equal(stateOf(row, START), "stale");
  const missing = { code: "fetch-status", message: "no", status: 404, reason: null } as const;
  const fail = (at: number) =>
    ({ kind: "failed", failure: missing, at, retryAfter: null }) as const;
  // The failure counts, though something was given "later".
  let { row: failing } = apply(row, fail(START));
  assert.equal(stateOf(failing, START), "failing");
  assert.equal(failing.lookedAt, START);
  failing = apply(failing, fail(START + 5 * MINUTE)).row;
  assert.equal(stateOf(failing, START + 5 * MINUTE), "gone");
  // Confirmed by its host now: given now.
  const { row: confirmed } = apply(row, { kind: "unchanged", content: "a", at: START });
  assert.equal(confirmed.given!.at, START);
  assert.equal(confirmed.lookedAt, START);
  assert.equal(stateOf(confirmed, START), "fresh");

  const { row: paused } = apply(newLink("https://x.example/"), fail(START + YEAR));
  assert.ok(mayFetch(paused, START));
  // And what went missing in the year to come has been missing since now.
  const next = apply(paused, fail(START)).row;
  assert.equal(next.missingSince, START);
  assert.equal(stateOf(apply(next, fail(START + 5 * MINUTE)).row, START + 5 * MINUTE), "gone");
  // The longest pause is five minutes: one that ends later is none.
  const pausedUntil = (until: number) => ({ failure: { ...paused.failure!, at: START, until } });
  assert.ok(!mayFetch(pausedUntil(START + 5 * MINUTE), START));
  assert.ok(mayFetch(pausedUntil(START + 5 * MINUTE + 1), START));
});

Deno.test("a client's bucket counts for nothing, and the next one for what it is", async () => {
  await withKv(async (kv) => {
    const clock = clockAt(START + 30 * MINUTE);
    const leases = createLeases(createDatabase(kv), clock.read);
    const rate = { capacity: 60, fillMs: MINUTE };
    const take = async () =>
      (await leases.take({ limit: "verify", rate, client: "me" }, 1, 60)).granted;
    assert.equal(await take(), 60);
    assert.equal(await take(), 0);
    clock.now = START;
    assert.equal(await take(), 60);
    assert.equal(await take(), 0);
    clock.now += 30_000;
    assert.equal(await take(), 30);
  });
});

Deno.test("a database that was away is asked again", async () => {
  const clock = clockAt(START + YEAR);
  let away = true;
  const kv = await Deno.openKv(":memory:");
  try {
    const database = createDatabase(kv);
    const leases = createLeases({
      ...database,
      getAll: (keys) => away ? Promise.reject(new StoreUnavailable("away")) : database.getAll(keys),
    }, clock.read);
    const rate = { capacity: 1, fillMs: MINUTE };
    const take = () => leases.take({ limit: "verify", rate, client: "me" }, 1, 1);
    await assert.rejects(take());
    away = false;
    await assert.rejects(take(), "it isn't asked for a while");
    clock.now = START;
    assert.equal((await take()).granted, 1);
  } finally {
    kv.close();
  }
});

Deno.test("retention: what was stored or asked for in a year to come counts from today", async () => {
  await withKv(async (kv) => {
    const clock = clockAt(START + YEAR);
    const store = open(kv, { clock: clock.read });
    const [unasked, asked] = [await plain(), await plain()];
    for (const { envelope } of [unasked, asked]) await store.keep(envelope);
    await store.document(asked.id);
    const states = async () => [
      (await kv.get(resultKey(unasked.id))).value !== null,
      (await kv.get(resultKey(asked.id))).value !== null,
    ];
    for (const [day, kept] of [[0, true], [10, true], [11, false]] as const) {
      await store.sweep(START + day * DAY, 10);
      assert.deepEqual(await states(), [kept, kept], `day ${day}`);
    }
  });
});

Deno.test("pieces of an upload that began in a year to come are removed", async () => {
  await withKv(async (kv) => {
    const store = open(kv, { clock: () => START });
    const id = "0".repeat(64);
    await kv.set(chunkKey(id, "x", 0), new Uint8Array(10));
    await kv.set(uploadKey(id, "x"), START + 30 * MINUTE);
    assert.deepEqual(await store.gc(START), { chunks: 0, bytes: 0 });
    await kv.set(uploadKey(id, "x"), START + YEAR);
    assert.deepEqual(await store.gc(START), { chunks: 1, bytes: 10 });
    assert.equal((await kv.get(uploadKey(id, "x"))).value, null);
  });
});
