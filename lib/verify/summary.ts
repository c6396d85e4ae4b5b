/**
 * Sums over the reports of one request or command.
 */
import type { Report } from "./report.ts";

interface Summary {
  documents: number;
  verified: number;
  issuerClaimed: number;
  invalid: number;
  unfinished: number;
  /** This and the next two leave out invalid documents: their numbers mean nothing. */
  passed: number;
  challenges: number;
  unreplayed: number;
}

/** What sums are made of: a report has it. */
export type Summed = Pick<Report, "outcome" | "counts">;

/** Sums up reports. */
export function summarise(reports: readonly Summed[]): Summary {
  const count = (outcome: Report["outcome"]) => reports.filter((r) => r.outcome === outcome).length;
  const sound = reports.flatMap((r) => r.outcome === "invalid" || !r.counts ? [] : [r.counts]);
  const sum = (member: "passed" | "challenges" | "unreplayed") =>
    sound.reduce((total, counts) => total + counts[member], 0);
  return {
    documents: reports.length,
    verified: count("verified"),
    issuerClaimed: count("issuer-claimed"),
    invalid: count("invalid"),
    unfinished: count(null),
    passed: sum("passed"),
    challenges: sum("challenges"),
    unreplayed: sum("unreplayed"),
  };
}
