/**
 * Reading a command's arguments: one way for all commands.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";

/** The arguments don't fit the command. The message says which and how. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Exit status for input or arguments that can't be used. */
export const UNUSABLE = 3;

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads options and positional arguments; every command also takes `--help`.
 *
 * @throws {UsageError} on an unknown option, or one without its value.
 */
export function readArgs<const O extends Options>(args: string[], options: O) {
  try {
    return parseArgs({
      args,
      options: { ...options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (error) {
    // The first sentence says what is wrong, the rest how Node would have it.
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(". ")[0]!);
  }
}
