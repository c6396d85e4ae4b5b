/** Pages about results: a stored one, and what a check without storing gave. */
import { html } from "hono/html";
import type { Asked } from "../../lib/verify/acceptance.ts";
import { summarise } from "../../lib/verify/summary.ts";
import type { Report } from "../../lib/verify/report.ts";
import type { Change, DisclosedPool } from "../answers.ts";
import type { Site } from "../site.ts";
import { embedHtml } from "./embed.ts";
import { formHtml } from "./form.ts";
import { historyHtml } from "./history.ts";
import { urlFormHtml } from "./link.ts";
import type { Html, Page } from "./layout.ts";
import { reportHtml } from "./report.ts";
import { meaning, outcomeText, plural } from "./words.ts";

/** A stored result as its page shows it. */
export interface ResultView {
  id: string;
  state: "current" | "checking";
  report: Report;
  pools: readonly DisclosedPool[];
  history: readonly Change[];
  /** Requirements of the link to the page; null: none. */
  asked: Asked | null;
  /** The same as a query, `?` included, or empty. */
  query: string;
}

/** Seconds after which the page of a result that is being made again loads itself. */
const RELOAD = 2;

/** `/r/:id`. */
export async function resultPage(site: Site, view: ResultView): Promise<Page> {
  const { id, state, report, pools, history, asked, query } = view;
  // The badge says whether it is accepted too, when it is asked the same.
  const image = { src: `${site.path}/badge/${id}.svg${query}` };
  const disclosures = { path: site.path, pools };
  return {
    title: `Result: ${state === "checking" ? "checking" : outcomeText(report.outcome)}`,
    ...(state === "checking" ? { refresh: RELOAD } : {}),
    body: html`
      ${state === "checking"
        ? checkingHtml(report, image.src)
        : await reportHtml(report, image, 1, disclosures, asked)}
      ${historyHtml(site, history)}
      ${embedHtml(
        site,
        id,
        query,
        asked?.requirements.issuers == null ? report.issuer?.publicKey ?? null : null,
      )}
    `,
  };
}

/** Nothing of an outcome, neither the old one nor a new one. */
function checkingHtml(report: Report, badge: string): Html {
  return html`
    <article class="report unfinished">
      <div class="verdict">
        <h1 class="outcome"><span class="mark" aria-hidden="true"></span>checking</h1>
        <p class="meaning" role="status">${meaning(report)} This page loads itself again.</p>
        <p class="badge"><img src="${badge}" alt="Badge: checking" height="20"></p>
      </div>
    </article>
  `;
}

/** A check without storing, and the public pools that the report names. */
export interface Checked {
  report: Report;
  pools: readonly DisclosedPool[];
}

/**
 * `POST /verify`, and `/verify?url=…`.
 *
 * @param keepable the document's text when the one document can be kept.
 * @param around what is to be said of where the documents came from.
 */
export async function checkedPage(
  site: Site,
  checked: readonly Checked[],
  keepable: string | null,
  around: { before: Html; after: Html } = { before: html``, after: html`` },
): Promise<Page> {
  const shown = ({ report, pools }: Checked, level: 1 | 2) =>
    reportHtml(report, "inline", level, { path: site.path, pools });
  const only = checked.length === 1 ? checked[0] : undefined;
  if (only !== undefined) {
    return {
      title: `Check: ${outcomeText(only.report.outcome)}`,
      section: "verify",
      body: html`${around.before}${await shown(only, 1)}${
        keepable === null ? "" : html`
          <section aria-labelledby="keep">
            <h2 id="keep">Nothing was stored</h2>
            <p>Keep this document to get a page to share and a badge for it. A pool that you supplied is not kept.</p>
            <form method="post" action="${site.path}/verify" enctype="multipart/form-data">
              <input type="hidden" name="document" value="${keepable}">
              <div class="buttons"><button name="action" value="keep">Keep and make a badge</button></div>
            </form>
          </section>
        `
      }${around.after}`,
    };
  }
  const sums = summarise(checked.map(({ report }) => report));
  const articles = [];
  for (const one of checked) articles.push(await shown(one, 2));
  return {
    title: "Check",
    section: "verify",
    body: html`
      <h1>${plural(checked.length, "document")}</h1>
      ${around.before}
      <dl class="figures">
        <div>
          <dt>verified</dt>
          <dd>${sums.verified}</dd>
        </div>
        <div class="${sums.issuerClaimed > 0 ? "claimed" : ""}">
          <dt>issuer-claimed</dt>
          <dd>${sums.issuerClaimed}</dd>
        </div>
        <div class="${sums.invalid > 0 ? "fail" : ""}">
          <dt>invalid</dt>
          <dd>${sums.invalid}</dd>
        </div>
        <div>
          <dt>not finished</dt>
          <dd>${sums.unfinished}</dd>
        </div>
        <div>
          <dt>passed</dt>
          <dd>${sums.passed}/${sums.challenges}</dd>
        </div>
        <div class="${sums.unreplayed > 0 ? "claimed" : ""}">
          <dt>unreplayed</dt>
          <dd>${sums.unreplayed}</dd>
        </div>
      </dl>
      ${articles}
      ${around.after}
    `,
  };
}

/**
 * `GET /verify`, and again when a form could not be used: then with the problem and what was pasted.
 *
 * @param byUrl whether URLs are fetched.
 */
export function verifyPage(
  site: Site,
  byUrl: boolean,
  problem: { title: string; detail: string } | null = null,
  document = "",
): Page {
  return {
    title: problem?.title ?? "Verify",
    section: "verify",
    body: html`<h1>${problem?.title ?? "Check a result"}</h1>
${problem === null ? "" : html`<p class="reason" role="alert">${problem.detail}</p>`}
${byUrl ? urlFormHtml(site) : ""}
${formHtml(site, document)}`,
  };
}
