/** A report as HTML: the same for a stored result and for a check that stores nothing. */
import { html, raw } from "hono/html";
import { badgeSaying, badgeText } from "../../../lib/badge/model.ts";
import { renderSvg } from "../../../lib/badge/svg.ts";
import type { Check, Report } from "../../../lib/verify/report.ts";
import { isVouched, type Trust } from "../../../lib/words/signer.ts";
import { type Statement, statementOf } from "../../../lib/words/statement.ts";
import { acceptanceHtml, askedOptions, type PageAsked } from "./acceptance.ts";
import { challengesHtml } from "./challenges.ts";
import { type Disclosures, documentHtml, issuerHtml } from "./facts.ts";
import type { Html } from "./layout.ts";
import { runHtml } from "./run.ts";
import { type CheckedHere, verdictHtml } from "./verdict.ts";
import { observationText, plural } from "./words.ts";

/** What stands for the badge: an image with an address, or the drawing itself. */
export type BadgeImage = { src: string } | "inline";

/** A report and what is to be known for showing it. */
export interface ReportView {
  report: Report;
  checked: CheckedHere;
  disclosures: Disclosures;
  /** What the link asks for; null: nothing. */
  asked: PageAsked | null;
  trust: Trust;
}

/** What is said of a report, as its link asks, and by itself where that is something else. */
export function statementsOf(
  { report, asked, trust }: Pick<ReportView, "report" | "asked" | "trust">,
): { said: Statement; itself: Statement | null } {
  const said = statementOf(report, { trust, ...askedOptions(asked, [report]) });
  return {
    said,
    itself: said.headline.besides === null ? null : statementOf(report, { trust }),
  };
}

/** The report's sections, with the verdict as the heading of level `level`. */
export async function reportHtml(
  view: ReportView,
  image: BadgeImage,
  level: 1 | 2,
): Promise<Html> {
  const { report, checked, disclosures, asked } = view;
  const heading = raw(`h${level}`);
  const section = raw(`h${level + 1}`);
  const { said, itself } = statementsOf(view);
  const trusted = isTrusted(said);
  const { state } = itself ?? said;
  const badge = await badgeHtml(report, said, image);
  return html`
    <article class="report ${state}">
      ${verdictHtml({ report, said, itself, trusted, checked, badge }, heading)}
      ${asked === null ? "" : acceptanceHtml(report, asked, level === 1 ? 2 : 3)}
      ${state === "unknown-suite" ? "" : countsHtml(report, trusted)}
      ${unreplayedHtml(report, disclosures)}
      ${challengesHtml(report, trusted, section)}
      ${report.run === undefined ? "" : runHtml(report.run, section)}
      ${observationsHtml(report, section)}
      ${factsHtml(view, section)}
      ${checksHtml(report, section)}
    </article>
  `;
}

/** Who and what; of something that is no document there is neither. */
function factsHtml({ report, disclosures, trust }: ReportView, heading: Html | string): Html {
  if (report.kind === "unknown") return html``;
  // Nobody signs a run.
  const issuer = report.kind === "run" ? "" : html`
    <section>
      <${heading}>Issuer</${heading}>
    ${issuerHtml(report, disclosures, trust)}
    </section>
  `;
  return html`
    <div class="pair">
    ${issuer}
    <section>
      <${heading}>Document</${heading}>
    ${documentHtml(report, disclosures, trust)}
    </section>
    </div>
  `;
}

/** Whether passes may be green: somebody known, whose key is as good as ever, vouches for them. */
export function isTrusted({ signers }: Statement): boolean {
  return signers.length > 0 && signers.every(isVouched);
}

async function badgeHtml(report: Report, said: Statement, image: BadgeImage): Promise<Html> {
  const badge = badgeSaying(said, report);
  if (image === "inline") return html`${raw(await renderSvg(badge))}`;
  return html`<img src="${image.src}" alt="${badgeText(badge)}" height="20">`;
}

function figureHtml(value: string | number, name: string, tone = ""): Html {
  return html`
    <div class="${tone}">
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>
  `;
}

function countsHtml({ counts, verdict, outcome, kind }: Report, trusted: boolean): Html {
  if (counts === null) return html``;
  // Green is for passes that replay establishes.
  const tone = verdict === "fail" ? "fail" : outcome === "verified" ? "passed" : "";
  return html`<dl class="figures${trusted ? " trusted" : ""}">
${figureHtml(`${counts.passed}/${counts.challenges}`, "passed")}
${kind === "run" ? "" : figureHtml(counts.required, "required")}
${verdict === null ? "" : figureHtml(verdict, "verdict", tone)}
${figureHtml(counts.unreplayed, "unreplayed", counts.unreplayed > 0 ? "claimed" : "")}
${figureHtml(counts.replayedPasses, "passes replayed")}
${counts.answered < counts.challenges ? figureHtml(counts.answered, "answered") : ""}
${counts.formatOnly > 0 ? figureHtml(counts.formatOnly, "wrong format only") : ""}
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
