/** Tool of the family `autostep`. Source: docs/specification/suites/autostep.md, "Tool". */
import { nextRow } from "../families/autostep.ts";
import type { Tools } from "./tool.ts";

/** The same for every instance: any rule and any row may be asked. */
export const AUTOSTEP_TOOLS: Tools = new Map([
  ["ca_step", ({ rule, row }) => {
    if (!isRule(rule) || typeof row !== "string" || !/^[01]{1,64}$/.test(row)) return null;
    return nextRow(rule, Array.from(row, Number)).join("");
  }],
]);

function isRule(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}
