/** @jsxImportSource hono/jsx */
/**
 * The box on top of a result: did it pass, how much was replayed, who says so, in this order, and
 * then when, and what all of it doesn't show.
 */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { SHAPES } from "../../../../lib/badge/marks.ts";
import type { Report } from "../../../../lib/verify/report.ts";
import type { Statement } from "../../../../lib/words/statement.ts";
import { kindName } from "../../../../lib/words/subject.ts";
import { VERSION } from "../../../../lib/base/release.ts";
import type { BadgeImage } from "../../checked_documents.ts";
import { isTrusted, type Statements } from "../../statements.ts";
import { ReasonCodes } from "./challenges.tsx";
import { Mark } from "./marks.tsx";
import { Heading, type Level } from "./section.tsx";
import { Time } from "./time.tsx";
import { limitText, meaning, sentence } from "./words.ts";

/** When a report was made here, and by which revision of the verifier. */
export interface CheckedHere {
  /** ISO 8601. */
  at: string;
  revision: number;
}

interface BoxProps {
  statement: Statement;
  children: Child;
}

/** The box in the colour of what is said, green for a pass only where somebody known vouches for it. */
export function Box({ statement, children }: BoxProps) {
  const trusted = isTrusted(statement) ? " trusted" : "";
  return <div class={`verdict tone-${statement.tone}${trusted}`}>{children}</div>;
}

/** The large line of the box: did it pass. */
export function Verdict({ statement, level }: { statement: Statement; level: Level }) {
  return (
    <Heading level={level} class="outcome">
      <Mark mark={SHAPES[statement.tone]} />
      <span>{statement.headline.verdict}</span>
    </Heading>
  );
}

/** How much was replayed, who signed, and the floor; each on a line. */
export function Lines({ statement: { headline } }: { statement: Statement }) {
  return (
    <>
      {(["replayed", "signer", "floor"] as const).map((name) => {
        const text = headline[name];
        return text !== null && (
          <li class={name}>{`${text.charAt(0).toUpperCase()}${text.slice(1)}`}</li>
        );
      })}
    </>
  );
}

/** The badge of the box. */
export function BadgeLine({ badge }: { badge: BadgeImage }) {
  if ("svg" in badge) return <p class="badge">{raw(badge.svg)}</p>;
  if ("src" in badge) {
    return (
      <p class="badge">
        <img src={badge.src} alt={badge.text} height={20} />
      </p>
    );
  }
  return <p class="badge">{badge.text}</p>;
}

interface HeadlineProps {
  report: Report;
  statements: Statements;
  checked: CheckedHere;
  badge: BadgeImage;
  /** Of the heading. */
  level: Level;
}

/** The box of one report. */
export function Headline({ report, statements, checked, badge, level }: HeadlineProps) {
  const { said, itself } = statements;
  const { outcome, reason, decidedAt, run } = report;
  return (
    <Box statement={said}>
      <Eyebrow report={report} />
      <Verdict statement={said} level={level} />
      <ul class="said">
        {itself !== null && (
          <li class={`itself tone-${itself.tone}`}>
            <Mark mark={SHAPES[itself.tone]} />
            <span>By itself: {itself.headline.verdict}</span>
          </li>
        )}
        <Lines statement={said} />
        {/* Nobody signs a run, so that the model's name is nobody's word but the file's. */}
        {run !== undefined && (
          <li class="claim">
            Model, says the file: <bdi>{run.adapter}</bdi>
          </li>
        )}
      </ul>
      {reason !== null && (outcome === "invalid" || outcome === null) && (
        <p class="reason">
          {sentence(reason.message)} <ReasonCodes reason={reason} />
        </p>
      )}
      <p class="meaning">
        {meaning(report, said)} <LimitSentence report={report} said={said} />
      </p>
      <p class="when">
        {decidedAt !== undefined && (
          <>
            Decided <Time at={decidedAt} />, says the issuer.{" "}
          </>
        )}
        Checked here <Time at={checked.at} />, by revision {checked.revision}{" "}
        of the verifier. This is Touchstone {VERSION}.
      </p>
      <BadgeLine badge={badge} />
    </Box>
  );
}

function Eyebrow({ report: { kind, suite } }: { report: Report }) {
  return (
    <p class="eyebrow">
      {kindName(kind)}
      {suite !== null && (
        <>
          {" "}· <bdi>{suite}</bdi>
        </>
      )}
    </p>
  );
}

/** One sentence, where there is something that could be taken for more than it is. */
function LimitSentence({ report, said }: { report: Report; said: Statement }) {
  const text = limitText(report, said);
  if (text === null) return null;
  if (report.kind === "unknown") return <>{text}</>;
  return (
    <>
      {text} <a href="#limits">What this doesn't show</a>
    </>
  );
}
