/**
 * Marks on pages: the shapes of the badges as inline SVG in the colour of the text, so that forced
 * colours, which drop backgrounds, keep every mark apart from the others.
 */
import { html } from "hono/html";
import { markPath, type Shape } from "../../../lib/badge/marks.ts";
import type { Report } from "../../../lib/verify/report.ts";
import type { Html } from "./layout.ts";

/** Side of the square that marks are drawn in. */
const SIDE = 100;

/** Three dots: a challenge that nobody answered. Badges have no such state. */
const UNANSWERED = "M0 38L24 38L24 62L0 62ZM38 38L62 38L62 62L38 62ZM76 38L100 38L100 62L76 62Z";

/** A mark of a page. */
export type PageMark = Shape | "unanswered";

/** A mark, for the eye only: the word that it stands beside says the same. */
export function markHtml(mark: PageMark): Html {
  const path = mark === "unanswered" ? UNANSWERED : markPath(mark, 0, 0, SIDE);
  return html`
    <svg class="mark" viewBox="0 0 ${SIDE} ${SIDE}" aria-hidden="true">
      <path fill="currentColor" d="${path}" />
    </svg>
  `;
}

/** The mark of an outcome by itself. */
export function outcomeMark(outcome: Report["outcome"]): PageMark {
  switch (outcome) {
    case "verified":
      return "lozenge";
    case "issuer-claimed":
      return "hollow";
    case "invalid":
      return "cross";
    case null:
      return "dot";
  }
}

/** The colour of an outcome by itself, as a class behind `state-`. */
export const OUTCOME_TONES = {
  "verified": "replayed",
  "issuer-claimed": "claimed",
  "invalid": "invalid",
} as const;

/** What one challenge, or one stored result of a list, came to. */
export interface Standing {
  outcome: Report["outcome"] | "unanswered";
  pass: boolean | null;
  /** Code of the reason, where there is one. */
  code?: string | undefined;
}

/** The large word: pass or fail where there is such a verdict. Its class names the colour. */
function stateOf(
  { outcome, pass, code }: Standing,
): { word: string; mark: PageMark; tone: string } {
  if (outcome === "unanswered") return { word: "unanswered", mark: "unanswered", tone: "none" };
  if (outcome === null) return { word: "not finished", mark: "dot", tone: "none" };
  // Nothing speaks against it: this version just can't replay it.
  if (code === "suite-unknown") return { word: "unknown suite", mark: "dot", tone: "none" };
  if (outcome === "invalid") return { word: "invalid", mark: "cross", tone: "invalid" };
  if (pass === null) {
    return { word: outcome, mark: outcomeMark(outcome), tone: OUTCOME_TONES[outcome] };
  }
  const replayed = outcome === "verified";
  return pass
    ? { word: "pass", mark: replayed ? "lozenge" : "hollow", tone: replayed ? "passed" : "claimed" }
    : { word: "fail", mark: replayed ? "bar" : "frame", tone: "failed" };
}

/**
 * The verdict large, and the outcome below it small.
 *
 * @param notes further small lines.
 */
export function stateHtml(standing: Standing, notes: readonly (Html | string)[] = []): Html {
  const { word, mark, tone } = stateOf(standing);
  const { outcome, pass } = standing;
  // Where the large word is a verdict, how it is known stands below it.
  const known = outcome === "verified" || outcome === "issuer-claimed";
  const small = known && pass !== null ? [outcome, ...notes] : notes;
  return html`<div><span class="state state-${tone}">${markHtml(mark)}${word}</span>${
    small.map((note) => html`<span class="small">${note}</span>`)
  }</div>`;
}
