/**
 * Reading a command's arguments: one way for all commands.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { Io } from "./io.ts";

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

/** Whether the arguments ask for help. What follows `--` is no option: a response may be `--help`. */
function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}

/** The command of a command that somebody named, with the arguments behind its name. */
interface Named<C> {
  name: string;
  command: C;
  rest: string[];
}

/**
 * Finds the command of a command (`store export`, `issuer pool new`) that the arguments begin with.
 *
 * @param commands by name; all names have the same number of words.
 * @param help for the command as a whole.
 * @returns null where help was asked for, which has been printed.
 * @throws {UsageError} where no command has this name; the message has the names that come close.
 */
export function subcommand<C extends { help: string }>(
  args: readonly string[],
  commands: Readonly<Record<string, C>>,
  help: string,
  io: Pick<Io, "out">,
): Named<C> | null {
  const known = Object.keys(commands);
  const words = known[0]!.split(" ").length;
  const name = args.slice(0, words).join(" ");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const rest = args.slice(words);
  if (command === undefined) {
    if (!wantsHelp(args)) {
      const near = known.filter((one) => one.startsWith(`${args[0]} `));
      const names = (near.length > 0 ? near : known).join(", ");
      throw new UsageError(`name one of the commands: ${names}`);
    }
    io.out(help);
    return null;
  }
  if (!wantsHelp(rest)) return { name, command, rest };
  io.out(command.help);
  return null;
}
