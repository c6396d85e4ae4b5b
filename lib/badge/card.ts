/**
 * What the style `card` says besides what every badge says, as plain data. Source: docs/architecture.md,
 * "Badge wording".
 */
import { parseTimestamp } from "../encoding/timestamp.ts";
import type { RunCell } from "../protocol/run.ts";
import type { Counts, ReceiptReport, Report, RunSummary } from "../verify/report.ts";
import { type Statement, statementOf } from "../words/statement.ts";
import { kindName } from "../words/subject.ts";
import {
  type Badge,
  type BadgeOptions,
  badgeSaying,
  type BadgeSubject,
  type Member,
} from "./model.ts";
import type { Card, CardMark, MarkState, Picture } from "./card_data.ts";
import { shorten } from "./text.ts";

/** What a card is made of: a report has it, and so has a bundle. */
export interface CardSubject extends BadgeSubject {
  receipts?: readonly Pick<ReceiptReport, "cell" | "pass" | "outcome">[] | undefined;
  run?:
    | Pick<RunSummary, "adapter"> & { cells: readonly Pick<RunCell, "passed" | "rows">[] }
    | undefined;
  decidedAt?: string | undefined;
  expiresAt?: string | undefined;
}

/** What a card needs of a report, without the long texts: to be kept, or sent to a worker. */
export function cardSubject(report: Report): CardSubject {
  const { id, kind, outcome, verdict, counts, reason, observations, suite, issuer } = report;
  const { policy, receipts, run, decidedAt, expiresAt } = report;
  return {
    ...{ id, kind, outcome, verdict, counts, reason, observations, suite, issuer },
    ...{ policy, decidedAt, expiresAt },
    receipts: receipts.map(({ cell, pass, outcome }) => ({ cell, pass, outcome })),
    run: run && {
      adapter: run.adapter,
      cells: run.cells.map(({ passed, rows }) => ({ passed, rows })),
    },
  };
}

/** Most marks and columns that stand in one row. */
const MARKS = 16;
const COLUMNS = 40;

/** Longest text of others' that is shown, in characters: an invalid document may name any suite. */
const MAX_WORDS = 32;

/** The badge of a result with all that a card draws. Total, as {@link badgeOf}. */
export function cardOf(subject: CardSubject, options: BadgeOptions = {}): Badge {
  const statement = statementOf(subject, options);
  const badge = badgeSaying(statement, subject, options.label);
  const picture = pictureOf(subject);
  return {
    ...badge,
    card: {
      subject: subject.suite === null
        ? nameOf(subject)
        : `${nameOf(subject)} · ${shorten(subject.suite, MAX_WORDS)}`,
      facts: [
        noteOf(subject, statement),
        membersText(subject),
        // Where it isn't met, or nothing is.
        statement.state === "not-accepted" || subject.outcome === "invalid"
          ? null
          : policyText(subject, statement),
        dateText(subject),
      ].filter((fact) => fact !== null),
      picture,
      legend: picture === null ? [] : legendOf(subject, picture),
      issuer: statement.headline.signer,
    },
  };
}

function nameOf({ kind, members }: CardSubject): string {
  if (kind !== "bundle") return kindName(kind);
  return members === undefined ? "documents" : `${members.length} documents`;
}

/** A dossier's score says it already. */
function membersText({ kind, members }: CardSubject): string | null {
  if (kind !== "bundle" || members === undefined) return null;
  const passed = members.filter(({ verdict }) => verdict === "pass").length;
  return `${passed} of ${members.length} documents passed`;
}

function policyText({ run }: CardSubject, { headline }: Statement): string | null {
  // Nobody signs a run, so whose answers they are is its reporter's claim.
  if (run !== undefined) return `says it is ${shorten(run.adapter, MAX_WORDS)}`;
  return headline.floor;
}

function noteOf({ outcome, reason }: CardSubject, { headline }: Statement): string | null {
  if (headline.besides !== null) return headline.besides;
  if (outcome === "verified" || outcome === "issuer-claimed" || reason === null) return null;
  return [reason.code, reason.inner?.code].filter((code) => code !== undefined).join(": ");
}

function pictureOf(subject: CardSubject): Picture | null {
  return ofMembers(subject) ?? ofReceipts(subject) ?? ofCells(subject) ?? ofCounts(subject);
}

/** A mark for each challenge, if these are all there are and add up to the counts. */
function ofReceipts({ outcome, counts, receipts = [] }: CardSubject): Picture | null {
  if (receipts.length === 0 || receipts.length > MARKS) return null;
  const sound = outcome === "verified" || outcome === "issuer-claimed";
  const marks = receipts.map((row, index) => ({
    state: stateOf(row, sound),
    name: shortName(row.cell, receipts[index - 1]?.cell),
  }));
  const picture: Picture = { kind: "marks", marks };
  return !sound || (counts !== null && addsUp(marks, counts)) ? picture : null;
}

/** `h:algal:t2` after another cell of that family is `h:t2`. */
function shortName(cell: string, before: string | undefined): string {
  const parts = cell.split(":");
  const family = parts.at(-2);
  return family !== undefined && before?.split(":").at(-2) === family
    ? parts.filter((part) => part !== family).join(":")
    : cell;
}

function stateOf(
  { outcome, pass }: Pick<ReceiptReport, "outcome" | "pass">,
  sound: boolean,
): MarkState {
  switch (outcome) {
    case "invalid":
    case "unanswered":
      return outcome;
    case "issuer-claimed":
      return pass === true ? "unreplayed" : "unreplayed-failed";
    case "verified":
      // What is right by itself doesn't count in a document that is not.
      if (!sound) return "void";
      return pass === true ? "passed" : "failed";
    case null:
      return "void";
  }
}

function addsUp(marks: readonly CardMark[], counts: Counts): boolean {
  const count = (...states: MarkState[]) => marks.filter((m) => states.includes(m.state)).length;
  return marks.length === counts.challenges && count("passed") === counts.replayedPasses &&
    count("unreplayed", "unreplayed-failed") === counts.unreplayed &&
    count("unanswered") === counts.challenges - counts.answered && count("invalid", "void") === 0;
}

function ofMembers({ members = [] }: CardSubject): Picture | null {
  if (members.length === 0 || members.length > MARKS) return null;
  return {
    kind: "marks",
    marks: members.map((member) => ({ state: stateOfMember(member), name: null })),
  };
}

function stateOfMember({ outcome, verdict }: Member): MarkState {
  if (outcome === "invalid") return "invalid";
  if (outcome === null || verdict === null) return "void";
  if (outcome === "issuer-claimed") return verdict === "pass" ? "unreplayed" : "unreplayed-failed";
  return verdict === "pass" ? "passed" : "failed";
}

/** Only what was replayed has columns: their height says what share passed. */
function ofCells({ outcome, counts, run }: CardSubject): Picture | null {
  if (outcome !== "verified" || counts === null || counts.unreplayed > 0) return null;
  if (run === undefined || run.cells.length < 2 || run.cells.length > COLUMNS) return null;
  return {
    kind: "columns",
    columns: run.cells.map(({ passed, rows }) => ({ passed, total: rows })),
  };
}

function ofCounts({ outcome, counts }: CardSubject): Picture | null {
  if (counts === null || outcome === null || outcome === "invalid") return null;
  const { challenges, answered, replayedPasses, unreplayed } = counts;
  // The rows of a run that ended in an error are unreplayed too when none is replayed.
  const failed = Math.max(0, answered - replayedPasses - unreplayed);
  const shares: { state: MarkState; count: number }[] = [
    { state: "passed", count: replayedPasses },
    { state: "unreplayed", count: unreplayed },
    { state: "failed", count: failed },
    { state: "unanswered", count: challenges - replayedPasses - unreplayed - failed },
  ];
  if (challenges === 0 || shares.some(({ count }) => count < 0)) return null;
  return { kind: "shares", shares: shares.filter(({ count }) => count > 0) };
}

/** What the state of a challenge is called; the two kinds of unreplayed are one number everywhere. */
const STATES: Record<MarkState, string> = {
  passed: "passed",
  failed: "failed",
  unreplayed: "unreplayed",
  "unreplayed-failed": "unreplayed",
  unanswered: "unanswered",
  invalid: "invalid",
  void: "not counted",
};

/** The same for a member of a whole: only some of its receipts may be unreplayed. */
const MEMBER_STATES: Record<MarkState, string> = {
  ...STATES,
  unreplayed: "with unreplayed receipts",
  "unreplayed-failed": "with unreplayed receipts",
  void: "without a verdict",
};

function legendOf(subject: CardSubject, picture: Picture): Card["legend"] {
  if (picture.kind === "columns") {
    return [{ state: "passed", text: `share passed in each of ${picture.columns.length} cells` }];
  }
  const parts = picture.kind === "shares"
    ? picture.shares
    : picture.marks.map(({ state }) => ({ state, count: 1 }));
  const names = picture.kind === "marks" && subject.members !== undefined ? MEMBER_STATES : STATES;
  const sums = new Map<string, { state: MarkState; count: number }>();
  for (const { state, count } of parts) {
    const text = names[state];
    const sum = sums.get(text);
    if (sum === undefined) sums.set(text, { state, count });
    else sum.count += count;
  }
  return [...sums].map(([text, { state, count }]) => ({ state, text: `${count} ${text}` }));
}

function dateText({ decidedAt, expiresAt, kind }: CardSubject): string | null {
  const text = decidedAt ?? (kind === "receipt" ? expiresAt : undefined);
  const time = text === undefined ? null : parseTimestamp(text);
  if (time === null) return null;
  const day = new Date(time).toISOString().slice(0, 10);
  return decidedAt === undefined ? `due ${day}` : day;
}
