/** Making subject proofs. Source: protocols spec 6. */
import { sign } from "../crypto/ed25519.ts";
import { type SubjectProof, subjectTranscript } from "../protocol/subject.ts";
import type { KeyPair } from "./keys.ts";

/**
 * The proof that the holder of `key` took part: one for all challenges of a session, or one for a
 * challenge without a session.
 */
export async function createSubjectProof(
  key: KeyPair,
  challenge: { sessionId?: string | undefined; challengeId: string; nonce: string },
): Promise<SubjectProof> {
  const publicKey = key.publicKey.text;
  const signature = await sign(key.privateKey, subjectTranscript(challenge, publicKey));
  return { publicKey, signature };
}
