/** Signing receipts. Source: protocols spec 5. */
import { sign } from "../crypto/ed25519.ts";
import { canonicalJson } from "../encoding/canonical.ts";
import type { Envelope } from "../protocol/envelope.ts";
import type { SubjectProof } from "../protocol/subject.ts";
import { answerFormat, canonicalAnswer } from "../suites/scoring.ts";
import { optional, type PrivateChallenge } from "./challenge.ts";
import type { KeyPair } from "./keys.ts";

/** What was submitted to a challenge. */
interface Answer {
  /** Verbatim. */
  response: string;
  /** When it arrived: ISO 8601 with milliseconds, UTC. */
  answeredAt: string;
  subjectProof?: SubjectProof | undefined;
}

/** Whether the response is in the family's answer format; one that isn't gets no receipt. */
export function isAnswer(family: string, response: string): boolean {
  return canonicalAnswer(response, answerFormat(family)) !== null;
}

/** Whether the answer is the right one. */
export function isPass({ challenge, expected }: PrivateChallenge, answer: Answer): boolean {
  return canonicalAnswer(answer.response, answerFormat(challenge.family)) === expected;
}

/**
 * The signed receipt of an answered challenge, or null for a response that isn't in the answer
 * format: that counts as unanswered (protocols spec 5.1).
 */
export async function signReceipt(
  key: KeyPair,
  item: PrivateChallenge,
  answer: Answer,
): Promise<Envelope | null> {
  const { challenge, seed, expected } = item;
  if (!isAnswer(challenge.family, answer.response)) return null;
  const format = answerFormat(challenge.family);
  return await signEnvelope("clankdar-attest-v1", key, {
    kind: "receipt",
    challenge,
    seed,
    expected,
    response: answer.response,
    ...optional("subjectProof", answer.subjectProof),
    verdict: { pass: isPass(item, answer), format, answeredAt: answer.answeredAt },
  });
}

/** Signs a body as the canonical payload of an envelope (protocols spec 1.2). */
export async function signEnvelope(
  protocol: Envelope["protocol"],
  key: KeyPair,
  body: unknown,
): Promise<Envelope> {
  const payload = canonicalJson(body);
  return { protocol, payload, signature: await sign(key.privateKey, payload) };
}
