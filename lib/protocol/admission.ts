/**
 * The check of an admission. Source: protocols spec 7.3.
 */
import { z } from "zod";
import type { PublicKey } from "../crypto/ed25519.ts";
import { parseTimestamp } from "../encoding/timestamp.ts";
import { suiteNamed } from "../suites/suites.ts";
import {
  type Challenge,
  challengeCell,
  readChallenge,
  SESSION_ID,
  timestampReason,
} from "./challenge.ts";
import { type Check, checklist } from "./checklist.ts";
import type { ReasonCode } from "./codes.ts";
import type { CheckContext } from "./context.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import { checkSignature, isReason, readKey } from "./keys.ts";
import { LIMITS } from "./limits.ts";
import { checkPolicyPool, isOfUnknownSuite, type Policy, readPolicy } from "./policy.ts";
import { pathOf, type Reason, reason } from "./reason.ts";
import { checkKeyId, checkReceipt, type ListedChallenge, type ReceiptResult } from "./receipt.ts";
import { bodyReason } from "./shape.ts";

const bodySchema = z.object({
  kind: z.literal("admission"),
  sessionId: z.unknown().optional(),
  policy: z.unknown().optional(),
  subject: z.string().nullish(),
  context: z.string().nullish(),
  challenges: z.array(z.unknown()),
  receipts: z.array(z.unknown()),
  verdict: z.object({
    pass: z.boolean(),
    passed: z.number(),
    required: z.number(),
    decidedAt: z.string(),
  }),
});

/** An admission whose signature has verified. */
export interface AdmissionBody {
  sessionId: string;
  policy: Policy;
  subject: string | undefined;
  context: string | undefined;
  challenges: Challenge[];
  verdict: { pass: boolean; passed: number; required: number; decidedAt: string };
}

/** The checks of an admission, in the order that decides the reported code (protocols spec 7.3). */
const ADMISSION_CHECKS = [
  "envelope",
  "payload",
  "shape",
  "session-id",
  "policy",
  "challenge-count",
  "challenges",
  "issuer-key",
  "one-issuer",
  "signature",
  "session",
  "suite",
  "cells",
  "one-pool",
  "one-deadline",
  "claims",
  "challenge-ids",
  "pool",
  "receipt-count",
  "receipts",
  "receipts-listed",
  "receipts-distinct",
  "subject-keys",
  "verdict",
  "decided-at",
] as const;

/** The result of checking an admission. */
export interface AdmissionResult {
  outcome: "verified" | "issuer-claimed" | "invalid" | null;
  /** Why it is invalid or unfinished; null otherwise. */
  reason: Reason | null;
  checks: Check[];
  /** The content; null until the signature has verified. */
  body: AdmissionBody | null;
  issuer: PublicKey | null;
  /** The result of each receipt, in the document's order; empty until the signature has verified. */
  receipts: ReceiptResult[];
  /** The signature holds, and the policy is well-formed but for a suite that isn't known here. */
  ofUnknownSuite: boolean;
}

/** Checks an admission; never rejects. */
export async function checkAdmission(
  document: unknown,
  context: CheckContext,
  path = "",
): Promise<AdmissionResult> {
  const list = checklist(ADMISSION_CHECKS);
  const at = (member: string) => pathOf(path, member);
  const failed = (): AdmissionResult => ({
    outcome: "invalid",
    reason: list.reason(),
    checks: list.checks(),
    body: null,
    issuer: null,
    receipts: [],
    ofUnknownSuite: false,
  });

  const opened = openEnvelope(document, "clankdar-gate-v1", LIMITS.admissionBytes, path);
  list.note("envelope", opened.envelope);
  if (opened.payload !== undefined) list.note("payload", opened.payload);
  if (opened.content === undefined) return failed();
  const { envelope, body: raw } = opened.content;

  const parsed = bodySchema.safeParse(raw);
  if (!parsed.success) {
    list.note("shape", bodyReason(parsed.error, raw, "admission", path));
    return failed();
  }
  list.note("shape", null);
  const { sessionId, verdict, receipts } = parsed.data;
  if (typeof sessionId !== "string" || !SESSION_ID.test(sessionId)) {
    const message = "a session id is gs_ and 12 base64url characters";
    list.note("session-id", reason("session-id-malformed", message, at("sessionId")));
    return failed();
  }
  list.note("session-id", null);
  const policyRead = readPolicy(parsed.data.policy, at("policy"));
  if (!list.note("policy", policyRead.ok ? null : policyRead.reason) || !policyRead.ok) {
    const ofUnknownSuite = isOfUnknownSuite(parsed.data.policy) &&
      await isSigned(parsed.data.challenges, envelope);
    return { ...failed(), ofUnknownSuite };
  }
  const { policy } = policyRead;
  const rawChallenges = parsed.data.challenges;
  if (rawChallenges.length !== policy.challenges) {
    const message =
      `the policy asks for ${policy.challenges} challenges, and there are ${rawChallenges.length}`;
    list.note("challenge-count", reason("challenge-count-mismatch", message, at("challenges")));
    return failed();
  }
  list.note("challenge-count", null);

  const listed: ListedChallenge[] = [];
  for (const [index, raw] of rawChallenges.entries()) {
    const read = readChallenge(raw, at(`challenges[${index}]`), "challenge-malformed");
    if (!read.ok) {
      list.note("challenges", read.reason);
      return failed();
    }
    listed.push({ raw, challenge: read.challenge });
  }
  list.note("challenges", null);
  const challenges = listed.map(({ challenge }) => challenge);
  const issuer = readIssuer(challenges, at);
  if (isReason(issuer)) {
    list.note(issuer.code === "issuer-key-mixed" ? "one-issuer" : "issuer-key", issuer);
    if (issuer.code === "issuer-key-mixed") list.note("issuer-key", null);
    return failed();
  }
  list.note("issuer-key", null);
  list.note("one-issuer", null);

  // The receipts' signatures start together with the admission's own.
  const signature = checkSignature(issuer, envelope.payload, envelope.signature, at("signature"));
  const session = { listed, signed: signature.then((result) => result === null) };
  const started = receipts.slice(0, policy.challenges).map((receipt, index) =>
    checkReceipt(receipt, context, at(`receipts[${index}]`), session)
  );
  const [signatureReason, results] = await Promise.all([signature, Promise.all(started)]);
  if (!list.note("signature", signatureReason)) return failed();

  const body: AdmissionBody = {
    sessionId,
    policy,
    subject: parsed.data.subject ?? undefined,
    context: parsed.data.context ?? undefined,
    challenges,
    verdict,
  };
  list.note("session", checkSession(challenges, sessionId, at));
  list.note("suite", checkSuite(challenges, policy, at));
  list.note("cells", checkCells(challenges, policy, at));
  list.note("one-pool", checkOnePool(challenges, at));
  list.note("one-deadline", checkOneDeadline(challenges, at));
  list.note("claims", checkClaims(challenges, parsed.data, at));
  list.note("challenge-ids", checkIds(challenges, at));
  const poolKey = sharedPoolKey(challenges);
  const pool = poolKey === null ? undefined : context.pools.get(poolKey);
  if (pool !== undefined) list.note("pool", checkPolicyPool(policy, pool, at("policy")));
  list.note(
    "receipt-count",
    receipts.length <= challenges.length ? null : reason(
      "too-many-receipts",
      `${receipts.length} receipts for ${challenges.length} challenges`,
      at("receipts"),
    ),
  );
  list.note("receipts", firstInvalid(results, at));
  if (receipts.length <= challenges.length && results.every((result) => result.body !== null)) {
    list.note("receipts-listed", checkListed(results, challenges, at));
    list.note("receipts-distinct", checkDistinct(results, at));
    list.note("subject-keys", checkSubjectKeys(results, at));
    list.note("verdict", checkVerdict(results, body, at));
  }
  list.note("decided-at", checkDecidedAt(verdict.decidedAt, challenges[0]!.deadline, at));

  const failure = list.reason();
  const unfinished = results.find((result) => result.outcome === null);
  const outcome = failure !== null
    ? "invalid"
    : unfinished !== undefined
    ? null
    : results.some((result) => result.outcome === "issuer-claimed")
    ? "issuer-claimed"
    : "verified";
  return {
    outcome,
    reason: failure ?? unfinished?.reason ?? null,
    checks: list.checks(),
    body,
    issuer,
    receipts: results,
    ofUnknownSuite: false,
  };
}

/** Whether an admission whose content can't be checked is whole: signed with its challenges' key. */
async function isSigned(raw: readonly unknown[], envelope: Envelope): Promise<boolean> {
  const challenges: Challenge[] = [];
  for (const one of raw.slice(0, LIMITS.challenges)) {
    const read = readChallenge(one, "", "challenge-malformed");
    if (!read.ok) return false;
    challenges.push(read.challenge);
  }
  if (challenges.length === 0 || challenges.length < raw.length) return false;
  const issuer = readIssuer(challenges, (member) => member);
  if (isReason(issuer)) return false;
  return await checkSignature(issuer, envelope.payload, envelope.signature, "") === null;
}

/** The poolKey that the markers name (the first, should they differ), or null. */
export function sharedPoolKey(challenges: readonly Challenge[]): string | null {
  return challenges.find((challenge) => challenge.poolKey !== null)?.poolKey ?? null;
}

type At = (member: string) => string;

/** The checks `issuer-key` and `one-issuer`: every key by itself, then that all are one. */
function readIssuer(challenges: readonly Challenge[], at: At): PublicKey | Reason {
  let first: PublicKey | undefined;
  for (const [index, { verifier }] of challenges.entries()) {
    if (verifier.publicKey === first?.text && verifier.keyId === first.keyId) continue;
    const path = at(`challenges[${index}].verifier`);
    const key = readKey(verifier.publicKey, "issuer", pathOf(path, "publicKey"));
    if (isReason(key)) return key;
    const mismatch = checkKeyId(key, verifier.keyId, pathOf(path, "keyId"));
    if (mismatch !== null) return mismatch;
    first ??= key;
  }
  const other = challenges.findIndex(({ verifier }) => verifier.publicKey !== first!.text);
  if (other < 0) return first!;
  const message = "the challenges name more than one issuer key";
  return reason("issuer-key-mixed", message, at(`challenges[${other}].verifier.publicKey`));
}

/** What is wrong with a challenge, and in which member. */
interface Fault {
  code: ReasonCode;
  message: string;
  member: string;
}

/** The fault at the first challenge for which `holds` is false, as a reason; null: it always holds. */
function each(
  challenges: readonly Challenge[],
  holds: (challenge: Challenge) => boolean,
  { code, message, member }: Fault,
  at: At,
): Reason | null {
  const index = challenges.findIndex((challenge) => !holds(challenge));
  return index < 0 ? null : reason(code, message, pathOf(at(`challenges[${index}]`), member));
}

function checkSession(challenges: readonly Challenge[], sessionId: string, at: At) {
  const message = "the challenge belongs to another session";
  const holds = (challenge: Challenge) => challenge.sessionId === sessionId;
  return each(challenges, holds, {
    code: "challenge-session-mismatch",
    message,
    member: "sessionId",
  }, at);
}

function checkSuite(challenges: readonly Challenge[], policy: Policy, at: At) {
  const { version } = suiteNamed(policy.suite)!;
  const message = `the policy's suite is ${version}`;
  const holds = (challenge: Challenge) => challenge.suiteVersion === version;
  return each(challenges, holds, {
    code: "challenge-suite-mismatch",
    message,
    member: "suiteVersion",
  }, at);
}

function checkCells(challenges: readonly Challenge[], policy: Policy, at: At) {
  const message = "the policy does not list this cell";
  const holds = (challenge: Challenge) => policy.cells.includes(challengeCell(challenge));
  return each(challenges, holds, {
    code: "challenge-cell-outside-policy",
    message,
    member: "family",
  }, at);
}

function checkOnePool(challenges: readonly Challenge[], at: At) {
  const poolKey = sharedPoolKey(challenges);
  const message = "the challenges name more than one pool";
  const holds = (challenge: Challenge) =>
    challenge.poolKey === null || challenge.poolKey === poolKey;
  return each(challenges, holds, { code: "pools-mixed", message, member: "heldout.poolKey" }, at);
}

function checkOneDeadline(challenges: readonly Challenge[], at: At) {
  const { expiresAt } = challenges[0]!;
  const message = "the challenges have more than one deadline";
  const holds = (challenge: Challenge) => challenge.expiresAt === expiresAt;
  return each(challenges, holds, { code: "deadline-mixed", message, member: "expiresAt" }, at);
}

/** The check `claims`. In the body null is not the same as absent (protocols spec 14 no. 8). */
function checkClaims(
  challenges: readonly Challenge[],
  body: { subject?: string | null | undefined; context?: string | null | undefined },
  at: At,
): Reason | null {
  for (const member of ["subject", "context"] as const) {
    const message = `the challenge's ${member} is not the admission's`;
    const holds = (challenge: Challenge) => challenge[member] === body[member];
    const found = each(
      challenges,
      holds,
      { code: "challenge-binding-mismatch", message, member },
      at,
    );
    if (found !== null) return found;
  }
  return null;
}

function checkIds(challenges: readonly Challenge[], at: At) {
  const seen = new Set<string>();
  const holds = ({ challengeId }: Challenge) => seen.size < seen.add(challengeId).size;
  const message = "the challenge id stands twice";
  return each(
    challenges,
    holds,
    { code: "challenge-id-duplicate", message, member: "challengeId" },
    at,
  );
}

function firstInvalid(results: readonly ReceiptResult[], at: At): Reason | null {
  const index = results.findIndex((result) => result.outcome === "invalid");
  if (index < 0) return null;
  const inner = results[index]!.reason!;
  const path = at(`receipts[${index}]`);
  return { ...reason("receipt-invalid", `receipt ${index + 1}: ${inner.message}`, path), inner };
}

/** The check `receipts-listed`. Identity is equality here: see `Session` in {@link ./receipt.ts}. */
function checkListed(
  results: readonly ReceiptResult[],
  challenges: readonly Challenge[],
  at: At,
): Reason | null {
  const index = results.findIndex(({ body }) => !challenges.includes(body!.challenge));
  if (index < 0) return null;
  const message = "the receipt's challenge is not one of the session's";
  return reason("receipt-not-listed", message, at(`receipts[${index}].challenge`));
}

function checkDistinct(results: readonly ReceiptResult[], at: At): Reason | null {
  const seen = new Set<string>();
  for (const [index, { body }] of results.entries()) {
    const { challengeId } = body!.challenge;
    if (seen.has(challengeId)) {
      const message = "there is another receipt for this challenge";
      return reason("receipt-duplicate", message, at(`receipts[${index}]`));
    }
    seen.add(challengeId);
  }
  return null;
}

function checkSubjectKeys(results: readonly ReceiptResult[], at: At): Reason | null {
  let first: string | undefined;
  for (const [index, { body }] of results.entries()) {
    const key = body!.subjectProof?.publicKey;
    first ??= key;
    if (key !== undefined && key !== first) {
      const message = "the receipts carry proofs of more than one subject key";
      const path = at(`receipts[${index}].subjectProof.publicKey`);
      return reason("subject-keys-mixed", message, path);
    }
  }
  return null;
}

function checkVerdict(
  results: readonly ReceiptResult[],
  { policy, verdict }: AdmissionBody,
  at: At,
): Reason | null {
  const passed = results.filter((result) => result.body!.verdict.pass).length;
  const mismatch = (member: "passed" | "required" | "pass", is: number | boolean) => {
    const message = `the verdict's ${member} is ${verdict[member]}, and recounted it is ${is}`;
    return reason("verdict-mismatch", message, at(`verdict.${member}`));
  };
  if (verdict.passed !== passed) return mismatch("passed", passed);
  if (verdict.required !== policy.minPass) return mismatch("required", policy.minPass);
  const pass = passed >= policy.minPass;
  return verdict.pass === pass ? null : mismatch("pass", pass);
}

function checkDecidedAt(decidedAt: string, deadline: number, at: At): Reason | null {
  const path = at("verdict.decidedAt");
  const decided = parseTimestamp(decidedAt);
  if (decided === null) return timestampReason(path);
  if (decided <= deadline) return null;
  const message = `it was decided at ${decidedAt}, after the deadline ` +
    new Date(deadline).toISOString();
  return reason("decided-late", message, path);
}
