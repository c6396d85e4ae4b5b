/** What codes mean, in plain words for the pages. */
import type { Report } from "../../lib/verify/report.ts";

/** Observations (protocols spec 12 and 16). A code that is missing here is shown as it is. */
const OBSERVATIONS: ReadonlyMap<string, string> = new Map(Object.entries({
  "issuer-unknown":
    "The issuer's key is not one this service knows. The signature shows that the document is whole, not who stands behind it. Compare the whole key with one you have from elsewhere.",
  "issuer-revoked":
    "The issuer's key is revoked: somebody else may hold it. Nothing that it signed counts as the issuer's any more, whatever time a document names.",
  "self-issued": "The issuer's key is also the subject's key: the subject examined itself.",
  "label-mix-zero":
    "A label of the pool leaves the published puzzles unchanged, so this part was not held out at all.",
  "repeated-instance":
    "The same puzzle was asked more than once, so its passes are not independent.",
  "answered-after-decision":
    "An answer bears a later time than the decision. All times are the issuer's word.",
  "subject-claim-unproven":
    "The subject looks like a key, but no answer carries a proof of that key.",
  "unwrapped":
    "The document was taken out of a wrapper. The wrapper's other members are not signed and were ignored.",
  "etag-mismatch":
    "The service that keeps this check names another document's hash than this one's. It may have been changed on the way, or given out wrongly.",
  "pass-rests-on-issuer":
    "What was replayed does not reach the required number: the pass rests on the issuer's word.",
  "exposed": "Without its pool this was not found invalid. The disclosed pool contradicts it.",
  "unsigned": "The document is not signed: nobody vouches for it.",
}));

/** An observation in a sentence or two. */
export function observationText(code: string): string {
  return OBSERVATIONS.get(code) ?? "No explanation is known for this observation.";
}

/** The outcome in the words that are used everywhere. */
export function outcomeText(outcome: Report["outcome"]): string {
  return outcome ?? "not finished";
}

/** What a document is called. */
export function kindText(kind: Report["kind"]): string {
  const names = { tlog: "transparency log", unknown: "document", run: "benchmark run" } as const;
  return kind === "tlog" || kind === "unknown" || kind === "run" ? names[kind] : kind;
}

/** The sentence under the headline. */
export function meaning({ outcome, kind, counts, reason, observations }: Report): string {
  switch (outcome) {
    case "verified":
      if (kind === "run") {
        return "Every row's puzzle was generated again, every answer was scored again, and every recorded tool output was computed again. That the answers came from the named solver is the reporter's word.";
      }
      if (counts !== null && counts.answered === 0) {
        return "The signature and all bindings hold. No challenge was answered, so there was nothing to replay.";
      }
      return "Every answered puzzle was generated again from its seed, and every answer was scored again. All of it matches what was signed.";
    case "issuer-claimed":
      if (kind === "run") {
        return "The rows are consistent, but nothing says which puzzles they are about. All of it is the reporter's word.";
      }
      return "The signatures and bindings hold, but not every puzzle can be generated again: its pool is not disclosed. For that part there is only the issuer's word.";
    case "invalid":
      if (observations.includes("exposed")) {
        return `Exposed: the disclosed pool contradicts the ${
          kindText(kind)
        }. Before the disclosure nothing spoke against it.`;
      }
      if (kind === "unknown") return "This is not a document that can be checked.";
      return kind === "run"
        ? "A check failed. This is not the record of an honest run."
        : "A check failed. Whatever this document says, it is not what an honest issuer signed.";
    case null:
      if (reason?.code === "checking") {
        return "This result is being checked again, with a newly disclosed pool or a newer verifier. Its outcome follows shortly.";
      }
      return "The check could not be finished. That says nothing about the document.";
  }
}

/** `1 receipt`, `2 receipts`; `many` for a noun that doesn't just take an s. */
export function plural(n: number, noun: string, many = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : many}`;
}
