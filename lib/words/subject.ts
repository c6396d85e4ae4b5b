/**
 * What a result is, as far as words about it need to know: a report has these members, the row of a
 * stored result has them, and so has a set of documents together.
 */
import type { Requirement } from "../trust/acceptance.ts";
import type { Issuer, Policy, Report } from "../verify/report.ts";

/** One admission of a dossier, or one document of a set. */
export type Member = Pick<Report, "outcome" | "verdict">;

/** The members of a report that words are made of. */
export type ReportSubject = Pick<
  Report,
  | "id"
  | "kind"
  | "outcome"
  | "verdict"
  | "counts"
  | "reason"
  | "observations"
  | "suite"
  | "issuer"
  | "looksLike"
>;

/** Why a document has no sound result. */
export type RejectionKind = "forged" | "unknown-suite" | "unknown-protocol" | "not-a-receipt";

/** A report, or several documents together (`bundle`). */
export interface ResultSubject extends Omit<ReportSubject, "kind"> {
  kind: Report["kind"] | "bundle";
  /** The parts of a dossier or bundle, each once. */
  members?: readonly Member[];
  /** Of a bundle or dossier: everyone who signed a part of it. */
  issuers?: readonly Issuer[];
  /** Of an admission: its floor. */
  policy?: Policy | null | undefined;
  /** Of a bundle that is invalid: what the document is whose reason is told. */
  rejection?: RejectionKind;
}

/** Whether a result is what a reader asked for. */
export interface AskedAcceptance {
  accepted: boolean;
  /** What isn't met, in the order in which it is told. */
  failed: readonly Requirement[];
  /** What is wrong with the question itself: such a question is met by nothing. */
  problem?: string | undefined;
}

/** What a kind of document is called. */
export function kindName(kind: ResultSubject["kind"]): string {
  switch (kind) {
    case "tlog":
      return "transparency log";
    case "unknown":
      return "document";
    case "bundle":
      return "set of documents";
    case "run":
      return "benchmark run";
    default:
      return kind;
  }
}

/** `1 receipt`, `2 receipts`; `many` for a noun that doesn't just take an s. */
export function plural(n: number, noun: string, many = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : many}`;
}
