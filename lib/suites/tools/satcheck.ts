/** Tool of the family `satcheck`. Source: docs/specification/suites/satcheck.md, "Tool". */
import type { Tools } from "./tool.ts";

/**
 * The tool of the instance with that answer. The formula has one solution, so comparing with it
 * is evaluating the formula.
 */
export function satcheckTools(answer: string): Tools {
  return new Map([
    ["check", ({ bits }) => {
      if (typeof bits !== "string" || !/^[01]{12}$/.test(bits)) return null;
      return bits === answer ? "satisfies" : "fails";
    }],
  ]);
}
