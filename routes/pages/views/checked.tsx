/** @jsxImportSource hono/jsx */
/** `POST /verify`, and `/verify?url=…`: what a check without storing gave. */
import { summarise } from "../../../lib/verify/summary.ts";
import type { Trust } from "../../../lib/words/signer.ts";
import type { Statement } from "../../../lib/words/statement.ts";
import { plural } from "../../../lib/words/subject.ts";
import type { Site } from "../../http/site.ts";
import type { CheckedDocument } from "../checked_documents.ts";
import type { PageAsked } from "../page_asked.ts";
import { statementTogether } from "../statements.ts";
import type { Page } from "./layout.tsx";
import { AskedProblem } from "./parts/acceptance.tsx";
import { type Figure, Figures } from "./parts/figures.tsx";
import { Submit } from "./parts/forms.tsx";
import { Box, type CheckedHere, Lines, Verdict } from "./parts/headline.tsx";
import { Limits } from "./parts/limits.tsx";
import { LinkSection, type LinkStory, Source } from "./parts/link.tsx";
import { ReportArticle } from "./parts/report.tsx";
import { Section } from "./parts/section.tsx";

/** What the check gave, and how that is to be shown. */
export interface CheckView {
  documents: readonly CheckedDocument[];
  /** The document's text when the one document can be stored. */
  storable: string | null;
  checked: CheckedHere;
  asked: PageAsked | null;
  trust: Trust;
  /** Where the documents came from, if that was a link. */
  story?: LinkStory;
}

/** The page of a check. Several documents are headed by what they are together. */
export function checkedPage(site: Site, view: CheckView): Page {
  const { documents, storable, asked, trust, story } = view;
  const reports = documents.map(({ report }) => report);
  const [only] = documents;
  const isOne = documents.length === 1 && only !== undefined;
  const said = isOne ? only.statements.said : statementTogether(reports, asked, trust);
  return {
    title: said.pageTitle,
    description: said.description,
    section: "verify",
    body: (
      <>
        <AskedProblem asked={asked} />
        {story !== undefined && <Source link={story.link} />}
        {!isOne && <Together said={said} documents={documents} />}
        {documents.map((document) => (
          <CheckedArticle site={site} view={view} document={document} level={isOne ? 1 : 2} />
        ))}
        <Limits path={site.path} reports={reports} />
        {isOne && storable !== null && <StoreForm site={site} document={storable} />}
        {story !== undefined && <LinkSection site={site} story={story} />}
      </>
    ),
  };
}

interface ArticleProps {
  site: Site;
  view: CheckView;
  document: CheckedDocument;
  level: 1 | 2;
}

function CheckedArticle({ site, view, document, level }: ArticleProps) {
  const { checked, asked, trust } = view;
  return (
    <ReportArticle
      report={document.report}
      statements={document.statements}
      checked={checked}
      disclosures={{ path: site.path, pools: document.pools }}
      asked={asked}
      trust={trust}
      badge={document.badge}
      level={level}
    />
  );
}

interface TogetherProps {
  said: Statement;
  documents: readonly CheckedDocument[];
}

/** The box of several documents, and their sums. */
function Together({ said, documents }: TogetherProps) {
  const { besides } = said.headline;
  return (
    <div class="report">
      <Box statement={said}>
        <p class="eyebrow">{plural(documents.length, "document")}, together</p>
        <Verdict statement={said} level={1} />
        <ul class="said">
          {besides !== null && <li>By themselves: {besides}</li>}
          <Lines statement={said} />
        </ul>
      </Box>
      <Figures figures={sumsOf(documents)} />
    </div>
  );
}

function sumsOf(documents: readonly CheckedDocument[]): Figure[] {
  const sums = summarise(documents.map(({ report }) => report));
  const { verified, issuerClaimed, invalid, unfinished, passed, challenges, unreplayed } = sums;
  return [
    { name: "verified", value: verified },
    { name: "issuer-claimed", value: issuerClaimed, tone: issuerClaimed > 0 ? "claimed" : "" },
    { name: "invalid", value: invalid, tone: invalid > 0 ? "fail" : "" },
    { name: "not finished", value: unfinished },
    { name: "passed", value: `${passed}/${challenges}` },
    { name: "unreplayed", value: unreplayed, tone: unreplayed > 0 ? "claimed" : "" },
  ];
}

function StoreForm({ site, document }: { site: Site; document: string }) {
  return (
    <Section id="store" title="Nothing was stored">
      <p>
        Store this document to get a page to share and a badge for it. A pool that you supplied is
        not stored.
      </p>
      <form method="post" action={`${site.path}/verify`} enctype="multipart/form-data">
        <input type="hidden" name="document" value={document} />
        <div class="buttons">
          <Submit action="store">Store and make a badge</Submit>
        </div>
      </form>
    </Section>
  );
}
