/** The second client, at another loopback address: what it gets, and how fast. */
import { Agent, request } from "node:http";

/** Where it comes from; the hostile one comes from 127.0.0.1. */
const ADDRESS = "127.0.0.2";
/** Hot badges a second. */
const RATE = 50;
/** Rounds of everything else, each in a second. */
const ROUND_MS = 1000;
/** How long it waits for anything. */
const PATIENCE_MS = 30_000;

export interface Visit {
  /** The service. */
  url: string;
  /** The path of a stored document's badge. */
  hot: string;
  /** JSON of a sample. */
  sample: string;
  /** The address of a sample, if it is to be verified by URL as well. */
  sampleUrl?: string | undefined;
  /** Makes JSON of a document that isn't stored. */
  fresh(): Promise<string>;
}

/** Times in milliseconds. */
export interface Visited {
  hot: number[];
  /** The longest of each. */
  verify: number;
  store: number;
  cold: number;
  page: number;
  /** What went wrong. */
  errors: string[];
}

interface Asked {
  method?: "POST";
  path: string;
  body?: string;
}

let labels = 0;

/** Goes on for so many milliseconds. */
export async function visit(given: Visit, forMs: number): Promise<Visited> {
  const { hostname, port } = new URL(given.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const visited: Visited = { hot: [], verify: 0, store: 0, cold: 0, page: 0, errors: [] };
  const to = { hostname, port: Number(port), agent };

  /** How long an answer took; what isn't as it should be is noted. */
  async function ask({ method, path, body }: Asked, looksRight: RegExp): Promise<number> {
    const start = performance.now();
    const { status, text } = await send({ ...to, path, method: method ?? "GET" }, body);
    const took = performance.now() - start;
    if (status !== 200 && status !== 201 || !looksRight.test(text)) {
      visited.errors.push(`${path.slice(0, 40)}: ${status} ${text.slice(0, 200)}`);
    }
    return took;
  }

  async function round(): Promise<void> {
    const { sample, sampleUrl, hot } = given;
    const verifying = [
      ask({ method: "POST", path: "/api/verify", body: sample }, /"verified"/),
      ...(sampleUrl === undefined ? [] : [
        ask({ path: `/api/verify?url=${encodeURIComponent(sampleUrl)}` }, /"verified"/),
      ]),
    ];
    const storing = ask(
      { method: "POST", path: "/api/results", body: await given.fresh() },
      /"verified"/,
    );
    const [store, cold, page, ...verify] = await Promise.all([
      storing,
      ask({ path: `${hot}?label=cold${labels++}` }, /passed/),
      ask({ path: "/" }, /<html/),
      ...verifying,
    ]);
    visited.store = Math.max(visited.store, store!);
    visited.cold = Math.max(visited.cold, cold!);
    visited.page = Math.max(visited.page, page!);
    visited.verify = Math.max(visited.verify, ...verify);
  }

  const end = performance.now() + forMs;
  const under: Promise<void>[] = [];
  const every = async (ms: number, work: () => Promise<void>) => {
    for (let due = performance.now(); due < end; due += ms) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      under.push(work().catch((error) => void visited.errors.push(String(error))));
    }
  };
  await Promise.all([
    every(1000 / RATE, async () => {
      visited.hot.push(await ask({ path: given.hot }, /passed/));
    }),
    every(ROUND_MS, round),
  ]);
  await Promise.all(under);
  agent.destroy();
  return visited;
}

interface Sent {
  hostname: string;
  port: number;
  agent: Agent;
  path: string;
  method: string;
}

function send(to: Sent, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { host: `${to.hostname}:${to.port}` };
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = String(new TextEncoder().encode(body).length);
    }
    const asked = request({ ...to, headers, localAddress: ADDRESS }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => text += piece);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.setTimeout(PATIENCE_MS, () => asked.destroy(new Error(`no answer of ${to.path}`)));
    asked.end(body);
  });
}
