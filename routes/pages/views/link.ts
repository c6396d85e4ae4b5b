/** Pages about what a URL gives. Of the URL itself they show what is no secret. */
import { html } from "hono/html";
import type { LinkView } from "../../../lib/links/links.ts";
import type { LinkEvent } from "../../../lib/links/rows.ts";
import { isoTime } from "../../api/representations.ts";
import { type LastGiven, lastGiven } from "../../api/link_representations.ts";
import type { Site } from "../../http/site.ts";
import type { Html, Page } from "./layout.ts";
import { timeHtml } from "./time.ts";
import { kindText, plural, sentence } from "./words.ts";

/**
 * A field for the URL of a result.
 *
 * @param query what the page's address asks for, `?` included, or empty: it is asked of the link too.
 */
export function urlFormHtml(site: Site, query = ""): Html {
  return html`
    <form class="verify by-url" method="get" action="${site.path}/verify">
      <div class="field">
        <label for="url">Link to a result</label>
        <input id="url" name="url" type="url" required spellcheck="false" autocomplete="off"
          placeholder="https://raw.githubusercontent.com/…/receipt.json">
      </div>
      ${[...new URLSearchParams(query)].map(([name, value]) =>
        html`<input type="hidden" name="${name}" value="${value}">`
      )}
      <div class="buttons"><button>Verify the link</button></div>
      <p
        class="hint">A link to a file: pages of files on GitHub, GitLab and Hugging Face will do. What it gives is remembered. Of the link, what stands behind a question mark is not: it may be a secret.</p>
    </form>
  `;
}

/** A link with its history. */
export interface LinkStory {
  link: LinkView;
  history: readonly LinkEvent[];
}

/** Above the reports: where they came from, and how old that is. */
export function sourceHtml({ link }: Pick<LinkStory, "link">): Html {
  const { url, fetchedAt, age, hash } = link;
  if (hash === null) return html`<p class="source">Stored here: <code>${url}</code></p>`;
  const when = fetchedAt === null ? "" : html`, as its host gave it ${agoText(age ?? 0)}`;
  return html`<div class="source">
<p>From <code>${url}</code>${when}.</p>
${wordsHtml(link)}
</div>`;
}

/** Nothing where nothing needs to be said. */
function wordsHtml({ state, failure }: LinkView): Html {
  switch (state) {
    case "fresh":
      return html``;
    case "stale":
      return html`<p>That is a while ago: the host is being asked again. Look again in a moment.</p>`;
    case "failing":
      return html`<p>The last attempt to fetch it again came to nothing: ${
        failure?.message ?? ""
      }. What is shown is what it gave before.</p>`;
    case "gone":
      return html``;
  }
}

/** Below the reports: what became of the link, and a button to look again. */
export function linkHtml(site: Site, { link, history }: LinkStory): Html {
  if (link.hash === null) return html``;
  return html`
    <section class="link" aria-labelledby="link">
      <h2 id="link">The link</h2>
      ${factsHtml(site, link)}
      ${historyHtml(history)}
      ${lookAgainHtml()}
    </section>
  `;
}

/** To where the page itself is, so that the link, which may hold a secret, isn't written into it. */
function lookAgainHtml(): Html {
  return html`
    <form method="post">
      <div
        class="buttons"><button name="action" value="refresh" class="second">Look again now</button></div>
    </form>
  `;
}

/** Documents whose ids are shown. */
const SHOWN = 10;

function factsHtml(site: Site, link: LinkView): Html {
  const { url, fetchedAt, goneAt, documents } = link;
  const last = lastGiven(site, link)?.documents.slice(0, SHOWN) ?? [];
  return html`
    <dl class="facts">
      <dt>Address</dt>
      <dd><code>${url}</code></dd>
      ${fetchedAt === null ? "" : html`
        <dt>Last given or confirmed by its host</dt>
        <dd>${timeHtml(isoTime(fetchedAt))} (${agoText(link.now - fetchedAt)})</dd>
        <dt>What it gave</dt>
        <dd>${plural(documents.length, "document")}</dd>
      `}
      ${last.map((document) => documentHtml(document))}
      ${goneAt === null ? "" : html`
        <dt>Gone since</dt>
        <dd>${timeHtml(isoTime(goneAt))}</dd>
      `}
    </dl>
  `;
}

function documentHtml({ id, kind, urls }: LastGiven["documents"][number]): Html {
  if (id === null) return html`<dd>${kindText(kind)}</dd>`;
  const code = html`<code>${id}</code>`;
  return html`<dd>${kindText(kind)} ${
    urls === null ? code : html`<a href="${urls.page}">${code}</a>`
  }</dd>`;
}

const WHAT: Record<LinkEvent["what"], string> = {
  first: "First seen",
  changed: "Gave something else",
  gone: "Gone, after it had given",
  back: "Back again",
};

function historyHtml(history: readonly LinkEvent[]): Html {
  if (history.length === 0) return html``;
  return html`
    <h3>What changed</h3>
    <ol class="history">
    ${history.map(({ at, what, ids, documents }) =>
      html`
        <li>
          <p class="when">${timeHtml(isoTime(at))}</p>
          <p>${WHAT[what]}: ${plural(documents, "document")}${ids.map((id) =>
            id === null ? "" : html`
              <code>${id.slice(0, 12)}…</code>
            `
          )}</p>
        </li>
      `
    )}
    </ol>
  `;
}

/** What a URL gave is gone. */
export function goneLinkPage(site: Site, story: LinkStory): Page {
  const { link } = story;
  return {
    title: "Gone",
    section: "verify",
    body: html`
      <p class="eyebrow">Status 410</p>
      <h1>Gone</h1>
      <p
        class="lead">The host of <code>${link
          .url}</code> says that there is no such file, and has said so for five minutes and more.${link
            .fetchedAt === null
          ? ""
          : html`
            It last gave one ${agoText(
              link.now - link.fetchedAt,
            )}. Nothing is shown of it as if it were still there.
          `}</p>
      ${linkHtml(site, story)}
    `,
  };
}

/**
 * What a URL gives can't be shown.
 *
 * @param story null: nothing is known of it at all.
 * @param query what the page's address asks for, `?` included, or empty.
 */
export function linkProblemPage(
  site: Site,
  problem: { title: string; detail: string; status: number },
  story: LinkStory | null,
  query: string,
): Page {
  return {
    title: problem.title,
    section: "verify",
    body: html`<p class="eyebrow">Status ${problem.status}</p>
<h1>${problem.title}</h1>
<p class="reason" role="alert">${sentence(problem.detail)}</p>
${urlFormHtml(site, query)}
${story === null ? "" : linkHtml(site, story)}`,
  };
}

const UNITS: [string, number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];

/** `a moment ago`, `3 minutes ago`; `age` in milliseconds. */
export function agoText(age: number): string {
  for (const [unit, ms] of UNITS) {
    const n = Math.floor(age / ms);
    if (n > 0) return `${plural(n, unit)} ago`;
  }
  return "a moment ago";
}
