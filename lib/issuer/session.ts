/**
 * A session from the issuer's side: open it, take answers, close it with a signed admission.
 * Source: protocols spec 4 to 8.
 *
 * A session is plain JSON. It holds the seeds and the right answers, so it is as secret as a key
 * until it is closed. Every function gives a new session and leaves the old one as it was.
 */
import { z } from "zod";
import { parseTimestamp } from "../encoding/timestamp.ts";
import type { References } from "../evaluator/reference.ts";
import { type Envelope, envelopeSchema } from "../protocol/envelope.ts";
import {
  checkPolicyPool,
  type Policy,
  policyMembersSchema,
  readPolicy,
} from "../protocol/policy.ts";
import type { Pool } from "../protocol/pool.ts";
import { checkSubjectProof, type SubjectProof } from "../protocol/subject.ts";
import { parseCellId } from "../suites/suites.ts";
import {
  createChallenge,
  optional,
  requireMintable,
  type WireChallenge,
  wireChallengeSchema,
} from "./challenge.ts";
import { IssuerError, refusal } from "./error.ts";
import type { KeyPair } from "./keys.ts";
import { type Random, randomIndex, randomText, systemRandom } from "./random.ts";
import { isAnswer, isPass, signEnvelope, signReceipt } from "./receipt.ts";

const SESSION_FORMAT = "touchstone-session-v1";

/** In UTF-16 units. Sixteen of these, escaped twice, stay well inside an admission's 1 MiB. */
const MAX_RESPONSE = 8192;

const sessionSchema = z.strictObject({
  format: z.literal(SESSION_FORMAT),
  sessionId: z.string(),
  policy: policyMembersSchema,
  subject: z.string().optional(),
  context: z.string().optional(),
  items: z.array(z.strictObject({
    challenge: wireChallengeSchema,
    seed: z.int(),
    expected: z.string(),
    answer: z.strictObject({
      response: z.string(),
      answeredAt: z.string(),
      subjectProof: z.strictObject({ publicKey: z.string(), signature: z.string() }).optional(),
    }).optional(),
  })).min(1),
  admission: z.strictObject(envelopeSchema.shape).optional(),
});

/** The private state of a session, as it is kept on disk. */
export type Session = z.infer<typeof sessionSchema>;

/** What {@link openSession} needs. */
export interface SessionRequest {
  key: KeyPair;
  /** `suite` has to be the house suite; `ttlSeconds` counts from `now`. */
  policy: Policy;
  /** Needed when the policy names `h:` cells. */
  pool?: Pool | undefined;
  /** A claim of whoever opens the session; proves nothing. */
  subject?: string | undefined;
  /** The application's own correlation string. */
  context?: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
  references: References;
  random?: Random;
  /** The cell of each challenge, in place of drawing them: for samples and tests. */
  draws?: readonly string[];
}

/**
 * Opens a session: draws the cells with replacement, and a puzzle for each.
 *
 * @throws {IssuerError} `suite-not-mintable`, `policy-malformed`, `policy-cell-unknown`,
 * `policy-cell-not-in-pool`, `pool-suite-mismatch`, `pool-missing`, `payload-malformed`.
 * @throws {EvaluatorUnavailable} when our own evaluator can't be used.
 */
export async function openSession(request: SessionRequest): Promise<Session> {
  const { key, pool, subject, context, now, references, random = systemRandom } = request;
  requireMintable(request.policy.suite);
  const read = readPolicy(request.policy);
  if (!read.ok) throw refusal(read.reason);
  const { policy } = read;
  if (policy.cells.some((id) => parseCellId(id)!.heldout)) {
    if (pool === undefined) {
      throw new IssuerError("pool-missing", "the policy names held-out cells: give their pool");
    }
    const mismatch = checkPolicyPool(policy, pool);
    if (mismatch !== null) throw refusal(mismatch);
  }
  const draws = request.draws ?? Array.from(
    { length: policy.challenges },
    () => policy.cells[randomIndex(random, policy.cells.length)]!,
  );
  if (draws.length !== policy.challenges || draws.some((id) => !policy.cells.includes(id))) {
    throw new IssuerError("policy-malformed", "the draws are not what the policy asks for");
  }
  const sessionId = `gs_${randomText(random, 9)}`;
  const expiresAt = timestamp(now + policy.ttlSeconds * 1000);
  const items: Session["items"] = [];
  for (const cell of draws) {
    const common = { key, cell, pool, expiresAt, sessionId, subject, context };
    items.push(await createChallenge(common, references, random));
  }
  return {
    format: SESSION_FORMAT,
    sessionId,
    policy,
    ...optional("subject", subject),
    ...optional("context", context),
    items,
  };
}

/** What a solver may see of a session. */
export function publicChallenges(session: Session): WireChallenge[] {
  return session.items.map(({ challenge }) => challenge);
}

/** The deadline of a session, in milliseconds since 1970. */
function deadlineOf(session: Session): number {
  const deadline = parseTimestamp(session.items[0]!.challenge.expiresAt);
  if (deadline === null) throw new IssuerError("session-malformed", "the deadline is unreadable");
  return deadline;
}

/**
 * Takes the answer to a challenge. The first one counts: there is no second try, also where the
 * first isn't in the answer format and so gets no receipt (`accepted: false`).
 *
 * @param now milliseconds since 1970.
 * @throws {IssuerError} `session-closed`, `session-expired` (the deadline itself is in time),
 * `challenge-unknown`, `already-answered`, `response-too-long`, and for a bad proof
 * `subject-key-malformed`, `subject-key-weak`, `subject-proof-invalid`, `subject-keys-mixed`.
 */
export async function answer(
  session: Session,
  challengeId: string,
  response: string,
  now: number,
  subjectProof?: SubjectProof,
): Promise<{ session: Session; accepted: boolean }> {
  requireOpen(session, now);
  const index = session.items.findIndex((item) => item.challenge.challengeId === challengeId);
  const item = session.items[index];
  if (item === undefined) {
    throw new IssuerError("challenge-unknown", `the session has no challenge ${challengeId}`);
  }
  if (item.answer !== undefined) {
    throw new IssuerError("already-answered", `challenge ${challengeId} is answered already`);
  }
  if (response.length > MAX_RESPONSE) {
    throw new IssuerError("response-too-long", `a response has at most ${MAX_RESPONSE} characters`);
  }
  if (subjectProof !== undefined) await requireProof(session, item.challenge, subjectProof);
  const given = { response, answeredAt: timestamp(now), ...optional("subjectProof", subjectProof) };
  return {
    session: { ...session, items: session.items.with(index, { ...item, answer: given }) },
    accepted: isAnswer(item.challenge.family, response),
  };
}

/**
 * Decides a session and signs its admission. A session has one decision: closing it again gives the
 * same admission.
 *
 * @param now milliseconds since 1970.
 * @throws {IssuerError} `session-expired`: nothing can be decided after the deadline;
 * `issuer-key-mixed`: `key` isn't the key that the session was opened with.
 */
export async function closeSession(
  session: Session,
  key: KeyPair,
  now: number,
): Promise<{ session: Session; admission: Envelope }> {
  if (session.admission !== undefined) return { session, admission: session.admission };
  requireOpen(session, now);
  const { sessionId, policy, subject, context, items } = session;
  if (items.some(({ challenge }) => challenge.verifier.publicKey !== key.publicKey.text)) {
    throw new IssuerError("issuer-key-mixed", "the session was opened with another key");
  }
  const receipts: Envelope[] = [];
  let passed = 0;
  for (const { answer, ...item } of items) {
    const receipt = answer === undefined ? null : await signReceipt(key, item, answer);
    if (answer === undefined || receipt === null) continue;
    receipts.push(receipt);
    if (isPass(item, answer)) passed++;
  }
  const admission = await signEnvelope("clankdar-gate-v1", key, {
    kind: "admission",
    sessionId,
    policy,
    ...optional("subject", subject),
    ...optional("context", context),
    challenges: publicChallenges(session),
    receipts,
    verdict: {
      pass: passed >= policy.minPass,
      passed,
      required: policy.minPass,
      decidedAt: timestamp(now),
    },
  });
  return { session: { ...session, admission }, admission };
}

/**
 * Reads a session's JSON.
 *
 * @throws {IssuerError} `session-malformed`.
 */
export function readSession(value: unknown): Session {
  const parsed = sessionSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new IssuerError("session-malformed", "this is no session of this issuer kit");
}

function requireOpen(session: Session, now: number): void {
  if (session.admission !== undefined) {
    throw new IssuerError("session-closed", "the session is closed: its admission is signed");
  }
  if (now > deadlineOf(session)) {
    const { expiresAt } = session.items[0]!.challenge;
    throw new IssuerError("session-expired", `the session's deadline was ${expiresAt}`);
  }
}

async function requireProof(
  session: Session,
  challenge: WireChallenge,
  proof: SubjectProof,
): Promise<void> {
  const mismatch = await checkSubjectProof(proof, challenge, "subjectProof");
  if (mismatch !== null) throw refusal(mismatch);
  const other = session.items.find(({ answer }) =>
    answer?.subjectProof !== undefined && answer.subjectProof.publicKey !== proof.publicKey
  );
  if (other !== undefined) {
    throw new IssuerError("subject-keys-mixed", "an earlier answer has another subject's proof");
  }
}

function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
