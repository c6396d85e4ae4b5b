/**
 * A pool is disclosed under a large store: how soon publishing answers, how fast the upgrade goes
 * compared with plain verification in the same run, how much memory the server takes meanwhile, and
 * whether badges stay right. Takes some minutes. Memory is measured on Linux only.
 *
 * Run: deno task bench:upgrade [documents]
 */
import { createKey } from "../lib/issuer/keys.ts";
import { systemRandom } from "../lib/issuer/random.ts";
import { verifyDocument } from "../lib/verify/verify.ts";
import {
  CHECKING,
  eachOf,
  publish,
  readBadge,
  readResult,
  saidBy,
  store,
  type Tally,
  watchUpgrade,
} from "../tests/store/client.ts";
import { startServer } from "../tests/store/process.ts";
import { memoryOf } from "../tests/support/memory.ts";
import { createPoolPair, FATE, type Item, mintItems, sayingOf } from "../tests/store/stock.ts";
import { createVerifyContext } from "../service/verify_context.ts";

const DOCUMENTS = Number(Deno.args[0] ?? 10_000);
const UNDER_POOL = DOCUMENTS / 2;
/** Mostly honest, as in life; one in eight is exposed. */
const STORIES = ["sound", "sound", "sound", "forged", "sound", "sound", "silent", "sound"] as const;
const CONNECTIONS = 8;
const WARM_UP = 300;
const MEASURED = 2000;
const SAMPLE_EVERY_MS = 10;

const verifier = createVerifyContext("auto");
const from = { key: createKey(), references: verifier.references, random: systemRandom };
const pair = createPoolPair(systemRandom);
const heldOut = await mintItems(UNDER_POOL, STORIES, pair, from);
const items = [...heldOut, ...await mintItems(DOCUMENTS - UNDER_POOL, ["plain"], pair, from)];

const folder = await Deno.makeTempDir();
const server = await startServer({ KV_PATH: `${folder}/bench.kv` });
try {
  await measure(server.url);
} finally {
  await server.stop();
  await Deno.remove(folder, { recursive: true });
}

async function measure(url: string): Promise<void> {
  const storing = await timed(() => eachOf(mixed(items), CONNECTIONS, (item) => store(url, item)));
  const plainBefore = await verificationRate();

  const memory = sampleMemory();
  const publishing = await timed(() => publish(url, pair.file));
  const reading = readBadges(url);
  const load = Deno.loadavg().map((average) => average.toFixed(1)).join(" ");
  let events = 0;
  const upgrade = await timed(() => watchUpgrade(url, pair.poolKey, () => events++));
  const badges = await reading.stop();
  const { before, peak, after } = await memory.stop();
  // Other work on the machine comes and goes: measured on both sides.
  const plainRate = (plainBefore + await verificationRate()) / 2;

  const expected: Tally = { upgraded: 0, exposed: 0, unchanged: 0 };
  for (const { story } of heldOut) expected[FATE[story]]++;
  const wrong = await countWrong(url);
  const rate = UNDER_POOL / upgrade.seconds;
  const { upgraded, exposed, unchanged } = upgrade.value;
  const rows: [string, string][] = [
    ["documents stored, of them under the pool", `${DOCUMENTS}, ${UNDER_POOL}`],
    ["storing them over HTTP", `${(DOCUMENTS / storing.seconds).toFixed(0)}/s`],
    ["publishing answered after", `${(publishing.seconds * 1000).toFixed(0)} ms`],
    ["plain verification", `${plainRate.toFixed(0)}/s`],
    ["upgrade", `${rate.toFixed(0)}/s (${upgrade.seconds.toFixed(1)} s, ${events} events)`],
    ["upgrade against plain verification", (rate / plainRate).toFixed(2)],
    ["tally: upgraded, exposed, unchanged", `${upgraded}, ${exposed}, ${unchanged}`],
    ["tally expected", `${expected.upgraded}, ${expected.exposed}, ${expected.unchanged}`],
    ["memory before, at most, after", `${before}, ${peak}, ${after} MB`],
    ["badges read meanwhile", `${badges.times.length}, ${badges.checking} of them "checking"`],
    ["of them wrong", `${badges.wrong}`],
    ["their time: median, 99 %, longest", percentiles(badges.times)],
    ["results wrong afterwards, of all", `${wrong}`],
    ["processors, and what waited for them", `${navigator.hardwareConcurrency}, ${load}`],
  ];
  console.log("\n| what | measured |\n|---|---|");
  for (const [what, measured] of rows) console.log(`| ${what} | ${measured} |`);
}

/** Every document once, those under the pool and the others in turn. */
function mixed(all: readonly Item[]): Item[] {
  return Array.from({ length: all.length }, (_, index) => {
    const half = index % 2 === 0 ? 0 : UNDER_POOL;
    return all[half + (index >> 1)]!;
  });
}

/** Documents a second that one process verifies with the pool at hand, one after the other. */
async function verificationRate(): Promise<number> {
  const documents = heldOut.slice(0, MEASURED).map(({ body }) => JSON.parse(body));
  for (const document of documents.slice(0, WARM_UP)) {
    await verifyDocument(document, verifier, [pair.pool]);
  }
  const { seconds } = await timed(async () => {
    for (const document of documents) await verifyDocument(document, verifier, [pair.pool]);
  });
  return documents.length / seconds;
}

/** Reads badges of documents under the pool until stopped; the pool is public by now. */
function readBadges(url: string) {
  const times: number[] = [];
  let [wrong, checking, over] = [0, 0, false];
  const done = (async () => {
    while (!over) {
      const item = items[Math.floor(Math.random() * items.length)]!;
      const start = performance.now();
      const said = await readBadge(url, item.id);
      times.push(performance.now() - start);
      if (said === CHECKING) checking++;
      else if (said !== sayingOf(item, true).badge) wrong++;
      await new Promise((next) => setTimeout(next, SAMPLE_EVERY_MS));
    }
  })();
  return {
    async stop() {
      over = true;
      await done;
      return { times, wrong, checking };
    },
  };
}

async function countWrong(url: string): Promise<number> {
  let wrong = 0;
  await eachOf(items, CONNECTIONS, async (item) => {
    const { outcome, exposed } = sayingOf(item, true);
    const result = await readResult(url, item.id);
    const said = result === null ? null : saidBy(result);
    if (said === null || said.outcome !== outcome || said.exposed !== exposed) wrong++;
  });
  return wrong;
}

/** Samples the server's resident memory, in MB, until stopped. */
function sampleMemory() {
  const samples = [residentMemory()];
  const timer = setInterval(() => samples.push(residentMemory()), 250);
  return {
    async stop() {
      clearInterval(timer);
      const pause = Promise.withResolvers<void>();
      setTimeout(pause.resolve, 1000);
      await pause.promise;
      const rounded = (megabytes: number) => Math.round(megabytes);
      return {
        before: rounded(samples[0]!),
        peak: rounded(Math.max(...samples)),
        after: rounded(residentMemory()),
      };
    },
  };
}

/** In megabytes; not a number where the system does not tell. */
function residentMemory(): number {
  return (memoryOf(server.pid, "VmRSS") ?? NaN) / 1024 / 1024;
}

function percentiles(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, sorted.length * share | 0)] ?? 0;
  return [at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(1)).join(", ") + " ms";
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const start = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - start) / 1000 };
}
