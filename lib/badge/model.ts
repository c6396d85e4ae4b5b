/**
 * What a badge says, as plain data that can be cloned to a worker. How it looks is up to the
 * renderers (svg.ts, png.ts, shields.ts), which add no words of their own. Source: design.md,
 * "Badge wording".
 */
import { HOUSE_SUITE } from "../suites/registry.ts";
import type { Acceptance as Met, Requirement } from "../verify/acceptance.ts";
import type { Counts, Issuer, Report } from "../verify/report.ts";
import type { Card } from "./card.ts";
import { drawableLabel } from "./text.ts";

export type { Requirement };

/**
 * What kind of news the badge brings. `pass`, `fail` and `partial` (some members of a whole passed,
 * others failed) are reserved for signed results that replay alone established: as soon as one
 * receipt is unreplayed the tone is `claimed`, whatever the verdict. `reported` is a replayed result
 * that nobody signed, `refused` one that isn't what was asked for.
 */
export type Tone =
  | "pass"
  | "partial"
  | "fail"
  | "claimed"
  | "reported"
  | "refused"
  | "invalid"
  | "neutral";

export interface Badge {
  /** Left side: the suite's family name, or what the embedder wants there. */
  label: string;
  /** Right side: the parts that stand on their own, in reading order. See {@link messageText}. */
  message: string[];
  tone: Tone;
  /** Accessible title: full sentences, with the unreplayed total when it is not zero. */
  title: string;
  /** The page that explains the badge, as a path within the service; null: there is none. */
  link: string | null;
  /** Receipts that rest on the issuer's word. Not zero: it is in `message` and `title` too. */
  unreplayed: number;
  /** True when the next request may well get another answer: such a badge must not be cached. */
  transient: boolean;
  /** What the style `card` draws besides; see `cardOf`. Without it a card has the title instead. */
  card?: Card;
}

/** Labels of badges for which none is asked: of Clankdar's suites, and of the house suite. */
export const OWN_LABELS = ["clankdar", "touchstone"] as const;

/** The message as one line: `3/4 passed · 2 unreplayed`. */
export function messageText(badge: Pick<Badge, "message">): string {
  return badge.message.join(" · ");
}

/** Label and message as one line, for `aria-label` and `alt`: `clankdar: 3/4 passed`. */
export function badgeText(badge: Pick<Badge, "label" | "message">): string {
  return `${badge.label}: ${messageText(badge)}`;
}

/** One admission of a dossier, or one document of a bundle. */
export type Member = Pick<Report, "outcome" | "verdict">;

/** What a badge needs of a report; the row of a stored result has it too. */
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
>;

/** What a badge is made of: a report, or several documents together. */
export interface BadgeSubject extends Omit<ReportSubject, "kind"> {
  kind: Report["kind"] | "bundle";
  /** The parts of a dossier or bundle, each once. */
  members?: readonly Member[];
  /** Of a bundle: everyone who signed a part of it. */
  issuers?: readonly Issuer[];
}

/** Whether a result is what the embedder asked for. */
export interface Acceptance extends Pick<Met, "accepted"> {
  failed: readonly Requirement[];
  /** What is wrong with the requirements themselves. */
  problem?: string;
}

export interface BadgeOptions {
  /** Replaces the label, unless it is blank; cut to 40 characters. */
  label?: string | undefined;
  /** Absent: nothing was asked for. */
  acceptance?: Acceptance | undefined;
  /** Whether the embedder named an issuer. */
  issuerAsked?: boolean | undefined;
  /** Whether issuers who aren't known here have a session of the same id. */
  othersHaveSession?: boolean | undefined;
}

/**
 * The badge of a result. Total: every subject yields a badge. The order of the parts is fixed:
 * result (or `not accepted` and the first requirement not met), then `failed`, `self-reported` or
 * `pool contradicts`, then the unreplayed count.
 */
export function badgeOf(subject: BadgeSubject, options: BadgeOptions = {}): Badge {
  const unreplayed = subject.counts?.unreplayed ?? 0;
  const said = say(subject, options.acceptance);
  return {
    // The house suite goes by its own name, never by Clankdar's.
    label: labelOf(options.label, subject.suite === HOUSE_SUITE ? OWN_LABELS[1] : OWN_LABELS[0]),
    message: unreplayed === 0 ? said.message : [...said.message, `${unreplayed} unreplayed`],
    tone: said.tone,
    title: [
      ...said.title,
      ...caveats(subject),
      ...signatures(subject, options),
      ...(options.othersHaveSession ? [OTHERS_HAVE_SESSION] : []),
    ].join(" "),
    link: subject.id === null ? null : `/r/${subject.id}`,
    unreplayed,
    transient: subject.outcome === null,
  };
}

const OTHERS_HAVE_SESSION =
  "Issuers who aren't known here have a session of this id, too; this is the known issuer's.";

/** What can be said where there is no result to show. */
export type Standing =
  | "checking"
  | "not found"
  | "unreachable"
  | "gone"
  | "ambiguous"
  | "conflicting";

const STANDING: Record<Standing, Pick<Badge, "tone" | "title" | "transient">> = {
  checking: {
    tone: "neutral",
    title: "This result is still being checked.",
    transient: true,
  },
  "not found": {
    tone: "neutral",
    title: "There is no such result here.",
    transient: true,
  },
  unreachable: {
    tone: "neutral",
    title: "The address of this result could not be reached, and no earlier result is known.",
    transient: true,
  },
  gone: {
    tone: "neutral",
    title: "This result was here once. Its document has been removed.",
    transient: false,
  },
  ambiguous: {
    tone: "neutral",
    title: "More than one issuer has a session of this id, so an issuer has to be named.",
    transient: false,
  },
  conflicting: {
    tone: "invalid",
    title: "Different admissions of this session are signed with one key: " +
      "the issuer contradicts itself, and none of them counts.",
    transient: false,
  },
};

/** The badge that stands where there is no result to show. */
export function standingBadge(
  standing: Standing,
  options: Pick<BadgeOptions, "label"> & { link?: string } = {},
): Badge {
  return {
    label: labelOf(options.label, OWN_LABELS[0]),
    message: [standing],
    ...STANDING[standing],
    link: options.link ?? null,
    unreplayed: 0,
  };
}

function labelOf(asked: string | undefined, own: string): string {
  return asked === undefined || asked.trim() === "" ? own : drawableLabel(asked);
}

type Said = Pick<Badge, "message" | "tone"> & { title: string[] };

function say(subject: BadgeSubject, acceptance: Acceptance | undefined): Said {
  switch (subject.outcome) {
    // Whether these are what was asked for doesn't matter any more, or can't be told yet.
    case null:
      return sayUnfinished(subject);
    case "invalid":
      return sayInvalid(subject);
    default: {
      const said = sayResult(subject);
      return acceptance === undefined || acceptance.accepted
        ? said
        : sayRefused(said, subject, acceptance);
    }
  }
}

/** `checking` promises news, so only what time alone can mend says so. */
function sayUnfinished({ kind, reason }: BadgeSubject): Said {
  const code = reason?.code ?? null;
  const mending = isMending(code);
  return {
    message: [mending ? "checking" : "not finished"],
    tone: "neutral",
    title: [
      mending
        ? `This ${nameOf(kind)} is still being checked${code === null ? "" : ` (${code})`}.`
        : `The check of this ${nameOf(kind)} could not be finished (${code}).`,
    ],
  };
}

/** Whether a check that came to no outcome for this reason may come to one by itself. */
export function isMending(code: string | null): boolean {
  return code === null || code === "budget-exceeded" || code === "checking";
}

function sayInvalid({ kind, reason, observations }: BadgeSubject): Said {
  if (reason?.code === "conflicting") {
    return { message: ["conflicting"], tone: "invalid", title: [`${reason.message}.`] };
  }
  const codes = [reason?.code, reason?.inner?.code].filter((code) => code !== undefined);
  const exposed = observations.includes("exposed");
  const title = [`This ${nameOf(kind)} is invalid${codes.length ? ` (${codes.join(": ")})` : ""}.`];
  if (exposed) title.push("The disclosed pool contradicts it.");
  return {
    message: exposed ? ["invalid", "pool contradicts"] : ["invalid"],
    tone: "invalid",
    title,
  };
}

/** How a requirement that isn't met is called, and what it means. */
const REFUSALS: Record<Requirement, [part: string, sentence: string]> = {
  invalid: ["invalid", "it is not a sound result."],
  issuer: ["other issuer", "it is not signed by the issuer asked for."],
  policy: ["other policy", "its policy is not the one asked for."],
  context: ["other context", "its context is not the one asked for."],
  session: ["other session", "its session is not the one asked for."],
  replayed: ["unreplayed", "part of it rests on the issuer's word."],
  stale: ["stale", "the time of its decision is not within the time asked for."],
};

function sayRefused(
  said: Said,
  { counts }: BadgeSubject,
  { failed, problem }: Acceptance,
): Said {
  const first = failed[0];
  const [part, sentence] = first === undefined ? [undefined, problem] : REFUSALS[first];
  // The count that follows says it already.
  const isSaid = first === "replayed" && (counts?.unreplayed ?? 0) > 0;
  return {
    message: part === undefined || isSaid ? ["not accepted"] : ["not accepted", part],
    tone: "refused",
    title: [`Not accepted${sentence === undefined ? "." : `: ${sentence}`}`, ...said.title],
  };
}

function sayResult(subject: BadgeSubject): Said {
  const { kind, counts, outcome } = subject;
  const replayed = outcome === "verified" && (counts?.unreplayed ?? 0) === 0;
  const tone = replayed ? toneOfReplayed(subject) : "claimed";
  // A transparency log holds no results: it can be sound, but nothing in it passes.
  if (counts === null) {
    const title = replayed ? "verified" : `only claimed by its ${voucherOf(subject)}`;
    return {
      message: [replayed ? "verified" : "issuer-claimed", ...selfReported(subject)],
      tone,
      title: [`This ${nameOf(kind)} is ${title}.`],
    };
  }
  const members = passedMembers(subject);
  const score = kind === "dossier" && members !== null
    ? `${members.passed}/${plural(members.total, "admission")} passed`
    : `${counts.passed}/${counts.challenges} passed`;
  return {
    message: [score, ...failures(subject), ...selfReported(subject)],
    tone,
    title: [
      sentenceOfResult(subject, counts),
      ...(replayed ? [allReplayed(counts)] : []),
    ],
  };
}

function toneOfReplayed(subject: BadgeSubject): Tone {
  if (selfReported(subject).length > 0) return "reported";
  const members = passedMembers(subject);
  if (members !== null && members.passed > 0 && members.failed > 0) return "partial";
  return subject.verdict ?? "neutral";
}

function passedMembers(
  { members }: BadgeSubject,
): { passed: number; failed: number; total: number } | null {
  if (members === undefined || members.length === 0) return null;
  const count = (verdict: Report["verdict"]) => members.filter((m) => m.verdict === verdict).length;
  return { passed: count("pass"), failed: count("fail"), total: members.length };
}

function failures(subject: BadgeSubject): string[] {
  const members = passedMembers(subject);
  if (members === null) return subject.verdict === "fail" ? ["failed"] : [];
  // A dossier's score says it already, and a badge has room for one remark.
  if (subject.kind === "dossier" || members.failed === 0) return [];
  if (selfReported(subject).length > 0) return [];
  return [`${members.failed} of ${members.total} failed`];
}

/** Nobody signs a run, so nobody but its reporter vouches for it. */
function selfReported({ kind, observations }: BadgeSubject): string[] {
  if (kind === "run" || observations.includes("unsigned")) return ["self-reported"];
  return observations.includes("partly-unsigned") ? ["partly self-reported"] : [];
}

function sentenceOfResult(subject: BadgeSubject, counts: Counts): string {
  const { kind, verdict } = subject;
  const members = passedMembers(subject);
  const challenges = `${counts.passed} of ${plural(counts.challenges, "challenge")}`;
  if (members !== null && kind === "dossier") {
    const admissions = plural(members.total, "admission");
    return `Dossier: ${members.passed} of ${admissions} passed, with ${challenges}.`;
  }
  if (members !== null) {
    return `${plural(members.total, "document")} together: ${challenges} passed` +
      (members.failed === 0 ? "." : `, ${members.failed} of the documents failed.`);
  }
  const name = nameOf(kind);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${challenges} passed` +
    (verdict === null
      ? "."
      : `, ${counts.required} required: ${verdict === "fail" ? "failed" : "passed"}.`);
}

function allReplayed({ answered }: Counts): string {
  switch (answered) {
    case 0:
      return "No challenge was answered.";
    case 1:
      return "The answer was replayed.";
    default:
      return `All ${answered} answers were replayed.`;
  }
}

/** What a reader must know whatever the outcome says. */
function caveats(subject: BadgeSubject): string[] {
  const { kind, counts, outcome, observations } = subject;
  const said: string[] = [];
  if (counts !== null && counts.unreplayed > 0) {
    said.push(
      `${plural(counts.unreplayed, kind === "run" ? "row" : "receipt")} unreplayed: ` +
        `${counts.unreplayed === 1 ? "it rests" : "they rest"} on the ${
          voucherOf(subject)
        }'s word.`,
    );
  }
  if (outcome === "issuer-claimed" && observations.includes("pass-rests-on-issuer")) {
    said.push("Replay alone does not establish the pass.");
  }
  if (outcome !== "invalid" && observations.includes("unsigned")) said.push("It is not signed.");
  if (outcome !== "invalid" && observations.includes("partly-unsigned")) {
    said.push("Part of it is not signed.");
  }
  return said;
}

function voucherOf({ kind }: BadgeSubject): string {
  return kind === "run" ? "reporter" : "issuer";
}

/** Keys that are named; of more, the number is told. */
const NAMED_KEYS = 3;

/** A good signature under an arbitrary key proves little, so whoever reads on learns whose it is. */
function signatures(
  { issuer, issuers = issuer === null ? [] : [issuer] }: BadgeSubject,
  { acceptance, issuerAsked = false }: BadgeOptions,
): string[] {
  const [only] = issuers;
  if (only === undefined) return [];
  const keys = issuers.slice(0, NAMED_KEYS).map(({ keyId }) => keyId).join(", ");
  const more = issuers.length - NAMED_KEYS;
  const all = `${issuers.length === 1 ? "key" : "keys"} ${keys}${
    more > 0 ? ` and ${more} more` : ""
  }`;
  if (issuerAsked) {
    const other = acceptance !== undefined && acceptance.failed.includes("issuer");
    return [other ? `Signed by ${all}.` : `Signed as asked for, by ${all}.`];
  }
  if (issuers.length === 1 && only.name !== undefined) return [`Signed by ${only.name} (${all}).`];
  return [`Signed by ${all}, not compared with a known issuer.`];
}

function nameOf(kind: BadgeSubject["kind"]): string {
  switch (kind) {
    case "tlog":
      return "transparency log";
    case "unknown":
      return "document";
    case "bundle":
      return "set of documents";
    default:
      return kind;
  }
}

function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
