/** @jsxImportSource hono/jsx */
/** `POST /pools` without confirmation: what publishing the pool would do. */
import type { Disclosure, PoolPreview } from "../../../lib/store/store.ts";
import { PUBLISHING_NOTICE } from "../../api/representations.ts";
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { Submit } from "./parts/forms.tsx";
import { UpgradeFigures } from "./parts/pool.tsx";
import { Section } from "./parts/section.tsx";

/** Ids that are linked from a dry run. */
const LINKED = 10;

/** What the page of a dry run shows. */
export interface PreviewView {
  preview: PoolPreview;
  /** The pool's canonical file, to be sent again. */
  text: string;
  /** The statement that came with the pool, if one did. */
  disclosure: Disclosure | undefined;
}

/** The page of a dry run. */
export function previewPage(site: Site, view: PreviewView): Page {
  const { preview, disclosure } = view;
  const { poolKey, known } = preview;
  return {
    title: "Publish a pool: dry run",
    section: "pools",
    body: (
      <>
        <p class="eyebrow">Dry run · nothing was stored</p>
        <h1>{known ? "This pool is public already" : "This is what would happen"}</h1>
        <p class="key">
          Pool <code>{poolKey}</code>
        </p>
        {known
          ? (
            <p>
              Publishing it again changes nothing.{" "}
              <a href={`${site.path}/pools/${poolKey}`}>See it</a>
            </p>
          )
          : <Effects site={site} preview={preview} />}
        {(!known || disclosure !== undefined) && <Confirm site={site} view={view} />}
      </>
    ),
  };
}

function Effects({ site, preview }: { site: Site; preview: PoolPreview }) {
  const { upgraded, exposed, complete, upgradedIds, exposedIds } = preview;
  return (
    <>
      <UpgradeFigures upgrade={preview} />
      {!complete && (
        <p>
          There are more results under this pool than a dry run checks: these numbers are lower
          bounds.
        </p>
      )}
      <Ids site={site} title="Would be upgraded" ids={upgradedIds} total={upgraded} />
      <Ids site={site} title="Would be exposed" ids={exposedIds} total={exposed} />
    </>
  );
}

interface IdsProps {
  site: Site;
  title: string;
  ids: readonly string[];
  /** How many there are, `ids` among them. */
  total: number;
}

function Ids({ site, title, ids, total }: IdsProps) {
  if (ids.length === 0) return null;
  const more = total - Math.min(LINKED, ids.length);
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {ids.slice(0, LINKED).map((id) => (
          <li>
            <a href={`${site.path}/r/${id}`}>
              <code>{id}</code>
            </a>
          </li>
        ))}
      </ul>
      {more > 0 && <p>and {more} more</p>}
    </section>
  );
}

function Confirm({ site, view }: { site: Site; view: PreviewView }) {
  const { preview: { known }, text, disclosure } = view;
  return (
    <Section id="confirm" title={known ? "Add your statement" : "Publish it"}>
      <p>
        <strong>{PUBLISHING_NOTICE}</strong>
      </p>
      {disclosure !== undefined && (
        <p>
          With the statement of <code>{disclosure.publicKey}</code>.
        </p>
      )}
      <form method="post" action={`${site.path}/pools`} enctype="multipart/form-data">
        <input type="hidden" name="pool" value={text} />
        {disclosure !== undefined && (
          <input type="hidden" name="disclosure" value={JSON.stringify(disclosure)} />
        )}
        <div class="buttons">
          <Submit action="publish">Publish for good</Submit>{" "}
          <a href={`${site.path}/pools`}>Leave it secret</a>
        </div>
      </form>
    </Section>
  );
}
