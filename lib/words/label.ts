/** The label of a badge for which none is asked. Source: docs/architecture.md, "House suite", "Badge wording". */
import { HOUSE_SUITE, suiteOf } from "../suites/suites.ts";
import { isSelfReported } from "./rejection.ts";
import type { ResultSubject } from "./subject.ts";

/** Labels of badges for which none is asked. */
export const LABELS = { clankdar: "clankdar", house: "touchstone", neutral: "receipt" } as const;

/** All of them. */
export const OWN_LABELS: readonly string[] = Object.values(LABELS);

/** What of a result decides whose suite it is of. */
type SuiteSubject = Pick<ResultSubject, "kind" | "outcome" | "suite" | "observations">;

/**
 * Whose suite a result is of; null where that isn't established: the document is invalid, not finished,
 * of a suite that isn't known here, or its suite is said by a file that nobody signed and nothing
 * replayed.
 */
export function houseOrClankdar(subject: SuiteSubject): "clankdar" | "house" | null {
  const { outcome, suite } = subject;
  if (suite === HOUSE_SUITE) return "house";
  if (outcome !== "verified" && outcome !== "issuer-claimed" || suite === null) return null;
  if (outcome === "issuer-claimed" && isSelfReported(subject)) return null;
  return suiteOf(suite) === undefined ? null : "clankdar";
}

/** The label of a badge for which none is asked. */
export function defaultLabel(subject: SuiteSubject): string {
  return LABELS[houseOrClankdar(subject) ?? "neutral"];
}
