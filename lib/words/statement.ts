/**
 * What a result says in words: whether it passed, how much was replayed, and who says so. One
 * function, so that badge, page and command line can't disagree. Source: design.md, "Badge wording".
 */
import {
  type Acceptance,
  badgeOf,
  type BadgeOptions,
  type BadgeSubject,
  type Tone,
} from "../badge/model.ts";
import { FAILURE_WORDS } from "../verify/acceptance_words.ts";
import { type IssuerStatus, policyHash, type Registry } from "../verify/registry.ts";
import type { Policy } from "../verify/report.ts";

/** Who says so. */
export type Signer =
  | { standing: "known"; name: string; status: IssuerStatus; keyId: string }
  /** `asked`: an `issuer=` named this very key. */
  | { standing: "unknown"; keyId: string; asked: boolean }
  | { standing: "several" }
  /** A benchmark run. */
  | { standing: "self-reported" }
  /** No signature verified. */
  | { standing: "none" };

/** Machine words for what a result is. */
export type State =
  | "verified"
  | "issuer-claimed"
  | "invalid"
  | "unknown-suite"
  | "unknown-protocol"
  | "not-a-receipt"
  | "not-accepted"
  | "not-finished"
  | "checking";

export interface Statement {
  tone: Tone;
  /** The badge's message. */
  parts: string[];
  /** The badge's accessible title, in full sentences. */
  title: string;
  /** Lines of a page's box; null: there is nothing to say. */
  headline: {
    verdict: string;
    replayed: string | null;
    signer: string | null;
    floor: string | null;
  };
  /** Without the site's name. */
  pageTitle: string;
  description: string;
  state: State;
  signer: Signer;
}

export interface StatementOptions {
  acceptance?: Acceptance | undefined;
  issuerAsked?: boolean | undefined;
  registry: Registry;
}

/** A report has a policy beside what a badge needs. */
export type StatementSubject = BadgeSubject & { policy?: Policy };

/** What there is to say of a report, or of several documents together. */
export function statementOf(subject: StatementSubject, options: StatementOptions): Statement {
  const { acceptance, issuerAsked } = options;
  const badgeOptions: BadgeOptions = { acceptance, issuerAsked };
  const { message, title, tone } = badgeOf(subject, badgeOptions);
  const signer = signerOf(subject, options);
  const state = stateOf(subject, acceptance);
  const headline = {
    verdict: verdictOf(subject, state, acceptance),
    replayed: replayedOf(subject, state),
    signer: signerText(signer),
    floor: floorOf(subject, options.registry),
  };
  const said = [headline.verdict, headline.replayed, headline.signer].filter((part) =>
    part !== null
  );
  return {
    tone: NOTHING.has(state) ? "neutral" : tone,
    parts: message,
    title,
    headline,
    pageTitle: said.slice(0, 1).concat(shortSigner(signer)).join(" · "),
    description: `${said.join("; ")}.`,
    state,
    signer,
  };
}

/** States in which nothing speaks against anybody. */
const NOTHING: ReadonlySet<State> = new Set([
  "unknown-suite",
  "unknown-protocol",
  "not-a-receipt",
  "checking",
  "not-finished",
]);

function stateOf(
  { kind, outcome, reason, observations }: StatementSubject,
  acceptance: Acceptance | undefined,
): State {
  if (outcome === null) return reason?.code === "checking" ? "checking" : "not-finished";
  if (outcome === "invalid") {
    if (reason?.code === "suite-unknown" || observations.includes("suite-unknown")) {
      return "unknown-suite";
    }
    if (reason?.code === "protocol-unknown") return "unknown-protocol";
    if (kind === "unknown" || reason?.code === "envelope-malformed") return "not-a-receipt";
  }
  if (acceptance !== undefined && !acceptance.accepted) return "not-accepted";
  return outcome;
}

const WORDS: Partial<Record<State, string>> = {
  "invalid": "Invalid",
  "unknown-suite": "Unknown suite",
  "unknown-protocol": "Unknown protocol",
  "not-a-receipt": "Not a receipt",
  "not-finished": "Not finished",
  "checking": "Checking",
};

function verdictOf(
  { kind, outcome, verdict, counts }: StatementSubject,
  state: State,
  acceptance: Acceptance | undefined,
): string {
  if (state === "not-accepted") {
    const [first] = acceptance?.failed ?? [];
    const why = acceptance?.problem !== undefined ? "bad link" : first && FAILURE_WORDS[first];
    return why === undefined ? "Not accepted" : `Not accepted: ${why}`;
  }
  const word = WORDS[state];
  if (word !== undefined || counts === null) return word ?? "Not finished";
  if (kind === "run") {
    return `${outcome === "verified" ? "Replayed" : "Not replayed"} · self-reported`;
  }
  const { passed, challenges, required } = counts;
  const head = verdict === "fail" ? "Failed" : "Passed";
  return `${head}: ${passed} of ${challenges}, ${required} required`;
}

function replayedOf({ counts, outcome }: StatementSubject, state: State): string | null {
  if (counts === null || outcome === null || outcome === "invalid" || NOTHING.has(state)) {
    return null;
  }
  const { answered, unreplayed } = counts;
  if (answered === 0) return "nothing was answered, so nothing was replayed";
  return unreplayed === 0
    ? "every answer was replayed"
    : `${unreplayed} of ${answered} answers unreplayed`;
}

function signerOf(
  { kind, outcome, issuer, issuers }: StatementSubject,
  { acceptance, issuerAsked = false, registry }: StatementOptions,
): Signer {
  if (kind === "run") return { standing: "self-reported" };
  if (issuers !== undefined && issuers.length > 1) return { standing: "several" };
  const only = issuer ?? issuers?.[0];
  if (only === undefined || outcome === "invalid") return { standing: "none" };
  const known = registry.issuers.find(({ publicKey }) => publicKey === only.publicKey);
  if (known !== undefined) return { standing: "known", ...known };
  const asked = issuerAsked && acceptance?.problem === undefined &&
    !(acceptance?.failed.includes("issuer") ?? true);
  return { standing: "unknown", keyId: only.keyId, asked };
}

function signerText(signer: Signer): string | null {
  switch (signer.standing) {
    case "known":
      return `signed by ${signer.name}${signer.status === "revoked" ? ", a revoked key" : ""}`;
    case "unknown":
      return `signed by an unknown issuer, key ${signer.keyId.slice(0, 8)}…` +
        (signer.asked ? ", the key this link asks for" : "");
    case "several":
      return "signed by several issuers";
    case "self-reported":
      return "signed by nobody";
    case "none":
      return null;
  }
}

function shortSigner(signer: Signer): string[] {
  switch (signer.standing) {
    case "known":
      return [signer.name];
    case "unknown":
      return ["unknown issuer"];
    case "several":
      return ["several issuers"];
    default:
      return [];
  }
}

function floorOf({ policy }: StatementSubject, { policies }: Registry): string | null {
  if (policy === undefined) return null;
  const hash = policyHash(policy);
  const named = policies.find((known) => known.hash === hash);
  return named === undefined
    ? `own floor: ${policy.minPass} of ${policy.challenges} required`
    : `floor: ${named.name}`;
}
