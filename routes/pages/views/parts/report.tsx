/** @jsxImportSource hono/jsx */
/** A report: the same for a stored result and for a check that stores nothing. */
import type { Check, Report } from "../../../../lib/verify/report.ts";
import type { Trust } from "../../../../lib/words/signer.ts";
import { plural } from "../../../../lib/words/subject.ts";
import type { BadgeImage } from "../../checked_documents.ts";
import type { PageAsked } from "../../page_asked.ts";
import { isTrusted, type Statements } from "../../statements.ts";
import { Acceptance } from "./acceptance.tsx";
import { Challenges } from "./challenges.tsx";
import { type Disclosures, DocumentFacts, type FactsProps, IssuerFacts } from "./facts.tsx";
import { type Figure, Figures } from "./figures.tsx";
import { type CheckedHere, Headline } from "./headline.tsx";
import { Run } from "./run.tsx";
import { type Level, Part } from "./section.tsx";
import { observationText } from "./words.ts";

/** A report and what is to be known for showing it. */
interface ReportProps {
  report: Report;
  statements: Statements;
  checked: CheckedHere;
  disclosures: Disclosures;
  /** What the link asks for; null: nothing. */
  asked: PageAsked | null;
  trust: Trust;
  badge: BadgeImage;
  /** Of the headline. */
  level: 1 | 2;
}

/** The report's sections, with the headline box first. */
export function ReportArticle(props: ReportProps) {
  const { report, statements, checked, disclosures, asked, trust, badge, level } = props;
  const below: Level = level === 1 ? 2 : 3;
  const trusted = isTrusted(statements.said);
  const { state } = statements.itself ?? statements.said;
  return (
    <article class={`report ${state}`}>
      <Headline
        report={report}
        statements={statements}
        checked={checked}
        badge={badge}
        level={level}
      />
      <Acceptance report={report} asked={asked} level={below} />
      {state !== "unknown-suite" && <CountFigures report={report} trusted={trusted} />}
      <UnreplayedNote report={report} path={disclosures.path} />
      <Challenges report={report} trusted={trusted} level={below} />
      {report.run !== undefined && <Run run={report.run} level={below} />}
      <Observations report={report} level={below} />
      <FactPair report={report} disclosures={disclosures} trust={trust} level={below} />
      <Checks report={report} level={below} />
    </article>
  );
}

interface PartProps {
  report: Report;
  level: Level;
}

/** Who and what. Nobody signs a run, and what is no document has neither. */
function FactPair({ level, ...facts }: FactsProps & { level: Level }) {
  const { kind } = facts.report;
  if (kind === "unknown") return null;
  return (
    <div class="pair">
      {kind !== "run" && (
        <Part level={level} title="Issuer">
          <IssuerFacts {...facts} />
        </Part>
      )}
      <Part level={level} title="Document">
        <DocumentFacts {...facts} />
      </Part>
    </div>
  );
}

function CountFigures({ report, trusted }: { report: Report; trusted: boolean }) {
  const { counts, verdict, outcome, kind } = report;
  if (counts === null) return null;
  // Green is for passes that replay establishes.
  const tone = verdict === "fail" ? "fail" : outcome === "verified" ? "passed" : "";
  const { passed, challenges, required, unreplayed, replayedPasses, answered, formatOnly } = counts;
  const figures: (Figure | false)[] = [
    { name: "passed", value: `${passed}/${challenges}` },
    kind !== "run" && { name: "required", value: required },
    verdict !== null && { name: "verdict", value: verdict, tone },
    { name: "unreplayed", value: unreplayed, tone: unreplayed > 0 ? "claimed" : "" },
    { name: "passes replayed", value: replayedPasses },
    answered < challenges && { name: "answered", value: answered },
    formatOnly > 0 && { name: "wrong format only", value: formatOnly },
  ];
  return <Figures figures={figures.filter((figure) => figure !== false)} trusted={trusted} />;
}

function UnreplayedNote({ report, path }: { report: Report; path: string }) {
  const { counts, pools, outcome, kind } = report;
  if (counts === null || counts.unreplayed === 0 || outcome === "invalid") return null;
  const { unreplayed, replayedPasses, required } = counts;
  if (kind === "run") {
    return (
      <aside class="note">
        <p>
          <strong>{plural(unreplayed, "row")} unreplayed.</strong>{" "}
          The run has no manifest, so its puzzles can't be generated again.
        </p>
      </aside>
    );
  }
  return (
    <aside class="note">
      <p>
        <strong>{plural(unreplayed, "receipt")} unreplayed.</strong>{" "}
        {unreplayed === 1 ? "Its puzzle comes" : "Their puzzles come"}{" "}
        from a held-out pool that this service doesn't have, so it can't tell whether the prompt and
        the expected answer are right. Replay alone establishes{" "}
        {plural(replayedPasses, "pass", "passes")} of the {required}{" "}
        required. Once the pool is disclosed, every such receipt becomes verified or is exposed as
        invalid. <a href={`${path}/pools`}>Whoever has the pool can publish it.</a>{" "}
        <a href={`${path}/pools#hides`}>What a pool hides and doesn't</a>
      </p>
      {pools.filter((pool) => !pool.disclosed).map(({ poolKey }) => (
        <p class="key">
          Undisclosed pool <code>{poolKey}</code>
        </p>
      ))}
    </aside>
  );
}

function Observations({ report: { observations }, level }: PartProps) {
  if (observations.length === 0) return null;
  return (
    <Part level={level} title="Worth knowing">
      <dl class="observations">
        {observations.map((code) => (
          <div>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{observationText(code)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

const SIGNS = { ok: "✓", failed: "✗", skipped: "–" };

function Checks({ report: { checks }, level }: PartProps) {
  if (checks.length === 0) return null;
  return (
    <Part level={level} title="Checks of the document">
      <ol class="checks">
        {checks.map(({ check, status }: Check) => (
          <li class={status}>
            <span aria-hidden="true">{SIGNS[status]}</span> {check}{" "}
            <small>{status === "ok" ? "holds" : status}</small>
          </li>
        ))}
      </ol>
    </Part>
  );
}
