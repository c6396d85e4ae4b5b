/**
 * What is said of a document that came to no sound result: a forgery, a suite or a protocol that this
 * version doesn't know, no receipt at all, or a check that isn't finished. These are different things
 * to a reader, though the first four have one outcome. Source: protocols spec 15 no. 29, 20.
 */
import type { State, Tone } from "./state.ts";
import { kindName, type RejectionKind, type ResultSubject } from "./subject.ts";

/** What such a document says of itself in a statement. */
interface Rejection {
  tone: Tone;
  state: State;
  part: string[];
  headline: string;
  sentences: string[];
}

/** Codes of what isn't a document of a known kind, whatever it is taken for. */
const NOT_A_RECEIPT: ReadonlySet<string> = new Set([
  "document-unrecognised",
  "envelope-malformed",
  "document-not-json",
  "document-not-utf8",
  "document-too-deep",
  "document-too-large",
  "gzip-malformed",
  "too-many-documents",
  "documents-empty",
]);

/** Which of the four a rejected document is. */
export function rejectionKind(
  { kind, reason, observations, rejection }: Pick<
    ResultSubject,
    "kind" | "reason" | "observations" | "rejection"
  >,
): RejectionKind {
  if (rejection !== undefined) return rejection;
  const code = reason?.code ?? "";
  // Only such a policy: an observation beside a wrong signature excuses nothing.
  const policySuite = code === "policy-malformed" && observations.includes("suite-unknown");
  if (code === "suite-unknown" || policySuite) return "unknown-suite";
  if (code === "protocol-unknown") return "unknown-protocol";
  return kind === "unknown" || NOT_A_RECEIPT.has(code) ? "not-a-receipt" : "forged";
}

/** What is said of a subject whose outcome is `invalid` or null. */
export function rejectionOf(subject: ResultSubject): Rejection {
  if (subject.outcome === null) return sayUnfinished(subject);
  const { kind, reason } = subject;
  switch (rejectionKind(subject)) {
    case "unknown-suite":
      return {
        tone: "neutral",
        state: "unknown-suite",
        part: ["unknown suite"],
        headline: "Unknown suite",
        sentences: [
          `This ${kindName(kind)} is of a suite that this version of Touchstone doesn't know, ` +
          "so nothing in it can be replayed. That says nothing against it.",
        ],
      };
    case "unknown-protocol":
      return {
        tone: "neutral",
        state: "unknown-protocol",
        part: ["unknown protocol"],
        headline: "Unknown protocol",
        sentences: [
          "This document is of a protocol that this version of Touchstone doesn't know, " +
          "so it can't be checked. That says nothing against it.",
        ],
      };
    case "not-a-receipt":
      return {
        tone: "foreign",
        state: "not-a-receipt",
        part: ["not a receipt"],
        headline: "Not a receipt",
        sentences: [
          `This is not a receipt or anything else that can be checked${
            reason === null ? "" : ` (${reason.code})`
          }.`,
          ...(subject.looksLike === undefined ? [] : [likeness(subject.looksLike)]),
        ],
      };
    case "forged":
      return sayInvalid(subject);
  }
}

/** What a thing looks like; a session file that gets about gives its secrets away. */
function likeness(looks: string): string {
  const article = /^(?:an? |the |verification output$)/.test(looks)
    ? ""
    : /^[aeiou]/.test(looks)
    ? "an "
    : "a ";
  return `It looks like ${article}${looks}.` +
    (looks.includes("session") ? " A session file holds secrets: don't publish it." : "");
}

function sayInvalid({ kind, reason, observations }: ResultSubject): Rejection {
  if (reason?.code === "conflicting") {
    return {
      tone: "invalid",
      state: "conflicting",
      part: ["conflicting"],
      headline: "Conflicting",
      sentences: [`${reason.message}.`],
    };
  }
  const codes = [reason?.code, reason?.inner?.code].filter((code) => code !== undefined);
  const exposed = observations.includes("exposed");
  return {
    tone: "invalid",
    state: "invalid",
    part: exposed ? ["invalid", "pool contradicts"] : ["invalid"],
    headline: exposed ? "Invalid: the disclosed pool contradicts it" : "Invalid",
    sentences: [
      `This ${kindName(kind)} is invalid${codes.length > 0 ? ` (${codes.join(": ")})` : ""}.`,
      ...(exposed ? ["The disclosed pool contradicts it."] : []),
    ],
  };
}

/** `checking` promises news, so only what time alone can mend says so. */
function sayUnfinished({ kind, reason }: ResultSubject): Rejection {
  const code = reason?.code ?? null;
  if (isMending(code)) {
    return {
      tone: "neutral",
      state: "checking",
      part: ["checking"],
      headline: "Being checked",
      sentences: [
        `This ${kindName(kind)} is still being checked${code === null ? "" : ` (${code})`}.`,
      ],
    };
  }
  const notFetched = code?.startsWith("fetch-") ?? false;
  const notRead = code === "file-unreadable";
  return {
    tone: "neutral",
    state: "not-finished",
    part: ["not finished"],
    headline: notFetched ? "Not fetched" : notRead ? "Not read" : "Not finished",
    sentences: [`The check of this ${kindName(kind)} could not be finished (${code}).`],
  };
}

/** Whether a check that came to no outcome for this reason may come to one by itself. */
export function isMending(code: string | null): boolean {
  return code === null || code === "budget-exceeded" || code === "checking";
}

/** Nobody signs a run, so nobody but its reporter vouches for it. */
export function isSelfReported(
  { kind, observations }: Pick<ResultSubject, "kind" | "observations">,
): boolean {
  return kind === "run" || observations.includes("unsigned");
}

/** The part of a badge's message on what nobody signed. */
export function selfReportedPart(subject: ResultSubject): string[] {
  if (isSelfReported(subject)) return ["self-reported"];
  return subject.observations.includes("partly-unsigned") ? ["partly self-reported"] : [];
}

/** The outcome of a sound document as the end of a sentence. */
export function outcomeWord({ kind, outcome }: ResultSubject): string {
  return outcome === "verified"
    ? "verified"
    : `only claimed by its ${kind === "run" ? "reporter" : "issuer"}`;
}
