/**
 * Badges over HTTP: requests a second and 99 % of a hot badge, by wrk, against a minimal server that
 * calls badge-maker for each request; and the first badge after a process starts, against a bare
 * Hono server's first answer. All interleaved, in one run.
 *
 * Needs wrk (Debian's package). Run: deno task bench:badges
 */
import { mintAdmission } from "../lib/issuer/mint.ts";
import { createVerifyContext } from "../service/verify_context.ts";

const ROUNDS = 5;
const STARTS = 7;
const SECONDS = 4;
const ROOT = new URL("../", import.meta.url).pathname;
const { references } = createVerifyContext("auto");

interface Running {
  url: string;
  stop(): Promise<void>;
}

/** Starts a script that prints where it listens. */
async function start(args: string[], env: Record<string, string> = {}): Promise<Running> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "-A", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", PORT: "0", RATE_LIMITS: "off", ...env },
    stdout: "piped",
    stderr: "null",
    stdin: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${args.join(" ")} ended: ${said}`);
    said += value;
    const url = /http:\/\/[0-9.]+:\d+/.exec(said)?.[0];
    if (url === undefined) continue;
    return {
      url,
      async stop() {
        child.kill("SIGTERM");
        await child.status;
        await reader.cancel();
      },
    };
  }
}

interface Load {
  perSecond: number;
  p99: number;
}

async function wrk(url: string): Promise<Load> {
  const { stdout } = await new Deno.Command("wrk", {
    args: ["-t1", "-c32", `-d${SECONDS}s`, "--latency", url],
  }).output();
  const text = new TextDecoder().decode(stdout);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  const [, time, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  if (/Non-2xx/.test(text) || Number.isNaN(perSecond)) throw new Error(text);
  return { perSecond, p99: Number(time) * { us: 1e-3, ms: 1, s: 1e3 }[unit as "us"]! };
}

const folder = await Deno.makeTempDir();
const touchstone = ["main.ts", "serve"];
const environment = { KV_PATH: `${folder}/badges.kv` };
const ids: string[] = [];

try {
  await throughput();
  await starts();
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function throughput(): Promise<void> {
  const ours = await start(touchstone, environment);
  const maker = await start(["bench/servers/badge_maker.ts"]);
  try {
    const { envelope } = await mintAdmission({
      references,
      cells: ["algal:t1", "h:algal:t2"],
      answers: ["right", "right", "wrong", "right"],
      minPass: 3,
    });
    const answer = await fetch(`${ours.url}/api/results`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(envelope),
    });
    const { id } = await answer.json();
    ids.push(id);
    const badge = `${ours.url}/badge/${id}.svg`;
    await wrk(badge);
    await wrk(maker.url);
    const loads: { ours: Load; maker: Load }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      loads.push({ ours: await wrk(badge), maker: await wrk(maker.url) });
    }
    const of = (pick: (load: (typeof loads)[number]) => number) => median(loads.map(pick));
    console.log("| hot badge over HTTP | Touchstone | badge-maker | ratio |");
    console.log("|---|---|---|---|");
    console.log(
      `| requests a second | ${of(({ ours }) => ours.perSecond).toFixed(0)} | ` +
        `${of(({ maker }) => maker.perSecond).toFixed(0)} | ` +
        `${of(({ ours, maker }) => ours.perSecond / maker.perSecond).toFixed(2)}× |`,
    );
    console.log(
      `| 99 % | ${of(({ ours }) => ours.p99).toFixed(2)} ms | ` +
        `${of(({ maker }) => maker.p99).toFixed(2)} ms | ` +
        `${of(({ ours, maker }) => ours.p99 / maker.p99).toFixed(2)}× |`,
    );
  } finally {
    await Promise.all([ours.stop(), maker.stop()]);
  }
}

/** From the process's start to the end of the first answer, in milliseconds. */
async function firstAnswer(
  args: string[],
  path: string,
  env: Record<string, string> = {},
): Promise<number> {
  const from = performance.now();
  const running = await start(args, env);
  try {
    const answer = await fetch(`${running.url}${path}`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    return performance.now() - from;
  } finally {
    await running.stop();
  }
}

async function starts(): Promise<void> {
  const times: { badge: number; hello: number }[] = [];
  for (let n = 0; n < STARTS; n++) {
    times.push({
      badge: await firstAnswer(touchstone, `/badge/${ids[0]}.svg`, environment),
      hello: await firstAnswer(["bench/servers/hello.ts"], "/"),
    });
  }
  const badge = median(times.map((time) => time.badge));
  const hello = median(times.map((time) => time.hello));
  const allowed = 2 * hello + 250;
  console.log("\n| from process start | median |");
  console.log("|---|---|");
  console.log(`| to the first badge | ${badge.toFixed(0)} ms |`);
  console.log(`| to a bare Hono server's first answer | ${hello.toFixed(0)} ms |`);
  console.log(`| first badge against twice that and 250 ms | ${(badge / allowed).toFixed(2)} |`);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
