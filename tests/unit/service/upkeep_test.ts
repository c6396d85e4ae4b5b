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
  const swept: [number, number][] = [];
  const links = {
    sweep: (now: number, days: number) => Promise.resolve(void swept.push([now, days])),
  };
  const onFault = (error: unknown) => void faults.push(error);

  const off = createUpkeep(store, links, null, onFault);
  off.start(1);
  while (visits === 0) await pause(5);
  assert.deepEqual([calls, swept], [[], []], "only what nobody asked to have kept");
  await off.stop();

  const on = createUpkeep(store, links, 30, onFault);
  on.start(1);
  while (calls.length === 0) await pause(5);
  assert.equal(calls[0]?.[1], 30);
  assert.ok(Math.abs(calls[0]![0] - Date.now()) < 60_000);
  await on.stop();
  assert.deepEqual(swept, calls, "links go with the documents");

  const stopped = createUpkeep(store, links, 30, onFault);
  stopped.start(1);
  await stopped.stop();
  await pause(20);
  assert.equal(calls.length, 1);

  for (const error of [new StoreUnavailable("away"), new Error("a fault")]) {
    fail = error;
    const failing = createUpkeep(store, links, 1, onFault);
    const before: number = calls.length;
    failing.start(1);
    while (calls.length === before) await pause(5);
    await pause(1);
    await failing.stop();
  }
  assert.deepEqual(faults.map((error) => (error as Error).message), ["a fault"]);
});
