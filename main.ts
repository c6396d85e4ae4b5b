/**
 * The one entry: `serve` (default) and the command line. Each command is loaded only when it runs.
 */
import { ConfigError } from "./config.ts";
import { type Io, processIo } from "./cli/io.ts";
import { UNUSABLE, UsageError } from "./cli/usage.ts";
import { whereThrown } from "./lib/verify/fault.ts";
import { RegistryError } from "./lib/verify/registry.ts";

type Run = (args: string[], io: Io) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Run>>> = {
  serve: async () => (await import("./cli/serve.ts")).run,
  verify: async () => (await import("./cli/verify.ts")).run,
  instances: async () => (await import("./cli/instances.ts")).run,
  instance: async () => (await import("./cli/instances.ts")).runOne,
  issuer: async () => (await import("./cli/issuer.ts")).run,
  pool: async () => (await import("./cli/pool.ts")).run,
  store: async () => (await import("./cli/store.ts")).run,
  demo: async () => (await import("./cli/demo.ts")).run,
  samples: async () => (await import("./cli/samples.ts")).run,
  example: async () => (await import("./cli/example.ts")).run,
  "evaluator:install": async () => (await import("./cli/evaluator_install.ts")).run,
};

async function main([name = "serve", ...args]: string[]): Promise<number> {
  const io = processIo();
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    io.err(`there is no command ${name}; the commands: ${Object.keys(COMMANDS).join(", ")}\n`);
    return UNUSABLE;
  }
  try {
    return await (await load())(args, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`${name}: ${error.message}\nTry: deno task ${name} --help\n`);
    } else if (error instanceof ConfigError) {
      io.err(`the environment is not usable:\n${error.message}\n`);
    } else if (error instanceof RegistryError) {
      io.err(`the registry is not usable:\n${error.message}\n`);
    } else {
      // A fault of ours. Its own exit status: 1 and 2 mean something for a document.
      io.err(`${name}: something failed that should not: ${whereThrown(error)}\n`);
    }
    return UNUSABLE;
  }
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
