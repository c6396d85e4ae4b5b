/** Time limits, loading once, and one piece of work a key. */
import { strict as assert } from "node:assert";
import { clientsOf, createAsker, currentAsker, workFor } from "../../../lib/async/asker.ts";
import { memo } from "../../../lib/async/memo.ts";
import { once } from "../../../lib/async/once.ts";
import { singleFlight } from "../../../lib/async/single_flight.ts";
import { type Wait, within } from "../../../lib/async/within.ts";

/** A time that passes when the test says so. */
function manualWait(): { wait: Wait; pass: () => void; cancelled: () => number; asked: number[] } {
  const over = Promise.withResolvers<void>();
  const asked: number[] = [];
  let cancelled = 0;
  return {
    wait: (ms) => {
      asked.push(ms);
      return { over: over.promise, cancel: () => void cancelled++ };
    },
    pass: over.resolve,
    cancelled: () => cancelled,
    asked,
  };
}

Deno.test("what comes in time is given, and the timer is taken away", async () => {
  const { wait, cancelled, asked } = manualWait();
  assert.equal(await within(Promise.resolve("value"), 250, "late", wait), "value");
  assert.deepEqual([asked, cancelled()], [[250], 1]);
  // With a real timer that nobody takes away, the test would be said to leak.
  assert.equal(await within(Promise.resolve(7), 60_000, null), 7);
});

Deno.test("what comes too late isn't waited for, and its failure is nobody's any more", async () => {
  const { wait, pass, cancelled } = manualWait();
  const work = Promise.withResolvers<string>();
  const waiting = within(work.promise, 250, "late", wait);
  pass();
  assert.equal(await waiting, "late");
  assert.equal(cancelled(), 1);
  // Deno fails a test in which a rejection is left over.
  work.reject(new Error("too late to be told"));
  await new Promise((resolve) => setTimeout(resolve, 0));
});

Deno.test("a failure in time passes through", async () => {
  const { wait, cancelled } = manualWait();
  await assert.rejects(within(Promise.reject(new Error("broken")), 250, "late", wait), /broken/);
  assert.equal(cancelled(), 1);
});

Deno.test("what loads once loads once, whoever asks at whatever time", async () => {
  let loads = 0;
  const load = once(() => Promise.resolve(++loads));
  assert.equal(loads, 0, "nothing is loaded before it is asked for");
  assert.deepEqual(await Promise.all([load(), load()]), [1, 1]);
  assert.equal(await load(), 1);
});

Deno.test("a load that failed is tried again, by those who come after the failure", async () => {
  let loads = 0;
  const load = once(() =>
    ++loads < 3 ? Promise.reject(new Error(`load ${loads}`)) : Promise.resolve(loads)
  );
  const [first, second] = await Promise.allSettled([load(), load()]);
  assert.deepEqual([first.status, second.status, loads], ["rejected", "rejected", 1]);
  await assert.rejects(load(), /load 2/);
  assert.equal(await load(), 3);
  assert.equal(await load(), 3);
});

Deno.test("a load that throws at once is tried again as well", () => {
  let loads = 0;
  const load = once((): Promise<number> => {
    throw new Error(`load ${++loads}`);
  });
  assert.throws(load, /load 1/);
  assert.throws(load, /load 2/);
});

Deno.test("a memo forgets what failed and what was asked for longest ago", async () => {
  const made: string[] = [];
  const known = memo<string>(2);
  const get = (key: string, fails = false) =>
    known(key, () => {
      made.push(key);
      return fails ? Promise.reject(new Error(key)) : Promise.resolve(`of ${key}`);
    });
  await assert.rejects(get("a", true), /a/);
  assert.deepEqual(await Promise.all([get("a"), get("a")]), ["of a", "of a"]);
  assert.deepEqual(made, ["a", "a"]);
  await get("b");
  await get("a");
  await get("c");
  await get("a");
  assert.deepEqual(made, ["a", "a", "b", "c"]);
  await get("b");
  assert.deepEqual(made, ["a", "a", "b", "c", "b"]);
});

Deno.test("work for one key is done once at a time; other keys don't wait", async () => {
  const flights = singleFlight<string, string>();
  const started: string[] = [];
  const gate = Promise.withResolvers<void>();
  const fly = (key: string) =>
    flights.run(key, async () => {
      started.push(key);
      await gate.promise;
      return `${key}${started.length}`;
    });
  const [first, second, other] = [fly("a"), fly("a"), fly("b")];
  assert.deepEqual([first.joined, second.joined, other.joined], [false, true, false]);
  assert.deepEqual(started, ["a", "b"]);
  assert.deepEqual([flights.has("a"), flights.has("c")], [true, false]);
  gate.resolve();
  assert.deepEqual(await Promise.all([first.result, second.result, other.result]), [
    "a2",
    "a2",
    "b2",
  ]);
  assert.equal(flights.has("a"), false);
  assert.equal(fly("a").joined, false, "what has ended is started anew");
});

Deno.test("a failure reaches everybody who waits, and is not remembered", async () => {
  const flights = singleFlight<string, number>();
  let runs = 0;
  const fly = () =>
    flights.run("a", () => ++runs === 1 ? Promise.reject(new Error("no")) : Promise.resolve(runs));
  const both = await Promise.allSettled([fly().result, fly().result]);
  assert.deepEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await fly().result, 2);
});

Deno.test("work that throws before it begins leaves nothing under way", async () => {
  const flights = singleFlight<string, number>();
  assert.throws(() =>
    flights.run("a", () => {
      throw new Error("at once");
    }), /at once/);
  assert.equal(flights.has("a"), false);
  assert.equal(await flights.run("a", () => Promise.resolve(1)).result, 1);
});

Deno.test("whoever starts work pays for it, and whoever joins waits for the turn of either", async () => {
  const flights = singleFlight<string, string[]>();
  const gate = Promise.withResolvers<void>();
  const names = () => [...clientsOf(currentAsker())].filter((name) => name !== null);
  const fly = () =>
    flights.run("a", async () => {
      await gate.promise;
      return [String(currentAsker().client), ...names()];
    }).result;
  const started = workFor(createAsker("starter"), fly);
  const joined = workFor(createAsker("joiner"), fly);
  gate.resolve();
  const [payer, ...waiting] = await started;
  assert.equal(payer, "starter");
  assert.deepEqual([...new Set(waiting)].toSorted(), ["joiner", "starter"]);
  assert.deepEqual(await joined, await started);
});
