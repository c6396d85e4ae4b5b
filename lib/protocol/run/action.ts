/** Reading a model's reply in an agent episode. Source: runs spec 4.1. */
import type { ToolArguments } from "../../suites/tools/tool.ts";

/** What a reply asks for. */
type Action =
  | { kind: "tool"; name: string; args: ToolArguments }
  | { kind: "final"; answer: string }
  | { kind: "invalid" };

const INVALID: Action = { kind: "invalid" };

/** Reads the action line of a reply: its first line that isn't blank. Never throws. */
export function readAction(reply: string): Action {
  const line = reply.trim().split("\n", 1)[0]!.trim();
  // The dot stands for anything but \r, U+2028 and U+2029 (and \n), which end a line elsewhere.
  const call = /^TOOL ([a-z][a-z0-9_]*) (.+)$/.exec(line);
  if (call !== null) {
    const args = readObject(call[2]!);
    return args === null ? INVALID : { kind: "tool", name: call[1]!, args };
  }
  const answer = /^FINAL (.+)$/.exec(line)?.[1]?.trim();
  return answer ? { kind: "final", answer } : INVALID;
}

function readObject(text: string): ToolArguments | null {
  try {
    // As deep as an entry's 8,192 characters allow (runs spec 4.1): no tool looks below the second level.
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as ToolArguments
      : null;
  } catch {
    return null;
  }
}
