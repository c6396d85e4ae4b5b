/**
 * What the tools of the agent families have in common. Source: runs spec 4.2.
 */

/** The arguments of a call: what JSON.parse makes of an object's text. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool of one puzzle instance: its output, or null when it rejects its arguments. Never throws. */
export type Tool = (args: ToolArguments) => string | null;

/** The tools of one puzzle instance by name. */
export type Tools = ReadonlyMap<string, Tool>;

/** What an episode records of a call. */
export interface ToolResult {
  /** Output, or why there is none. */
  text: string;
  ok: boolean;
}

/** Longest output that is recorded whole, in UTF-16 code units. */
const OUTPUT_LIMIT = 4096;

/** Calls a tool. A name that there is no tool for, or arguments that it rejects, give `ok: false`. */
export function callTool(tools: Tools, name: string, args: ToolArguments): ToolResult {
  const tool = tools.get(name) ?? INHERITED.get(name);
  if (tool === undefined) return { text: `unknown_tool ${name}`, ok: false };
  const output = tool(args);
  if (output === null) return { text: "invalid_arguments", ok: false };
  const text = output.length > OUTPUT_LIMIT ? `${output.slice(0, OUTPUT_LIMIT)}\u2026` : output;
  return { text, ok: true };
}

/**
 * Upstream looks tools up as properties of a plain object, and so finds the one inherited name that
 * a call can spell. It hands its argument back, which is then turned into text.
 */
const INHERITED: Tools = new Map<string, Tool>([
  ["constructor", (args) => Object.hasOwn(args, "toString") ? null : "[object Object]"],
]);
