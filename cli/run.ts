/** Running a command: what it throws becomes a line and an exit status. */
import { ConfigError } from "../service/config.ts";
import { whereThrown } from "../lib/verify/fault.ts";
import { RegistryError } from "../lib/trust/registry.ts";
import { type Io, processIo } from "./io.ts";
import { UNUSABLE, UsageError } from "./usage.ts";

export type Run = (args: string[], io: Io) => Promise<number>;

/**
 * Runs a command of this process; returns its exit status.
 *
 * @param load gives the command.
 */
export async function runCommand(
  name: string,
  args: string[],
  load: () => Run | Promise<Run>,
): Promise<number> {
  const io = processIo();
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
