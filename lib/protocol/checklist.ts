/**
 * The ordered checks of one document. Work may be done in any order (signatures in the background,
 * cheap tests before costly ones); the reported reason is always that of the first failing check in
 * the spec's order.
 */
import type { Reason } from "./reason.ts";

/** One check that was run (or not), in the order of the protocols spec. */
export interface Check {
  check: string;
  status: "ok" | "failed" | "skipped";
}

interface Checklist<Name extends string> {
  /** Notes the result of a check: null when it holds. Returns whether it holds. */
  note(check: Name, result: Reason | null): boolean;
  /** The reason of the first failing check in order, or null. */
  reason(): Reason | null;
  /** All checks in order; those without a noted result are `skipped`. */
  checks(): Check[];
}

/** A checklist over `names`, in the order in which they count. */
export function checklist<Name extends string>(names: readonly Name[]): Checklist<Name> {
  const results = new Array<Reason | null | undefined>(names.length);
  return {
    note(check, result) {
      results[names.indexOf(check)] = result;
      return result === null;
    },
    reason() {
      return results.find((result) => result) ?? null;
    },
    checks() {
      return names.map((check, index) => {
        const result = results[index];
        return {
          check,
          status: result === undefined ? "skipped" : result === null ? "ok" : "failed",
        };
      });
    },
  };
}
