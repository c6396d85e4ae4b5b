/** Loading once and single flights, whatever the order in which callers come and work ends. */
import { strict as assert } from "node:assert";
import fc from "../support/npm/fast_check.ts";
import { memo } from "../../lib/async/memo.ts";
import { once } from "../../lib/async/once.ts";
import { singleFlight } from "../../lib/async/single_flight.ts";

/** One step: somebody asks for a key, or the oldest work under way for the key ends. */
const steps = fc.array(
  fc.record({
    key: fc.constantFrom("a", "b", "c"),
    what: fc.constantFrom("ask" as const, "ask" as const, "succeed" as const, "fail" as const),
  }),
  { maxLength: 60 },
);

interface Work {
  key: string;
  number: number;
  end: PromiseWithResolvers<number>;
}

/** Work that ends when a test says so. */
function manualWork() {
  const all: Work[] = [];
  const underWay = new Map<string, Work>();
  return {
    all,
    underWay,
    start(key: string): Promise<number> {
      assert.ok(!underWay.has(key), `two pieces of work for ${key} at the same time`);
      const work = { key, number: all.length, end: Promise.withResolvers<number>() };
      all.push(work);
      underWay.set(key, work);
      return work.end.promise;
    },
    async end(key: string, fails: boolean): Promise<void> {
      const work = underWay.get(key);
      if (work === undefined) return;
      underWay.delete(key);
      if (fails) work.end.reject(new Error(String(work.number)));
      else work.end.resolve(work.number);
      // What follows from the end has happened after a turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

const said = (promise: Promise<number>) =>
  promise.then((number) => ({ number, failed: false }), (error: Error) => ({
    number: Number(error.message),
    failed: true,
  }));

Deno.test("single flight: never two at a time for a key, and everybody gets the one they waited for", async () => {
  await fc.assert(fc.asyncProperty(steps, async (steps) => {
    const work = manualWork();
    const flights = singleFlight<string, number>();
    const asked: { wanted: number; joined: boolean; got: ReturnType<typeof said> }[] = [];
    for (const { key, what } of steps) {
      if (what !== "ask") {
        await work.end(key, what === "fail");
        continue;
      }
      const before = work.underWay.get(key);
      const { result, joined } = flights.run(key, () => work.start(key));
      assert.equal(joined, before !== undefined);
      asked.push({ wanted: work.underWay.get(key)!.number, joined, got: said(result) });
    }
    for (const key of ["a", "b", "c"]) await work.end(key, false);
    for (const { wanted, got } of asked) assert.equal((await got).number, wanted);
    assert.equal(asked.filter(({ joined }) => !joined).length, work.all.length);
  }));
});

Deno.test("load once: one success is everybody's for good, and each failure is followed by one try", async () => {
  await fc.assert(fc.asyncProperty(steps, async (steps) => {
    const work = manualWork();
    const load = once(() => work.start("a"));
    let succeeded: number | null = null;
    for (const { what } of steps) {
      if (what === "ask") {
        const wanted: number = succeeded ?? work.underWay.get("a")?.number ?? work.all.length;
        const promise = load();
        promise.catch(() => {});
        if (succeeded !== null) assert.equal(await promise, succeeded);
        else assert.equal(work.underWay.get("a")!.number, wanted);
      } else {
        const ending = work.underWay.get("a")?.number ?? null;
        await work.end("a", what === "fail");
        if (what === "succeed") succeeded ??= ending;
      }
    }
    const tried = work.all.length;
    if (succeeded !== null) await load();
    assert.equal(work.all.length, tried, "what succeeded is never loaded again");
    await work.end("a", false);
  }));
});

Deno.test("memo: as load once, for each key by itself, while there is room for the keys", async () => {
  await fc.assert(fc.asyncProperty(steps, async (steps) => {
    const work = manualWork();
    const known = memo<number>(3);
    const succeeded = new Map<string, number>();
    for (const { key, what } of steps) {
      if (what === "ask") {
        const starts = !succeeded.has(key) && !work.underWay.has(key);
        const before = work.all.length;
        const promise = known(key, () => work.start(key));
        promise.catch(() => {});
        assert.equal(work.all.length, before + (starts ? 1 : 0));
        if (succeeded.has(key)) assert.equal(await promise, succeeded.get(key));
      } else {
        const ending = work.underWay.get(key)?.number;
        await work.end(key, what === "fail");
        if (what === "succeed" && ending !== undefined) succeeded.set(key, ending);
      }
    }
    for (const key of ["a", "b", "c"]) await work.end(key, false);
  }));
});
