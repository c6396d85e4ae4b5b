/**
 * The one way in: a value goes in, a report comes out, whatever the value.
 */
import type { PublicKey } from "../crypto/ed25519.ts";
import { sha256HexLarge } from "../encoding/digest.ts";
import { EvaluatorUnavailable, type References } from "../evaluator/reference.ts";
import { type AdmissionResult, checkAdmission, sharedPoolKey } from "../protocol/admission.ts";
import type { CheckContext } from "../protocol/context.ts";
import { documentId, readEnvelope } from "../protocol/envelope.ts";
import { challengeCell } from "../protocol/challenge.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Pool } from "../protocol/pool.ts";
import { reason } from "../protocol/reason.ts";
import { checkReceipt, type ReceiptBody, type ReceiptResult } from "../protocol/receipt.ts";
import { checkRun } from "../protocol/run.ts";
import { type Budget, createBudget } from "../suites/budget.ts";
import { regenerate } from "../suites/generate.ts";
import { suiteNamed, suiteOf } from "../suites/suites.ts";
import { answerFormat, scoreAnswer } from "../suites/scoring.ts";
import { observe } from "./observe.ts";
import { lookOf } from "./looks_like.ts";
import { recognise } from "./recognise.ts";
import {
  type Counts,
  emptyReport,
  type EvaluatorUse,
  type Issuer,
  type Kind,
  type ReceiptReport,
  type Report,
} from "./report.ts";
import { withoutWrapper } from "./unwrap.ts";

/** What verification needs from outside. */
export interface Verifier {
  references: References;
  /** Names of known issuers by whole public key. */
  issuers: ReadonlyMap<string, string>;
  /** Whole public keys of known issuers that are revoked: an observation, never an outcome. */
  revoked?: ReadonlySet<string>;
  /** Steps that one document may take (see `Budget`); {@link DOCUMENT_STEPS} when absent. */
  steps?: number;
  /** Whether the document's time is up (see `createBudget`); never when absent. */
  expired?: () => boolean;
  /** Told of anything thrown where nothing should be: a fault of ours, never of the document. */
  onFault?: (error: unknown) => void;
}

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
  verifier: Verifier,
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
    const report = await reportOn(recognised.kind, document, verifier, pools);
    if (unwrapped) report.observations.push("unwrapped");
    return report.reason?.code === "envelope-malformed" ? withLook(report, document) : report;
  } catch (error) {
    return faultReport("unknown", error, verifier);
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

function faultReport(kind: Kind, error: unknown, verifier: Verifier): Report {
  verifier.onFault?.(error);
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
  verifier: Verifier,
  onProgress?: (done: number, total: number) => void | Promise<void>,
): Promise<Report> {
  try {
    return await reportOnRun(bytes, verifier, onProgress);
  } catch (error) {
    return faultReport("run", error, verifier);
  }
}

async function reportOn(
  kind: "receipt" | "admission" | "dossier" | "tlog" | "run",
  document: unknown,
  verifier: Verifier,
  pools: readonly Pool[],
): Promise<Report> {
  const byKey = new Map(pools.map((pool) => [pool.poolKey, pool]));
  const steps = verifier.steps ?? DOCUMENT_STEPS;
  const budget = () => createBudget(steps, verifier.expired);
  const context = { pools: byKey, references: verifier.references, budget: budget() };
  switch (kind) {
    case "receipt":
      return await checkTwice(context, (c) => reportOnReceipt(document, verifier, c), budget);
    case "admission":
      return await checkTwice(context, (c) => reportOnAdmission(document, verifier, c), budget);
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
  context: CheckContext,
  check: (context: CheckContext) => Promise<Report>,
  budget: () => Budget,
): Promise<Report> {
  const report = await check(context);
  if (report.outcome === "invalid" && report.pools.some((pool) => pool.disclosed)) {
    // With an allowance of its own: a check that isn't finished would say nothing of exposure.
    const without = await check({ ...context, pools: new Map(), budget: budget() });
    if (without.outcome !== "invalid" && without.outcome !== null) {
      report.observations.push("exposed");
    }
  }
  return report;
}

async function reportOnReceipt(
  document: unknown,
  verifier: Verifier,
  context: CheckContext,
): Promise<Report> {
  const [id, result] = await Promise.all([idOf(document), checkReceipt(document, context)]);
  const report = emptyReport("receipt", null, result.reason, id);
  report.outcome = result.outcome;
  report.checks = result.checks;
  const { body, issuer } = result;
  if (body === null || issuer === null) return report;

  const { challenge } = body;
  const counts = countsOf([result], 1, 1);
  const pool = poolFor(challenge.poolKey, context);
  if (result.outcome === "issuer-claimed") report.reason = null;
  if (result.outcome !== null) report.counts = counts;
  if (result.outcome === "verified" || result.outcome === "issuer-claimed") {
    report.verdict = body.verdict.pass ? "pass" : "fail";
  }
  report.issuer = issuerOf(issuer, verifier);
  report.suite = cut(challenge.suiteVersion);
  if (challenge.sessionId !== undefined) report.sessionId = challenge.sessionId;
  if (challenge.context !== undefined) report.context = challenge.context;
  if (challenge.subject !== undefined) report.subject = challenge.subject;
  const subjectKey = provenSubject(result);
  if (subjectKey !== undefined) report.subjectKey = subjectKey;
  report.expiresAt = challenge.expiresAt;
  report.decidedAt = body.verdict.answeredAt;
  report.pools = poolsOf(challenge.poolKey, pool);
  report.evaluator = await evaluatorUse(challenge.suiteVersion, verifier.references);
  report.receipts = [receiptReport(challenge.challengeId, challengeCell(challenge), result)];
  report.observations = observe({
    issuerKey: issuer.text,
    knownIssuer: verifier.issuers.has(issuer.text),
    revokedIssuer: verifier.revoked?.has(issuer.text) ?? false,
    admission: null,
    receipts: proven([result]),
    pool,
    counts,
  });
  return report;
}

async function reportOnAdmission(
  document: unknown,
  verifier: Verifier,
  context: CheckContext,
): Promise<Report> {
  const [id, result] = await Promise.all([idOf(document), checkAdmission(document, context)]);
  const report = emptyReport("admission", null, result.reason, id);
  report.outcome = result.outcome;
  report.checks = result.checks;
  if (result.ofUnknownSuite) report.observations.push("suite-unknown");
  const { body, issuer } = result;
  if (body === null || issuer === null) return report;

  const { policy, challenges, verdict } = body;
  const counts = countsOf(result.receipts, challenges.length, policy.minPass);
  const poolKey = sharedPoolKey(challenges);
  const pool = poolFor(poolKey, context);
  if (result.outcome !== null) report.counts = counts;
  if (result.outcome === "verified" || result.outcome === "issuer-claimed") {
    report.verdict = verdict.pass ? "pass" : "fail";
  }
  report.issuer = issuerOf(issuer, verifier);
  report.suite = suiteNamed(policy.suite)!.version;
  report.policy = policy;
  report.sessionId = body.sessionId;
  if (body.context !== undefined) report.context = body.context;
  if (body.subject !== undefined) report.subject = body.subject;
  const [subjectKey] = result.receipts.flatMap((receipt) => provenSubject(receipt) ?? []);
  if (subjectKey !== undefined) report.subjectKey = subjectKey;
  report.expiresAt = challenges[0]!.expiresAt;
  report.decidedAt = verdict.decidedAt;
  report.pools = poolsOf(poolKey, pool);
  report.evaluator = await evaluatorUse(report.suite, verifier.references);
  report.receipts = admissionReceipts(result);
  report.observations = observe({
    issuerKey: issuer.text,
    knownIssuer: verifier.issuers.has(issuer.text),
    revokedIssuer: verifier.revoked?.has(issuer.text) ?? false,
    admission: body,
    receipts: proven(result.receipts),
    pool,
    counts,
  });
  return report;
}

async function reportOnRun(
  bytes: Uint8Array,
  verifier: Verifier,
  onProgress?: (done: number, total: number) => void | Promise<void>,
): Promise<Report> {
  const budget = createBudget(verifier.steps ?? DOCUMENT_STEPS, verifier.expired);
  const result = await checkRun(bytes, {
    regenerate: (version, family, tier, seed) =>
      regenerate(version, family, tier, seed, verifier.references, budget),
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
    report.evaluator = await evaluatorUse(run.suite, verifier.references);
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

async function idOf(document: unknown): Promise<string | null> {
  const envelope = readEnvelope(document);
  return envelope === null ? null : await documentId(envelope);
}

/** Counts of what is sound by itself: an invalid or unfinished receipt adds to `answered` only. */
function countsOf(
  receipts: readonly ReceiptResult[],
  challenges: number,
  required: number,
): Counts {
  const passes = (outcome: ReceiptResult["outcome"]) =>
    receipts.filter((r) => r.outcome === outcome && r.body!.verdict.pass).length;
  const replayedPasses = passes("verified");
  return {
    challenges,
    answered: receipts.length,
    passed: replayedPasses + passes("issuer-claimed"),
    required,
    unreplayed: receipts.filter((r) => r.outcome === "issuer-claimed").length,
    replayedPasses,
    formatOnly: receipts.filter(isFormatOnly).length,
  };
}

function isFormatOnly({ outcome, body }: ReceiptResult): boolean {
  if (body === null || outcome === "invalid" || outcome === null) return false;
  if (body.verdict.pass) return false;
  const format = answerFormat(body.challenge.family);
  return scoreAnswer(body.expected, body.response, format).formatOnly;
}

/** A row a challenge, in the session's order; each with the first receipt that names it. */
function admissionReceipts(result: AdmissionResult): ReceiptReport[] {
  return result.body!.challenges.map((challenge) => {
    const cell = challengeCell(challenge);
    const receipt = result.receipts.find((r) => r.challengeId === challenge.challengeId);
    return receiptReport(challenge.challengeId, cell, receipt);
  });
}

/** The row of a challenge; without a receipt it was left unanswered. */
function receiptReport(challengeId: string, cell: string, result?: ReceiptResult): ReceiptReport {
  const body = result?.body;
  return {
    challengeId,
    cell: cut(cell),
    seed: body?.seed ?? null,
    response: body?.response ?? null,
    expected: body?.expected ?? null,
    pass: body?.verdict.pass ?? null,
    formatOnly: result !== undefined && isFormatOnly(result),
    outcome: result === undefined ? "unanswered" : result.outcome,
    reason: result?.reason ?? null,
    checks: result?.checks ?? [],
  };
}

/** The key that proved to take part; what a proof that doesn't hold names is nobody's key. */
function provenSubject({ body, checks }: ReceiptResult): string | undefined {
  const holds = checks.some(({ check, status }) => check === "subject-proof" && status === "ok");
  return holds ? body?.subjectProof?.publicKey : undefined;
}

/** The bodies whose signatures hold, with only those subject proofs that do. */
function proven(results: readonly ReceiptResult[]): ReceiptBody[] {
  return results.flatMap((result) => {
    if (result.body === null) return [];
    return provenSubject(result) === undefined
      ? { ...result.body, subjectProof: null }
      : result.body;
  });
}

/** A name of a stranger's choice and length, as far as it is repeated. Source: protocols spec 15 no. 31. */
function cut(name: string): string {
  return name.length <= LIMITS.claim ? name : `${name.slice(0, LIMITS.claim).toWellFormed()}…`;
}

function issuerOf(key: PublicKey, verifier: Verifier): Issuer {
  const name = verifier.issuers.get(key.text);
  const issuer = { publicKey: key.text, keyId: key.keyId };
  return name === undefined ? issuer : { ...issuer, name };
}

function poolFor(poolKey: string | null, context: CheckContext): Pool | null {
  return (poolKey === null ? undefined : context.pools.get(poolKey)) ?? null;
}

function poolsOf(poolKey: string | null, pool: Pool | null): Report["pools"] {
  return poolKey === null ? [] : [{ poolKey, disclosed: pool !== null }];
}

/** Which evaluator answers for the suite; null for a suite without one, or when none may decide. */
async function evaluatorUse(version: string, references: References): Promise<EvaluatorUse | null> {
  const pinned = suiteOf(version)?.evaluator ?? null;
  if (pinned === null) return null;
  try {
    return await references.use(pinned);
  } catch (error) {
    if (error instanceof EvaluatorUnavailable) return null;
    throw error;
  }
}
