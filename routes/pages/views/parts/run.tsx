/** @jsxImportSource hono/jsx */
/** What a benchmark run's report says beyond other reports: rows by cell, lost and gained passes. */
import type { RunSummary } from "../../../../lib/verify/report.ts";
import { plural } from "../../../../lib/words/subject.ts";
import { type Level, Part } from "./section.tsx";
import { Table } from "./table.tsx";

/** Row keys that are listed by name; the number of the others is told. */
const LISTED = 20;

/** Names of the table's columns, and the members of a cell's tally that they show. */
const COLUMNS = [
  ["Rows", "rows"],
  ["Pass", "passed"],
  ["Format only", "formatOnly"],
  ["Replayed with tools", "replayed"],
  ["Unaided", "unaided"],
  ["Errors", "errors"],
] as const;

/** The section about a run. */
export function Run({ run, level }: { run: RunSummary; level: Level }) {
  return (
    <Part level={level} title="Rows by cell">
      <p>{summaryText(run)}</p>
      <Rows title="Recorded as passes, but not right" rows={run.lostPasses} />
      <Rows title="Right, but not recorded as passes" rows={run.gainedPasses} />
      <Table
        columns={["Cell", ...COLUMNS.map(([title]) => title)]}
        rows={run.cells.map((cell) => [
          <code>{cell.cell}</code>,
          ...COLUMNS.map(([, member]) => cell[member]),
        ])}
      />
    </Part>
  );
}

function summaryText({ tally }: RunSummary): string {
  const interval = tally.interval95?.map((share) => `${(share * 100).toFixed(1)} %`).join(" to ");
  return `${tally.passed} of ${plural(tally.n, "answered row")} pass` +
    (interval === undefined ? "" : ` (95 % interval: ${interval})`) +
    `. ${plural(tally.errors, "row")} ended in an error. All answers are the reporter's word.`;
}

function Rows({ title, rows }: { title: string; rows: readonly string[] }) {
  if (rows.length === 0) return null;
  const more = rows.length - LISTED;
  return (
    <p class="reason">
      {title}: {rows.slice(0, LISTED).map((row) => (
        <>
          <code>{row}</code>
          {" "}
        </>
      ))}
      {more > 0 && `and ${more} more`}
    </p>
  );
}
