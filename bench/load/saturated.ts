/**
 * A hot badge while the verifier is saturated: does one visitor's heaviest document slow another's
 * badge? Open loop: requests go out at a fixed rate, whether or not earlier ones are answered, and a
 * request that had to go out late counts from when it was due. Takes some two minutes.
 */
import { mintAdmission } from "../../lib/issuer/mint.ts";
import { startServer } from "../../tests/store/process.ts";
import { COSTLY, costlyAdmission } from "../../tests/support/heavy.ts";
import { memoryOf } from "../../tests/support/memory.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import type { Fed, FeedRequest } from "./feeder.ts";
import { type Measured, openLoop } from "./open_loop.ts";

/** Badges a second. */
const RATE = 1000;
/** Requests of each measurement of latency. */
const MEASURED = 10_000;
/** Requests in all, over which memory has to stay flat. */
const TOTAL = 100_000;
const SOAK_RATE = 2500;
/** Batches on their way at a time: one is checked, the others wait. */
const BATCHES = 2;
const IN_BATCH = 100;

const { references } = createVerifyContext("auto");

/** Measures, and prints a table. */
export async function runSaturated(): Promise<void> {
  const folder = await Deno.makeTempDir();
  const server = await startServer({ KV_PATH: `${folder}/load.kv`, RATE_LIMITS: "off" });
  try {
    await measure(server.url, server.pid);
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

async function measure(url: string, pid: number): Promise<void> {
  const badge = await storedBadge(url);
  const batch = JSON.stringify(
    await Promise.all(
      Array.from({ length: IN_BATCH }, (_, n) => costlyAdmission(COSTLY[n % 2]!, references)),
    ),
  );
  // Warm: the code of both paths, the worker, the connections.
  await openLoop(badge, { rate: RATE, requests: 3000 });
  await (await fetch(`${url}/api/verify`, json(batch))).arrayBuffer();

  const idle = await openLoop(badge, { rate: RATE, requests: MEASURED });
  const feeding = feed(url, batch);
  await pause(500);
  const saturated = await openLoop(badge, { rate: RATE, requests: MEASURED });
  const fed = await feeding.stop();
  const idleAgain = await openLoop(badge, { rate: RATE, requests: MEASURED });

  const parts = 5;
  const memory = [residentOf(pid)];
  const soaked: Measured[] = [];
  const soaking = feed(url, batch);
  for (let part = 0; part < parts; part++) {
    soaked.push(await openLoop(badge, { rate: SOAK_RATE, requests: TOTAL / parts }));
    memory.push(residentOf(pid));
  }
  const fedMore = await soaking.stop();

  const errors = [idle, saturated, idleAgain, ...soaked]
    .reduce((sum, { errors }) => sum + errors, 0);
  const idleP99 = (idle.p99 + idleAgain.p99) / 2;
  const rows: [string, string][] = [
    [`badge, idle, ${RATE}/s: median, 99 %`, both(idle)],
    ["badge, verifier saturated: median, 99 %", both(saturated)],
    ["badge, idle again: median, 99 %", both(idleAgain)],
    ["99 %, saturated against idle", `${(saturated.p99 / idleP99).toFixed(2)}×`],
    ["heaviest admissions checked meanwhile", `${fed.checked} (${fed.busy} batches turned away)`],
    [`badges at ${SOAK_RATE}/s, verifier saturated: requests, errors`, `${TOTAL}, ${errors}`],
    ["heaviest admissions checked meanwhile", `${fedMore.checked}`],
    ["memory before and after each fifth", `${memory.join(", ")} MB`],
    ["processors", `${navigator.hardwareConcurrency}`],
  ];
  console.log("\n| what | measured |\n|---|---|");
  for (const [what, measured] of rows) console.log(`| ${what} | ${measured} |`);
}

/** Resident memory in MB; measured on Linux only. */
function residentOf(pid: number): string {
  const bytes = memoryOf(pid, "VmRSS");
  return bytes === null ? "?" : (bytes / 1e6).toFixed(0);
}

function both({ median, p99 }: Measured): string {
  return `${median.toFixed(3)}, ${p99.toFixed(3)} ms`;
}

async function storedBadge(url: string): Promise<string> {
  const { envelope } = await mintAdmission({
    references,
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "right", "wrong", "right"],
    minPass: 3,
  });
  const answer = await fetch(`${url}/api/results`, json(JSON.stringify(envelope)));
  const { id } = await answer.json();
  return `${url}/badge/${id}.svg`;
}

/** Keeps the verifier busy with batches until it is stopped. */
function feed(url: string, batch: string): { stop(): Promise<Fed> } {
  const worker = new Worker(import.meta.resolve("./feeder.ts"), { type: "module" });
  worker.postMessage({ url: `${url}/api/verify`, batch, at: BATCHES } satisfies FeedRequest);
  return {
    stop: () =>
      new Promise((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<Fed>) => {
          worker.terminate();
          resolve(data);
        };
        worker.postMessage("stop");
      }),
  };
}

function json(body: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
