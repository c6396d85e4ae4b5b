/** @jsxImportSource hono/jsx */
/** `/verify?url=…` of a URL that gave nothing that can be shown. */
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { UrlForm } from "./parts/forms.tsx";
import { LinkSection, type LinkStory } from "./parts/link.tsx";
import { sentence } from "./parts/words.ts";

/** What the page of a problem with a link shows. */
export interface LinkProblemView {
  title: string;
  detail: string;
  status: number;
  /** Null: nothing is known of the link. */
  story: LinkStory | null;
  /** What the page's address asks for, `?` included, or empty. */
  query: string;
}

/** The page of a problem with a link. */
export function linkProblemPage(site: Site, view: LinkProblemView): Page {
  const { title, detail, status, story, query } = view;
  return {
    title,
    section: "verify",
    body: (
      <>
        <p class="eyebrow">Status {status}</p>
        <h1>{title}</h1>
        <p class="reason" role="alert">{sentence(detail)}</p>
        <UrlForm site={site} query={query} />
        {story !== null && <LinkSection site={site} story={story} />}
      </>
    ),
  };
}
