/** Limits for each client; the expected numbers are worked out by hand. */
import assert from "node:assert/strict";
import { type Bucket, msUntil, msUntilFull, type Part } from "../../../lib/limits/bucket.ts";
import { createLeases } from "../../../lib/limits/leases.ts";
import { createMemoryLimiter } from "../../../lib/limits/memory.ts";
import { costOf, type Policy, readRate } from "../../../lib/limits/policy.ts";
import { createSharedLimiter, type SharedLimiter } from "../../../lib/limits/shared.ts";
import { createDatabase } from "../../../lib/kv/database.ts";
import { type WatchedKv, watchKv } from "../../support/kv_watch.ts";

const KIB = 1024;

/** 60 tokens at once, one a second: 15 of them a process's own, 45 shared. */
const SIXTY: Policy = { name: "verify", quota: 60, window: 60 };

Deno.test("a token a document or 30 ms, and one more for every 64 KiB", () => {
  const costs: [documents: number, bytes: number, milliseconds: number, cost: number][] = [
    [1, 0, 0, 1],
    [0, 0, 0, 1],
    [1, 64 * KIB - 1, 59, 1],
    [1, 64 * KIB, 60, 3],
    [3, 200_000, 90, 6],
    [3, 200_000, 120, 7],
    [100, 4 * KIB * KIB, 3000, 164],
    [1, 0, 3000, 100],
  ];
  for (const [documents, bytes, milliseconds, cost] of costs) {
    assert.equal(costOf({ documents, bytes, milliseconds }, 30), cost);
  }
  assert.deepEqual(readRate("60/min"), { quota: 60, window: 60 });
});

Deno.test("a bucket in memory: so many at once, and as many again with time", () => {
  let now = 1000;
  const limiter = createMemoryLimiter({ quota: 3, window: 60 }, () => now);
  const charge = (cost = 1) => {
    const { admitted, remaining, fullIn, nextIn, retryAfter } = limiter.charge("a", cost);
    return [admitted, remaining, fullIn, nextIn, retryAfter];
  };
  assert.deepEqual(charge(), [true, 2, 20, 0, null]);
  assert.deepEqual(charge(), [true, 1, 40, 0, null]);
  assert.deepEqual(charge(), [true, 0, 60, 20, null]);
  assert.deepEqual(charge(), [false, 0, 60, 20, 20]);
  now += 19_999;
  assert.deepEqual(charge(), [false, 0, 41, 1, 1]);
  now += 1;
  assert.deepEqual(charge(), [true, 0, 60, 20, null]);
  assert.deepEqual(limiter.charge("b", 3).admitted, true, "others have their own");
  now += 3_600_000;
  assert.deepEqual(charge(2), [true, 1, 40, 0, null]);
  assert.deepEqual(charge(2), [false, 1, 40, 0, 20], "a refusal takes nothing");
  assert.deepEqual(charge(4), [false, 1, 40, 0, null], "more than ever fits");
  now -= 1_000_000;
  assert.deepEqual(charge(2), [false, 1, 40, 0, 20], "a clock that goes back fills nothing");
});

Deno.test("a debt is waited off, and never more than the bucket's size of it", () => {
  let now = 0;
  const limiter = createMemoryLimiter({ quota: 60, window: 60 }, () => now);
  assert.equal(limiter.charge("a", 10).admitted, true);
  // 50 are left: 20 of the 70 are owed, and it takes 80 s to be full.
  assert.deepEqual(limiter.owe("a", 70), {
    admitted: true,
    remaining: 0,
    fullIn: 80,
    nextIn: 21,
    retryAfter: null,
  });
  assert.deepEqual(limiter.charge("a", 1), {
    admitted: false,
    remaining: 0,
    fullIn: 80,
    nextIn: 21,
    retryAfter: 21,
  });
  assert.equal(limiter.charge("b", 60).admitted, true, "others owe nothing");
  now += 20_999;
  assert.equal(limiter.charge("a", 1).admitted, false);
  now += 1;
  assert.equal(limiter.charge("a", 1).admitted, true);
  limiter.owe("a", 1_000_000);
  assert.equal(limiter.charge("a", 60).retryAfter, 120);
});

Deno.test("a debt holds in every process that knows of it, and over an hour's turn", () =>
  withProcesses(async ({ time, start }) => {
    time.now = Date.UTC(2026, 0, 1, 0, 59, 59);
    const [one, other] = [start(), start()];
    assert.equal((await one.charge("a", 10)).admitted, true);
    // 5 of its own are left, so 45 + 40 are taken from the shared ones: 40 are owed.
    const charge = await one.owe("a", 90);
    assert.equal(charge.remaining, 0);
    // The shared part needs (45 + 40) of 45 a minute.
    assert.equal(charge.fullIn, 114);
    // A token of both together comes every second: 40 for the debt, and one.
    assert.equal((await one.charge("a", 1)).retryAfter, 41);
    // The other process has its own quarter, and then finds out.
    assert.equal((await other.charge("a", 15)).admitted, true);
    assert.equal((await other.charge("a", 1)).admitted, false);
    assert.ok((await other.charge("a", 1)).retryAfter! > 35);
    time.now += 41_000;
    assert.equal((await one.charge("a", 1)).admitted, true);
  }));

Deno.test("how long two parts take to hold a sum", () => {
  const parts = (own: number, rest: number): Part[] => {
    const bucket = (tokens: number): Bucket => ({ tokens, at: 0 });
    return [
      [bucket(own), { capacity: 15, fillMs: 60_000 }],
      [bucket(rest), { capacity: 45, fillMs: 60_000 }],
    ];
  };
  const cases: [own: number, rest: number, cost: number, seconds: number][] = [
    [0, 0, 0, 0],
    [3, 4, 7, 0],
    [0, 0, 30, 30],
    [0, 0, 60, 60],
    [0, 0, 61, Infinity],
    // A full part gains nothing: three quarters of a token a second, or a quarter.
    [15, 30, 51, 8],
    [0, 45, 50, 20],
    // Both gain until the own part is full after 20 s, with 15 + 25 tokens; then one does.
    [10, 10, 46, 28],
  ];
  for (const [own, rest, cost, seconds] of cases) {
    const ms = msUntil(cost, parts(own, rest));
    const close = ms === Infinity ? seconds === Infinity : Math.abs(ms - seconds * 1000) < 0.01;
    assert.ok(close, `${own}, ${rest}, ${cost}: ${ms}`);
  }
  assert.equal(msUntilFull(parts(15, 45)), 0);
  assert.equal(Math.round(msUntilFull(parts(10, 45))), 20_000);
  assert.equal(Math.round(msUntilFull(parts(10, 0))), 60_000);
});

/** Processes on one database, with clocks of their own. */
interface Processes {
  watched: WatchedKv;
  /** Milliseconds since 1970. */
  time: { now: number };
  /** A process whose clock differs by `skew` milliseconds. */
  start(policy?: Policy, skew?: number, patience?: number): SharedLimiter;
}

async function withProcesses(run: (processes: Processes) => Promise<void>): Promise<void> {
  const watched = watchKv(await Deno.openKv(":memory:"));
  const time = { now: Date.UTC(2026, 0, 1, 12, 30) };
  try {
    await run({
      watched,
      time,
      start(policy = SIXTY, skew = 0, patience = 3000) {
        const leases = createLeases(createDatabase(watched.kv, patience), () => time.now + skew);
        return createSharedLimiter(policy, leases, () => time.now - 1_000_000);
      },
    });
  } finally {
    watched.kv.close();
  }
}

/** How many of `requests` with one token each are admitted. */
async function admitted(limiter: SharedLimiter, requests: number, client = "a"): Promise<number> {
  let count = 0;
  for (let n = 0; n < requests; n++) if ((await limiter.charge(client, 1)).admitted) count++;
  return count;
}

Deno.test("a client that stays far below its limit costs no database access", () =>
  withProcesses(async ({ watched, time, start }) => {
    const limiter = start();
    for (let minute = 0; minute < 10; minute++) {
      assert.equal(await admitted(limiter, 15), 15);
      time.now += 60_000;
    }
    // A request every four seconds, for an hour.
    for (let n = 0; n < 900; n++) {
      assert.equal(await admitted(limiter, 1, "steady"), 1);
      time.now += 4000;
    }
    assert.deepEqual([watched.reads, watched.commits], [0, 0]);
  }));

Deno.test("one process admits its clients' limit exactly, for three leases", () =>
  withProcesses(async ({ watched, time, start }) => {
    const limiter = start();
    const remaining: number[] = [];
    for (let n = 0; n < 60; n++) {
      const charge = await limiter.charge("a", 1);
      assert.ok(charge.admitted);
      remaining.push(charge.remaining);
    }
    assert.deepEqual(remaining, Array.from({ length: 60 }, (_, n) => 59 - n));
    // 15 of its own; 16, 16 and 13 leased.
    assert.deepEqual([watched.reads, watched.commits], [3, 3]);
    const over = await limiter.charge("a", 1);
    assert.deepEqual(over, {
      admitted: false,
      remaining: 0,
      fullIn: 60,
      nextIn: 1,
      retryAfter: 1,
    });
    assert.equal(await admitted(limiter, 1000), 0);
    assert.deepEqual([watched.reads, watched.commits], [3, 3], "refusals ask nobody");
    time.now += 999;
    assert.equal(await admitted(limiter, 1), 0);
    time.now += 1;
    assert.equal(await admitted(limiter, 2), 1);
    time.now += 60_000;
    assert.equal(await admitted(limiter, 100), 60);
    time.now += 3_600_000;
    assert.equal(await admitted(limiter, 100), 60, "idle time is not saved up");
  }));

Deno.test("requests larger than the own part, than what is left, and than the limit", () =>
  withProcesses(async ({ watched, time, start }) => {
    const limiter = start();
    assert.equal((await limiter.charge("a", 61)).retryAfter, null);
    assert.deepEqual([watched.reads, watched.commits], [0, 0]);
    const large = await limiter.charge("a", 40);
    assert.ok(large.admitted);
    assert.equal(large.remaining, 20);
    // What was leased filled the own part: only the shared one gains, three quarters a second.
    const larger = await limiter.charge("a", 25);
    assert.deepEqual([larger.admitted, larger.remaining, larger.retryAfter], [false, 20, 7]);
    // The part that was paid has to be paid again.
    const whole = await limiter.charge("a", 25, 26);
    assert.deepEqual([whole.admitted, whole.retryAfter], [false, 8]);
    assert.equal((await limiter.charge("a", 25, 61)).retryAfter, null);
    time.now += 20_000;
    assert.ok(!(await limiter.charge("a", 40)).admitted);
    assert.ok((await limiter.charge("a", 35)).admitted);
    assert.ok((await start().charge("b", 60)).admitted, "all at once");
  }));

Deno.test("two processes together admit at most 5/4 of the limit, five twice of it", () =>
  withProcesses(async ({ time, start }) => {
    const [first, second] = [start(), start()];
    assert.equal(await admitted(first, 100), 60);
    assert.equal(await admitted(second, 100), 15);
    assert.equal(await admitted(first, 10), 0);
    time.now += 60_000;
    const both = await Promise.all([admitted(second, 100), admitted(first, 100)]);
    assert.equal(both[0]! + both[1]!, 75);
    time.now += 60_000;
    const five = [first, second, start(), start(), start()];
    const counts = await Promise.all(five.map((limiter) => admitted(limiter, 100)));
    assert.equal(counts.reduce((sum, count) => sum + count), 120);
    assert.equal(await admitted(start(), 100), 15, "a process that starts brings its own part");
  }));

Deno.test("many requests at the same moment share their leases", () =>
  withProcesses(async ({ watched, start }) => {
    const limiter = start();
    const charges = await Promise.all(
      Array.from({ length: 500 }, () => limiter.charge("a", 1)),
    );
    assert.equal(charges.filter((charge) => charge.admitted).length, 60);
    assert.deepEqual([watched.reads, watched.commits], [3, 3]);
  }));

Deno.test("addresses are in the database under no name that tells them", () =>
  withProcesses(async ({ watched, time, start }) => {
    const names = new Set<string>();
    for (let hour = 0; hour < 3; hour++) {
      await admitted(start(), 20, "192.0.2.7");
      for await (const { key, value } of watched.kv.list({ prefix: [] })) {
        const text = Deno.inspect([key, value]);
        assert.ok(!text.includes("192.0.2.7"), text);
        if ((value as Bucket).tokens > 0) names.add(String(key[2]));
      }
      time.now += 3_600_000;
    }
    assert.equal(names.size, 3, "another one every hour");
  }));

Deno.test("a new hour is no new bucket, not even for a clock that is late", () =>
  withProcesses(async ({ time, start }) => {
    time.now = Date.UTC(2026, 0, 1, 12, 59, 59, 990);
    const [early, late] = [start(), start(SIXTY, -5000)];
    assert.equal(await admitted(early, 100), 60);
    time.now += 1010;
    // One second has filled one token; the other process has not come to the new hour.
    assert.equal(await admitted(early, 100), 1);
    assert.equal(await admitted(late, 100), 15);
    time.now += 4000;
    // Both are in it: four more, and four quarters of the other process's own.
    const both = await admitted(early, 100) + await admitted(late, 100);
    assert.ok(both >= 4 && both <= 5, `${both}`);
  }));

Deno.test("the first lease of an hour counts for a clock that is late", () =>
  withProcesses(async ({ time, start }) => {
    time.now = Date.UTC(2026, 0, 1, 13);
    const [early, late] = [start(), start(SIXTY, -1)];
    assert.equal(await admitted(early, 100), 60);
    assert.equal(await admitted(late, 100), 15);
  }));

Deno.test("limits longer than an hour hold over the hours", () =>
  withProcesses(async ({ time, start }) => {
    const limiter = start({ name: "publish", quota: 24, window: 86_400 });
    assert.equal(await admitted(limiter, 100), 24);
    for (let hour = 0; hour < 48; hour++) {
      time.now += 3_600_000;
      assert.equal(await admitted(limiter, 100), 1, `${hour}`);
    }
  }));

Deno.test("a database that is away stops nobody, and is let alone for a while", () =>
  withProcesses(async ({ watched, time, start }) => {
    const limiter = start();
    watched.before = () => {
      throw new TypeError("connection refused");
    };
    // A limit for itself.
    assert.equal(await admitted(limiter, 100), 60);
    assert.deepEqual([watched.reads, watched.commits], [1, 0]);
    time.now += 4999;
    assert.equal(await admitted(limiter, 100), 4);
    assert.equal(watched.reads, 1);
    time.now += 1;
    assert.equal(await admitted(limiter, 1, "b"), 1);
    assert.equal(await admitted(limiter, 100, "b"), 59);
    assert.equal(watched.reads, 2);
    watched.before = () => {};
    time.now += 60_000;
    assert.equal(await admitted(limiter, 100), 60);
    assert.ok(watched.commits > 0);
  }));

Deno.test("a database that doesn't answer holds nobody up for long", () =>
  withProcesses(async ({ watched, start }) => {
    const limiter = start(SIXTY, 0, 20);
    const never = Promise.withResolvers<void>();
    watched.before = () => never.promise;
    assert.equal(await admitted(limiter, 100), 60);
    assert.equal(watched.reads, 1);
    never.resolve();
  }));

Deno.test("whoever gets ahead of a lease leaves it less; what fails for good is heard of", () =>
  withProcesses(async ({ watched, start }) => {
    const limiter = start();
    watched.conflicts = 3;
    assert.equal(await admitted(limiter, 16), 16);
    assert.equal(watched.commits, 4);
    watched.conflicts = Infinity;
    assert.ok(await admitted(limiter, 100) < 60);
    assert.ok(watched.commits < 20);
    const other = start();
    watched.before = () => {
      throw new TypeError("value too large");
    };
    await assert.rejects(other.charge("b", 20), /too large/);
    assert.equal(await admitted(other, 15, "b"), 15);
  }));

Deno.test("what another version left in the place of a bucket is no bucket", () =>
  withProcesses(async ({ watched, start }) => {
    await admitted(start(), 60);
    const values = [null, "x", {}, { tokens: NaN, at: 0 }, { tokens: "1", at: 1 }, [1, 2]];
    for (const value of values) {
      for await (const { key } of watched.kv.list({ prefix: ["limit"] })) {
        await watched.kv.set(key, value);
      }
      assert.equal(await admitted(start(), 100), 60, Deno.inspect(value));
    }
  }));
