/** Pages about pools: the list with the form, a dry run, and a public pool. */
import { html } from "hono/html";
import { isMixZero } from "../../../lib/protocol/pool.ts";
import type { Pool } from "../../../lib/protocol/pool.ts";
import type { Disclosure, PoolPreview } from "../../../lib/store/store.ts";
import { cellId } from "../../../lib/suites/suites.ts";
import { mixSeed } from "../../../lib/suites/rng.ts";
import {
  type PoolInfo,
  PUBLISHING_NOTICE,
  type ResultRow,
  type Upgrade,
} from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { Html, Page } from "./layout.ts";
import { type IssuerNotes, nextHtml, rowsHtml } from "./rows.ts";
import { timeHtml } from "./time.ts";
import { plural } from "./words.ts";

/** Seconds after which a page about something under way loads itself again. */
const RELOAD = 2;

/** Ids that are linked from a dry run. */
const LINKED = 10;

const LABEL_ZERO = "changes nothing: these puzzles are the published ones (label-mix-zero)";

/** What a form is given back with: nothing of a pool, which may be secret still. */
export interface Refusal {
  title: string;
  detail: string;
  reason?: { code: string; path: string } | undefined;
}

/** `GET /pools`, and again when the form could not be used. */
export function poolsPage(
  site: Site,
  pools: readonly PoolInfo[],
  cursor: string | null,
  refusal: Refusal | null = null,
): Page {
  return {
    title: refusal?.title ?? "Pools",
    section: "pools",
    body: html`<h1>${refusal?.title ?? "Disclosed pools"}</h1>
${refusal === null ? "" : refusalHtml(refusal)}
<p class="lead">A held-out puzzle depends on a label that only its issuer knows. Once the issuer
publishes the pool of labels, every stored result under it is generated and scored again: it is
verified, or exposed. Its badge changes by itself.</p>
<section aria-labelledby="publish">
<h2 id="publish">Publish a pool</h2>
${formHtml(site)}
</section>
<section aria-labelledby="public">
<h2 id="public">Public pools</h2>
${pools.length === 0 ? html`<p>None so far.</p>` : listHtml(site, pools)}
${nextHtml(`${site.path}/pools`, cursor)}
</section>
${hidesHtml()}`,
  };
}

function refusalHtml({ detail, reason }: Refusal): Html {
  return html`<p class="reason" role="alert">${detail}${
    reason === undefined ? "" : html`
      <span class="codes"><code>${reason.code}</code>${reason.path === "" ? "" : html`
        at <code>${reason.path}</code>
      `}</span>
    `
  }</p>`;
}

function formHtml(site: Site): Html {
  return html`
    <form class="verify" method="post" action="${site.path}/pools" enctype="multipart/form-data">
      <p>First you see what it would do. Nothing is kept before you confirm.</p>
      <div class="field">
        <label for="pool">Pool</label>
        <textarea id="pool" name="pool" rows="5" spellcheck="false" autocomplete="off"
          placeholder='{"protocol":"clankdar-holdout-v1","suite":"…","poolKey":"…","cells":[…]}'></textarea>
      </div>
      <div class="field">
        <label for="poolFile">or a pool file <small>JSON, at most 64 KiB</small></label>
        <input id="poolFile" name="poolFile" type="file">
      </div>
      <details>
        <summary>Say that you are its issuer</summary>
        <p>Optional: the pool's content proves itself. A statement signed with the key that minted under the pool is shown beside results of that key. <code>deno task issuer pool disclose</code> makes one.</p>
        <div class="field">
          <label for="disclosure">Statement</label>
          <textarea id="disclosure" name="disclosure" rows="3" spellcheck="false" autocomplete="off"
            placeholder='{"publicKey":"…","signature":"…"}'></textarea>
        </div>
      </details>
      <div class="buttons"><button name="action" value="preview">See what it would do</button></div>
    </form>
  `;
}

function listHtml(site: Site, pools: readonly PoolInfo[]): Html {
  return html`
    <table role="table" class="stack">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Pool key</th>
          <th role="columnheader" scope="col">Suite</th>
          <th role="columnheader" scope="col">Cells</th>
          <th role="columnheader" scope="col">First seen</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
      ${pools.map(({ poolKey, suiteVersion, cells, firstSeen, source }) =>
        html`
          <tr role="row">
            <td role="cell"
              data-label="Pool key"><a href="${site
                .path}/pools/${poolKey}"><code class="whole">${poolKey}</code></a></td>
            <td role="cell" data-label="Suite">${suiteVersion}</td>
            <td role="cell" data-label="Cells">${cells.length}</td>
            <td role="cell" data-label="First seen">
              <div>${timeHtml(firstSeen)}${sourceHtml(source)}</div>
            </td>
          </tr>
        `
      )}
      </tbody>
    </table>
  `;
}

function sourceHtml(source: PoolInfo["source"]): Html {
  switch (source) {
    case "shipped":
      return html`<span class="small">came with the service</span>`;
    case "imported":
      return html`<span class="small">says the store it was imported from</span>`;
    case "published":
      return html``;
  }
}

/** `POST /pools` without confirmation; `text` is the pool's canonical file, to be sent again. */
export function previewPage(
  site: Site,
  preview: PoolPreview,
  text: string,
  disclosure: Disclosure | undefined,
): Page {
  const { poolKey, known, upgraded, exposed, unchanged, complete } = preview;
  return {
    title: "Publish a pool: dry run",
    section: "pools",
    body: html`<p class="eyebrow">Dry run · nothing was kept</p>
<h1>${known ? "This pool is public already" : "This is what would happen"}</h1>
<p class="key">Pool <code>${poolKey}</code></p>
${
      known
        ? html`<p>Publishing it again changes nothing. <a href="${site.path}/pools/${poolKey}">See it</a></p>`
        : html`${figuresHtml({ upgraded, exposed, unchanged })}
${
          complete
            ? ""
            : html`<p>There are more results under this pool than a dry run looks at: these numbers are lower bounds.</p>`
        }
${idsHtml(site, "Would be upgraded", preview.upgradedIds, upgraded)}
${idsHtml(site, "Would be exposed", preview.exposedIds, exposed)}`
    }
${
      known && disclosure === undefined ? "" : html`
        <section aria-labelledby="confirm">
          <h2 id="confirm">${known ? "Add your statement" : "Publish it"}</h2>
          <p><strong>${PUBLISHING_NOTICE}</strong></p>
          ${disclosure === undefined
            ? ""
            : html`<p>With the statement of <code>${disclosure.publicKey}</code>.</p>`}
          <form method="post" action="${site.path}/pools" enctype="multipart/form-data">
            <input type="hidden" name="pool" value="${text}">
            ${disclosure === undefined
              ? ""
              : html`<input type="hidden" name="disclosure" value="${JSON.stringify(disclosure)}">`}
            <div class="buttons">
              <button name="action" value="publish">Publish for good</button>
              <a href="${site.path}/pools">Leave it secret</a>
            </div>
          </form>
        </section>
      `
    }`,
  };
}

function idsHtml(site: Site, title: string, ids: readonly string[], total: number): Html {
  if (ids.length === 0) return html``;
  const more = total - Math.min(LINKED, ids.length);
  return html`
    <section>
      <h2>${title}</h2>
      <ul>
      ${ids.slice(0, LINKED).map((id) =>
        html`<li><a href="${site.path}/r/${id}"><code>${id}</code></a></li>`
      )}
      </ul>
      ${more > 0 ? html`<p>and ${more} more</p>` : ""}
    </section>
  `;
}

function figuresHtml(
  { upgraded, exposed, unchanged }: Pick<Upgrade, "upgraded" | "exposed" | "unchanged">,
): Html {
  return html`
    <dl class="figures">
      <div class="${upgraded > 0 ? "pass" : ""}">
        <dt>upgraded</dt>
        <dd>${upgraded}</dd>
      </div>
      <div class="${exposed > 0 ? "fail" : ""}">
        <dt>exposed</dt>
        <dd>${exposed}</dd>
      </div>
      <div>
        <dt>unchanged</dt>
        <dd>${unchanged}</dd>
      </div>
    </dl>
  `;
}

export interface PoolView {
  info: PoolInfo;
  pool: Pool;
  upgrade: Upgrade | null;
  rows: readonly ResultRow[];
  cursor: string | null;
  /** Whole public keys of listed issuers that stated the disclosure themselves. */
  stated: ReadonlySet<string>;
}

/** `GET /pools/:poolKey`. */
export function poolPage(site: Site, view: PoolView): Page {
  const { info, pool, upgrade, rows, cursor, stated } = view;
  const notes: IssuerNotes = new Map(
    [...stated].map((key) => [
      key,
      html`<span class="small">signed that it disclosed this pool</span>`,
    ]),
  );
  const pending = upgrade !== null && !upgrade.done;
  return {
    title: `Pool ${info.poolKey.slice(0, 12)}`,
    section: "pools",
    ...(pending ? { refresh: RELOAD } : {}),
    body: html`
      <p class="eyebrow">Disclosed pool · ${info.suiteVersion}</p>
      <h1>Pool <code class="short">${info.poolKey.slice(0, 12)}…</code></h1>
      <dl class="facts">
        <dt>Pool key <small>the hash that commits to its cells</small></dt>
        <dd><code>${info.poolKey}</code></dd>
        <dt>First seen by this service</dt>
        <dd>${timeHtml(info.firstSeen)} ${sourceHtml(info.source)}</dd>
        <dt>File</dt>
        <dd><a href="${site.path}/api/pools/${info.poolKey}">canonical JSON</a></dd>
      </dl>
      ${upgrade === null ? "" : upgradeHtml(upgrade)}
      <section aria-labelledby="results">
      <h2 id="results">Results under this pool</h2>
      ${rows.length === 0
        ? html`<p>None is stored here.</p>`
        : html`<p>The times of the decisions are the issuers' word; this service first saw the pool at ${
          timeHtml(info.firstSeen)
        }.</p>
${rowsHtml(site, rows, info.firstSeen, notes)}`}
      ${nextHtml(`${site.path}/pools/${info.poolKey}`, cursor)}
      </section>
      <section aria-labelledby="cells">
      <h2 id="cells">Cells</h2>
      ${cellsHtml(pool)}
      </section>
      ${hidesHtml()}
    `,
  };
}

function upgradeHtml(upgrade: Upgrade): Html {
  const { done, scanned, unfinished } = upgrade;
  return html`
    <section aria-labelledby="upgrade">
      <h2 id="upgrade">${done ? "What the disclosure did" : "Checking the results again"}</h2>
      ${done
        ? ""
        : html`<p role="status">Under way: ${
          plural(scanned, "document")
        } looked at so far. This page loads itself again.</p>`}
      ${figuresHtml(upgrade)}
      ${unfinished === 0
        ? ""
        : html`<p>The check of ${
          plural(unfinished, "document")
        } could not be finished so far: their badges say checking.</p>`}
    </section>
  `;
}

function cellsHtml(pool: Pool): Html {
  return html`
    <table role="table" class="stack">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Cell</th>
          <th role="columnheader" scope="col">Label</th>
          <th role="columnheader" scope="col">Acts as</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
      ${pool.cells.map((cell) =>
        html`
          <tr role="row">
            <td role="cell" data-label="Cell"><code>h:${cellId(cell.family, cell.tier)}</code></td>
            <td role="cell" data-label="Label"><code class="whole">${cell.label}</code></td>
            <td role="cell" data-label="Acts as">
              <div><code>${constantText(cell.label)}</code>${isMixZero(cell)
                ? html`<strong class="small">${LABEL_ZERO}</strong>`
                : ""}</div>
            </td>
          </tr>
        `
      )}
      </tbody>
    </table>
  `;
}

/** The 32-bit constant that a label amounts to. Source: protocols spec 8.1. */
function constantText(label: string): string {
  return `0x${(mixSeed(label, 0) >>> 0).toString(16).padStart(8, "0")}`;
}

/** Protocols protocols spec 8.1, 8.5. */
function hidesHtml(): Html {
  return html`
    <section aria-labelledby="hides">
      <h2 id="hides">What a pool does and doesn't hide</h2>
      <ul class="plain">
        <li>A label, however long, acts as one 32-bit constant for its cell: the held-out puzzles are the published ones in another order. One answered receipt lets anyone search all 2<sup>32</sup> constants. Undisclosed does not mean unknowable.</li>
        <li>A label whose constant is 0 changes nothing: those puzzles are the published ones. Such results carry the observation <code>label-mix-zero</code>.</li>
        <li>Until it is public, a pool key promises some pool, not a sound one. It may never be published, and it may lack the cell.</li>
        <li>A public pool is spent: sessions still open under it are predictable. Nothing in a receipt tells when its pool became public, so the time when this service first saw it stands beside each decision.</li>
        <li>An issuer may use several pools, one after another. Results under a retired one stay verifiable: pools are kept for good, and found by their key alone.</li>
      </ul>
    </section>
  `;
}
