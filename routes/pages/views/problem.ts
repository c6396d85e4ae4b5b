/** Pages about problems: one a code, and the page for a request that went wrong. */
import { html } from "hono/html";
import {
  type ProblemCode,
  type ProblemError,
  PROBLEMS,
  type Removed,
} from "../../http/problems.ts";
import type { Site } from "../../http/site.ts";
import { historyHtml } from "./history.ts";
import type { Html, Page } from "./layout.ts";
import { timeHtml } from "./time.ts";
import { kindText, sentence } from "./words.ts";

/** `/problems/:code`. */
export function problemPage(code: ProblemCode): Page {
  const { status, title, explanation } = PROBLEMS[code];
  return {
    title,
    section: "api",
    body: html`<p class="eyebrow">Problem · status ${status}</p>
<h1>${title}</h1>
<p class="lead">${explanation}</p>
<p>Its code is <code>${code}</code>. Answers of the API carry it in the members <code>code</code> and <code>type</code>.</p>`,
  };
}

/** What a browser sees when its request came to nothing; of a removed result, what is left. */
export function errorPage(site: Site, error: ProblemError): Page {
  const { status, title, explanation } = PROBLEMS[error.code];
  const { removed } = error.extra;
  return {
    title,
    body: html`<p class="eyebrow">Status ${status}</p>
<h1>${title}</h1>
<p class="reason" role="alert">${sentence(error.message)}</p>
<p class="lead">${explanation}</p>
${removed === undefined ? "" : removedHtml(site, removed)}
<p><a href="${site.path}/">To the start page</a></p>`,
  };
}

function removedHtml(site: Site, removed: Removed): Html {
  const { id, kind, outcome, why, removedAt, storedAt, history } = removed;
  return html`
    <dl class="facts">
      <dt>What it was</dt>
      <dd>${kindText(kind)} <code>${id}</code></dd>
      <dt>Last outcome</dt>
      <dd>${outcome}</dd>
      <dt>Stored</dt>
      <dd>${timeHtml(storedAt)}</dd>
      <dt>Removed</dt>
      <dd>${timeHtml(removedAt)}, ${why === "deleted"
        ? "by the operator"
        : "because nobody had asked for it in a long time"}</dd>
    </dl>
    ${historyHtml(site, history)}
  `;
}
