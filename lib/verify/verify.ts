/**
 * The one way in: a value goes in, a report comes out, whatever the value.
 */
import { sha256HexLarge } from "../encoding/digest.ts";
import type { Pool } from "../protocol/pool.ts";
import { reason } from "../protocol/reason.ts";
import { checkRun } from "../protocol/run.ts";
import { createBudget } from "../suites/budget.ts";
import { regenerate } from "../suites/generate.ts";
import type { DocumentContext, VerifyContext } from "./context.ts";
import { lookOf } from "./looks_like.ts";
import { recognise } from "./recognise.ts";
import { emptyReport, type Kind, type Report } from "./report.ts";
import { evaluatorUse, reportOnAdmission, reportOnReceipt } from "./signed_report.ts";
import { withoutWrapper } from "./unwrap.ts";

/**
 * Enough for the costliest admission many times over, and an end, within seconds, to a document
 * made to be costly.
 */
export const DOCUMENT_STEPS = 500_000_000;

/**
 * Verifies one entry: a receipt, an admission, a wrapper around one, or anything else.
 * Never rejects; bad input is an outcome, a fault of ours is `outcome: null`, `internal-error`.
 *
 * @param pools disclosed pools; only those that the document's own markers name are used.
 */
export async function verifyDocument(
  value: unknown,
  context: VerifyContext,
  pools: readonly Pool[] = [],
): Promise<Report> {
  try {
    const { document, unwrapped } = withoutWrapper(value);
    const recognised = recognise(document);
    if (recognised.kind === "unknown") {
      const { reason, looksLike } = recognised;
      const report = emptyReport("unknown", "invalid", reason);
      return looksLike === undefined ? report : { ...report, looksLike };
    }
    const report = await reportOn(recognised.kind, document, context, pools);
    if (unwrapped) report.observations.push("unwrapped");
    return report.reason?.code === "envelope-malformed" ? withLook(report, document) : report;
  } catch (error) {
    return faultReport("unknown", error, context);
  }
}

/** A thing that names a protocol and is no envelope: what it looks like says more than the code. */
function withLook(report: Report, document: unknown): Report {
  const { looksLike, message } = lookOf(document);
  return {
    ...report,
    reason: { ...report.reason!, message },
    ...(looksLike !== undefined && { looksLike }),
  };
}

function faultReport(kind: Kind, error: unknown, context: VerifyContext): Report {
  context.onFault?.(error);
  const message = "the check could not be finished because of a fault in the verifier";
  return emptyReport(kind, null, reason("internal-error", message));
}

/**
 * Verifies a recorded benchmark run, given as its unpacked bytes. Never rejects.
 *
 * @param onProgress called (and awaited) after each row.
 */
export async function verifyRun(
  bytes: Uint8Array,
  context: VerifyContext,
  onProgress?: (done: number, total: number) => void | Promise<void>,
): Promise<Report> {
  try {
    return await reportOnRun(bytes, context, onProgress);
  } catch (error) {
    return faultReport("run", error, context);
  }
}

async function reportOn(
  kind: "receipt" | "admission" | "dossier" | "tlog" | "run",
  document: unknown,
  context: VerifyContext,
  pools: readonly Pool[],
): Promise<Report> {
  const byKey = new Map(pools.map((pool) => [pool.poolKey, pool]));
  switch (kind) {
    case "receipt":
      return await checkTwice((within) => reportOnReceipt(document, within), byKey, context);
    case "admission":
      return await checkTwice((within) => reportOnAdmission(document, within), byKey, context);
    default: {
      const message = `this version of Touchstone can't check a document of kind ${kind}`;
      return emptyReport(kind, null, reason("checker-missing", message));
    }
  }
}

/**
 * A document that is invalid with its disclosed pool is checked again without it: only what would
 * have passed for issuer-claimed was *exposed* by the disclosure (protocols spec 16).
 */
async function checkTwice(
  check: (context: DocumentContext) => Promise<Report>,
  pools: ReadonlyMap<string, Pool>,
  context: VerifyContext,
): Promise<Report> {
  const report = await check(documentContext(context, pools));
  if (report.outcome === "invalid" && report.pools.some((pool) => pool.disclosed)) {
    // With an allowance of its own: a check that isn't finished would say nothing of exposure.
    const without = await check(documentContext(context, new Map()));
    if (without.outcome !== "invalid" && without.outcome !== null) {
      report.observations.push("exposed");
    }
  }
  return report;
}

function documentContext(
  context: VerifyContext,
  pools: ReadonlyMap<string, Pool>,
): DocumentContext {
  return { ...context, pools, budget: createBudget(stepsOf(context), context.expired) };
}

function stepsOf({ steps = DOCUMENT_STEPS }: VerifyContext): number {
  return steps;
}

async function reportOnRun(
  bytes: Uint8Array,
  context: VerifyContext,
  onProgress?: (done: number, total: number) => void | Promise<void>,
): Promise<Report> {
  const budget = createBudget(stepsOf(context), context.expired);
  const result = await checkRun(bytes, {
    regenerate: (version, family, tier, seed) =>
      regenerate(version, family, tier, seed, context.references, budget),
    budget,
    ...(onProgress && { onProgress }),
  });
  const report = emptyReport("run", null, result.reason, await sha256HexLarge(bytes));
  report.outcome = result.outcome;
  report.observations = ["unsigned"];
  if (result.reason !== null && result.row !== null) {
    report.reason = { ...result.reason, message: `row ${result.row}: ${result.reason.message}` };
  }
  const { run } = result;
  if (run === null) return report;
  report.run = run;
  report.suite = run.suite;
  if (run.suite !== null) {
    report.evaluator = await evaluatorUse(run.suite, context.references);
  }
  if (result.outcome === "verified" || result.outcome === "issuer-claimed") {
    report.counts = {
      challenges: run.tally.total,
      answered: run.tally.n,
      passed: run.tally.passed,
      required: 0,
      unreplayed: run.unreplayed,
      replayedPasses: run.replayedPasses,
      formatOnly: run.tally.formatOnly,
    };
  }
  return report;
}
