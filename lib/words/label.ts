/** The label of a badge for which none is asked. Source: design.md, "House suite", "Badge wording". */
import { HOUSE_SUITE, suiteOf } from "../suites/registry.ts";
import type { ResultSubject } from "./subject.ts";

/** Labels of badges for which none is asked. */
export const LABELS = { clankdar: "clankdar", house: "touchstone", neutral: "receipt" } as const;

/** All of them. */
export const OWN_LABELS: readonly string[] = Object.values(LABELS);

/**
 * Whose suite a result is of; null where that isn't established: the document is invalid, not finished,
 * or of a suite that isn't known here.
 */
export function houseOrClankdar(
  { outcome, suite }: Pick<ResultSubject, "outcome" | "suite">,
): "clankdar" | "house" | null {
  if (suite === HOUSE_SUITE) return "house";
  if (outcome !== "verified" && outcome !== "issuer-claimed" || suite === null) return null;
  return suiteOf(suite) === undefined ? null : "clankdar";
}

/** The label of a badge for which none is asked. */
export function defaultLabel(subject: Pick<ResultSubject, "outcome" | "suite">): string {
  return LABELS[houseOrClankdar(subject) ?? "neutral"];
}
