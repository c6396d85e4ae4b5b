/** Stored results as a table. */
import { html } from "hono/html";
import type { ResultRow } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { Html } from "./layout.ts";
import { stateHtml } from "./marks.ts";
import { isAfter, timeHtml } from "./time.ts";
import { kindText } from "./words.ts";

/** What is said beside the rows of certain issuers; by whole public key. */
export type IssuerNotes = ReadonlyMap<string, Html>;

/**
 * The table of the results under a pool; badges are images, so that they are drawn by whoever looks.
 *
 * @param firstSeen ISO 8601: when this service first saw the pool.
 */
export function rowsHtml(
  site: Site,
  rows: readonly ResultRow[],
  firstSeen: string,
  notes: IssuerNotes,
): Html {
  const columns = ["Badge", "Result", "Issuer", "Decided", "Document"];
  return html`
    <table role="table" class="stack">
      <thead role="rowgroup">
        <tr role="row">${columns.map((name) =>
          html`
            <th role="columnheader" scope="col">${name}</th>
          `
        )}</tr>
      </thead>
      <tbody role="rowgroup">
      ${rows.map((row) => rowHtml(site, row, firstSeen, notes))}
      </tbody>
    </table>
  `;
}

function rowHtml(site: Site, row: ResultRow, firstSeen: string, notes: IssuerNotes): Html {
  const current = row.state === "current" ? row : null;
  const issuer = current?.issuer ?? null;
  const exposed = current?.observations.includes("exposed") ?? false;
  const outcome = current?.outcome ?? "checking";
  return html`
    <tr role="row">
      <td role="cell"
        data-label="Badge"><a href="${site.path}/r/${row
          .id}"><img src="${site.path}/badge/${row.id}.svg" alt="Result ${row.id.slice(
            0,
            8,
          )}: ${outcome}" height="20"></a></td>
      <td role="cell" data-label="Result">${resultHtml(current, exposed)}</td>
      <td role="cell" data-label="Issuer">
        <div>${issuer === null
          ? html`<span class="none">–</span>`
          : html`${issuer.name ?? ""} <code class="whole">${issuer.publicKey}</code>${
            notes.get(
              issuer.publicKey,
            ) ?? ""
          }`}</div>
      </td>
      <td role="cell" data-label="Decided">
        <div>${decidedHtml(
          current?.decidedAt ?? null,
          firstSeen,
        )}</div>
      </td>
      <td role="cell"
        data-label="Document"><a href="${site.path}/r/${row.id}"><code>${row.id.slice(
          0,
          12,
        )}…</code></a></td>
    </tr>
  `;
}

function resultHtml(current: Extract<ResultRow, { state: "current" }> | null, exposed: boolean) {
  if (current === null) return stateHtml({ outcome: null, pass: null });
  const { outcome, verdict, kind } = current;
  return stateHtml(
    { outcome, pass: verdict === null ? null : verdict === "pass" },
    exposed ? [`the disclosed pool contradicts the ${kindText(kind)}`] : [],
  );
}

/** When the issuer says that it decided, held against when the pool was first seen. */
function decidedHtml(decidedAt: string | null, firstSeen: string): Html {
  if (decidedAt === null) return html`<span class="none">–</span>`;
  const late = isAfter(decidedAt, firstSeen);
  return html`${timeHtml(decidedAt)}${
    late ? html`<span class="late">the pool was public by then</span>` : ""
  }`;
}

/** A link to the next page of a list; nothing on the last. */
export function nextHtml(href: string, cursor: string | null): Html {
  if (cursor === null) return html``;
  return html`<p class="next"><a href="${href}?cursor=${
    encodeURIComponent(
      cursor,
    )
  }" rel="next">Older ones</a></p>`;
}
