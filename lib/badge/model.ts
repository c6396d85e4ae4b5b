/**
 * What a badge says, as plain data. How it looks is up to the renderers (svg.tsx, png.ts,
 * shields.ts), which add no words of their own. Source: design.md, "Badge wording".
 */
import { HOUSE_SUITE } from "../suites/registry.ts";
import type { Counts, Report } from "../verify/report.ts";

/**
 * What kind of news the badge brings. `pass` and `fail` are reserved for results that replay
 * alone established; as soon as one receipt is unreplayed the tone is `claimed`, whatever the
 * verdict.
 */
export type Tone = "pass" | "fail" | "claimed" | "invalid" | "neutral";

export interface Badge {
  /** Left side: the suite's family name. */
  label: string;
  /** Right side: the parts that stand on their own, in reading order. See {@link messageText}. */
  message: string[];
  tone: Tone;
  /** Accessible title: full sentences, with the unreplayed total when it is not zero. */
  title: string;
  /** Receipts that rest on the issuer's word. Not zero: it is in `message` and `title` too. */
  unreplayed: number;
  /** True when the next request may well get another answer: such a badge must not be cached. */
  transient: boolean;
}

/** The message as one line: `3/4 passed · 2 unreplayed`. */
export function messageText(badge: Pick<Badge, "message">): string {
  return badge.message.join(" · ");
}

/** Label and message as one line, for `aria-label` and `alt`: `clankdar: 3/4 passed`. */
export function badgeText(badge: Pick<Badge, "label" | "message">): string {
  return `${badge.label}: ${messageText(badge)}`;
}

/** What a badge is made of: a report has it, and so has the row of a stored result. */
export type BadgeSubject = Pick<
  Report,
  "kind" | "outcome" | "verdict" | "counts" | "reason" | "observations" | "suite"
>;

/**
 * The badge of a report. Total: every report yields a badge. The order of the parts is fixed:
 * result, then `failed` or `pool contradicts`, then the unreplayed count.
 */
export function badgeOf(report: BadgeSubject): Badge {
  const unreplayed = report.counts?.unreplayed ?? 0;
  const said = say(report);
  return {
    // The house suite goes by its own name, never by Clankdar's.
    label: report.suite === HOUSE_SUITE ? "touchstone" : "clankdar",
    message: unreplayed === 0 ? said.message : [...said.message, `${unreplayed} unreplayed`],
    tone: said.tone,
    title: [...said.title, ...caveats(report)].join(" "),
    unreplayed,
    transient: report.outcome === null,
  };
}

/** The badge of a result or document that this service doesn't have, or couldn't find. */
export function notFoundBadge(): Badge {
  return standing("not found", "There is no such result here.");
}

/** The badge of a check that is still under way, or whose document can't be reached right now. */
export function checkingBadge(): Badge {
  return standing("checking", "This result is still being checked.");
}

function standing(message: string, title: string): Badge {
  return {
    label: "clankdar",
    message: [message],
    tone: "neutral",
    title,
    unreplayed: 0,
    transient: true,
  };
}

type Said = Pick<Badge, "message" | "tone"> & { title: string[] };

function say(report: BadgeSubject): Said {
  switch (report.outcome) {
    case null:
      return sayUnfinished(report);
    case "invalid":
      return sayInvalid(report);
    default:
      return sayResult(report, report.outcome === "verified");
  }
}

/** `checking` promises news, so only what time alone can mend says so. */
function sayUnfinished({ kind, reason }: BadgeSubject): Said {
  const code = reason?.code ?? null;
  const mending = code === null || code === "budget-exceeded" || code === "checking";
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

function sayInvalid({ kind, reason, observations }: BadgeSubject): Said {
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

function sayResult({ kind, counts, verdict }: BadgeSubject, verified: boolean): Said {
  // A transparency log holds no results: it can be sound, but nothing in it passes.
  if (counts === null) {
    return {
      message: [verified ? "verified" : "issuer-claimed"],
      tone: verified ? "neutral" : "claimed",
      title: [`This ${nameOf(kind)} is ${verified ? "verified" : "only claimed by its issuer"}.`],
    };
  }
  const failed = verdict === "fail";
  const passed = `${counts.passed}/${counts.challenges} passed`;
  const name = nameOf(kind);
  const title = [
    `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${counts.passed} of ` +
    `${plural(counts.challenges, "challenge")} passed` +
    (verdict === null ? "." : `, ${counts.required} required: ${failed ? "failed" : "passed"}.`),
  ];
  if (verified && counts.unreplayed === 0) title.push(allReplayed(counts));
  return {
    message: failed ? [passed, "failed"] : [passed],
    tone: toneOfResult(verified && counts.unreplayed === 0, verdict),
    title,
  };
}

function toneOfResult(replayed: boolean, verdict: Report["verdict"]): Tone {
  if (!replayed) return "claimed";
  return verdict ?? "neutral";
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
function caveats({ counts, outcome, observations }: BadgeSubject): string[] {
  const said: string[] = [];
  if (counts !== null && counts.unreplayed > 0) {
    said.push(
      `${plural(counts.unreplayed, "receipt")} unreplayed: ` +
        `${counts.unreplayed === 1 ? "it rests" : "they rest"} on the issuer's word.`,
    );
  }
  if (outcome === "issuer-claimed" && observations.includes("pass-rests-on-issuer")) {
    said.push("Replay alone does not establish the pass.");
  }
  if (outcome !== "invalid" && observations.includes("unsigned")) said.push("It is not signed.");
  return said;
}

function nameOf(kind: Report["kind"]): string {
  switch (kind) {
    case "tlog":
      return "transparency log";
    case "unknown":
      return "document";
    default:
      return kind;
  }
}

function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
