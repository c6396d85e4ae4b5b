/**
 * The command line. Each command is loaded only when it runs; the two that are most of the program
 * aren't even read before that, as their addresses are made at run time.
 */
import { type Run, runCommand } from "./run.ts";
import { UNUSABLE } from "./usage.ts";

const COMMANDS: Readonly<Record<string, () => Promise<Run>>> = {
  serve: async () =>
    (await import(import.meta.resolve("./serve.ts")) as typeof import("./serve.ts")).run,
  verify: async () => (await import("./verify.ts")).run,
  instances: async () => (await import("./instances.ts")).run,
  instance: async () => (await import("./instances.ts")).runOne,
  issuer: async () => (await import("./issuer.ts")).run,
  pool: async () => (await import("./pool.ts")).run,
  store: async () => (await import("./store.ts")).run,
  demo: async () =>
    (await import(import.meta.resolve("./demo.ts")) as typeof import("./demo.ts")).run,
  samples: async () => (await import("./samples.ts")).run,
  example: async () => (await import("./example.ts")).run,
  "evaluator:install": async () => (await import("./evaluator_install.ts")).run,
};

/** Runs the command that the arguments name; returns its exit status. */
export async function main([name = "serve", ...args]: string[]): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return await runCommand(name, args, load);
  const names = Object.keys(COMMANDS).join(", ");
  console.error(`there is no command ${name}; the commands: ${names}`);
  return UNUSABLE;
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
