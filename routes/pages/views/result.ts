/** Pages about results: a stored one, and what a check without storing gave. */
import { html } from "hono/html";
import { bundleOf } from "../../../lib/badge/bundle.ts";
import { SHAPES } from "../../../lib/badge/marks.ts";
import { summarise } from "../../../lib/verify/summary.ts";
import type { Report } from "../../../lib/verify/report.ts";
import type { Trust } from "../../../lib/words/signer.ts";
import { type Statement, statementOf } from "../../../lib/words/statement.ts";
import type { Change, DisclosedPool } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import { askedOptions, type PageAsked, problemHtml } from "./acceptance.ts";
import { embedHtml } from "./embed.ts";
import { formHtml } from "./form.ts";
import { historyHtml } from "./history.ts";
import { urlFormHtml } from "./link.ts";
import type { Html, Page } from "./layout.ts";
import { markHtml } from "./marks.ts";
import { isTrusted, reportHtml, type ReportView, statementsOf } from "./report.ts";
import { type CheckedHere, limitsHtml, linesHtml } from "./verdict.ts";
import { meaning, plural, sentence } from "./words.ts";

/** A stored result as its page shows it. */
export interface ResultView {
  id: string;
  report: Report;
  /** Null: it is being checked again. */
  checked: CheckedHere | null;
  pools: readonly DisclosedPool[];
  history: readonly Change[];
  /** What the link to the page asks for; null: nothing. */
  asked: PageAsked | null;
  /** The same as a query, `?` included, or empty; what can't be understood included. */
  query: string;
  trust: Trust;
}

/** Seconds after which the page of a result that is being made again loads itself. */
const RELOAD = 2;

/** `/r/:id`. */
export async function resultPage(site: Site, view: ResultView): Promise<Page> {
  const { id, report, checked, pools, history, asked, query, trust } = view;
  // The badge says whether it is accepted too, when it is asked the same.
  const image = { src: `${site.path}/badge/${id}.svg${query}` };
  const misread = asked !== null && asked.problem !== null;
  const after = html`
    ${historyHtml(site, history)}
    ${embedHtml(site, {
      id,
      // A slip in this link is none to hand on.
      query: misread ? "" : query,
      issuerKey: asked?.requirements?.issuers == null ? report.issuer?.publicKey ?? null : null,
    })}
  `;
  if (checked === null) {
    const said = statementOf(report, { trust });
    return {
      title: said.pageTitle,
      description: said.description,
      refresh: RELOAD,
      body: html`${checkingHtml(report, said, image.src)}${after}`,
    };
  }
  const disclosures = { path: site.path, pools };
  const shown = { report, checked, disclosures, asked, trust };
  const { said } = statementsOf(shown);
  return {
    title: said.pageTitle,
    description: said.description,
    body: html`
      ${asked === null ? "" : problemHtml(asked)}
      ${await reportHtml(shown, image, 1)}
      ${limitsHtml(site.path, [report])}
      ${after}
    `,
  };
}

/** Nothing of an outcome, neither the old one nor a new one. */
function checkingHtml(report: Report, said: Statement, badge: string): Html {
  return html`
    <article class="report ${said.state}">
      <div class="verdict tone-${said.tone}">
        <h1 class="outcome">${markHtml(SHAPES[said.tone])}<span>${said.headline.verdict}</span></h1>
        <p class="meaning" role="status">${meaning(report, said)} This page loads itself again.</p>
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

/** What a check without storing gave, and how it is to be shown. */
export interface CheckView {
  documents: readonly Checked[];
  /** The document's text when the one document can be kept. */
  keepable: string | null;
  checked: CheckedHere;
  asked: PageAsked | null;
  trust: Trust;
  /** What is to be said of where the documents came from. */
  around?: { before: Html; after: Html };
}

/** `POST /verify`, and `/verify?url=…`. */
export async function checkedPage(site: Site, view: CheckView): Promise<Page> {
  const { documents, keepable, checked, asked, trust } = view;
  const { before, after } = view.around ?? { before: html``, after: html`` };
  const shown = documents.map(({ report, pools }): ReportView => ({
    report,
    checked,
    disclosures: { path: site.path, pools },
    asked,
    trust,
  }));
  const problem = asked === null ? html`` : problemHtml(asked);
  const reports = documents.map(({ report }) => report);
  const [only] = shown;
  if (shown.length === 1 && only !== undefined) {
    const { said } = statementsOf(only);
    return {
      title: said.pageTitle,
      description: said.description,
      section: "verify",
      body: html`${problem}${before}${await reportHtml(only, "inline", 1)}${
        limitsHtml(site.path, reports)
      }${keepable === null ? "" : keepHtml(site, keepable)}${after}`,
    };
  }
  const articles = [];
  for (const one of shown) articles.push(await reportHtml(one, "inline", 2));
  const said = togetherOf(view);
  return {
    title: said.pageTitle,
    description: said.description,
    section: "verify",
    body: html`
      ${problem}
      ${before}
      ${togetherHtml(said, view)}
      ${articles}
      ${limitsHtml(site.path, reports)}
      ${after}
    `,
  };
}

/** What is said of several documents together: the same as by their badge. */
function togetherOf({ documents, asked, trust }: CheckView): Statement {
  const reports = documents.map(({ report }) => report);
  return statementOf(bundleOf(reports), { trust, ...askedOptions(asked, reports) });
}

function togetherHtml(said: Statement, { documents }: CheckView): Html {
  const { verdict, besides } = said.headline;
  return html`
    <div class="report">
      <div class="verdict tone-${said.tone}${isTrusted(said) ? " trusted" : ""}">
        <p class="eyebrow">${plural(documents.length, "document")}, together</p>
        <h1 class="outcome">${markHtml(SHAPES[said.tone])}<span>${verdict}</span></h1>
        <ul class="said">
        ${besides === null ? "" : html`<li>By themselves: ${besides}</li>`}
        ${linesHtml(said)}
        </ul>
      </div>
      ${sumsHtml(documents)}
    </div>
  `;
}

function sumsHtml(documents: readonly Checked[]): Html {
  const sums = summarise(documents.map(({ report }) => report));
  const figures: [name: string, value: string | number, tone: string][] = [
    ["verified", sums.verified, ""],
    ["issuer-claimed", sums.issuerClaimed, sums.issuerClaimed > 0 ? "claimed" : ""],
    ["invalid", sums.invalid, sums.invalid > 0 ? "fail" : ""],
    ["not finished", sums.unfinished, ""],
    ["passed", `${sums.passed}/${sums.challenges}`, ""],
    ["unreplayed", sums.unreplayed, sums.unreplayed > 0 ? "claimed" : ""],
  ];
  return html`
    <dl class="figures">
    ${figures.map(([name, value, tone]) =>
      html`
        <div class="${tone}">
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>
      `
    )}
    </dl>
  `;
}

function keepHtml(site: Site, document: string): Html {
  return html`
    <section aria-labelledby="keep">
      <h2 id="keep">Nothing was stored</h2>
      <p>Keep this document to get a page to share and a badge for it. A pool that you supplied is not kept.</p>
      <form method="post" action="${site.path}/verify" enctype="multipart/form-data">
        <input type="hidden" name="document" value="${document}">
        <div class="buttons"><button name="action" value="keep">Keep and make a badge</button></div>
      </form>
    </section>
  `;
}

/** The page with the forms. */
export interface VerifyView {
  /** Whether URLs are fetched. */
  byUrl: boolean;
  asked: PageAsked | null;
  /** The same as a query, `?` included, or empty. */
  query: string;
  /** Why the form could not be used, and what was pasted into it. */
  refused?: { title: string; detail: string; document: string };
}

/** `GET /verify`, and again when a form could not be used. */
export function verifyPage(site: Site, { byUrl, asked, query, refused }: VerifyView): Page {
  const title = refused?.title;
  return {
    title: title ?? "Verify",
    section: "verify",
    body: html`${asked === null ? "" : problemHtml(asked)}
<h1>${title ?? "Check a result"}</h1>
${refused === undefined ? "" : html`<p class="reason" role="alert">${sentence(refused.detail)}</p>`}
${
      asked?.requirements == null
        ? ""
        : html`<p>The address of this page asks for something: what you check here is held against it.</p>`
    }
${byUrl ? urlFormHtml(site, query) : ""}
${formHtml(site, query, refused?.document)}`,
  };
}
