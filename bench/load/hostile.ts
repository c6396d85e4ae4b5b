/**
 * One client does its worst, within what the service lets it do; a second one, at another address,
 * goes on as before. Each attack has a service of its own with default limits.
 */
import { mintReceipt } from "../../lib/issuer/mint.ts";
import { type ServerProcess, startServer } from "../../tests/store/process.ts";
import { memoryOf } from "../../tests/support/memory.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import type { Answers, AttackRequest } from "./attacker.ts";
import { ATTACKS, type Host, type Letter } from "./attacks.ts";
import { type Visit, visit, type Visited } from "./visitor.ts";

const IDLE_MS = 10_000;
const ATTACK_MS = 20_000;
/** After an attack, until memory is looked at again. */
const AFTER_MS = 60_000;
const LOOK_MS = 250;

/** What is required beside an attack: of verifying a second, and one job of another client. */
const VERIFY_MS = 1000 + 3000;
/** Of the 99 % of hot badges, against the same without an attack. */
const SLOWER = 3;
const MORE_MB = 250;
const LEFT_MB = 60;

interface Row {
  letter: Letter;
  idle: Visited;
  beside: Visited;
  after: Visited;
  /** In MB: before, at most, a minute after. */
  memory: { start: number; most: number; after: number };
  /** What the hostile client was answered. */
  answers: Answers;
  /** What the service logged. */
  log: string;
}

const HEAD = [
  "hostile client",
  "it was answered",
  "verify",
  "store",
  "start page",
  "cold badge",
  "hot badge, 99 %",
  "idle",
  "errors",
  "memory: start, most, after",
  "missed",
];

/** Errors and lines of the log that are shown of an attack. */
const SAID = 8;

const { references } = createVerifyContext("auto");

/** Prints a table, a row as soon as it is measured. Whether all requirements were met. */
export async function runHostile(letters: readonly Letter[]): Promise<boolean> {
  console.log(`\n| ${HEAD.join(" | ")} |\n|${"---|".repeat(HEAD.length)}`);
  let met = true;
  for (const letter of letters) {
    const row = await attack(letter);
    console.log(`| ${cellsOf(row).join(" | ")} |`);
    if (missedBy(row).length > 0) met = false;
    const said = [...row.beside.errors, ...row.after.errors, ...row.log.trim().split("\n")];
    for (const line of said.slice(0, SAID)) if (line !== "") console.error(`  ${line}`);
  }
  return met;
}

async function attack(letter: Letter): Promise<Row> {
  const plan = ATTACKS[letter];
  const folder = await Deno.makeTempDir();
  const host = startHost();
  const environment = {
    KV_PATH: `${folder}/load.kv`,
    FETCH_ALLOW_HOSTS: new URL(host.url).host,
  };
  const sample = await Deno.readTextFile(new URL("../../samples/verified.json", import.meta.url));
  host.put("/sample.json", JSON.parse(sample));
  let server: ServerProcess | null = null;
  try {
    // Whatever lies in the database beforehand is stored without limits.
    server = await startServer(environment);
    const prepared = await plan.prepare({ host, url: server.url });
    await server.stop();
    server = await startServer({ ...environment, RATE_LIMITS: "on" }, plan.descriptors ?? null);
    const hot = await storedBadge(server.url, sample);
    const given: Visit = { url: server.url, hot, sample, fresh };
    if (letter === "e") given.sampleUrl = `${host.url}/sample.json`;
    const { url, pid } = server;
    return {
      letter,
      ...await measure(given, pid, { url, attack: prepared }),
      log: server.errors(),
    };
  } finally {
    await server?.stop();
    await host.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

type Measured = Omit<Row, "letter" | "log">;

async function measure(given: Visit, pid: number, request: AttackRequest): Promise<Measured> {
  // Warm: code, worker, connections.
  await visit(given, IDLE_MS / 2);
  const idle = await visit(given, IDLE_MS);
  const start = residentOf(pid);
  let most = start;
  const looking = setInterval(() => most = Math.max(most, residentOf(pid)), LOOK_MS);
  const attacker = new Worker(import.meta.resolve("./attacker.ts"), { type: "module" });
  attacker.postMessage(request);
  const beside = await visit(given, ATTACK_MS);
  clearInterval(looking);
  const answers = await new Promise<Answers>((resolve) => {
    attacker.onmessage = ({ data }: MessageEvent<Answers>) => resolve(data);
    attacker.postMessage("stop");
  });
  attacker.terminate();
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS - IDLE_MS));
  const after = await visit(given, IDLE_MS);
  return { idle, beside, after, answers, memory: { start, most, after: residentOf(pid) } };
}

/** Resident memory in MB. */
function residentOf(pid: number): number {
  const bytes = memoryOf(pid, "VmRSS");
  if (bytes === null) throw new Error("memory is measured on Linux only");
  return bytes / 1e6;
}

async function storedBadge(url: string, document: string): Promise<string> {
  const answer = await fetch(`${url}/api/results`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: document,
  });
  const { id } = await answer.json();
  return `/badge/${id}.svg`;
}

async function fresh(): Promise<string> {
  const { envelope } = await mintReceipt({ references, cell: "algal:t1", answer: "right" });
  return JSON.stringify(envelope);
}

/** A host on this machine. What it doesn't have is answered 404. */
function startHost(): Host & { stop(): Promise<void> } {
  const documents = new Map<string, string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const document = documents.get(new URL(request.url).pathname);
    if (document === undefined) return new Response(null, { status: 404 });
    return new Response(document, { headers: { "content-type": "application/json" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    put: (path, document) => void documents.set(path, JSON.stringify(document)),
    stop: () => server.shutdown(),
  };
}

function p99(times: readonly number[]): number {
  return times.toSorted((x, y) => x - y)[Math.floor(times.length * 0.99)]!;
}

function idleOf({ idle, after }: Row): number {
  return (p99(idle.hot) + p99(after.hot)) / 2;
}

function missedBy(row: Row): string[] {
  const { beside, after, memory } = row;
  const checks: [string, boolean][] = [
    ["verify", beside.verify <= VERIFY_MS],
    ["hot badge", p99(beside.hot) <= SLOWER * idleOf(row)],
    ["errors", beside.errors.length === 0 && after.errors.length === 0],
    ["memory", memory.most <= memory.start + MORE_MB],
    ["memory after", memory.after <= memory.start + LEFT_MB],
  ];
  return checks.filter(([, met]) => !met).map(([name]) => name);
}

function cellsOf(row: Row): string[] {
  const { letter, beside, after, memory, answers } = row;
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const answered = Object.entries(answers).map(([what, times]) => `${times} × ${what}`).join(", ");
  const { start, most, after: left } = memory;
  return [
    `${letter}: ${ATTACKS[letter].name}`,
    answered === "" ? "nothing" : answered,
    ms(beside.verify),
    ms(beside.store),
    ms(beside.page),
    ms(beside.cold),
    ms(p99(beside.hot)),
    ms(idleOf(row)),
    `${beside.errors.length + after.errors.length}`,
    `${[start, most, left].map((value) => value.toFixed(0)).join(", ")} MB`,
    missedBy(row).join(", ") || "nothing",
  ];
}
