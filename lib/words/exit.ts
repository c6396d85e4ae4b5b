/** The exit status of a command that verifies, for one document. */
import type { AcceptedReport } from "../trust/acceptance.ts";
import { isSelfReported, rejectionKind } from "./rejection.ts";

/**
 * 0: verified, a pass, accepted, and not under a revoked key. 1: whole, but not that. 2: invalid, or
 * of a suite or protocol that this version doesn't know. 3: not a receipt, or not finished.
 *
 * @param options.allowUnsigned whether a benchmark run, which nobody signs, may give 0.
 */
export function exitStatusOf(
  report: AcceptedReport,
  { allowUnsigned }: { allowUnsigned: boolean },
): 0 | 1 | 2 | 3 {
  if (report.outcome === null) return 3;
  if (report.outcome === "invalid") return rejectionKind(report) === "not-a-receipt" ? 3 : 2;
  if (isSelfReported(report) && !allowUnsigned) return 1;
  const passed = report.verdict === "pass" || report.kind === "run";
  const accepted = report.acceptance?.accepted ?? true;
  const replayed = report.outcome === "verified" && (report.counts?.unreplayed ?? 0) === 0;
  const revoked = report.observations.includes("issuer-revoked");
  return replayed && passed && accepted && !revoked ? 0 : 1;
}
