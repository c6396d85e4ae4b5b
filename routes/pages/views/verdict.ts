/**
 * The box on top of a result: did it pass, how much was replayed, who says so, in this order, and
 * then when, and what all of it doesn't show.
 */
import { html } from "hono/html";
import { SHAPES } from "../../../lib/badge/marks.ts";
import type { Report } from "../../../lib/verify/report.ts";
import type { Statement } from "../../../lib/words/statement.ts";
import { codeHtml } from "./challenges.ts";
import { VERSION } from "../../version.ts";
import type { Html } from "./layout.ts";
import { markHtml } from "./marks.ts";
import { timeHtml } from "./time.ts";
import { kindText, limitText, meaning, sentence } from "./words.ts";

/** When a report was made here, and by which revision of the verifier. */
export interface CheckedHere {
  /** ISO 8601. */
  at: string;
  revision: number;
}

/** What the box shows. */
export interface VerdictView {
  report: Report;
  /** What is said of the report as the link asks. */
  said: Statement;
  /** What is said of it by itself, where the link asks for more than it meets; otherwise null. */
  itself: Statement | null;
  /** Whether somebody known vouches for it, with a key as good as ever. */
  trusted: boolean;
  checked: CheckedHere;
  /** The badge, as an image or as a drawing. */
  badge: Html;
}

/** The box; `heading` is the element of its headline. */
export function verdictHtml(view: VerdictView, heading: Html | string): Html {
  const { report, said, itself, trusted, badge } = view;
  return html`
    <div class="verdict tone-${said.tone}${trusted ? " trusted" : ""}">
      <p class="eyebrow">${eyebrow(report)}</p>
      <${heading} class="outcome">${markHtml(SHAPES[said.tone])}<span>${said.headline
        .verdict}</span></${heading}>
    <ul class="said">
    ${itself === null ? "" : itselfHtml(itself)}
    ${linesHtml(said)}
    ${modelHtml(report)}
    </ul>
    ${report.outcome === "invalid" || report.outcome === null ? reasonHtml(report) : ""}
    <p class="meaning">${meaning(report, said)} ${limitHtml(view)}</p>
    ${timesHtml(view)}
    <p class="badge">${badge}</p>
    </div>
  `;
}

function eyebrow({ kind, suite }: Report): Html {
  return suite === null ? html`${kindText(kind)}` : html`${kindText(kind)} · <bdi>${suite}</bdi>`;
}

/** What the document says without regard to what the link asks. */
function itselfHtml({ tone, headline }: Statement): Html {
  return html`<li class="itself tone-${tone}">${
    markHtml(SHAPES[tone])
  }<span>By itself: ${headline.verdict}</span></li>`;
}

/** How much was replayed, who signed, and the floor; each on a line. */
export function linesHtml({ headline }: Statement): Html[] {
  return (["replayed", "signer", "floor"] as const).flatMap((name) => {
    const text = headline[name];
    if (text === null) return [];
    return html`<li class="${name}">${text.charAt(0).toUpperCase()}${text.slice(1)}</li>`;
  });
}

/** Nobody signs a run, so that the model's name is nobody's word but the file's. */
function modelHtml({ run }: Report): Html {
  if (run === undefined) return html``;
  return html`<li class="claim">Model, says the file: <bdi>${run.adapter}</bdi></li>`;
}

function timesHtml({ report: { decidedAt }, checked }: VerdictView): Html {
  return html`<p class="when">${
    decidedAt === undefined ? "" : html`
      Decided ${timeHtml(decidedAt)}, says the issuer.
    `
  }Checked here ${timeHtml(checked.at)}, by revision ${checked.revision} of the verifier.
    This is Touchstone ${VERSION}.</p>`;
}

/** One sentence, where there is something that could be taken for more than it is. */
function limitHtml({ report, said }: VerdictView): Html {
  const text = limitText(report, said);
  if (text === null) return html``;
  return report.kind === "unknown"
    ? html`${text}`
    : html`${text} <a href="#limits">What this doesn't show</a>`;
}

function reasonHtml({ reason }: Report): Html {
  if (reason === null) return html``;
  return html`<p class="reason">${sentence(reason.message)} ${codeHtml(reason)}</p>`;
}

/**
 * What no result shows, for whoever takes it for more; once a page, where the boxes lead to. Nothing
 * where there is no document.
 */
export function limitsHtml(path: string, reports: readonly Report[]): Html {
  if (reports.every(({ kind, outcome }) => kind === "unknown" || outcome === null)) return html``;
  return html`
    <section aria-labelledby="limits">
      <h2 id="limits">What this doesn't show</h2>
      <ul class="plain">
        <li><strong>Who or what solved the puzzles.</strong> A pass shows that right answers were given, not who gave them, nor that the puzzles were unknown to whoever did: a seed has 32 bits, and its commitment can be searched.</li>
        <li><strong>Whose key it is.</strong> A good signature shows that the document is whole since it was signed. Anyone can make a key. Compare the whole public key with one that you have from elsewhere; a key id is only a label.</li>
        <li><strong>Whether the floor is high enough.</strong> The issuer chooses the puzzles and how many passes suffice, unless a published policy is named.</li>
        <li><strong>Whether subject, context and model are true.</strong> They are claims of whoever made the document.</li>
        <li><strong>When anything happened.</strong> All times in the document are the issuer's word. This service's own are only when it checked, and when it first saw a pool.</li>
        <li><strong>What else there is.</strong> One pass says nothing of how often somebody failed before.</li>
        <li><strong>That an unreplayed answer is right, or wrong.</strong> Until its pool is disclosed there is the issuer's word. <a href="${path}/pools#hides">What a pool hides and doesn't</a></li>
      </ul>
    </section>
  `;
}
