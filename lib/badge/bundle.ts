/**
 * Several documents as one result: what the badge of a file with many receipts says. Source:
 * docs/architecture.md, "The report"; protocols spec 12.
 */
import { sha256Hex } from "../encoding/digest.ts";
import { reason } from "../protocol/reason.ts";
import { HOUSE_SUITE } from "../suites/suites.ts";
import type { Counts, Issuer, Reason, ReceiptReport, Report } from "../verify/report.ts";
import { isMending, rejectionKind } from "../words/rejection.ts";
import type { ReportSubject, ResultSubject } from "../words/subject.ts";

/** What a bundle needs to know of each document; a report has it. */
export type BundledReport = ReportSubject & Pick<Report, "sessionId" | "receipts">;

/**
 * The name of a set of documents: SHA-256 hex of their ids, each once, in order, one a line
 * (joined by line feeds, none at the end). Null when one of them has no id.
 */
export function bundleId(ids: readonly (string | null)[]): string | null {
  if (ids.some((id) => id === null)) return null;
  return sha256Hex([...new Set(ids)].sort().join("\n"));
}

/**
 * Sums up the reports of several documents. A document that comes twice counts once, and so does a
 * receipt that is also in its own admission. One document alone is that document. In this order:
 *
 * - `invalid` when a document is invalid: for the reason of the first one;
 * - no outcome when a check isn't finished;
 * - `invalid`, reason `conflicting`, when one issuer signed two different things about the same
 *   session or challenge: counting either would let it choose afterwards;
 * - otherwise what the documents are together, with the sums of all. The verdict is `pass` when all
 *   that have one passed, `fail` when all failed, else null.
 */
export function bundleOf(reports: readonly BundledReport[]): ResultSubject {
  const documents = distinct(reports);
  if (documents.length === 1) return documents[0]!;
  const counted = withoutRepeats(documents);
  const base: ResultSubject = {
    kind: "bundle",
    id: bundleId(documents.map(({ id }) => id)),
    outcome: "invalid",
    verdict: null,
    counts: null,
    reason: null,
    observations: observationsOf(documents),
    suite: suiteOf(documents),
    ...issuersOf(documents),
  };
  const invalid = invalidFirst(documents);
  if (documents.length === 0 || invalid.length > 0) {
    const [first] = invalid;
    return {
      ...base,
      reason: first === undefined
        ? reason("documents-empty", "there is no document in it")
        : first.reason,
      rejection: first === undefined ? "not-a-receipt" : rejectionKind(first),
      // What invalid documents say of themselves is no score, but what is unreplayed stays in sight.
      counts: unreplayedOnly(counted.reports),
    };
  }
  const unfinished = documents.filter(({ outcome }) => outcome === null);
  if (unfinished.length > 0) {
    return { ...base, outcome: null, reason: reasonOfUnfinished(unfinished) };
  }
  if (counted.conflict !== null) {
    return { ...base, reason: counted.conflict, counts: unreplayedOnly(counted.reports) };
  }
  const verdicts = new Set(counted.reports.flatMap(({ verdict }) => verdict ?? []));
  return {
    ...base,
    outcome: documents.every(({ outcome }) => outcome === "verified")
      ? "verified"
      : "issuer-claimed",
    verdict: verdicts.size === 1 ? [...verdicts][0]! : null,
    counts: sumOf(counted.reports),
    ...(counted.reports.length > 1 && {
      members: counted.reports.map(({ outcome, verdict }) => ({ outcome, verdict })),
    }),
  };
}

/** The documents that are rejected: forgeries first, and what is no receipt at all last. */
function invalidFirst(documents: readonly BundledReport[]): BundledReport[] {
  const order = ["forged", "unknown-suite", "unknown-protocol", "not-a-receipt"];
  return documents.filter(({ outcome }) => outcome === "invalid")
    .sort((a, b) => order.indexOf(rejectionKind(a)) - order.indexOf(rejectionKind(b)));
}

/** Documents without an id are nothing that could come twice. */
function distinct(reports: readonly BundledReport[]): BundledReport[] {
  const ids = new Set<string>();
  return reports.filter(({ id }) => {
    if (id === null) return true;
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

/** What the sums are about, and the first contradiction among the documents. */
interface Counted {
  reports: BundledReport[];
  conflict: Reason | null;
}

/**
 * Leaves out receipts about a challenge that was counted already, admissions first. Ids are unique
 * to an issuer only, so nothing of one issuer displaces anything of another.
 */
function withoutRepeats(documents: readonly BundledReport[]): Counted {
  const sessions = new Set<string>();
  const challenges = new Map<string, string>();
  const left = new Set<BundledReport>();
  let conflict: Reason | null = null;
  for (const report of documents.filter(({ kind }) => kind === "admission")) {
    if (report.issuer === null || report.sessionId === undefined) continue;
    const session = `${report.issuer.publicKey} ${report.sessionId}`;
    if (sessions.has(session)) {
      conflict ??= conflictAbout("different admissions of one session");
    }
    sessions.add(session);
    for (const row of report.receipts) challenges.set(keyOf(report.issuer, row), contentOf(row));
  }
  for (const report of documents.filter(({ kind }) => kind === "receipt")) {
    const [row] = report.receipts;
    if (report.issuer === null || row === undefined) continue;
    const key = keyOf(report.issuer, row);
    const known = challenges.get(key);
    if (known === undefined) {
      challenges.set(key, contentOf(row));
      continue;
    }
    left.add(report);
    if (known !== contentOf(row)) conflict ??= conflictAbout("different results of one challenge");
  }
  return { reports: documents.filter((report) => !left.has(report)), conflict };
}

function conflictAbout(what: string): Reason {
  return reason(
    "conflicting",
    `One key signed ${what}: the issuer contradicts itself, and none of them counts`,
  );
}

function keyOf({ publicKey }: Issuer, { challengeId }: ReceiptReport): string {
  return JSON.stringify([publicKey, challengeId]);
}

function contentOf({ cell, seed, response, expected, pass, outcome }: ReceiptReport): string {
  return JSON.stringify([cell, seed, response, expected, pass, outcome]);
}

/** `unsigned` is said of the whole only when it holds for every part. */
function observationsOf(documents: readonly BundledReport[]): string[] {
  const all = new Set(documents.flatMap(({ observations }) => observations));
  if (documents.some(({ observations }) => !observations.includes("unsigned"))) {
    if (all.delete("unsigned")) all.add("partly-unsigned");
  }
  return [...all];
}

/** The suite that all share. One document of the house suite, and the whole isn't Clankdar's. */
function suiteOf(documents: readonly BundledReport[]): string | null {
  const suites = new Set(documents.map(({ suite }) => suite));
  if (suites.has(HOUSE_SUITE)) return HOUSE_SUITE;
  return suites.size === 1 ? [...suites][0]! : null;
}

function issuersOf(documents: readonly BundledReport[]): Pick<ResultSubject, "issuer" | "issuers"> {
  const byKey = new Map(
    documents.flatMap(({ issuer }) => issuer === null ? [] : [[issuer.publicKey, issuer] as const]),
  );
  const issuers = [...byKey.values()];
  return { issuer: issuers.length === 1 ? issuers[0]! : null, issuers };
}

function reasonOfUnfinished(unfinished: readonly BundledReport[]): Reason | null {
  // One that time won't mend, and the whole will stay unfinished.
  return (unfinished.find(({ reason }) => !isMending(reason?.code ?? null)) ?? unfinished[0])
    ?.reason ?? null;
}

const NONE: Counts = {
  challenges: 0,
  answered: 0,
  passed: 0,
  required: 0,
  unreplayed: 0,
  replayedPasses: 0,
  formatOnly: 0,
};

/** Null when nothing in it is counted: a transparency log has no challenges. */
function sumOf(reports: readonly BundledReport[]): Counts | null {
  const all = reports.flatMap(({ counts }) => counts ?? []);
  if (all.length === 0) return null;
  return all.reduce((sum, counts) => ({
    challenges: sum.challenges + counts.challenges,
    answered: sum.answered + counts.answered,
    passed: sum.passed + counts.passed,
    required: sum.required + counts.required,
    unreplayed: sum.unreplayed + counts.unreplayed,
    replayedPasses: sum.replayedPasses + counts.replayedPasses,
    formatOnly: sum.formatOnly + counts.formatOnly,
  }), NONE);
}

function unreplayedOnly(reports: readonly BundledReport[]): Counts | null {
  const unreplayed = sumOf(reports)?.unreplayed ?? 0;
  return unreplayed === 0 ? null : { ...NONE, unreplayed };
}
