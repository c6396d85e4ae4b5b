/** A worker that does as it is told, for the tests of the pool. */
import { serveJobs } from "../../lib/workers/serve.ts";

export type TestJob =
  | { say: string }
  | { ask: string }
  | { double: Uint8Array<ArrayBuffer> }
  /** Works until nobody wants it any more, with pauses or without. */
  | { until: "stopped"; pausing: boolean }
  | { fail: "inside" | "outside" }
  /** Never answers, and does nothing meanwhile. */
  | { hang: true };

serveJobs((settings, log) => async (job, { stopped, ask, giveAway }) => {
  const told = job as TestJob;
  if ("say" in told) {
    log(`said ${told.say}`);
    return `${settings}: ${told.say}`;
  }
  if ("double" in told) {
    const doubled = told.double.map((byte) => 2 * byte);
    giveAway(doubled.buffer);
    return doubled;
  }
  if ("ask" in told) return `told ${await ask(told.ask)}`;
  if ("until" in told) {
    while (!stopped()) if (told.pausing) await new Promise((done) => setTimeout(done, 1));
    return "stopped";
  }
  if ("hang" in told) return await new Promise(() => {});
  if (told.fail === "inside") throw new Error("secret");
  setTimeout(() => {
    throw new Error("secret");
  });
  return await new Promise(() => {});
});
