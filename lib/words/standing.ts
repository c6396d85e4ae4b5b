/** What is said where there is no result to show. */
import type { State, Tone } from "./state.ts";

export type Standing =
  | "checking"
  | "not found"
  | "unreachable"
  | "not a receipt"
  | "gone"
  | "ambiguous"
  | "conflicting";

/** A statement without a result. */
interface StandingStatement {
  tone: Tone;
  state: State;
  title: string;
  /** True when the next request may well get another answer. */
  transient: boolean;
}

/** What each of them says. */
export const STANDINGS: Readonly<Record<Standing, StandingStatement>> = {
  checking: {
    tone: "neutral",
    state: "checking",
    title: "This result is still being checked.",
    transient: true,
  },
  "not found": {
    tone: "neutral",
    state: "not-found",
    title: "There is no such result here.",
    transient: true,
  },
  unreachable: {
    tone: "neutral",
    state: "unreachable",
    title: "The address of this result could not be reached.",
    transient: true,
  },
  "not a receipt": {
    tone: "foreign",
    state: "not-a-receipt",
    title: "What was found there is not a receipt or anything else that can be checked.",
    transient: true,
  },
  gone: {
    tone: "neutral",
    state: "gone",
    title: "This result was here once. Its document has been removed.",
    transient: false,
  },
  ambiguous: {
    tone: "neutral",
    state: "ambiguous",
    title: "More than one issuer has a session of this id, so an issuer has to be named.",
    transient: false,
  },
  conflicting: {
    tone: "invalid",
    state: "conflicting",
    title: "Different admissions of this session are signed with one key: " +
      "the issuer contradicts itself, and none of them counts.",
    transient: false,
  },
};
