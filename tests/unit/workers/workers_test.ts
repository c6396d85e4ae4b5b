/** Workers: bounded queues, lanes that don't wait for each other, and what fails. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import {
  createWorkers,
  JobLost,
  type JobOptions,
  QueueFull,
  type Workers,
  type WorkersOptions,
} from "../../../lib/workers/workers.ts";
import type { TestJob } from "../../support/worker.ts";

interface Given {
  workers: Workers;
  logs: string[];
  run(job: TestJob, options?: Partial<JobOptions>): Promise<unknown>;
}

async function withWorkers(
  run: (given: Given) => Promise<void>,
  options: Partial<WorkersOptions> = {},
): Promise<void> {
  const logs: string[] = [];
  const workers = createWorkers({
    module: import.meta.resolve("../../support/worker.ts"),
    settings: "here",
    size: 1,
    lanes: [{ jobs: 2, bytes: 100 }, { jobs: 2, bytes: 100 }],
    inLine: () => (job) => Promise.resolve(`in line: ${(job as { say: string }).say}`),
    log: (message) => void logs.push(message),
    ...options,
  });
  try {
    await run({
      workers,
      logs,
      run: (job, given) => workers.run(job, { lane: 0, bytes: 1, patience: 60_000, ...given }),
    });
  } finally {
    workers.close();
  }
}

Deno.test("a job is done in a worker, which can speak to the operator", async () => {
  await withWorkers(async ({ run, logs }) => {
    assert.equal(await run({ say: "a" }), "here: a");
    assert.deepEqual(await Promise.all([run({ say: "b" }), run({ say: "c" })]), [
      "here: b",
      "here: c",
    ]);
    assert.deepEqual(logs, ["said a", "said b", "said c"]);
  });
});

Deno.test("a job can ask whoever ordered it, and goes on only with an answer", async () => {
  await withWorkers(async ({ run, logs }) => {
    const answer = (question: unknown) => Promise.resolve(`${question}!`);
    const jobs = [run({ ask: "a" }, { answer }), run({ ask: "b" }, { answer, lane: 1 })];
    assert.deepEqual(await Promise.all(jobs), ["told a!", "told b!"]);
    const refuse = () => Promise.reject(new Error("too much"));
    await assert.rejects(run({ ask: "c" }, { answer: refuse }), /too much/);
    // The worker is free again, and nothing has failed.
    assert.equal(await run({ ask: "d" }, { answer }), "told d!");
    assert.deepEqual(logs, []);
  });
});

Deno.test("buffers are handed over and back instead of copied", async () => {
  await withWorkers(async ({ run }) => {
    // Only a worker that has started is given anything.
    await run({ say: "started" });
    const given = new Uint8Array([1, 2, 3]);
    const doubled = await run({ double: given }, { transfer: [given.buffer] });
    assert.deepEqual(doubled, new Uint8Array([2, 4, 6]));
    assert.equal(given.length, 0);
  });
});

Deno.test("a job that nobody wants any more stops, also one that never pauses", async () => {
  for (const pausing of [true, false]) {
    await withWorkers(async ({ run }) => {
      const controller = new AbortController();
      const job = run({ until: "stopped", pausing }, { signal: controller.signal });
      const next = run({ say: "next" });
      controller.abort(new Error("gone"));
      await assert.rejects(job, /gone/);
      // It comes to its turn only because the other has ended.
      assert.equal(await next, "here: next");
    });
  }
});

Deno.test("a job that waits is given up without being done", async () => {
  await withWorkers(async ({ run, logs }) => {
    const busy = new AbortController();
    const first = run({ until: "stopped", pausing: true }, { signal: busy.signal });
    const controller = new AbortController();
    const waiting = run({ say: "never" }, { signal: controller.signal, bytes: 100 });
    controller.abort(new Error("gone"));
    await assert.rejects(waiting, /gone/);
    await assert.rejects(run({ say: "never" }, { signal: controller.signal }), /gone/);
    // Its bytes don't count any more.
    const last = run({ say: "last" }, { bytes: 100 });
    busy.abort(new Error("enough"));
    await assert.rejects(first, /enough/);
    assert.equal(await last, "here: last");
    assert.deepEqual(logs, ["said last"]);
  });
});

Deno.test("queues are bounded by jobs and by bytes, lane by lane", async () => {
  await withWorkers(async ({ run }) => {
    const controller = new AbortController();
    const busy = run({ until: "stopped", pausing: true }, { signal: controller.signal });
    const waiting = [run({ say: "a" }), run({ say: "b" })];
    await assert.rejects(run({ say: "c" }), QueueFull);
    // The other lane has its own queue, and its turn while the first is busy.
    assert.equal(await run({ say: "d" }, { lane: 1 }), "here: d");
    controller.abort(new Error("enough"));
    await assert.rejects(busy, /enough/);
    assert.deepEqual(await Promise.all(waiting), ["here: a", "here: b"]);

    const again = new AbortController();
    const heavy = run({ until: "stopped", pausing: true }, { signal: again.signal });
    // What is larger than the queue may wait alone.
    const large = run({ say: "large" }, { bytes: 1000 });
    await assert.rejects(run({ say: "small" }), QueueFull);
    again.abort(new Error("enough"));
    await assert.rejects(heavy, /enough/);
    assert.equal(await large, "here: large");
  });
});

Deno.test("a job that throws is lost, says nothing of what it held, and the worker goes on", async () => {
  await withWorkers(async ({ run, logs }) => {
    await assert.rejects(run({ fail: "inside" }), JobLost);
    assert.equal(await run({ say: "on" }), "here: on");
    assert.ok(logs.some((line) => line.startsWith("fault in a worker: Error")));
    assert.ok(!logs.join().includes("secret"));
  });
});

Deno.test("a worker that fails is replaced, and what it had under way is lost", async () => {
  await withWorkers(async ({ run, logs }) => {
    assert.equal(await run({ say: "first" }), "here: first");
    const other = run({ hang: true }, { lane: 1 });
    const failing = run({ fail: "outside" });
    await assert.rejects(failing, JobLost);
    await assert.rejects(other, JobLost);
    assert.equal(await run({ say: "new" }), "here: new");
    assert.ok(logs.includes("a worker failed and is replaced"));
    assert.ok(!logs.join().includes("secret"));
  });
});

Deno.test("a job that never ends costs its worker, and too many of them all workers", async () => {
  await withWorkers(async ({ run, logs }) => {
    assert.equal(await run({ say: "loaded" }), "here: loaded");
    for (let n = 1; n <= 3; n++) {
      await assert.rejects(run({ hang: true }, { patience: 5 }), JobLost);
      assert.ok(logs.some((line) => line.includes(`ALARM`) && line.includes(`(${n} so far)`)));
      if (n < 3) assert.equal(await run({ say: "on" }), "here: on");
    }
    await assert.rejects(run({ say: "no more" }), QueueFull);
  }, { grace: 5 });
});

Deno.test("without workers, or where they can't be started, the work is done in line", async () => {
  await withWorkers(async ({ run, logs }) => {
    assert.deepEqual(await Promise.all([run({ say: "a" }), run({ say: "b" })]), [
      "in line: a",
      "in line: b",
    ]);
    assert.deepEqual(logs, []);
  }, { size: 0 });
  await withWorkers(async ({ run, logs }) => {
    assert.equal(await run({ say: "c" }), "in line: c");
    assert.equal(await run({ say: "d" }), "in line: d");
    assert.equal(logs.length, 1);
  }, { module: import.meta.resolve("../support/no_such_worker.ts") });
});

Deno.test("a worker that can't be started takes no bytes along", async () => {
  await withWorkers(async ({ run }) => {
    const given = new Uint8Array([1, 2, 3]);
    const seen = await run({ double: given }, { transfer: [given.buffer] });
    assert.deepEqual(seen, new Uint8Array([1, 2, 3]));
  }, {
    module: import.meta.resolve("../support/no_such_worker.ts"),
    inLine: () => (job) => Promise.resolve((job as { double: Uint8Array }).double),
  });
});

Deno.test("a signal that outlives its jobs doesn't hold on to them", async () => {
  for (const size of [0, 1]) {
    await withWorkers(async ({ run }) => {
      const { signal } = new AbortController();
      const refuse = () => Promise.reject(new Error("too much"));
      await Promise.allSettled([run({ say: "a" }, { signal }), run({ say: "b" }, { signal })]);
      if (size > 0) {
        await assert.rejects(run({ ask: "c" }, { signal, answer: refuse }), /too much/);
        await assert.rejects(run({ fail: "inside" }, { signal }), JobLost);
      }
      assert.equal(getEventListeners(signal, "abort").length, 0);
    }, { size });
  }
});

Deno.test("closing ends what is under way and what waits, and nothing is taken afterwards", async () => {
  await withWorkers(async ({ workers, run }) => {
    const jobs = [run({ hang: true }), run({ say: "waits" })];
    workers.close();
    for (const job of jobs) await assert.rejects(job, JobLost);
    await assert.rejects(run({ say: "late" }), JobLost);
  });
});
