/** The server: `deno task start`. */
import { dirname } from "node:path";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { createApp } from "../routes/app.ts";
import { createVerifier } from "../verifier.ts";
import type { Io } from "./io.ts";
import { readArgs, UsageError } from "./usage.ts";

const HELP = `Usage: deno task start

Serves Touchstone until it is stopped. Configured by environment variables:
  PORT        port, default 8000; 0 lets the system choose
  HOST        name or address to listen on, default 127.0.0.1
  KV_PATH     file of the database, default data/touchstone.kv, or :memory:
  PUBLIC_URL  where the service is reached from outside; default: as each request says
  EVALUATOR   auto or official, default auto
`;

/** Exit status of a server that can't start. */
const CANNOT_START = 1;

/** Ends the server when it is aborted; without one, SIGINT and SIGTERM do. */
export interface ServeOptions {
  signal?: AbortSignal;
  environment?: (name: string) => string | undefined;
}

/**
 * Runs the server until it is stopped. Returns the exit status: 0 when it was stopped, 1 when it
 * could not start (malformed configuration, missing permission, address in use).
 *
 * @throws {UsageError} for arguments.
 */
export async function run(args: string[], io: Io, options: ServeOptions = {}): Promise<number> {
  const { values, positionals } = readArgs(args, {});
  if (values.help) {
    io.out(HELP);
    return 0;
  }
  if (positionals.length > 0) throw new UsageError("the server takes no arguments");
  const started = await start(io, options);
  if ("problem" in started) {
    io.err(`${started.problem}\n`);
    return CANNOT_START;
  }
  await started.server.finished;
  started.kv.close();
  return 0;
}

type Started = { server: Deno.HttpServer; kv: Deno.Kv } | { problem: string };

async function start(io: Io, options: ServeOptions): Promise<Started> {
  let config: Config;
  try {
    config = readConfig(options.environment ?? ((name) => Deno.env.get(name)));
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message };
    throw error;
  }
  const problem = await missingPermission(config);
  if (problem !== null) return { problem };

  let kv: Deno.Kv;
  try {
    await createFolder(config.kvPath);
    kv = await Deno.openKv(config.kvPath);
  } catch (error) {
    return { problem: `the database ${config.kvPath} can't be opened: ${messageOf(error)}` };
  }
  const log = (message: string) => io.err(`${message}\n`);
  const { fetch } = createApp({
    kv,
    verifier: createVerifier(config.evaluator, log),
    publicUrl: config.publicUrl,
    log,
  });
  try {
    const server = Deno.serve({
      hostname: config.host,
      port: config.port,
      signal: options.signal ?? stopSignal(),
      onListen: ({ hostname, port }) => {
        const host = hostname.includes(":") ? `[${hostname}]` : hostname;
        io.out(`Touchstone listens on http://${host}:${port}\n`);
      },
    }, (request) => fetch(request));
    return { server, kv };
  } catch (error) {
    kv.close();
    return { problem: `can't listen on ${config.host}:${config.port}: ${messageOf(error)}` };
  }
}

/** Asked rather than tried, so that the answer names the flag; null when nothing is missing. */
async function missingPermission({ kvPath, host, port }: Config): Promise<string | null> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const net = await Deno.permissions.query({ name: "net", host: address });
  if (net.state !== "granted") {
    return `listening on ${address} is not allowed: start with --allow-net=${address}`;
  }
  if (kvPath === ":memory:") return null;
  const [read, write] = await Promise.all([
    Deno.permissions.query({ name: "read", path: kvPath }),
    Deno.permissions.query({ name: "write", path: kvPath }),
  ]);
  if (read.state === "granted" && write.state === "granted") return null;
  const folder = dirname(kvPath);
  return `the database ${kvPath} (KV_PATH) is outside of what this process may read and write: ` +
    `start with --allow-read=data,${folder} --allow-write=data,${folder}, ` +
    "or choose a file in ./data";
}

/** Makes the folder of the database, unless only the file itself may be touched. */
async function createFolder(kvPath: string): Promise<void> {
  if (kvPath === ":memory:") return;
  const folder = dirname(kvPath);
  const write = await Deno.permissions.query({ name: "write", path: folder });
  if (write.state === "granted") await Deno.mkdir(folder, { recursive: true });
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  Deno.addSignalListener("SIGINT", stop);
  Deno.addSignalListener("SIGTERM", stop);
  return controller.signal;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
