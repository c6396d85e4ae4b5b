/**
 * Documents that no issuer kit makes, soundly signed all the same: held-out puzzles under a pool that
 * nobody has, so that prompt, answer and response can be any text.
 */
import type { Envelope } from "../../lib/protocol/envelope.ts";
import { seedCommitment } from "../../lib/protocol/challenge.ts";
import type { KeyPair } from "../../lib/issuer/keys.ts";
import { signEnvelope } from "../../lib/issuer/receipt.ts";

/** The members of a body that tests change; others may be added. */
export interface ReceiptBody {
  kind: "receipt";
  challenge: Record<string, unknown>;
  seed: number;
  expected: string;
  response: string;
  subjectProof?: unknown;
  verdict: { pass: boolean; format: string; answeredAt: string };
  [member: string]: unknown;
}

const SEED = 7;
const POOL_KEY = "5".repeat(64);

/** A session of one or more held-out text puzzles. */
export const SESSION = {
  sessionId: "gs_forgedforged",
  answeredAt: "2026-01-01T00:00:10.000Z",
  decidedAt: "2026-01-01T00:00:20.000Z",
  expiresAt: "2026-01-01T00:05:00.000Z",
};

/** A challenge of `echo:t0`, whose answers are any text; its commitment fits what is changed. */
export function challengeOf(key: KeyPair, index = 0, changes: Record<string, unknown> = {}) {
  const { keyId, text: publicKey } = key.publicKey;
  const challenge = {
    protocol: "clankdar-attest-v1",
    kind: "challenge",
    challengeId: `att_forged_${String(index).padStart(5, "0")}`,
    suiteVersion: "clankdar-suite-v2",
    family: "echo",
    tier: 0,
    prompt: "Say it again.",
    nonce: `nonce_nonce_${String(index).padStart(4, "0")}`,
    expiresAt: SESSION.expiresAt,
    heldout: { poolKey: POOL_KEY },
    verifier: { keyId, publicKey },
    ...changes,
  };
  return { seedCommit: seedCommitment(challenge, SEED), ...challenge };
}

/** The body of a passed receipt for a challenge. */
export function receiptBody(
  challenge: Record<string, unknown>,
  changes: Partial<ReceiptBody> = {},
): ReceiptBody {
  return {
    kind: "receipt",
    challenge,
    seed: SEED,
    expected: "again",
    response: "again",
    verdict: { pass: true, format: "text", answeredAt: SESSION.answeredAt },
    ...changes,
  };
}

/** Signs a receipt's body. */
export function signBody(key: KeyPair, body: unknown): Promise<Envelope> {
  return signEnvelope("clankdar-attest-v1", key, body);
}

/** An admission over receipts' bodies, which are signed first. */
export async function admissionOf(
  key: KeyPair,
  bodies: readonly ReceiptBody[],
  changes: Record<string, unknown> = {},
): Promise<Envelope> {
  const receipts = await Promise.all(bodies.map((body) => signBody(key, body)));
  const passed = bodies.filter(({ verdict }) => verdict.pass).length;
  return await signEnvelope("clankdar-gate-v1", key, {
    kind: "admission",
    sessionId: SESSION.sessionId,
    policy: {
      suite: "v2",
      cells: ["h:echo:t0"],
      challenges: bodies.length,
      minPass: 1,
      ttlSeconds: 300,
    },
    challenges: bodies.map(({ challenge }) => challenge),
    receipts,
    verdict: { pass: passed >= 1, passed, required: 1, decidedAt: SESSION.decidedAt },
    ...changes,
  });
}
