/** Acceptance in words: the same on pages, in a terminal and on badges. */
import { parseTimestamp } from "../encoding/timestamp.ts";
import type { AcceptanceSubject, Requirement, Requirements } from "../trust/acceptance.ts";

/** Behind `not accepted`, a few letters for each failed requirement. */
export const FAILURE_WORDS: Readonly<Record<Requirement, string>> = {
  invalid: "invalid",
  sha256: "other document",
  issuer: "other issuer",
  policy: "other policy",
  context: "other context",
  session: "other session",
  replayed: "unreplayed",
  stale: "stale",
};

/** The same as the rest of a sentence that begins with `Not accepted:`. */
export const REFUSALS: Readonly<Record<Requirement, string>> = {
  invalid: "it is not a sound result.",
  sha256: "it is not the document asked for.",
  issuer: "it is not signed by the issuer asked for.",
  policy: "its policy is not the one asked for.",
  context: "its context is not the one asked for.",
  session: "its session is not the one asked for.",
  replayed: "part of it rests on the issuer's word.",
  stale: "the time of its decision is not within the time asked for.",
};

/** As {@link FAILURE_WORDS}, for the requirement that this very document doesn't meet. */
export function failureWords(
  failed: Requirement,
  subject: Pick<AcceptanceSubject, "outcome" | "issuer">,
  requirements: Requirements,
): string {
  if (failed === "invalid" && subject.outcome === null) return "not finished";
  if (failed === "issuer" && isRevoked(subject, requirements)) return "issuer revoked";
  return FAILURE_WORDS[failed];
}

/** Why a requirement isn't met, in a sentence. It repeats nothing that the document says. */
export function failureSentence(
  failed: Requirement,
  subject: AcceptanceSubject,
  requirements: Requirements,
  now: number,
): string {
  const { outcome, issuer, counts, policy, context, sessionId } = subject;
  switch (failed) {
    case "invalid":
      return outcome === null ? "The check is not finished." : "The document is invalid.";
    case "issuer":
      if (issuer === null) return "No signature of an issuer was verified.";
      return isRevoked(subject, requirements)
        ? "The key that signed it is revoked: nothing that it signed counts, whatever time it names."
        : "Another key than those asked for signed it.";
    case "sha256":
      return "It is another document than the one asked for.";
    case "policy":
      return policy == null
        ? "It was issued under no policy that it shows."
        : "It was issued under another policy.";
    case "context":
      return context == null ? "It has no context." : "Its context is another one.";
    case "session":
      return sessionId == null ? "It belongs to no session." : "It belongs to another session.";
    case "replayed":
      if (counts === null || outcome !== "verified" && counts.unreplayed === 0) {
        return "Not everything in it could be replayed.";
      }
      return counts.unreplayed > 0
        ? `${counts.unreplayed} of ${counts.answered} answers unreplayed.`
        : "Nothing was answered, so nothing was replayed.";
    case "stale":
      return staleSentence(subject, requirements, now);
  }
}

function staleSentence(
  { decidedAt }: AcceptanceSubject,
  { maxAge }: Requirements,
  now: number,
): string {
  const decided = decidedAt == null ? null : parseTimestamp(decidedAt);
  if (decided === null) return "It doesn't say when it was decided.";
  return decided > now
    ? "It says that it was decided in the future."
    : `It was decided more than ${maxAge?.text} ago.`;
}

/** Whether a key that was asked for signed, and doesn't count because it is revoked. */
function isRevoked(
  { issuer }: Pick<AcceptanceSubject, "issuer">,
  { issuers }: Requirements,
): boolean {
  return issuers?.some(({ publicKey, status }) =>
    publicKey === issuer?.publicKey && status === "revoked"
  ) ?? false;
}
