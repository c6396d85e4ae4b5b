/**
 * What a result says: one statement for badge, page and command line, so that no two of them can
 * disagree. Three things are always apart: did it pass, how much was replayed, who says so.
 * Source: docs/architecture.md, "Badge wording".
 */
import type { Requirement } from "../trust/acceptance.ts";
import { policyHash } from "../trust/registry.ts";
import type { Counts } from "../verify/report.ts";
import { houseOrClankdar } from "./label.ts";
import { isSelfReported, outcomeWord, rejectionOf, selfReportedPart } from "./rejection.ts";
import { FAILURE_WORDS, REFUSALS } from "./requirements.ts";
import {
  type Asker,
  isRevoked,
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
import type { State, Tone } from "./state.ts";
import { type AskedAcceptance, kindName, plural, type ResultSubject } from "./subject.ts";

export type { State, Tone };

/** The first lines of a page or of a command's answer. */
interface Headline {
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
  /** Whether issuers who aren't known here have a session of the same id. */
  othersHaveSession?: boolean | undefined;
  /** Further sentences for the title, such as why a label was refused. */
  notes?: readonly string[] | undefined;
}

const OTHERS_HAVE_SESSION =
  "Issuers who aren't known here have a session of this id, too; this is the known issuer's.";

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
    ...(options.othersHaveSession ? [OTHERS_HAVE_SESSION] : []),
    ...(seen === undefined ? [] : [`What its address gives was ${seen}, and not since.`]),
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
  // Whatever a file that nobody signed says of an issuer, it is nobody's word.
  const signers = isSelfReported(subject)
    ? []
    : signersOf(subject, trust, issuerAsked && isMet(acceptance, "issuer"));
  const said = sayResult(subject, signers, trust, asker);
  return acceptance === undefined || acceptance.accepted
    ? said
    : sayRefused(said, subject, acceptance);
}

function isMet(acceptance: AskedAcceptance | undefined, requirement: "issuer"): boolean {
  return acceptance !== undefined && acceptance.problem === undefined &&
    !acceptance.failed.includes(requirement);
}

function sayResult(
  subject: ResultSubject,
  signers: Signer[],
  trust: Trust,
  asker: Asker,
): Said {
  const { counts, outcome } = subject;
  const replayed = isReplayed(subject);
  const selfReported = selfReportedPart(subject);
  const nobody = nobodyPart(subject, signers);
  const base = {
    tone: replayed ? toneOfReplayed(subject, signers) : "claimed" as const,
    state: outcome as "verified" | "issuer-claimed",
    signer: [...signerParts(signers), ...nobody, ...selfReported],
    signers,
  };
  const signer = isSelfReported(subject)
    ? "self-reported: nobody signed it"
    : signerHeadline(signers, asker) ?? nobody[0] ?? null;
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
      ...(nobody.length > 0 ? ["No issuer is known to have signed it."] : []),
    ],
    headline: {
      verdict: verdictHeadline(subject, counts),
      besides: null,
      replayed: replayedHeadline(subject, counts),
      signer,
      floor: floorOf(subject, trust),
    },
  };
}

/**
 * The signer's part where no signer is established: anybody may have made the result. An unsigned run
 * says `self-reported` instead.
 */
function nobodyPart(subject: ResultSubject, signers: readonly Signer[]): string[] {
  return signers.length === 0 && subject.counts !== null && !isSelfReported(subject)
    ? ["unknown issuer"]
    : [];
}

function toneOfReplayed(subject: ResultSubject, signers: readonly Signer[]): Tone {
  if (selfReportedPart(subject).length > 0) return "reported";
  if (signers.some(isRevoked)) return "refused";
  const members = membersOf(subject);
  if (members !== null && members.passed > 0 && members.failed > 0) return "partial";
  if (subject.verdict === "fail") return "fail";
  if (subject.verdict === null) return "neutral";
  return signers.length > 0 && signers.every(isVouched) ? "pass" : "unvouched";
}

function sayRefused(
  said: Said,
  { counts }: ResultSubject,
  acceptance: AskedAcceptance,
): Said {
  const { why, sentence, first } = refusalOf(acceptance, said.signers);
  // The parts that follow say it already.
  const isSaid = first === "replayed" && (counts?.unreplayed ?? 0) > 0 ||
    why !== null && said.signer.includes(why);
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

/** Why a result isn't accepted: in a few letters, and as the rest of a sentence. */
interface Refusal {
  first: Requirement | null;
  why: string | null;
  sentence: string | null;
}

/** Why nothing is accepted by a link whose requirements can't be read, whatever it leads to. */
export const BAD_LINK = {
  why: "bad link",
  sentence: (problem: string) =>
    `the link asks for something that can't be understood (${problem}).`,
};

function refusalOf({ failed, problem }: AskedAcceptance, signers: readonly Signer[]): Refusal {
  if (problem !== undefined) {
    return { first: null, why: BAD_LINK.why, sentence: BAD_LINK.sentence(problem) };
  }
  const [first = null] = failed;
  if (first === null) return { first, why: null, sentence: null };
  // The issuer that was asked for may well have this key; nothing that it signs counts.
  if (first === "issuer" && signers.length > 0 && signers.every(isRevoked)) {
    return { first, why: "issuer revoked", sentence: "the key that signed it is revoked." };
  }
  return { first, why: FAILURE_WORDS[first], sentence: REFUSALS[first] };
}

function pageTitleOf(subject: ResultSubject, said: Said): string {
  const { verdict, besides } = said.headline;
  const signer = said.signer.length > 0 ? said.signer : [signerShort(said.signers)];
  return [
    verdict,
    besides,
    isSound(subject) ? replayedShort(subject) : null,
    // The headline of what nobody signed says so itself.
    ...(isSelfReported(subject) ? [] : signer),
  ].filter((part) => part !== null).join(" · ");
}

function isSound({ outcome }: ResultSubject): boolean {
  return outcome === "verified" || outcome === "issuer-claimed";
}

/** Whether all that was answered was replayed. A report that contradicts itself is no such thing. */
function isReplayed({ outcome, counts }: ResultSubject): boolean {
  return outcome === "verified" && (counts?.unreplayed ?? 0) === 0;
}

/** How much was replayed, in the title of a page. */
function replayedShort(subject: ResultSubject): string | null {
  const { counts } = subject;
  if (counts === null) return null;
  if (counts.unreplayed > 0) return `${counts.unreplayed} unreplayed`;
  // The headline says it.
  if (isSelfReported(subject)) return null;
  if (!isReplayed(subject)) return "not all replayed";
  return counts.answered === 0 ? "nothing answered" : "every answer replayed";
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
  const share = `${counts.passed} of ${counts.challenges}`;
  if (isSelfReported(subject)) {
    return `${isReplayed(subject) ? "Replayed" : "Unreplayed"} · self-reported: ${share} passed`;
  }
  const members = membersOf(subject);
  if (members !== null) return verdictOfMembers(subject, members, share);
  switch (subject.verdict) {
    case null:
      return `${share} passed`;
    case "pass":
      return `Passed: ${share}, ${counts.required} required`;
    case "fail":
      return `Failed: ${share}, ${counts.required} required`;
  }
}

function verdictOfMembers(
  { kind }: ResultSubject,
  { passed, failed, total }: Members,
  share: string,
): string {
  const all = plural(total, kind === "dossier" ? "admission" : "document");
  if (failed > 0 && passed === 0) return `Failed: ${failed} of ${all}`;
  if (failed > 0) return `Partly passed: ${passed} of ${all}, ${failed} failed`;
  // A part without a floor has nothing to pass.
  return passed === total ? `Passed: ${passed} of ${all}` : `${share} passed`;
}

function replayedHeadline(subject: ResultSubject, { answered, unreplayed }: Counts): string {
  const noun = isSelfReported(subject) ? "row" : "answer";
  if (unreplayed > 0) return `${unreplayed} of ${plural(answered, noun)} unreplayed`;
  if (answered === 0) return "nothing was answered, so nothing was replayed";
  if (!isReplayed(subject)) return `not every ${noun} could be replayed`;
  return answered === 1 ? `the ${noun} was replayed` : `every ${noun} was replayed`;
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
