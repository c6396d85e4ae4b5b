/** What codes mean, in plain words for the pages. */
import type { Report } from "../../../../lib/verify/report.ts";
import type { Statement } from "../../../../lib/words/statement.ts";
import { kindName, type ResultSubject } from "../../../../lib/words/subject.ts";

/** Sentences for the observations (protocols spec 12 and 16). */
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
  "byte-order-mark":
    "The text began with a byte order mark, which was skipped. Tools on Windows write one; it changes nothing.",
  "secrets-beside":
    "The file also holds an issuer's session, with hidden seeds or right answers. Don't publish the file: give the document by itself.",
  "etag-mismatch":
    "The service that stores this check names another document's hash than this one's. The document may have been changed on the way, or given out wrongly.",
  "pass-rests-on-issuer":
    "What was replayed does not reach the required number: the pass rests on the issuer's word.",
  "exposed": "Without its pool this was not found invalid. The disclosed pool contradicts it.",
  "unsigned": "The document is not signed: nobody vouches for it.",
  "suite-unknown":
    "The signature holds, and the policy names a suite that this version of Touchstone doesn't know. Nothing of it can be replayed here.",
}));

/** An observation in a sentence or two. */
export function observationText(code: string): string {
  return OBSERVATIONS.get(code) ?? "No explanation is known for this observation.";
}

/** The sentences under the headline: what the check found. */
export function meaning(
  report: Report & Pick<ResultSubject, "looksLike">,
  { state, tone }: Pick<Statement, "state" | "tone">,
): string {
  const { outcome, kind, counts, looksLike } = report;
  switch (state) {
    case "unknown-suite":
      return "The signature holds. The document is about puzzles of a suite that this version of Touchstone doesn't know, so none of them can be replayed here. A newer version may.";
    case "unknown-protocol":
      return "It looks like a signed document of a protocol that this version of Touchstone doesn't know, so nothing of it was checked. A newer version may.";
    case "not-a-receipt":
      return "There is nothing here that a signature or a replay could be checked of." +
        (looksLike === undefined ? "" : ` It looks like ${looksLike}.`);
    default:
      break;
  }
  switch (outcome) {
    case "verified":
      if (kind === "run") {
        return "Every row's puzzle was generated again, every answer was scored again, and every recorded tool output was computed again. Nobody signed the file: that the answers came from the named model is its own word.";
      }
      if (counts !== null && counts.answered === 0) {
        return "The signature and all bindings hold. No challenge was answered, so there was nothing to replay.";
      }
      return "Every answered puzzle was generated again from its seed, and every answer was scored again. All of it matches what was signed.";
    case "issuer-claimed":
      if (kind === "run") {
        return "The rows are consistent, but nothing says which puzzles they are about, and nobody signed them. All of it is the file's own word.";
      }
      return "The signatures and bindings hold, but not every puzzle can be generated again: its pool is not disclosed. For that part there is only the issuer's word.";
    case "invalid":
      return invalidMeaning(report, tone);
    case null:
      return report.reason?.code === "checking"
        ? "This result is being checked again, with a newly disclosed pool or a newer verifier. Its outcome follows shortly."
        : "The check could not be finished. That says nothing about the document.";
  }
}

/** Only a document that a signature, a commitment or a sum contradicts is called a forgery. */
function invalidMeaning({ kind, observations }: Report, tone: Statement["tone"]): string {
  if (observations.includes("exposed")) {
    return `Exposed: the disclosed pool contradicts the ${
      kindName(kind)
    }. Before the disclosure nothing spoke against it.`;
  }
  if (kind === "run") return "A check failed. This is not the record of an honest run.";
  return tone === "invalid"
    ? "A check failed. Whatever this document says, it is not what an honest issuer signed."
    : "A check failed, so that nothing in it counts.";
}

/** What a result of this kind is most easily taken to show, and doesn't; null for an unfinished one. */
export function limitText(
  { outcome, kind }: Report,
  { state, tone }: Pick<Statement, "state" | "tone">,
): string | null {
  if (outcome === null) return null;
  if (state === "not-a-receipt" || state === "unknown-suite" || state === "unknown-protocol") {
    return "That speaks neither for nor against whoever gave it to you.";
  }
  if (outcome === "invalid") {
    return tone === "invalid"
      ? "That doesn't show who changed it, or whether anyone meant to."
      : "That doesn't show why it is so.";
  }
  return kind === "run"
    ? "This doesn't show which model gave the answers."
    : "This doesn't show who or what solved the puzzles.";
}

/** A message as a sentence: a capital first, and an end. */
export function sentence(text: string): string {
  const capital = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.?!…]$/.test(capital) ? capital : `${capital}.`;
}
