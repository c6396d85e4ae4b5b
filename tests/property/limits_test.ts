/** What limits promise, for random clients: never too much, never less than the arithmetic says. */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { draw, fullBucket, type Rate, refill } from "../../lib/limits/bucket.ts";
import { readAddress } from "../../lib/limits/address.ts";
import { forwardedClient } from "../../lib/limits/forwarded.ts";
import { createLeases } from "../../lib/limits/leases.ts";
import { createMemoryLimiter } from "../../lib/limits/memory.ts";
import { createSharedLimiter } from "../../lib/limits/shared.ts";
import { createDatabase } from "../../lib/kv/database.ts";

/** Rounding, in tokens. */
const TINY = 1e-4;

interface Admitted {
  at: number;
  cost: number;
}

/** Every span of time: what was admitted from one request to another. */
function checkSpans(
  admitted: readonly Admitted[],
  most: (milliseconds: number) => number,
): void {
  for (let first = 0; first < admitted.length; first++) {
    let sum = 0;
    for (let last = first; last < admitted.length; last++) {
      sum += admitted[last]!.cost;
      const span = admitted[last]!.at - admitted[first]!.at;
      assert.ok(sum <= most(span) + TINY, `${sum} tokens in ${span} ms`);
    }
  }
}

const quotas = fc.integer({ min: 1, max: 50 });
const pauses = fc.oneof(fc.constant(0), fc.nat({ max: 3000 }), fc.nat({ max: 500_000 }));

Deno.test("limits property: a bucket admits what exact arithmetic does, and no more in any span", () => {
  const steps = fc.array(
    fc.record({ pause: pauses, back: fc.boolean(), cost: fc.integer({ min: 1, max: 60 }) }),
    { maxLength: 80 },
  );
  fc.assert(fc.property(quotas, steps, (quota, steps) => {
    // A token every ten milliseconds: tenths of tokens are whole numbers.
    const rate: Rate = { capacity: quota, fillMs: quota * 10 };
    const bucket = fullBucket(rate, 0);
    let tenths = quota * 10;
    let now = 0;
    let latest = 0;
    const admitted: Admitted[] = [];
    for (const { pause, back, cost } of steps) {
      now += back ? -pause : pause;
      tenths = Math.min(quota * 10, tenths + Math.max(0, now - latest));
      latest = Math.max(latest, now);
      const drawn = draw([bucket, rate], cost, cost, now);
      assert.equal(drawn, tenths >= cost * 10 ? cost : 0);
      if (drawn > 0) {
        tenths -= cost * 10;
        admitted.push({ at: latest, cost });
      }
      assert.ok(Math.abs(bucket.tokens - tenths / 10) < TINY);
      assert.ok(bucket.tokens >= 0 && bucket.tokens <= quota);
    }
    checkSpans(admitted, (span) => quota + span / 10);
    refill(bucket, rate, latest + quota * 10);
    assert.ok(Math.abs(bucket.tokens - quota) < TINY, "it fills in its time");
  }));
});

Deno.test("limits property: a lease is between its least and its most, or nothing", () => {
  const amount = fc.double({ min: 0.1, max: 80, noNaN: true });
  fc.assert(fc.property(quotas, amount, amount, amount, (quota, spent, least, more) => {
    const rate: Rate = { capacity: quota, fillMs: 1000 };
    const bucket = fullBucket(rate, 0);
    draw([bucket, rate], 0, spent, 0);
    const before = bucket.tokens;
    const drawn = draw([bucket, rate], least, least + more, 0);
    if (drawn === 0) assert.ok(before < least && bucket.tokens === before);
    else assert.ok(drawn >= least - TINY && drawn <= least + more + TINY);
    assert.ok(Math.abs(before - drawn - bucket.tokens) < TINY);
  }));
});

Deno.test("limits property: whoever waits as long as told is admitted, and nobody is told too long", () => {
  const steps = fc.array(fc.record({ pause: pauses, cost: fc.integer({ min: 1, max: 50 }) }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(fc.property(quotas, fc.integer({ min: 1, max: 90 }), steps, (quota, window, steps) => {
    let now = 0;
    const limiter = createMemoryLimiter({ quota, window }, () => now);
    for (const { pause, cost } of steps) {
      now += pause;
      const charge = limiter.charge("a", cost);
      if (charge.admitted) continue;
      if (cost > quota) {
        assert.equal(charge.retryAfter, null);
        continue;
      }
      const { retryAfter } = charge;
      assert.ok(retryAfter !== null && Number.isInteger(retryAfter) && retryAfter >= 1);
      if (retryAfter > 1) {
        now += (retryAfter - 1) * 1000;
        assert.ok(!limiter.charge("a", cost).admitted);
        now += 1000;
      } else now += retryAfter * 1000;
      assert.ok(limiter.charge("a", cost).admitted);
    }
  }));
});

Deno.test("limits property: processes on one database keep to their bound in any span", async () => {
  const kv = await Deno.openKv(":memory:");
  let runs = 0;
  const steps = (processes: number) =>
    fc.array(
      fc.record({
        pause: pauses,
        cost: fc.integer({ min: 1, max: 30 }),
        /** The processes that get such a request at that moment. */
        by: fc.array(fc.nat({ max: processes - 1 }), { minLength: 1, maxLength: 4 }),
      }),
      { maxLength: 40 },
    );
  const scenes = fc.integer({ min: 1, max: 4 }).chain((processes) =>
    fc.record({
      quota: quotas,
      window: fc.integer({ min: 1, max: 7200 }),
      skews: fc.array(fc.integer({ min: -5000, max: 5000 }), {
        minLength: processes,
        maxLength: processes,
      }),
      steps: steps(processes),
    })
  );
  await fc.assert(
    fc.asyncProperty(scenes, async ({ quota, window, skews, steps }) => {
      const client = `client ${runs++}`;
      // Around the turn of an hour.
      let now = Date.UTC(2026, 0, 1) - 60_000;
      const limiters = skews.map((skew) => {
        const leases = createLeases(createDatabase(kv), () => now + skew);
        return createSharedLimiter({ name: "verify", quota, window }, leases, () => now);
      });
      const admitted: Admitted[] = [];
      for (const { pause, cost, by } of steps) {
        now += pause;
        const charges = await Promise.all(
          by.map((index) => limiters[index]!.charge(client, cost)),
        );
        for (const charge of charges) {
          if (charge.admitted) admitted.push({ at: now, cost });
          assert.ok(charge.remaining >= 0 && charge.remaining <= quota);
          assert.ok(charge.fullIn >= 0 && charge.fullIn <= window);
        }
      }
      // Clocks that differ let the shared part's time run from the earliest to the latest of them.
      const apart = Math.max(...skews) - Math.min(...skews);
      const factor = 1 + (skews.length - 1) / 4;
      checkSpans(admitted, (span) => factor * quota * (1 + (span + apart) / (window * 1000)));
      // And nobody is kept out for good.
      for (const limiter of limiters) {
        now += window * 1000 + 10_000;
        assert.ok((await limiter.charge(client, quota)).admitted);
      }
    }),
    { numRuns: 150 },
  );
  kv.close();
});

Deno.test("limits property: one process admits whoever waits as long as told", async () => {
  const kv = await Deno.openKv(":memory:");
  let runs = 0;
  const steps = fc.array(fc.record({ pause: pauses, cost: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(quotas, steps, async (quota, steps) => {
      const client = `client ${runs++}`;
      let now = Date.UTC(2026, 0, 1);
      const leases = createLeases(createDatabase(kv), () => now);
      const limiter = createSharedLimiter({ name: "read", quota, window: 60 }, leases, () => now);
      for (const { pause, cost } of steps) {
        now += pause;
        const charge = await limiter.charge(client, cost);
        assert.equal(charge.retryAfter === null, charge.admitted || cost > quota);
        if (charge.retryAfter === null) continue;
        now += charge.retryAfter * 1000;
        assert.ok((await limiter.charge(client, cost)).admitted, `${cost} of ${quota}`);
      }
    }),
    { numRuns: 100 },
  );
  kv.close();
});

Deno.test("limits property: whatever a client writes, the proxies' own entries decide", () => {
  const trusted = [[readAddress("10.0.0.0")!, 8] as const];
  const proxy = readAddress("10.0.0.1")!;
  const outside = fc.ipV4().filter((address) => !address.startsWith("10."));
  const inside = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.1.${a}.${b}`);
  const written = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('"', ",", "for="));
  const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "?");
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 6 }),
      outside,
      fc.array(inside, { maxLength: 4 }),
      fc.boolean(),
      (invented, client, proxies, standard) => {
        const added = [client, ...proxies].map((address) =>
          standard ? `for="${address}:1";proto=https` : address
        );
        const header = [...invented.map(printable), ...added].join(", ");
        const headers = new Headers({ [standard ? "forwarded" : "x-forwarded-for"]: header });
        assert.equal(forwardedClient(proxy, headers, trusted).toString(), client);
        const stranger = readAddress("192.0.2.1")!;
        assert.equal(forwardedClient(stranger, headers, trusted), stranger);
      },
    ),
  );
});
