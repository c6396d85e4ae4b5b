/** A report as HTML: the same for a stored result and for a check that stores nothing. */
import { html, raw } from "hono/html";
import { type Badge, badgeOf, badgeText } from "../../lib/badge/model.ts";
import { renderSvg } from "../../lib/badge/svg.ts";
import type { Asked } from "../../lib/verify/acceptance.ts";
import { policyHash } from "../../lib/verify/registry.ts";
import type { Check, Reason, ReceiptReport, Report } from "../../lib/verify/report.ts";
import type { DisclosedPool } from "../answers.ts";
import { acceptanceHtml } from "./acceptance.ts";
import type { Html } from "./layout.ts";
import { isAfter, timeHtml } from "./time.ts";
import { runHtml } from "./run.ts";
import { kindText, meaning, observationText, outcomeText, plural } from "./words.ts";

/** Characters of a response that are shown. */
const SHOWN = 600;

/** What stands for the badge: an image with an address, or the drawing itself. */
export type BadgeImage = { src: string } | "inline";

/** What is known of public pools, and where their pages are. */
export interface Disclosures {
  /** The service's own path. */
  path: string;
  pools: readonly DisclosedPool[];
}

/**
 * The report's sections, with the outcome as the heading of level `level`.
 *
 * @param asked requirements to hold it against; null: none.
 */
export async function reportHtml(
  report: Report,
  image: BadgeImage,
  level: 1 | 2,
  disclosures: Disclosures,
  asked: Asked | null = null,
): Promise<Html> {
  const heading = raw(`h${level}`);
  const section = raw(`h${level + 1}`);
  const badge = badgeOf(report);
  const state = report.outcome ?? "unfinished";
  return html`
    <article class="report ${state}">
      <div class="verdict">
        <p class="eyebrow">${eyebrow(report)}</p>
        <${heading}
          class="outcome"><span class="mark" aria-hidden="true"></span>${headline(
            report,
          )}</${heading}>
    <p class="meaning">${meaning(report)}</p>
    ${report.outcome === "invalid" || report.outcome === null ? reasonHtml(report.reason) : ""}
    <p class="badge">${await badgeHtml(badge, image)}</p>
    </div>
    ${asked === null ? "" : acceptanceHtml(report, asked, section)}
    ${countsHtml(report)}
    ${unreplayedHtml(report, disclosures)}
    ${challengesHtml(report, section)}
    ${report.run === undefined ? "" : runHtml(report.run, section)}
    ${observationsHtml(report, section)}
    <div class="pair">
    <section>
    <${section}>Issuer</${section}>
    ${issuerHtml(report, disclosures)}
    </section>
    <section>
    <${section}>Document</${section}>
    ${documentHtml(report, disclosures)}
    </section>
    </div>
    ${checksHtml(report, section)}
    </article>
  `;
}

/** A sound document about a failed session says both. */
function headline({ outcome, verdict }: Report): Html {
  const failed = verdict === "fail" ? html`<span class="failed"> · failed</span>` : "";
  return html`${outcomeText(outcome)}${failed}`;
}

function eyebrow({ kind, suite }: Report): Html {
  return suite === null ? html`${kindText(kind)}` : html`${kindText(kind)} · <bdi>${suite}</bdi>`;
}

async function badgeHtml(badge: Badge, image: BadgeImage): Promise<Html> {
  if (image === "inline") return html`${raw(await renderSvg(badge))}`;
  return html`<img src="${image.src}" alt="${badgeText(badge)}" height="20">`;
}

function reasonHtml(reason: Reason | null): Html {
  if (reason === null) return html``;
  return html`<p class="reason">${reason.message}. ${codeHtml(reason)}</p>`;
}

/** `receipt-invalid at receipts[2]: prompt-mismatch at receipts[2].challenge.prompt`. */
function codeHtml(reason: Reason): Html {
  const where = reason.path === "" ? "" : html`<span> at <code>${reason.path}</code></span>`;
  const inner = reason.inner === undefined ? "" : html`, because ${codeHtml(reason.inner)}`;
  return html`<span class="codes"><code>${reason.code}</code>${where}${inner}</span>`;
}

/** Green is for passes that replay establishes. */
function tone(verdict: "pass" | "fail", outcome: Report["outcome"]): string {
  return verdict === "pass" && outcome !== "verified" ? "" : verdict;
}

function countsHtml({ counts, verdict, outcome, kind }: Report): Html {
  if (counts === null) return html``;
  const figure = (value: string | number, name: string, tone = "") =>
    html`
      <div class="${tone}">
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>
    `;
  return html`<dl class="figures">
${figure(`${counts.passed}/${counts.challenges}`, "passed")}
${kind === "run" ? "" : figure(counts.required, "required")}
${verdict === null ? "" : figure(verdict, "verdict", tone(verdict, outcome))}
${figure(counts.unreplayed, "unreplayed", counts.unreplayed > 0 ? "claimed" : "")}
${figure(counts.replayedPasses, "passes replayed")}
${counts.answered < counts.challenges ? figure(counts.answered, "answered") : ""}
${counts.formatOnly > 0 ? figure(counts.formatOnly, "wrong format only") : ""}
</dl>`;
}

function unreplayedHtml(
  { counts, pools, outcome, kind }: Report,
  { path }: Disclosures,
): Html {
  if (counts === null || counts.unreplayed === 0 || outcome === "invalid") return html``;
  if (kind === "run") {
    return html`
      <aside class="note">
        <p><strong>${plural(
          counts.unreplayed,
          "row",
        )} unreplayed.</strong> The run has no manifest, so its puzzles can't be generated again.</p>
      </aside>
    `;
  }
  const secret = pools.filter((pool) => !pool.disclosed).map((pool) => pool.poolKey);
  return html`<aside class="note">
<p><strong>${plural(counts.unreplayed, "receipt")} unreplayed.</strong> ${
    counts.unreplayed === 1 ? "Its puzzle comes" : "Their puzzles come"
  } from a held-out pool that this service doesn't have, so it can't tell whether the prompt and the expected answer are right. Replay alone establishes ${
    plural(counts.replayedPasses, "pass", "passes")
  } of the ${counts.required} required. Once the pool is disclosed, every such receipt becomes verified or is exposed as invalid. <a href="${path}/pools">Whoever has the pool can publish it.</a> <a href="${path}/pools#hides">What a pool hides and doesn't</a></p>
${secret.map((key) => html`<p class="key">Undisclosed pool <code>${key}</code></p>`)}
</aside>`;
}

function challengesHtml({ receipts }: Report, heading: Html | string): Html {
  if (receipts.length === 0) return html``;
  const hasReasons = receipts.some(({ reason }) => reason !== null);
  const columns = ["Cell", "Seed", "Response", "Expected", "Outcome"];
  if (hasReasons) columns.push("Reason");
  return html`
    <section>
      <${heading}>Challenges</${heading}>
    <table role="table" class="stack">
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
  const state = outcome ?? "unfinished";
  const verdict = pass === null || outcome === "invalid" ? "" : pass ? "pass" : "fail";
  return html`
    <tr role="row" class="${state}">
      <td role="cell" data-label="Cell"><code><bdi>${cell}</bdi></code></td>
      <td role="cell" data-label="Seed">${seed === null ? dash() : html`<code>${seed}</code>`}</td>
      <td role="cell" data-label="Response">
        <div>${quoted(response)}</div>
      </td>
      <td role="cell" data-label="Expected">
        <div>${quoted(expected)}</div>
      </td>
      <td role="cell" data-label="Outcome">
        <div><span class="state"><span class="mark" aria-hidden="true"></span>${outcome ??
          "not finished"}</span>${verdict === ""
          ? ""
          : html`<span class="pass">${verdict}</span>`}${formatOnly
          ? html`<span class="pass">wrong format</span>`
          : ""}</div>
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

function observationsHtml({ observations }: Report, heading: Html | string): Html {
  if (observations.length === 0) return html``;
  return html`
    <section>
      <${heading}>Worth knowing</${heading}>
    <dl class="observations">
    ${observations.map((code) =>
      html`
        <div>
          <dt><code>${code}</code></dt>
          <dd>${observationText(code)}</dd>
        </div>
      `
    )}
    </dl>
    </section>
  `;
}

function issuerHtml({ issuer }: Report, disclosures: Disclosures): Html {
  if (issuer === null) return html`<p>No signature was verified, so no issuer can be named.</p>`;
  return html`
    <dl class="facts">
      <dt>Known as</dt>
      <dd>${issuer.name ?? "unknown: this key is not on this service's list of issuers"}</dd>
      <dt>Public key</dt>
      <dd><code>${issuer.publicKey}</code></dd>
      <dt>Key id <small>a label, not an identity</small></dt>
      <dd><code>${issuer.keyId}</code></dd>
      ${statementsHtml(disclosures)}
    </dl>
  `;
}

/** Only statements of the report's own issuer are among them. */
function statementsHtml({ pools }: Disclosures): Html[] {
  const stated = pools.filter(({ statement }) => statement !== null);
  return stated.map(({ poolKey, statement }) =>
    html`
      <dt>Statement</dt>
      <dd>Signed with this key that it disclosed pool <code>${poolKey.slice(
        0,
        12,
      )}…</code>; received ${timeHtml(
        statement!.at,
      )}</dd>
    `
  );
}

function documentHtml(report: Report, disclosures: Disclosures): Html {
  const { id, policy, sessionId, context, subject, subjectKey, expiresAt, decidedAt } = report;
  const { pools, evaluator } = report;
  // A pool that came along with a check has no page.
  const isPublic = (key: string) => disclosures.pools.some(({ poolKey }) => poolKey === key);
  const text = (name: string, value: string | undefined | null) =>
    value
      ? html`
        <dt>${name}</dt>
        <dd><bdi>${value}</bdi></dd>
      `
      : "";
  const code = (name: string, value: string | undefined | null) =>
    value
      ? html`
        <dt>${name}</dt>
        <dd><code>${value}</code></dd>
      `
      : "";
  return html`<dl class="facts">
${code("Id (SHA-256)", id)}
${code("Session", sessionId)}
${text("Context", context)}
${text("Subject", subject)}
${code("Subject key (proven)", subjectKey)}
${
    policy === undefined ? "" : text(
      "Policy",
      `${plural(policy.challenges, "challenge")} out of ${
        policy.cells.join(", ")
      }; ${policy.minPass} to pass, ${policy.ttlSeconds} s`,
    )
  }
${policy === undefined ? "" : code("Policy (SHA-256)", policyHash(policy))}
${text("Deadline", expiresAt)}
${text("Decided, says the issuer", decidedAt)}
${disclosures.pools.map((pool) => firstSeenHtml(pool, decidedAt))}
${
    pools.map(({ poolKey, disclosed }) =>
      disclosed && isPublic(poolKey)
        ? html`
          <dt>Pool (disclosed)</dt>
          <dd><a href="${disclosures.path}/pools/${poolKey}"><code>${poolKey}</code></a></dd>
        `
        : code(disclosed ? "Pool (disclosed)" : "Pool (undisclosed)", poolKey)
    )
  }
${
    evaluator === null
      ? ""
      : html`<dt>Evaluator used</dt><dd>${
        evaluator.official ? "ALGAL's official module" : "Touchstone's own module"
      } <code>${evaluator.used}</code></dd>${
        evaluator.used === evaluator.pinned ? "" : code("Evaluator pinned", evaluator.pinned)
      }`
  }
</dl>`;
}

/** Stands beside the decision: whoever answers under a public pool can know the puzzles. */
function firstSeenHtml({ firstSeen, source }: DisclosedPool, decidedAt: string | undefined): Html {
  const late = decidedAt !== undefined && isAfter(decidedAt, firstSeen);
  return html`
    <dt>Pool first seen by this service</dt>
    <dd>${timeHtml(firstSeen)}${source === "imported"
      ? ", says the store it was imported from"
      : ""}${late
      ? html`
        <strong
          class="late">The pool was public before the session was decided: its puzzles were no secret.</strong>
      `
      : ""}</dd>
  `;
}

function checksHtml({ checks }: Report, heading: Html | string): Html {
  if (checks.length === 0) return html``;
  return html`
    <section>
      <${heading}>Checks of the document</${heading}>
    <ol class="checks">${checks.map(checkHtml)}</ol>
    </section>
  `;
}

function checkHtml({ check, status }: Check): Html {
  const signs = { ok: "✓", failed: "✗", skipped: "–" };
  return html`
    <li
      class="${status}"><span aria-hidden="true">${signs[
        status
      ]}</span> ${check} <small>${status === "ok" ? "holds" : status}</small></li>
  `;
}
