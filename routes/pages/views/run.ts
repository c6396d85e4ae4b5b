/** What a benchmark run's report says beyond other reports: rows by cell, lost and gained passes. */
import { html } from "hono/html";
import type { RunSummary } from "../../../lib/verify/report.ts";
import type { Html } from "./layout.ts";
import { plural } from "./words.ts";

/** Row keys that are listed by name; of more, the number is told. */
const LISTED = 20;

/** The sections about a run. */
export function runHtml(run: RunSummary, heading: Html | string): Html {
  return html`
    <section>
      <${heading}>Rows by cell</${heading}>
    <p>${summaryText(run)}</p>
    ${rowsHtml("Recorded as passes, but not right", run.lostPasses)}
    ${rowsHtml("Right, but not recorded as passes", run.gainedPasses)}
    ${cellsHtml(run)}
    </section>
  `;
}

function summaryText({ tally }: RunSummary): string {
  const interval = tally.interval95?.map((share) => `${(share * 100).toFixed(1)} %`).join(" to ");
  return `${tally.passed} of ${plural(tally.n, "answered row")} pass` +
    (interval === undefined ? "" : ` (95 % interval: ${interval})`) +
    `. ${plural(tally.errors, "row")} ended in an error. All answers are the reporter's word.`;
}

function rowsHtml(title: string, rows: readonly string[]): Html {
  if (rows.length === 0) return html``;
  const more = rows.length - LISTED;
  return html`<p class="reason">${title}: ${
    rows.slice(0, LISTED).map((row) =>
      html`
        <code>${row}</code>
      `
    )
  }${more > 0 ? `and ${more} more` : ""}</p>`;
}

function cellsHtml({ cells }: RunSummary): Html {
  const columns = [
    ["Rows", "rows"],
    ["Pass", "passed"],
    ["Format only", "formatOnly"],
    ["Replayed with tools", "replayed"],
    ["Unaided", "unaided"],
    ["Errors", "errors"],
  ] as const;
  return html`
    <table role="table" class="stack">
      <thead role="rowgroup">
        <tr role="row">
        <th role="columnheader" scope="col">Cell</th>
        ${columns.map(([title]) => html`<th role="columnheader" scope="col">${title}</th>`)}
      </tr>
      </thead>
      <tbody role="rowgroup">${cells.map((cell) =>
        html`<tr role="row">
          <td role="cell" data-label="Cell"><code>${cell.cell}</code></td>
          ${
          columns.map(([title, member]) =>
            html`<td role="cell" data-label="${title}">${cell[member]}</td>`
          )
        }
        </tr>`
      )}</tbody>
    </table>
  `;
}
