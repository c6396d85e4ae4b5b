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
      args: joined(args, options),
      options: { ...options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (error) {
    // The first sentence says what is wrong, the rest how Node would have it.
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(". ")[0]!);
  }
}

/**
 * The arguments with each option's value in one piece: one in 64 keys begins with a hyphen, and would
 * be taken for an option of its own.
 */
function joined(args: string[], options: Options): string[] {
  const takesValue = (arg: string) => {
    const name = arg.slice(2);
    return arg.startsWith("--") && Object.hasOwn(options, name) &&
      options[name]!.type === "string";
  };
  const isOption = (arg: string) =>
    arg === "-h" || arg === "--help" || arg === "--" ||
    Object.keys(options).some((name) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  const result: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") return [...result, ...args.slice(at)];
    const value = args[at + 1];
    const hyphenated = value !== undefined && value.startsWith("-") && value !== "-" &&
      !isOption(value);
    if (takesValue(arg) && hyphenated) {
      result.push(`${arg}=${value}`);
      at++;
    } else {
      result.push(arg);
    }
  }
  return result;
}
