/** Pages about problems: one a code, and the page for a request that went wrong. */
import { html } from "hono/html";
import { type ProblemCode, type ProblemError, PROBLEMS } from "../problems.ts";
import type { Site } from "../site.ts";
import type { Page } from "./layout.ts";

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

/** What a browser sees when its request came to nothing. */
export function errorPage(site: Site, error: ProblemError): Page {
  const { status, title, explanation } = PROBLEMS[error.code];
  return {
    title,
    body: html`<p class="eyebrow">Status ${status}</p>
<h1>${title}</h1>
<p class="lead">${explanation}</p>
<p><a href="${site.path}/">To the start page</a></p>`,
  };
}
