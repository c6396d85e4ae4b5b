/** @jsxImportSource hono/jsx */
/** What a browser sees when its request could not be met. */
import { type ProblemError, PROBLEMS, type Removed } from "../../http/problems.ts";
import type { Site } from "../../http/site.ts";
import { kindName } from "../../../lib/words/subject.ts";
import type { Page } from "./layout.tsx";
import { Fact } from "./parts/facts.tsx";
import { History } from "./parts/history.tsx";
import { Time } from "./parts/time.tsx";
import { sentence } from "./parts/words.ts";

/** The page of an error; of a removed result, with what is left of the result. */
export function errorPage(site: Site, error: ProblemError): Page {
  const { status, title, explanation } = PROBLEMS[error.code];
  const { removed } = error.extra;
  return {
    title,
    body: (
      <>
        <p class="eyebrow">Status {status}</p>
        <h1>{title}</h1>
        <p class="reason" role="alert">{sentence(error.message)}</p>
        <p class="lead">{explanation}</p>
        {removed !== undefined && <RemovedResult site={site} removed={removed} />}
        <p>
          <a href={`${site.path}/`}>To the start page</a>
        </p>
      </>
    ),
  };
}

function RemovedResult({ site, removed }: { site: Site; removed: Removed }) {
  const { id, kind, outcome, why, removedAt, storedAt, history } = removed;
  return (
    <>
      <dl class="facts">
        <Fact name="What it was">
          {kindName(kind)} <code>{id}</code>
        </Fact>
        <Fact name="Last outcome">{outcome}</Fact>
        <Fact name="Stored">
          <Time at={storedAt} />
        </Fact>
        <Fact name="Removed">
          <Time at={removedAt} />,{" "}
          {why === "deleted" ? "by the operator" : "because nobody had asked for it in a long time"}
        </Fact>
      </dl>
      <History site={site} changes={history} />
    </>
  );
}
