/** The server: `deno task start`. */
import { type Config, ConfigError, readConfig } from "../service/config.ts";
import { type App, createApp } from "../routes/app.ts";
import { isLoopback } from "../routes/http/host.ts";
import { SHIPPED_POOLS } from "../pools/shipped.ts";
import { createRules, userAgent } from "../lib/fetch/rules.ts";
import { createChecker } from "../service/checker.ts";
import { registry } from "../service/trust.ts";
import { RegistryError } from "../lib/trust/registry.ts";
import { createRenderer } from "../service/renderer.ts";
import { createVerifyContext, OFFICIAL_MODULE_PATH } from "../service/verify_context.ts";
import { openDatabase } from "./database.ts";
import type { Io } from "./io.ts";
import { serve } from "../lib/serving/serve.ts";
import type { Serving, ServingOptions } from "../lib/serving/serving.ts";
import { readArgs, UsageError } from "./usage.ts";

const HELP = `Usage: deno task start

Serves Touchstone until it is stopped. Configured by environment variables:
  PORT        port, default 8000; 0 lets the system choose
  HOST        name or address to listen on, default 127.0.0.1
  KV_PATH     file of the database, default data/touchstone.kv, or :memory:
  KV_URL      a KV server in place of a file; DENO_KV_ACCESS_TOKEN has its access token
  PUBLIC_URL  where the service is reached from outside; default: as each request says
  EVALUATOR   auto or official, default auto
  VERIFY_WORKERS            workers that check documents; default: processors less one. 0: in line
  VERIFY_MS                 time that checking a document may take, default 3000
  QUOTA_BYTES               bytes stored in all; default: no limit
  QUOTA_DOCUMENTS_PER_HOUR  documents that one address may store an hour; default: no limit
  RETENTION_DAYS            remove documents that nobody asked for in so many days, leaving their
                            histories; default: keep them
  RATE_LIMITS       on (default) or off: what one address may use of the service, in tokens. A
                    request costs one a document, and one more for every 64 KiB
  RATE_VERIFY       tokens for checking and storing documents, default 300/min; units s, min, h, day.
                    So many at once, and so many more in every such time. A request that costs more
                    than that is never admitted
  RATE_PUBLISH      the same for publishing pools and its dry runs, default 20/min
  RATE_READ         the same for pages and everything else that is read, default 600/min
  RATE_BADGE        the same for badges, default 12000/min
  RATE_DRAW         the same for drawing badges that nobody asked for lately, default 1200/min
  MAX_CONNECTIONS   connections at a time, default 1000; one address may hold a quarter of them. Each
                    needs a file descriptor: fewer are kept once those run out
  RATE_LOOK         the same for the fetches and checks that badges set off, for whoever asks for
                    the badge, default 600/min
  TRUSTED_PROXIES   addresses and networks (10.0.0.0/8, ::1) of proxies whose X-Forwarded-For or
                    Forwarded is believed; default: none is. Without it, all clients behind a proxy
                    have the proxy's address
  FETCH              on (default) or off: whether documents are fetched by URL
  FETCH_PORTS        ports that are fetched from, default 443,8443
  FETCH_ALLOW_HOSTS  hosts (files.example, 10.0.0.5:8000) that are fetched from on any port, by
                     http too, and at addresses that are not public; default: none
`;

/** Exit status of a server that can't start. */
const CANNOT_START = 1;

/** Ends the server when it is aborted; without one, SIGINT and SIGTERM do. */
export interface ServeOptions {
  signal?: AbortSignal;
  environment?: (name: string) => string | undefined;
  /** Other deadlines and bounds, and the kind of server, for tests. */
  serving?: Pick<ServingOptions, "bounds" | "kind">;
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
  await started.app.close();
  started.kv.close();
  return 0;
}

type Started = { server: Serving; app: App; kv: Deno.Kv } | { problem: string };

async function start(io: Io, options: ServeOptions): Promise<Started> {
  let config: Config;
  try {
    config = readConfig(options.environment ?? ((name) => Deno.env.get(name)));
    registry();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof RegistryError) {
      return { problem: error.message };
    }
    throw error;
  }
  const problem = await missingPermission(config);
  if (problem !== null) return { problem };

  const opened = await openDatabase(config.kv);
  if ("problem" in opened) return opened;
  const { kv } = opened;
  const log = (message: string) => io.err(`${message}\n`);
  const app = createApp({
    kv,
    checker: createChecker({
      evaluator: config.evaluator,
      workers: config.workers,
      time: config.time,
      log,
    }),
    renderer: createRenderer(config.workers === 0 ? 0 : 1, log),
    references: createVerifyContext(config.evaluator, log).references,
    publicUrl: config.publicUrl,
    log,
    store: { quotas: config.quotas, shipped: SHIPPED_POOLS },
    retentionDays: config.retentionDays,
    limits: config.limits,
    trustedProxies: config.trustedProxies,
    ...(options.serving?.bounds && { bounds: options.serving.bounds }),
    onLoopback: isLoopback(config.host) && !config.deployed,
    fetching: config.fetch && {
      rules: createRules({ ...config.fetch, userAgent: userAgent(config.publicUrl) }),
    },
  });
  const stop = options.signal ?? stopSignal();
  // Streams would keep the server from stopping: they end first.
  stop.addEventListener("abort", () => void app.close());
  try {
    const server = serve(app.fetch, {
      hostname: config.host,
      port: config.port,
      signal: stop,
      log,
      maxConnections: config.maxConnections,
      trustedProxies: config.trustedProxies,
      kind: config.deployed ? "plain" : "bounded",
      ...options.serving,
    });
    const { hostname, port } = server.addr;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    io.out(`Touchstone listens on http://${host}:${port}\n`);
    app.resume();
    if (config.evaluator === "official" && !await isInstalled(OFFICIAL_MODULE_PATH)) {
      log(
        "EVALUATOR=official, but ALGAL's module is not installed: algal puzzles can't be replayed " +
          "until it is (deno task evaluator:install)",
      );
    }
    return { server, app, kv };
  } catch (error) {
    kv.close();
    return { problem: `can't listen on ${config.host}:${config.port}: ${messageOf(error)}` };
  }
}

async function isInstalled(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

/** Asked rather than tried, so that the answer names the flag; null when nothing is missing. */
async function missingPermission({ host, port }: Config): Promise<string | null> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const net = await Deno.permissions.query({ name: "net", host: address });
  if (net.state === "granted") return null;
  return `listening on ${address} is not allowed: start with --allow-net=${address}`;
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
