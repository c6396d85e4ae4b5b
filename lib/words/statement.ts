/**
 * What a result says: one statement for badge, page and command line, so that no two of them can
 * disagree. Three things are always apart: did it pass, how much was replayed, who says so.
 * Source: design.md, "Badge wording".
 */
import { policyHash } from "../verify/registry.ts";
import type { Counts } from "../verify/report.ts";
import { houseOrClankdar } from "./label.ts";
import { isSelfReported, outcomeWord, rejectionOf, selfReportedPart } from "./rejection.ts";
import { FAILURE_WORDS, REFUSALS } from "./requirements.ts";
import {
  type Asker,
  isVouched,
  NO_TRUST,
  type Signer,
  signerHeadline,
  signerParts,
  signerSentences,
  signerShort,
  signersOf,
  type Trust,
} from "./signer.ts";
import { type AskedAcceptance, kindName, plural, type ResultSubject } from "./subject.ts";

/**
 * What kind of news a statement brings. `pass` (full green) is only for a verified pass of which
 * everything was replayed, signed by an issuer of the registry whose key is active or rotated.
 * `unvouched`: such a pass under a key that nobody vouches for. `claimed`: something is unreplayed.
 * `partial`: some documents of a whole passed, others failed. `reported`: replayed, and nobody signed.
 * `refused`: not what was asked for, or signed with a revoked key. `invalid`, the colour of a forgery:
 * a signature, commitment, binding, regeneration or sum is wrong. `foreign`: no receipt at all.
 * `neutral`: nothing to tell, an unknown suite or protocol included.
 */
export type Tone =
  | "pass"
  | "unvouched"
  | "partial"
  | "fail"
  | "claimed"
  | "reported"
  | "refused"
  | "invalid"
  | "foreign"
  | "neutral";

/** A state in one word, for programs and for style sheets. */
export type State =
  | "verified"
  | "issuer-claimed"
  | "invalid"
  | "unknown-suite"
  | "unknown-protocol"
  | "not-a-receipt"
  | "not-accepted"
  | "conflicting"
  | "not-finished"
  | "checking"
  | "not-found"
  | "unreachable"
  | "gone"
  | "ambiguous";

/** The first lines of a page or of a command's answer. */
export interface Headline {
  /** `Passed: 4 of 4, 3 required`, `Failed: 1 of 4, 3 required`, `Not accepted: other issuer`. */
  verdict: string;
  /** Where the verdict is that it isn't accepted: what the result is by itself. */
  besides: string | null;
  /** `every answer was replayed`, `2 of 4 answers unreplayed`; null: there is nothing to replay. */
  replayed: string | null;
  /** `signed by Clankdar staging`; null: nobody is known to have signed. */
  signer: string | null;
  /** `floor algal-floor-v1`, or `own floor: 1 of 16 required`; null: the document has none. */
  floor: string | null;
}

export interface Statement {
  tone: Tone;
  state: State;
  /** The parts of a badge's message, in their fixed order. */
  parts: string[];
  /** The accessible title: full sentences, with the unreplayed total when it is not zero. */
  title: string;
  headline: Headline;
  /** The title of a page, without the service's name. */
  pageTitle: string;
  /** The description of a page. */
  description: string;
  signers: Signer[];
}

export interface StatementOptions {
  /** Absent: nobody is known. */
  trust?: Trust | undefined;
  /** Absent: nothing was asked for. */
  acceptance?: AskedAcceptance | undefined;
  /** Whether issuers were named, by whom. */
  issuerAsked?: boolean | undefined;
  asker?: Asker | undefined;
  /** `seen 3 h ago`: how old the knowledge is, where it is older than it should be. */
  seen?: string | undefined;
  /** Further sentences for the title, such as why a label was refused. */
  notes?: readonly string[] | undefined;
}

/** The statement on a result. Total: there is one for every subject. */
export function statementOf(subject: ResultSubject, options: StatementOptions = {}): Statement {
  const said = say(subject, options);
  const { seen, notes = [] } = options;
  const unreplayed = subject.counts?.unreplayed ?? 0;
  const parts = [
    ...said.result,
    ...(unreplayed === 0 ? [] : [`${unreplayed} unreplayed`]),
    ...said.signer,
    ...(seen === undefined ? [] : [seen]),
  ];
  const title = [
    ...said.sentences,
    ...caveats(subject),
    ...suiteSentence(subject),
    ...signerSentences(said.signers, options.asker ?? "link"),
    ...(seen === undefined ? [] : [`The host did not answer since: ${seen}.`]),
    ...notes,
  ].join(" ");
  return {
    // What was seen long ago is no news to be sure of.
    tone: seen !== undefined && said.tone === "pass" ? "unvouched" : said.tone,
    state: said.state,
    parts,
    title,
    headline: said.headline,
    pageTitle: pageTitleOf(subject, said),
    description: title,
    signers: said.signers,
  };
}

/** What is said of a result before the parts that every statement has. */
interface Said {
  tone: Tone;
  state: State;
  result: string[];
  signer: string[];
  sentences: string[];
  headline: Headline;
  signers: Signer[];
}

function say(subject: ResultSubject, options: StatementOptions): Said {
  const { outcome } = subject;
  // Whether these are what was asked for doesn't matter any more, or can't be told yet.
  if (outcome === null || outcome === "invalid") {
    const { part, headline, ...rest } = rejectionOf(subject);
    return {
      ...rest,
      result: part,
      signer: [],
      signers: [],
      headline: { verdict: headline, besides: null, replayed: null, signer: null, floor: null },
    };
  }
  const { trust = NO_TRUST, issuerAsked = false, asker = "link", acceptance } = options;
  const signers = signersOf(subject, trust, issuerAsked && isMet(acceptance, "issuer"));
  const said = sayResult(subject, signers, trust, asker);
  return acceptance === undefined || acceptance.accepted
    ? said
    : sayRefused(said, subject, acceptance);
}

function isMet(acceptance: AskedAcceptance | undefined, requirement: "issuer"): boolean {
  return acceptance?.problem === undefined && !(acceptance?.failed.includes(requirement) ?? false);
}

function sayResult(
  subject: ResultSubject,
  signers: Signer[],
  trust: Trust,
  asker: Asker,
): Said {
  const { counts, outcome } = subject;
  const replayed = outcome === "verified" && (counts?.unreplayed ?? 0) === 0;
  const selfReported = selfReportedPart(subject);
  const base = {
    tone: replayed ? toneOfReplayed(subject, signers) : "claimed" as const,
    state: outcome as "verified" | "issuer-claimed",
    signer: [...signerParts(signers), ...nobodyPart(subject, signers), ...selfReported],
    signers,
  };
  const signer = isSelfReported(subject)
    ? "self-reported: nobody signed it"
    : signerHeadline(signers, asker);
  // A transparency log holds no results: it can be sound, but nothing in it passes.
  if (counts === null) {
    const word = replayed ? "verified" : "issuer-claimed";
    return {
      ...base,
      result: [word],
      sentences: [`This ${kindName(subject.kind)} is ${outcomeWord(subject)}.`],
      headline: {
        verdict: word === "verified" ? "Verified" : "Issuer-claimed",
        besides: null,
        replayed: null,
        signer,
        floor: null,
      },
    };
  }
  return {
    ...base,
    result: [scoreOf(subject, counts), ...failureParts(subject)],
    sentences: [
      sentenceOfResult(subject, counts),
      ...(replayed ? [allReplayed(subject, counts)] : []),
    ],
    headline: {
      verdict: verdictHeadline(subject, counts),
      besides: null,
      replayed: replayedHeadline(subject, counts, replayed),
      signer,
      floor: floorOf(subject, trust),
    },
  };
}

/** A result that shows no signer, and isn't one that nobody signs, is as good as anybody's. */
function nobodyPart(subject: ResultSubject, signers: readonly Signer[]): string[] {
  return signers.length === 0 && subject.counts !== null && !isSelfReported(subject)
    ? ["unknown issuer"]
    : [];
}

function toneOfReplayed(subject: ResultSubject, signers: readonly Signer[]): Tone {
  if (selfReportedPart(subject).length > 0) return "reported";
  if (signers.some((signer) => signer.standing === "known" && signer.status === "revoked")) {
    return "refused";
  }
  const members = membersOf(subject);
  if (members !== null && members.passed > 0 && members.failed > 0) return "partial";
  if (subject.verdict === "fail") return "fail";
  if (subject.verdict === null) return "neutral";
  return signers.length > 0 && signers.every(isVouched) ? "pass" : "unvouched";
}

function sayRefused(
  said: Said,
  { counts }: ResultSubject,
  { failed, problem }: AskedAcceptance,
): Said {
  const first = failed[0];
  const why = problem !== undefined
    ? "bad link"
    : first === undefined
    ? null
    : FAILURE_WORDS[first];
  const sentence = problem !== undefined
    ? `the link asks for something that can't be understood (${problem}).`
    : first === undefined
    ? null
    : REFUSALS[first];
  // The count that follows says it already.
  const isSaid = first === "replayed" && problem === undefined && (counts?.unreplayed ?? 0) > 0;
  return {
    ...said,
    tone: "refused",
    state: "not-accepted",
    result: why === null || isSaid ? ["not accepted"] : ["not accepted", why],
    sentences: [
      `Not accepted${sentence === null ? "." : `: ${sentence}`}`,
      ...said.sentences,
    ],
    headline: {
      ...said.headline,
      verdict: why === null ? "Not accepted" : `Not accepted: ${why}`,
      besides: said.headline.verdict,
    },
  };
}

function pageTitleOf(subject: ResultSubject, said: Said): string {
  const { kind, counts } = subject;
  const { verdict, besides, replayed } = said.headline;
  // What a run is headed with stands in its other parts already.
  const result = kind === "run" && counts !== null
    ? `${counts.passed} of ${counts.challenges} passed`
    : besides ?? verdict;
  return [
    besides === null ? null : verdict,
    result,
    replayed === null ? null : replayedShort(subject, besides !== null),
    ...(said.signer.length > 0 ? said.signer : [signerShort(said.signers)]),
  ].filter((part) => part !== null).join(" · ");
}

/** What was replayed, in a title; where something wasn't accepted only what is unreplayed counts. */
function replayedShort({ kind, counts }: ResultSubject, refused: boolean): string | null {
  const { answered, unreplayed } = counts!;
  if (unreplayed > 0) return `${unreplayed} unreplayed`;
  if (refused) return null;
  return answered === 0
    ? "nothing answered"
    : `every ${kind === "run" ? "row" : "answer"} replayed`;
}

interface Members {
  passed: number;
  failed: number;
  total: number;
}

function membersOf({ members }: ResultSubject): Members | null {
  if (members === undefined || members.length === 0) return null;
  const count = (verdict: "pass" | "fail") => members.filter((m) => m.verdict === verdict).length;
  return { passed: count("pass"), failed: count("fail"), total: members.length };
}

function scoreOf(subject: ResultSubject, counts: Counts): string {
  const members = membersOf(subject);
  return subject.kind === "dossier" && members !== null
    ? `${members.passed}/${plural(members.total, "admission")} passed`
    : `${counts.passed}/${counts.challenges} passed`;
}

function failureParts(subject: ResultSubject): string[] {
  const members = membersOf(subject);
  if (members === null) return subject.verdict === "fail" ? ["failed"] : [];
  // A dossier's score says it already, and a badge has room for one remark.
  if (subject.kind === "dossier" || members.failed === 0) return [];
  if (selfReportedPart(subject).length > 0) return [];
  return [`${members.failed} of ${members.total} failed`];
}

function verdictHeadline(subject: ResultSubject, counts: Counts): string {
  const members = membersOf(subject);
  if (members !== null) {
    const noun = subject.kind === "dossier" ? "admission" : "document";
    return `Passed: ${members.passed} of ${plural(members.total, noun)}` +
      (members.failed === 0 ? "" : `, ${members.failed} failed`);
  }
  // A run has no floor to pass and nobody signed it: it is never headed like a signed result.
  if (subject.kind === "run") {
    return `${subject.outcome === "verified" ? "Replayed" : "Unreplayed"} · self-reported`;
  }
  const share = `${counts.passed} of ${counts.challenges}`;
  switch (subject.verdict) {
    case null:
      return `${share} passed`;
    case "pass":
      return `Passed: ${share}, ${counts.required} required`;
    case "fail":
      return `Failed: ${share}, ${counts.required} required`;
  }
}

function replayedHeadline(subject: ResultSubject, counts: Counts, replayed: boolean): string {
  const { answered, unreplayed } = counts;
  const noun = subject.kind === "run" ? "row" : "answer";
  // The headline of a run has no count.
  const score = subject.kind === "run" ? `: ${counts.passed} of ${counts.challenges} passed` : "";
  if (answered === 0 && unreplayed === 0) return "nothing was answered, so nothing was replayed";
  if (replayed) return `${answered === 1 ? "the" : "every"} ${noun} was replayed${score}`;
  return `${unreplayed} of ${plural(answered, noun)} unreplayed${score}`;
}

function floorOf({ policy, counts, kind }: ResultSubject, trust: Trust): string | null {
  if (policy == null || counts === null || kind !== "admission") return null;
  const name = trust.policies.get(policyHash(policy));
  return name === undefined
    ? `own floor: ${counts.required} of ${counts.challenges} required`
    : `floor ${name}`;
}

function sentenceOfResult(subject: ResultSubject, counts: Counts): string {
  const { kind, verdict } = subject;
  const members = membersOf(subject);
  const challenges = `${counts.passed} of ${plural(counts.challenges, "challenge")}`;
  if (members !== null && kind === "dossier") {
    const admissions = plural(members.total, "admission");
    return `Dossier: ${members.passed} of ${admissions} passed, with ${challenges}.`;
  }
  if (members !== null) {
    return `${plural(members.total, "document")} together: ${challenges} passed` +
      (members.failed === 0 ? "." : `, ${members.failed} of the documents failed.`);
  }
  const name = kindName(kind);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${challenges} passed` +
    (verdict === null
      ? "."
      : `, ${counts.required} required: ${verdict === "fail" ? "failed" : "passed"}.`);
}

function allReplayed({ kind }: ResultSubject, { answered }: Counts): string {
  const noun = kind === "run" ? "row" : "answer";
  switch (answered) {
    case 0:
      return "No challenge was answered.";
    case 1:
      return `The ${noun} was replayed.`;
    default:
      return `All ${answered} ${noun}s were replayed.`;
  }
}

/** What a reader must know whatever the outcome says. */
function caveats(subject: ResultSubject): string[] {
  const { kind, counts, outcome, observations } = subject;
  const said: string[] = [];
  if (counts !== null && counts.unreplayed > 0) {
    const one = counts.unreplayed === 1;
    said.push(
      `${plural(counts.unreplayed, kind === "run" ? "row" : "receipt")} unreplayed: ` +
        `${one ? "it rests" : "they rest"} on the ${
          kind === "run" ? "reporter" : "issuer"
        }'s word.`,
    );
  }
  if (outcome === "issuer-claimed" && observations.includes("pass-rests-on-issuer")) {
    said.push("Replay alone does not establish the pass.");
  }
  if (outcome !== "invalid" && observations.includes("unsigned")) said.push("Nobody signed it.");
  if (outcome !== "invalid" && observations.includes("partly-unsigned")) {
    said.push("Nobody signed a part of it.");
  }
  return said;
}

/** A label may be anything, so the title names the suite wherever it is established. */
function suiteSentence(subject: ResultSubject): string[] {
  return houseOrClankdar(subject) === null ? [] : [`Suite ${subject.suite}.`];
}
