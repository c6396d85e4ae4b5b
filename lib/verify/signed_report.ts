/**
 * The report on a signed document, out of what its check found: one builder for receipts and
 * admissions, so that a member means the same in both. Source: docs/architecture.md, "The report".
 */
import type { PublicKey } from "../crypto/ed25519.ts";
import { EvaluatorUnavailable, type References } from "../evaluator/reference.ts";
import {
  type AdmissionBody,
  type AdmissionResult,
  checkAdmission,
  sharedPoolKey,
} from "../protocol/admission.ts";
import { type Challenge, challengeCell } from "../protocol/challenge.ts";
import { documentId, readEnvelope } from "../protocol/envelope.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Pool } from "../protocol/pool.ts";
import { checkReceipt, type ReceiptBody, type ReceiptResult } from "../protocol/receipt.ts";
import { answerFormat, scoreAnswer } from "../suites/scoring.ts";
import { suiteNamed, suiteOf } from "../suites/suites.ts";
import type { DocumentContext, VerifyContext } from "./context.ts";
import { observe } from "./observe.ts";
import {
  type Counts,
  emptyReport,
  type EvaluatorUse,
  type Issuer,
  type Policy,
  type ReceiptReport,
  type Report,
} from "./report.ts";

/** What a document says of itself; it counts once its signature has verified. */
interface Signed {
  issuer: PublicKey;
  /** The suite version. */
  suite: string;
  policy?: Policy;
  sessionId: string | undefined;
  /** The two claims, as whoever opened the session made them. */
  context: string | undefined;
  subject: string | undefined;
  expiresAt: string;
  decidedAt: string;
  pass: boolean;
  /** Passes that are needed. */
  required: number;
  poolKey: string | null;
  challenges: readonly Challenge[];
  /** In the document's order. */
  receipts: readonly ReceiptResult[];
  /** The whole body of an admission; null for a lone receipt. */
  admission: AdmissionBody | null;
}

/** Checks a receipt, and reports on it. */
export async function reportOnReceipt(
  document: unknown,
  context: DocumentContext,
): Promise<Report> {
  const [id, result] = await Promise.all([idOf(document), checkReceipt(document, context)]);
  const { body, issuer } = result;
  if (body === null || issuer === null) return unsignedReport("receipt", id, result);
  const { challenge, verdict } = body;
  const signed: Signed = {
    issuer,
    suite: cut(challenge.suiteVersion),
    sessionId: challenge.sessionId,
    context: challenge.context,
    subject: challenge.subject,
    expiresAt: challenge.expiresAt,
    decidedAt: verdict.answeredAt,
    pass: verdict.pass,
    required: 1,
    poolKey: challenge.poolKey,
    challenges: [challenge],
    receipts: [result],
    admission: null,
  };
  return await signedReport(unsignedReport("receipt", id, result), signed, context);
}

/** Checks an admission, and reports on it. */
export async function reportOnAdmission(
  document: unknown,
  context: DocumentContext,
): Promise<Report> {
  const [id, result] = await Promise.all([idOf(document), checkAdmission(document, context)]);
  const report = unsignedReport("admission", id, result);
  if (result.ofUnknownSuite) report.observations.push("suite-unknown");
  const { body, issuer, receipts } = result;
  if (body === null || issuer === null) return report;
  const { policy, challenges, verdict } = body;
  const signed: Signed = {
    issuer,
    suite: suiteNamed(policy.suite)!.version,
    policy,
    sessionId: body.sessionId,
    context: body.context,
    subject: body.subject,
    expiresAt: challenges[0]!.expiresAt,
    decidedAt: verdict.decidedAt,
    pass: verdict.pass,
    required: policy.minPass,
    poolKey: sharedPoolKey(challenges),
    challenges,
    receipts,
    admission: body,
  };
  return await signedReport(report, signed, context);
}

/** The report on a document of which nothing but the course of its checks may be told. */
function unsignedReport(
  kind: "receipt" | "admission",
  id: string | null,
  { outcome, reason, checks }: Pick<AdmissionResult, "outcome" | "reason" | "checks">,
): Report {
  return { ...emptyReport(kind, null, reason, id), outcome, checks };
}

/** Completes a report with what the signed document says, and what is known of it. */
async function signedReport(
  report: Report,
  signed: Signed,
  context: DocumentContext,
): Promise<Report> {
  const { outcome } = report;
  const { receipts, poolKey } = signed;
  const pool = (poolKey === null ? undefined : context.pools.get(poolKey)) ?? null;
  const counts = countsOf(signed);
  // Why a lone receipt is unreplayed is told in its row, as it is for each receipt of an admission.
  if (outcome === "issuer-claimed") report.reason = null;
  if (outcome !== null) report.counts = counts;
  if (outcome === "verified" || outcome === "issuer-claimed") {
    report.verdict = signed.pass ? "pass" : "fail";
  }
  report.issuer = issuerOf(signed.issuer, context);
  report.suite = signed.suite;
  if (signed.policy !== undefined) report.policy = signed.policy;
  if (signed.sessionId !== undefined) report.sessionId = signed.sessionId;
  if (signed.context !== undefined) report.context = signed.context;
  if (signed.subject !== undefined) report.subject = signed.subject;
  const [subjectKey] = receipts.flatMap((receipt) => provenSubject(receipt) ?? []);
  if (subjectKey !== undefined) report.subjectKey = subjectKey;
  report.expiresAt = signed.expiresAt;
  report.decidedAt = signed.decidedAt;
  report.pools = poolsOf(poolKey, pool);
  report.evaluator = await evaluatorUse(signed.suite, context.references);
  report.receipts = rowsOf(signed);
  report.observations = observe({
    issuerKey: signed.issuer.text,
    knownIssuer: context.issuers.has(signed.issuer.text),
    revokedIssuer: context.revoked?.has(signed.issuer.text) ?? false,
    admission: signed.admission,
    receipts: proven(receipts),
    pool,
    counts,
  });
  return report;
}

async function idOf(document: unknown): Promise<string | null> {
  const envelope = readEnvelope(document);
  return envelope === null ? null : await documentId(envelope);
}

/** Counts of what is sound by itself: an invalid or unfinished receipt adds to `answered` only. */
function countsOf({ receipts, challenges, required }: Signed): Counts {
  const passes = (outcome: ReceiptResult["outcome"]) =>
    receipts.filter((r) => r.outcome === outcome && r.body!.verdict.pass).length;
  const replayedPasses = passes("verified");
  return {
    challenges: challenges.length,
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
function rowsOf({ challenges, receipts }: Signed): ReceiptReport[] {
  return challenges.map((challenge) => {
    const receipt = receipts.find((r) => r.challengeId === challenge.challengeId);
    return rowOf(challenge.challengeId, challengeCell(challenge), receipt);
  });
}

/** The row of a challenge; without a receipt it was left unanswered. */
function rowOf(challengeId: string, cell: string, result?: ReceiptResult): ReceiptReport {
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

function issuerOf(key: PublicKey, { issuers }: VerifyContext): Issuer {
  const name = issuers.get(key.text);
  const issuer = { publicKey: key.text, keyId: key.keyId };
  return name === undefined ? issuer : { ...issuer, name };
}

function poolsOf(poolKey: string | null, pool: Pool | null): Report["pools"] {
  return poolKey === null ? [] : [{ poolKey, disclosed: pool !== null }];
}

/** Which evaluator answers for the suite; null for a suite without one, or when none may decide. */
export async function evaluatorUse(
  version: string,
  references: References,
): Promise<EvaluatorUse | null> {
  const pinned = suiteOf(version)?.evaluator ?? null;
  if (pinned === null) return null;
  try {
    return await references.use(pinned);
  } catch (error) {
    if (error instanceof EvaluatorUnavailable) return null;
    throw error;
  }
}
