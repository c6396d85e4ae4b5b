/**
 * A report for people reading a terminal.
 */
import { acceptanceOf, type Asked } from "../lib/trust/acceptance.ts";
import { policyHash } from "../lib/trust/registry.ts";
import type { Reason, ReceiptReport, Report, RunSummary } from "../lib/verify/report.ts";
import { VERSION } from "../lib/base/release.ts";
import { REVISION } from "../lib/verify/version.ts";
import { failureSentence, failureWords } from "../lib/words/requirements.ts";
import type { Trust } from "../lib/words/signer.ts";
import { type Statement, statementOf, type Tone } from "../lib/words/statement.ts";
import { printable } from "./printable.ts";

/** A sign and a colour (of terminals) for each tone; no two tones share a sign. */
const TONES: Readonly<Record<Tone, readonly [sign: string, colour: string]>> = {
  pass: ["✓", "32"],
  unvouched: ["◇", "36"],
  partial: ["◐", "33"],
  fail: ["✗", "31"],
  claimed: ["?", "33"],
  reported: ["○", "36"],
  refused: ["⊘", "31"],
  invalid: ["‼", "1;31"],
  foreign: ["∅", "35"],
  neutral: ["…", "2"],
};

interface ShowOptions {
  /** For terminals. */
  colour: boolean;
  /** Requirements to hold it against; null: none. */
  asked: Asked | null;
  trust: Trust;
  /** When it was checked, in milliseconds since 1970. */
  now: number;
}

type Paint = (colour: string, text: string) => string;

/** The report as text, ending in a blank line. */
export function showReport(report: Report & { source: string }, options: ShowOptions): string {
  const { asked, now } = options;
  const paint: Paint = (colour, text) => options.colour ? `\x1b[${colour}m${text}\x1b[0m` : text;
  const statement = statementFor(report, options);
  const lines = headLines(report, statement, paint);
  const facts: [string, string | null | undefined][] = [
    ["file", report.source === "-" ? "standard input" : report.source],
    ["outcome", report.outcome ?? "none: the check wasn't finished"],
    ["reason", report.reason && showReason(report.reason)],
    ["looks like", report.looksLike],
    ["id", report.id],
    ["suite", report.suite],
    ["policy", report.policy && policyHash(report.policy)],
    ["cells", report.policy?.cells.join(" ")],
    ["session", report.sessionId],
    ["context (claimed)", report.context],
    ["subject (claimed)", report.subject],
    ["subject key", report.subjectKey],
    ["issuer", report.issuer && showIssuer(report, asked)],
    [report.kind === "receipt" ? "answered" : "decided", saidByIssuer(report.decidedAt)],
    ["expires", report.expiresAt],
    [
      "checked",
      `${
        new Date(now).toISOString()
      }, by Touchstone ${VERSION}, revision ${REVISION} of the verifier`,
    ],
    ["pool", showPools(report)],
    ["evaluator", showEvaluator(report)],
    ["observations", report.observations.join(", ")],
  ];
  for (const [name, value] of facts) {
    if (value) lines.push(`  ${name.padEnd(18)}${printable(value)}`);
  }
  if (report.receipts.length > 0) lines.push("", ...report.receipts.map((r) => row(r, paint)));
  if (report.run) lines.push("", ...runTable(report.run));
  if (report.kind !== "run" && report.counts && report.counts.unreplayed > 0) {
    const { unreplayed, replayedPasses, required } = report.counts;
    lines.push(
      "",
      `  ${unreplayed} unreplayed: the puzzle is held out, so its score is the issuer's word until`,
      `  the pool is disclosed. Replay alone establishes ${replayedPasses} of ${required} required passes.`,
    );
  }
  const failed = report.checks.find((check) => check.status === "failed");
  if (failed) lines.push("", `  first failing check: ${failed.check}`);
  if (asked !== null) lines.push("", ...acceptanceLines(report, asked));
  return lines.join("\n") + "\n\n";
}

/** How many documents there were, and what became of them. */
export function showTotals(reports: readonly Report[]): string {
  const counts = new Map<string, number>();
  for (const { state } of reports.map((report) => statementOf(report))) {
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  return `${reports.length} documents: ${parts.join(", ")}\n`;
}

function statementFor(report: Report, { asked, trust, now }: ShowOptions): Statement {
  return statementOf(report, {
    trust,
    asker: "reader",
    ...(asked !== null && {
      acceptance: acceptanceOf(report, asked.requirements, now),
      issuerAsked: asked.requirements.issuers !== null,
    }),
  });
}

/** The verdict, then what was replayed, who signed and which floor it was. */
function headLines(
  { kind }: Report,
  { tone, state, headline }: Statement,
  paint: Paint,
): string[] {
  const { verdict, besides, replayed, signer, floor } = headline;
  const [sign, colour] = TONES[tone];
  const rest = [besides, replayed, signer, floor].filter((part) => part !== null);
  // What names a protocol and is no receipt is of no kind to a reader.
  const shown = kind === "unknown" || state === "not-a-receipt" ? "" : `  ${kind}`;
  return [
    `${paint(colour, `${sign} ${printable(verdict)}`)}${shown}`,
    ...(rest.length === 0 ? [] : [`  ${printable(rest.join(" · "))}`]),
  ];
}

function saidByIssuer(time: string | undefined): string | undefined {
  return time && `${time} (the issuer's word)`;
}

/** Sign and word of a challenge: passed or failed first, then how far that was checked. */
function rowState({ outcome, pass }: ReceiptReport): [tone: Tone, word: string] | null {
  if (outcome === "unanswered") return null;
  if (outcome === "invalid") return ["invalid", "invalid"];
  if (outcome === null) return ["neutral", "unfinished"];
  const word = pass ? "pass" : "fail";
  if (outcome === "issuer-claimed") return ["claimed", word];
  return [pass ? "pass" : "fail", word];
}

function row(receipt: ReceiptReport, paint: Paint): string {
  const state = rowState(receipt);
  const cell = printable(receipt.cell).padEnd(14);
  if (state === null) return `  ${paint("2", "– unanswered")}  ${cell}`;
  const [tone, word] = state;
  const [sign, colour] = TONES[tone];
  const answers = receipt.response === null
    ? ""
    : `${cut(receipt.response)}${receipt.pass ? "" : ` (expected ${cut(receipt.expected!)})`}`;
  const note = receipt.formatOnly ? "  right answer in the wrong format" : "";
  const why = receipt.reason ? `  ${printable(showReason(receipt.reason))}` : "";
  const outcome = receipt.outcome === "issuer-claimed" ? "unreplayed" : receipt.outcome ?? "";
  return `  ${paint(colour, `${sign} ${word.padEnd(10)}`)}  ${cell} ${
    (outcome === word ? "" : outcome).padEnd(10)
  }  ${answers}${note}${why}`;
}

function runTable(run: RunSummary): string[] {
  const columns = ["rows", "passed", "formatOnly", "replayed", "unaided", "errors"] as const;
  const heads = ["rows", "pass", "format-only", "replayed", "unaided", "errors"];
  const line = (name: string, cells: (string | number)[]) =>
    `  ${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(12)).join("")}`;
  const { tally, lostPasses, gainedPasses } = run;
  const interval = tally.interval95?.map(percent).join(" to ");
  return [
    `  ${tally.passed} of ${tally.n} answered rows pass` +
    (interval === undefined ? "" : ` (95 % interval: ${interval})`) +
    `; ${tally.errors} errors. The run is unsigned: its answers are the reporter's word.`,
    ...[["lost passes", lostPasses], ["gained passes", gainedPasses]].flatMap(([name, rows]) =>
      rows!.length === 0 ? [] : [`  ${name}: ${few(rows as string[])}`]
    ),
    "",
    line("cell", heads),
    ...run.cells.map((cell) => line(cell.cell, columns.map((column) => cell[column]))),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** At most ten names, and how many more there are. */
function few(names: readonly string[]): string {
  const more = names.length - 10;
  return printable(names.slice(0, 10).join(" ")) + (more > 0 ? ` and ${more} more` : "");
}

function showReason(reason: Reason): string {
  const innermost = reason.inner ?? reason;
  const codes = reason.inner ? `${reason.code} › ${reason.inner.code}` : reason.code;
  return `${codes}: ${innermost.message}${innermost.path && ` (${innermost.path})`}`;
}

/** Accepted or not, and for each requirement that isn't met why. */
function acceptanceLines(report: Report, { requirements, now }: Asked): string[] {
  const { accepted, failed } = acceptanceOf(report, requirements, now);
  if (accepted) return ["  accepted: it meets every requirement"];
  const words = failed.map((name) => failureWords(name, report, requirements)).join(" · ");
  return [
    `  NOT accepted: ${words}`,
    ...failed.map((name) => `    ${failureSentence(name, report, requirements, now)}`),
  ];
}

function showIssuer({ issuer }: Report, asked: Asked | null): string {
  const { publicKey, name = "not a known issuer" } = issuer!;
  const wanted = asked?.requirements.issuers ?? null;
  const other = wanted === null
    ? ""
    : wanted.some((one) => one.publicKey === publicKey)
    ? "; the issuer you asked for"
    : "; NOT the issuer you asked for";
  return `${publicKey} (${name}${other})`;
}

function showPools({ pools }: Report): string {
  return pools.map(({ poolKey, disclosed }) =>
    `${poolKey} (${disclosed ? "disclosed" : "not disclosed"})`
  ).join(", ");
}

function showEvaluator({ evaluator }: Report): string | null {
  if (evaluator === null) return null;
  if (evaluator.used === evaluator.pinned) return `${evaluator.used}, the one that the suite pins`;
  return `the suite pins ${evaluator.pinned}; the replay used Touchstone's own, ${evaluator.used}, ` +
    "which is written to give the same results";
}

function cut(text: string): string {
  const flat = printable(text.replace(/\s+/g, " "));
  return flat.length <= 40 ? flat : `${flat.slice(0, 39)}…`;
}
