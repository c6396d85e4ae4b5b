/** @jsxImportSource hono/jsx */
/** `/r/:id`: a stored result. */
import { SHAPES } from "../../../lib/badge/marks.ts";
import { badgeSaying, badgeText } from "../../../lib/badge/model.ts";
import type { Report } from "../../../lib/verify/report.ts";
import type { Trust } from "../../../lib/words/signer.ts";
import { type Statement, statementOf } from "../../../lib/words/statement.ts";
import type { Change, DisclosedPool } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { PageAsked } from "../page_asked.ts";
import { statementsOf } from "../statements.ts";
import type { Page } from "./layout.tsx";
import { AskedProblem } from "./parts/acceptance.tsx";
import { BadgeLine, type CheckedHere } from "./parts/headline.tsx";
import { History } from "./parts/history.tsx";
import { Limits } from "./parts/limits.tsx";
import { Mark } from "./parts/marks.tsx";
import { ReportArticle } from "./parts/report.tsx";
import { Snippets } from "./parts/snippets.tsx";
import { meaning } from "./parts/words.ts";

/** A stored result as its page shows it. */
export interface ResultView {
  id: string;
  report: Report;
  /** Null: the result is being checked again. */
  checked: CheckedHere | null;
  pools: readonly DisclosedPool[];
  history: readonly Change[];
  /** What the link to the page asks for; null: nothing. */
  asked: PageAsked | null;
  /** The same as a query, `?` included, or empty; what can't be understood included. */
  query: string;
  trust: Trust;
}

/** Seconds after which the page of a result that is being checked again loads itself. */
const RELOAD = 2;

/** The page of a stored result. */
export function resultPage(site: Site, view: ResultView): Page {
  const { id, report, checked, pools, asked, query, trust } = view;
  // The badge is asked the same as the page, and so says too whether the result is accepted.
  const src = `${site.path}/badge/${id}.svg${query}`;
  if (checked === null) {
    const said = statementOf(report, { trust });
    return {
      title: said.pageTitle,
      description: said.description,
      refresh: RELOAD,
      body: (
        <>
          <Checking report={report} said={said} src={src} />
          <After site={site} view={view} />
        </>
      ),
    };
  }
  const statements = statementsOf(report, asked, trust);
  const { said } = statements;
  return {
    title: said.pageTitle,
    description: said.description,
    body: (
      <>
        <AskedProblem asked={asked} />
        <ReportArticle
          report={report}
          statements={statements}
          checked={checked}
          disclosures={{ path: site.path, pools }}
          asked={asked}
          trust={trust}
          badge={{ src, text: badgeText(badgeSaying(said, report)) }}
          level={1}
        />
        <Limits path={site.path} reports={[report]} />
        <After site={site} view={view} />
      </>
    ),
  };
}

/** What comes after the report: the result's history, and the snippets for its badge. */
function After({ site, view }: { site: Site; view: ResultView }) {
  const { id, report, history, asked, query } = view;
  const isMisread = asked !== null && asked.problem !== null;
  return (
    <>
      <History site={site} changes={history} />
      <Snippets
        site={site}
        id={id}
        // Requirements that can't be understood are not handed on.
        query={isMisread ? "" : query}
        issuerKey={asked?.requirements?.issuers == null ? report.issuer?.publicKey ?? null : null}
      />
    </>
  );
}

/** A box that tells nothing of an outcome, neither the old one nor a new one. */
function Checking({ report, said, src }: { report: Report; said: Statement; src: string }) {
  return (
    <article class={`report ${said.state}`}>
      <div class={`verdict tone-${said.tone}`}>
        <h1 class="outcome">
          <Mark mark={SHAPES[said.tone]} />
          <span>{said.headline.verdict}</span>
        </h1>
        <p class="meaning" role="status">
          {meaning(report, said)} This page loads itself again.
        </p>
        <BadgeLine badge={{ src, text: "Badge: checking" }} />
      </div>
    </article>
  );
}
