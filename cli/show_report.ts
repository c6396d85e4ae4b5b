/**
 * A report for people reading a terminal.
 */
import { acceptanceOf, type Asked } from "../lib/verify/acceptance.ts";
import { policyHash } from "../lib/verify/registry.ts";
import { failureSentence, failureWords } from "../lib/words/requirements.ts";
import { printable } from "./printable.ts";
import type { Reason, ReceiptReport, Report, RunSummary } from "../lib/verify/report.ts";

const MARKS = {
  verified: "✓",
  "issuer-claimed": "?",
  invalid: "✗",
  unanswered: "–",
  unfinished: "…",
} as const;

const COLOURS = {
  verified: "32",
  "issuer-claimed": "33",
  invalid: "31",
  unanswered: "2",
  unfinished: "35",
} as const;

type Shown = keyof typeof MARKS;

/**
 * The report as text, ending in a blank line; `colour` for terminals.
 *
 * @param asked requirements to hold it against; null: none.
 */
export function showReport(report: Report, colour: boolean, asked: Asked | null = null): string {
  const paint = (shown: Shown, text: string) =>
    colour ? `\x1b[${COLOURS[shown]}m${text}\x1b[0m` : text;
  const shown = report.outcome ?? "unfinished";
  const lines = [`${paint(shown, `${MARKS[shown]} ${headline(report)}`)}  ${report.kind}`];
  const facts: [string, string | null | undefined][] = [
    ["reason", report.reason && showReason(report.reason)],
    ["id", report.id],
    ["suite", report.suite],
    ["policy", report.policy && policyHash(report.policy)],
    ["cells", report.policy?.cells.join(" ")],
    ["session", report.sessionId],
    ["context (claimed)", report.context],
    ["subject (claimed)", report.subject],
    ["subject key", report.subjectKey],
    ["issuer", report.issuer && showIssuer(report, asked)],
    ["decided", report.decidedAt],
    ["expires", report.expiresAt],
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

function headline({ kind, outcome, verdict, counts, reason }: Report): string {
  if (kind === "unknown" && outcome === "invalid") return "not a document";
  if (outcome === null) {
    const { code } = reason ?? { code: "unknown" };
    return `${code.startsWith("fetch-") ? "not fetched" : "not finished"} (${code})`;
  }
  if (outcome === "invalid" || counts === null) return outcome;
  const unreplayed = counts.unreplayed > 0 ? ` · ${counts.unreplayed} unreplayed` : "";
  const failed = verdict === "fail" ? " · failed" : "";
  return `${outcome} · ${counts.passed}/${counts.challenges} passed${failed}${unreplayed}`;
}

function row(receipt: ReceiptReport, paint: (shown: Shown, text: string) => string): string {
  const shown = receipt.outcome ?? "unfinished";
  const verdict = receipt.pass === null ? "" : receipt.pass ? "pass" : "fail";
  const answers = receipt.response === null
    ? ""
    : `${cut(receipt.response)}${receipt.pass ? "" : ` (expected ${cut(receipt.expected!)})`}`;
  const note = receipt.formatOnly ? "  right answer in the wrong format" : "";
  const why = receipt.reason ? `  ${showReason(receipt.reason)}` : "";
  const outcome = paint(shown, `${MARKS[shown]} ${shown.padEnd(14)}`);
  return `  ${outcome} ${printable(receipt.cell).padEnd(14)} ${
    verdict.padEnd(4)
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
    ? "; the one asked for"
    : "; NOT the one asked for";
  return `${publicKey} (${name}${other})`;
}

function showPools({ pools }: Report): string {
  return pools.map(({ poolKey, disclosed }) =>
    `${poolKey} (${disclosed ? "disclosed" : "not disclosed"})`
  ).join(", ");
}

function showEvaluator({ evaluator }: Report): string | null {
  if (evaluator === null) return null;
  if (evaluator.used === evaluator.pinned) return `${evaluator.used} (the one the suite pins)`;
  return `${evaluator.used} (Touchstone's own, in place of ${evaluator.pinned})`;
}

function cut(text: string): string {
  const flat = printable(text.replace(/\s+/g, " "));
  return flat.length <= 40 ? flat : `${flat.slice(0, 39)}…`;
}
