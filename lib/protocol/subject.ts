/**
 * Subject proofs: the holder of a key signed this session's (or challenge's) id.
 * It says nothing of who solved what. Source: protocols spec 6.
 */
import { z } from "zod";
import { canonicalJson } from "../encoding/canonical.ts";
import type { Challenge } from "./challenge.ts";
import { checkSignature, isReason, readKey } from "./keys.ts";
import { pathOf, type Reason, reason } from "./reason.ts";

const proofSchema = z.object({ publicKey: z.string(), signature: z.string() });

export type SubjectProof = z.infer<typeof proofSchema>;

/** Reads a proof: two strings, other members ignored; else `subject-proof-malformed`. */
export function readSubjectProof(value: unknown, path: string): SubjectProof | Reason {
  const parsed = proofSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const message = "a subject proof is {publicKey, signature}, both strings";
  return reason("subject-proof-malformed", message, path);
}

/**
 * The text that a subject signs: one for a whole session, or, without a session, one for the
 * challenge.
 */
export function subjectTranscript(
  challenge: { sessionId?: string | undefined; challengeId: string; nonce: string },
  publicKey: string,
): string {
  return canonicalJson(
    challenge.sessionId !== undefined
      ? ["clankdar/subject/v1", challenge.sessionId, publicKey]
      : ["clankdar/subject/v1", challenge.challengeId, challenge.nonce, publicKey],
  );
}

/** Checks a proof against the challenge that it should belong to. Never rejects. */
export async function checkSubjectProof(
  proof: SubjectProof,
  challenge: Pick<Challenge, "sessionId" | "challengeId" | "nonce">,
  path: string,
): Promise<Reason | null> {
  const key = readKey(proof.publicKey, "subject", pathOf(path, "publicKey"));
  if (isReason(key)) return key;
  const transcript = subjectTranscript(challenge, proof.publicKey);
  const at = pathOf(path, "signature");
  if (await checkSignature(key, transcript, proof.signature, at) === null) return null;
  const message = "the proof's signature does not cover this session or challenge";
  return reason("subject-proof-invalid", message, at);
}
