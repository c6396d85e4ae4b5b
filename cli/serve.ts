/** The server: `deno task start`. */
import { type Config, ConfigError, readConfig, variablesHelp } from "../service/config.ts";
import { type App, createApp } from "../routes/app.ts";
import { createServices } from "../service/services.ts";
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
${variablesHelp()}`;

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
  const app = createApp(createServices({
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
  }));
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
