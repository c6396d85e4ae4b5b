/** The server as a process of its own. */
const ROOT = new URL("../../", import.meta.url).pathname;
const START_MS = 20_000;

export interface ServerProcess {
  /** Origin, without a trailing slash. */
  url: string;
  pid: number;
  /** Ends it with SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** Ends it properly. */
  stop(): Promise<void>;
  /** What it has written to standard error. */
  errors(): string;
}

/**
 * Starts a server, without rate limits, and waits until it listens. Environment variables of the
 * test itself are passed on unless overridden.
 *
 * @param descriptors as `ulimit -n` has them; null: as many as this process.
 * @throws {Error} with what the server wrote, when it ends or says nothing in time.
 */
export async function startServer(
  environment: Record<string, string>,
  descriptors: number | null = null,
): Promise<ServerProcess> {
  const command = [Deno.execPath(), "run", "--no-prompt", "-A", `${ROOT}main.ts`, "serve"];
  const limit = descriptors === null ? "" : `ulimit -n ${descriptors}; `;
  const child = new Deno.Command("sh", {
    args: ["-c", `${limit}exec "$0" "$@"`, ...command],
    // They ask for more than one client gets.
    env: { PORT: "0", NO_COLOR: "1", RATE_LIMITS: "off", ...environment },
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let written = "";
  const draining = drain(child.stderr, (text) => written += text);
  const listening = Promise.withResolvers<string | null>();
  let said = "";
  const reading = drain(child.stdout, (text) => {
    said += text;
    const address = /http:\S+/.exec(said);
    if (address !== null) listening.resolve(address[0]);
  }).finally(() => listening.resolve(null));
  const tooLong = setTimeout(() => listening.resolve(null), START_MS);
  const url = await listening.promise;
  clearTimeout(tooLong);

  const end = async (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended by itself; what it wrote says why.
    }
    await Promise.all([child.status, draining, reading]);
  };
  if (url === null) {
    await end("SIGKILL");
    throw new Error(`the server did not start: ${said}${written}`);
  }
  return {
    url,
    pid: child.pid,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    errors: () => written,
  };
}

async function drain(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
}
