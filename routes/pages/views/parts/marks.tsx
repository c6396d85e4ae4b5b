/** @jsxImportSource hono/jsx */
/**
 * Marks on pages: the shapes of the badges as inline SVG in the colour of the text, so that forced
 * colours, which drop backgrounds, keep every mark apart from the others.
 */
import type { Child } from "hono/jsx";
import { markPath, type Shape } from "../../../../lib/badge/marks.ts";
import type { Report } from "../../../../lib/verify/report.ts";

/** Side of the square that marks are drawn in. */
const SIDE = 100;

/** Three dots: a challenge that nobody answered. Badges have no such state. */
const UNANSWERED = "M0 38L24 38L24 62L0 62ZM38 38L62 38L62 62L38 62ZM76 38L100 38L100 62L76 62Z";

/** A mark of a page. */
export type PageMark = Shape | "unanswered";

/** A mark, for the eye only: the word beside the mark says the same. */
export function Mark({ mark }: { mark: PageMark }) {
  const path = mark === "unanswered" ? UNANSWERED : markPath(mark, 0, 0, SIDE);
  return (
    <svg class="mark" viewBox={`0 0 ${SIDE} ${SIDE}`} aria-hidden="true">
      <path fill="currentColor" d={path} />
    </svg>
  );
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

interface StateProps {
  outcome: Report["outcome"] | "unanswered";
  pass: boolean | null;
  /** Code of the reason, where there is one. */
  code?: string | undefined;
  /** Further small lines. */
  notes?: readonly Child[];
}

/** What one challenge, or one stored result of a list, came to: the verdict large, the rest small. */
export function State({ outcome, pass, code, notes = [] }: StateProps) {
  const { word, mark, tone } = wordOf({ outcome, pass, code });
  // Where the large word is a verdict, the outcome stands below and tells how the verdict is known.
  const isKnown = outcome === "verified" || outcome === "issuer-claimed";
  const small = isKnown && pass !== null ? [outcome, ...notes] : notes;
  return (
    <div>
      <span class={`state state-${tone}`}>
        <Mark mark={mark} />
        {word}
      </span>
      {small.map((note) => <span class="small">{note}</span>)}
    </div>
  );
}

/** The large word: pass or fail where there is such a verdict. The tone names the colour's class. */
function wordOf(
  { outcome, pass, code }: StateProps,
): { word: string; mark: PageMark; tone: string } {
  if (outcome === "unanswered") return { word: "unanswered", mark: "unanswered", tone: "none" };
  if (outcome === null) return { word: "not finished", mark: "dot", tone: "none" };
  // Nothing speaks against the receipt: this version just can't replay its suite.
  if (code === "suite-unknown") return { word: "unknown suite", mark: "dot", tone: "none" };
  if (outcome === "invalid") return { word: "invalid", mark: "cross", tone: "invalid" };
  if (pass === null) {
    return { word: outcome, mark: outcomeMark(outcome), tone: OUTCOME_TONES[outcome] };
  }
  const isReplayed = outcome === "verified";
  return pass
    ? {
      word: "pass",
      mark: isReplayed ? "lozenge" : "hollow",
      tone: isReplayed ? "passed" : "claimed",
    }
    : { word: "fail", mark: isReplayed ? "bar" : "frame", tone: "failed" };
}
