/** The challenges of a document as a table: pass or fail first, how it is known second. */
import { html } from "hono/html";
import type { Reason, ReceiptReport, Report } from "../../../lib/verify/report.ts";
import type { Html } from "./layout.ts";
import { stateHtml } from "./marks.ts";

/** Characters of a response that are shown. */
const SHOWN = 600;

/**
 * The section with the table; nothing where the document shows no challenge.
 *
 * @param trusted whether a pass may be green.
 */
export function challengesHtml(
  { receipts }: Report,
  trusted: boolean,
  heading: Html | string,
): Html {
  if (receipts.length === 0) return html``;
  const hasReasons = receipts.some(({ reason }) => reason !== null);
  const columns = ["Result", "Cell", "Seed", "Response", "Expected"];
  if (hasReasons) columns.push("Reason");
  return html`
    <section>
      <${heading}>Challenges</${heading}>
    <table role="table" class="stack${trusted ? " trusted" : ""}">
    <thead role="rowgroup"><tr role="row">${columns.map((name) =>
      html`<th role="columnheader" scope="col">${name}</th>`
    )}</tr></thead>
    <tbody role="rowgroup">
    ${receipts.map((receipt) => challengeHtml(receipt, hasReasons))}
    </tbody>
    </table>
    </section>
  `;
}

function challengeHtml(receipt: ReceiptReport, hasReasons: boolean): Html {
  const { cell, seed, response, expected, outcome, reason, pass, formatOnly } = receipt;
  return html`
    <tr role="row">
      <td role="cell" data-label="Result">${stateHtml(
        { outcome, pass, code: reason?.code },
        formatOnly ? ["right, in the wrong format"] : [],
      )}</td>
      <td role="cell" data-label="Cell"><code><bdi>${cell}</bdi></code></td>
      <td role="cell" data-label="Seed">${seed === null ? dash() : html`<code>${seed}</code>`}</td>
      <td role="cell" data-label="Response">
        <div>${quoted(response)}</div>
      </td>
      <td role="cell" data-label="Expected">
        <div>${quoted(expected)}</div>
      </td>
      ${hasReasons ? reasonCell(reason) : ""}
    </tr>
  `;
}

function reasonCell(reason: Reason | null): Html {
  return html`<td role="cell" data-label="Reason">${
    reason === null
      ? dash()
      : html`<div><span class="because">${reason.message}</span> ${codeHtml(reason)}</div>`
  }</td>`;
}

/** `receipt-invalid at receipts[2], because prompt-mismatch at receipts[2].challenge.prompt`. */
export function codeHtml(reason: Reason): Html {
  const where = reason.path === "" ? "" : html`<span> at <code>${reason.path}</code></span>`;
  const inner = reason.inner === undefined ? "" : html`, because ${codeHtml(reason.inner)}`;
  return html`<span class="codes"><code>${reason.code}</code>${where}${inner}</span>`;
}

function dash(): Html {
  return html`<span class="none" aria-label="none">–</span>`;
}

/** A stranger's text: its direction and its length stay its own affair. */
function quoted(text: string | null): Html {
  if (text === null) return dash();
  const cut = text.length > SHOWN;
  return html`<bdi class="quoted">${text.slice(0, SHOWN)}</bdi>${
    cut ? html`<span class="cut">… ${text.length} characters in all</span>` : ""
  }`;
}
