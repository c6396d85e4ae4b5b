/** Turns between clients, for random arrivals: nobody waits for more than one job of another. */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { type Asker, createAsker, join, share, workFor } from "../../lib/async/asker.ts";
import {
  addJob,
  clearJobs,
  createTurns,
  endJob,
  nextJob,
  startJob,
  type Turn,
} from "../../lib/workers/turns.ts";

interface Job extends Turn {
  client: string;
  arrived: number;
}

const LIMITS = { jobs: 1000, bytes: Infinity };

const step = fc.oneof(
  fc.record({ what: fc.constant("ask" as const), client: fc.constantFrom("a", "b", "c", "d") }),
  fc.record({ what: fc.constant("end" as const), which: fc.nat({ max: 5 }) }),
);

Deno.test("turns property: between asking and its start, a first job waits for one job of each other client", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (workers, steps) => {
    const turns = createTurns<Job>(LIMITS);
    const running: Job[] = [];
    const started: { job: Job; at: number }[] = [];
    const lastEnd = new Map<string, number>();
    let clock = 0;

    function fill(): void {
      while (running.length < workers) {
        const job = nextJob(turns);
        if (job === null) return;
        startJob(turns, job);
        checkFair(job);
        running.push(job);
        started.push({ job, at: clock++ });
      }
    }

    /** What its client had itself to wait for ended last, or the job came after that. */
    function checkFair(job: Job): void {
      assert.ok(!running.some(({ client }) => client === job.client), "one at a time of a client");
      const since = Math.max(job.arrived, lastEnd.get(job.client) ?? 0);
      for (const other of ["a", "b", "c", "d"].filter((client) => client !== job.client)) {
        const before = started.filter(({ job, at }) => job.client === other && at > since).length;
        const underWay = started.some(({ job: one, at }) =>
          one.client === other && at < since && (running.includes(one) || endOf(one) > since)
        );
        assert.ok(before + (underWay ? 1 : 0) <= 1, `${job.client} waited twice for ${other}`);
      }
    }
    const ends = new Map<Job, number>();
    const endOf = (job: Job) => ends.get(job) ?? -1;

    for (const given of steps) {
      if (given.what === "ask") {
        const { client } = given;
        const job = { asker: createAsker(client), bytes: 1, client, arrived: clock++ };
        assert.deepEqual(addJob(turns, job), []);
      } else if (running.length > 0) {
        const [job] = running.splice(given.which % running.length, 1);
        endJob(turns, job!);
        ends.set(job!, clock);
        lastEnd.set(job!.client, clock++);
      }
      fill();
    }
    // Nothing is left behind, and a client's own jobs keep their order.
    while (running.length > 0) {
      const job = running.shift()!;
      endJob(turns, job);
      ends.set(job, clock);
      lastEnd.set(job.client, clock++);
      fill();
    }
    assert.equal(started.length, steps.filter(({ what }) => what === "ask").length);
    for (const client of ["a", "b", "c", "d"]) {
      const arrivals = started.filter(({ job }) => job.client === client)
        .map(({ job }) => job.arrived);
      assert.deepEqual(arrivals, arrivals.toSorted((a, b) => a - b));
    }
  }));
});

Deno.test("turns property: a full queue makes room for whoever has less in it, and for nobody else", () => {
  const arrival = fc.record({
    client: fc.constantFrom("a", "b", "c"),
    bytes: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(fc.property(fc.array(arrival, { maxLength: 60 }), (arrivals) => {
    const limits = { jobs: 6, bytes: 100, each: 4 };
    const turns = createTurns<Turn & { client: string }>(limits);
    let waiting: (Turn & { client: string })[] = [];
    for (const { client, bytes } of arrivals) {
      const job = { asker: createAsker(client), bytes, client };
      const gone = addJob(turns, job);
      waiting = [...waiting, job].filter((one) => !gone.includes(one));
      const shareOf = (name: string) => {
        const own = waiting.filter((one) => one.client === name);
        return Math.max(own.length / 6, own.reduce((sum, one) => sum + one.bytes, 0) / 100);
      };
      assert.ok(waiting.length <= limits.jobs);
      assert.ok(waiting.length === 1 || waiting.reduce((sum, one) => sum + one.bytes, 0) <= 100);
      for (const name of ["a", "b", "c"]) {
        assert.ok(waiting.filter((one) => one.client === name).length <= limits.each);
      }
      // Whoever has nothing waiting, and asks for little, is never sent away by those who have.
      if (gone.includes(job) && bytes <= 10) assert.ok(shareOf(client) > 0);
    }
    assert.deepEqual(clearJobs(turns), waiting);
  }));
});

Deno.test("turns: work that somebody joins is done in the turn of either", async () => {
  const turns = createTurns<Job>(LIMITS);
  const started: string[] = [];
  const work = (name: string) =>
    share(() => {
      const { promise, resolve } = Promise.withResolvers<void>();
      jobs.set(name, resolve);
      return promise;
    });
  const jobs = new Map<string, () => void>();
  const job = (asker: Asker, client: string): Job => ({ asker, bytes: 1, client, arrived: 0 });

  const heavy = createAsker("heavy");
  for (const name of ["one", "two"]) addJob(turns, job(heavy, name));
  const shared = workFor(heavy, () => work("shared"));
  addJob(turns, job(shared.asker, "shared"));
  addJob(turns, job(createAsker("third"), "third"));
  const light = createAsker("light");
  const joined = workFor(light, () => join(shared));
  for (;;) {
    const next = nextJob(turns);
    if (next === null) break;
    startJob(turns, next);
    started.push(next.client);
    // "heavy" has one under way all the while: what is only its own waits.
  }
  assert.deepEqual(started, ["one", "shared", "third"]);
  jobs.get("shared")!();
  await joined;
});
