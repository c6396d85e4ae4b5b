/** The server as a process of its own with few descriptors and short deadlines: `serve` below. */
import type { Bounds } from "../../lib/serving/bounds.ts";
import { run } from "../../cli/serve.ts";

/** How it is started: one JSON text. */
export interface Scaled {
  kind: "bounded" | "plain";
  bounds?: Partial<Bounds>;
}

if (import.meta.main) {
  const { kind, bounds }: Scaled = JSON.parse(Deno.args[0]!);
  const encoder = new TextEncoder();
  Deno.exitCode = await run([], {
    out: (text) => void Deno.stdout.writeSync(encoder.encode(text)),
    err: (text) => void Deno.stderr.writeSync(encoder.encode(text)),
    stdin: () => Promise.resolve(new Uint8Array()),
    terminal: false,
  }, { serving: { kind, ...(bounds && { bounds }) } });
}

export interface Limited {
  url: string;
  port: number;
  /** What it has written to standard error. */
  errors(): string;
  /** Whether it still runs. */
  runs(): boolean;
  /** Sends SIGTERM; its exit status and how long it took, in milliseconds. */
  stop(): Promise<{ code: number; ms: number }>;
}

/** Starts it. @param descriptors as `ulimit -n` has them; null: as many as this process. */
export async function startLimited(
  scaled: Scaled,
  descriptors: number | null = null,
  environment: Record<string, string> = {},
): Promise<Limited> {
  const command = 'exec "$0" run -A --no-check "$1" "$2"';
  const child = new Deno.Command("sh", {
    args: [
      "-c",
      descriptors === null ? command : `ulimit -n ${descriptors}; ${command}`,
      Deno.execPath(),
      new URL(import.meta.url).pathname,
      JSON.stringify(scaled),
    ],
    env: {
      PORT: "0",
      KV_PATH: ":memory:",
      RATE_LIMITS: "off",
      VERIFY_WORKERS: "0",
      NO_COLOR: "1",
      ...environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "";
  let written = "";
  let running = true;
  void child.status.then(() => running = false);
  const listening = Promise.withResolvers<string>();
  const drained = Promise.all([
    drain(child.stdout, (text) => {
      said += text;
      const url = /http:\S+/.exec(said)?.[0];
      if (url !== undefined) listening.resolve(url);
    }).then(() => listening.reject(new Error(`the server did not start: ${said}${written}`))),
    drain(child.stderr, (text) => written += text),
  ]);
  const url = await listening.promise;
  return {
    url,
    port: Number(new URL(url).port),
    errors: () => written,
    runs: () => running,
    async stop() {
      const start = performance.now();
      if (running) child.kill("SIGTERM");
      const { code } = await child.status;
      await drained;
      return { code, ms: performance.now() - start };
    },
  };
}

async function drain(stream: ReadableStream<BufferSource>, take: (text: string) => void) {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
}

/** A client that says what a test wants. */
export interface Client {
  send(text: string): Promise<void>;
  /** Reads until the server closes the connection; what it said, and after how many milliseconds. */
  rest(): Promise<{ text: string; ms: number }>;
  /** Reads until what was said holds a text. */
  until(text: string): Promise<string>;
  close(): void;
}

/** Connects. @param say is sent at once. */
export async function connect(port: number, say = ""): Promise<Client> {
  const socket = await Deno.connect({ hostname: "127.0.0.1", port });
  const start = performance.now();
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  const more = async () => {
    try {
      const count = await socket.read(buffer);
      if (count === null) return false;
      text += decoder.decode(buffer.subarray(0, count));
      return true;
    } catch {
      return false;
    }
  };
  const client: Client = {
    async send(said) {
      let left = new TextEncoder().encode(said);
      while (left.length > 0) left = left.subarray(await socket.write(left));
    },
    async rest() {
      while (await more()) { /* to the end */ }
      return { text, ms: performance.now() - start };
    },
    async until(wanted) {
      while (!text.includes(wanted)) if (!await more()) throw new Error(`the end after ${text}`);
      return text;
    },
    close() {
      try {
        socket.close();
      } catch { /* closed before */ }
    },
  };
  if (say !== "") await client.send(say);
  return client;
}
