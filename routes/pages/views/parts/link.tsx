/** @jsxImportSource hono/jsx */
/** What became of a link. Of its URL the pages show what is no secret. */
import type { LinkView } from "../../../../lib/links/links.ts";
import type { LinkEvent } from "../../../../lib/links/rows.ts";
import { kindName, plural } from "../../../../lib/words/subject.ts";
import { type LastGiven, lastGiven } from "../../../api/link_representations.ts";
import { isoTime } from "../../../api/representations.ts";
import type { Site } from "../../../http/site.ts";
import { Fact } from "./facts.tsx";
import { Submit } from "./forms.tsx";
import { Time } from "./time.tsx";

/** A link with its history. */
export interface LinkStory {
  link: LinkView;
  history: readonly LinkEvent[];
}

/** Above the reports: where they came from, and how old that is. */
export function Source({ link }: { link: LinkView }) {
  const { url, fetchedAt, age, hash } = link;
  if (hash === null) {
    return (
      <p class="source">
        Stored here: <code>{url}</code>
      </p>
    );
  }
  return (
    <div class="source">
      <p>
        From <code>{url}</code>
        {fetchedAt !== null && `, as its host gave it ${agoText(age ?? 0)}`}.
      </p>
      <Staleness link={link} />
    </div>
  );
}

/** Why what is shown may be old; nothing where it isn't. */
function Staleness({ link: { state, failure } }: { link: LinkView }) {
  switch (state) {
    case "fresh":
    case "gone":
      return null;
    case "stale":
      return (
        <p>
          That is a while ago: the host is being asked again. Load this page again in a moment.
        </p>
      );
    case "failing":
      return (
        <p>
          The last attempt to fetch the link again failed:{" "}
          {failure?.message ?? ""}. What is shown is what the link gave before.
        </p>
      );
  }
}

/** Documents whose ids are shown. */
const SHOWN = 10;

/** Below the reports: what became of the link, and a button that fetches it again. */
export function LinkSection({ site, story }: { site: Site; story: LinkStory }) {
  const { link, history } = story;
  if (link.hash === null) return null;
  return (
    <section class="link" aria-labelledby="link">
      <h2 id="link">The link</h2>
      <LinkFacts site={site} link={link} />
      <LinkHistory history={history} />
      {/* Sent to the page's own address, so that a link with a secret isn't written into the page. */}
      <form method="post">
        <div class="buttons">
          <Submit action="refresh" second>Fetch it again now</Submit>
        </div>
      </form>
    </section>
  );
}

function LinkFacts({ site, link }: { site: Site; link: LinkView }) {
  const { url, fetchedAt, goneAt, documents } = link;
  const last = lastGiven(site, link)?.documents.slice(0, SHOWN) ?? [];
  return (
    <dl class="facts">
      <Fact name="Address">
        <code>{url}</code>
      </Fact>
      {fetchedAt !== null && (
        <>
          <Fact name="Last given or confirmed by its host">
            <Time at={isoTime(fetchedAt)} /> ({agoText(link.now - fetchedAt)})
          </Fact>
          <Fact name="What it gave">{plural(documents.length, "document")}</Fact>
        </>
      )}
      {last.map((document) => <Given document={document} />)}
      {goneAt !== null && (
        <Fact name="Gone since">
          <Time at={isoTime(goneAt)} />
        </Fact>
      )}
    </dl>
  );
}

/** One document that the link gave, with a link to its page where the document is stored. */
function Given({ document: { id, kind, urls } }: { document: LastGiven["documents"][number] }) {
  if (id === null) return <dd>{kindName(kind)}</dd>;
  const code = <code>{id}</code>;
  return <dd>{kindName(kind)} {urls === null ? code : <a href={urls.page}>{code}</a>}</dd>;
}

const WHAT: Record<LinkEvent["what"], string> = {
  first: "First seen",
  changed: "Gave something else",
  gone: "Gone, after it had given",
  back: "Back again",
};

function LinkHistory({ history }: { history: readonly LinkEvent[] }) {
  if (history.length === 0) return null;
  return (
    <>
      <h3>What changed</h3>
      <ol class="history">
        {history.map(({ at, what, ids, documents }) => (
          <li>
            <p class="when">
              <Time at={isoTime(at)} />
            </p>
            <p>
              {WHAT[what]}: {plural(documents, "document")}
              {ids.filter((id) => id !== null).map((id) => (
                <>
                  {" "}
                  <code>{id.slice(0, 12)}…</code>
                </>
              ))}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}

const UNITS: [string, number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];

/** `a moment ago`, `3 minutes ago`; `age` in milliseconds. */
export function agoText(age: number): string {
  for (const [unit, ms] of UNITS) {
    const n = Math.floor(age / ms);
    if (n > 0) return `${plural(n, unit)} ago`;
  }
  return "a moment ago";
}
