import assert from "node:assert/strict";
import { StoreUnavailable } from "../../../lib/store/store.ts";
import { createUpkeep } from "../../../service/upkeep.ts";

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

Deno.test("retention: off by default, otherwise swept after the start, and stopped in time", async () => {
  const calls: [number, number][] = [];
  let visits = 0;
  const faults: unknown[] = [];
  let fail: Error | null = null;
  const store = {
    sweep(now: number, days: number) {
      calls.push([now, days]);
      return fail === null ? Promise.resolve({ removed: 0 }) : Promise.reject(fail);
    },
    sweepVisits() {
      visits++;
      return Promise.resolve({ removed: 0 });
    },
  };
  const onFault = (error: unknown) => void faults.push(error);

  const off = createUpkeep(store, null, onFault, 1);
  off.start();
  while (visits === 0) await pause(5);
  assert.equal(calls.length, 0, "only what nobody asked to have kept");
  await off.stop();

  const on = createUpkeep(store, 30, onFault, 1);
  on.start();
  while (calls.length === 0) await pause(5);
  assert.equal(calls[0]?.[1], 30);
  assert.ok(Math.abs(calls[0]![0] - Date.now()) < 60_000);
  await on.stop();

  const stopped = createUpkeep(store, 30, onFault, 1);
  stopped.start();
  await stopped.stop();
  await pause(20);
  assert.equal(calls.length, 1);

  for (const error of [new StoreUnavailable("away"), new Error("a fault")]) {
    fail = error;
    const failing = createUpkeep(store, 1, onFault, 1);
    const before = calls.length;
    failing.start();
    while (calls.length === before) await pause(5);
    await pause(1);
    await failing.stop();
  }
  assert.deepEqual(faults.map((error) => (error as Error).message), ["a fault"]);
});
