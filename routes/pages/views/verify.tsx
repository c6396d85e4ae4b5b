/** @jsxImportSource hono/jsx */
/** `GET /verify`, and again when a form could not be used: the page with the forms. */
import type { Site } from "../../http/site.ts";
import type { PageAsked } from "../page_asked.ts";
import type { Page } from "./layout.tsx";
import { AskedProblem } from "./parts/acceptance.tsx";
import { DocumentForm, UrlForm } from "./parts/forms.tsx";
import { sentence } from "./parts/words.ts";

/** What the page with the forms shows. */
export interface VerifyView {
  /** Whether URLs are fetched. */
  byUrl: boolean;
  asked: PageAsked | null;
  /** The same as a query, `?` included, or empty. */
  query: string;
  /** Why the form could not be used, and what was pasted into it. */
  refused?: { title: string; detail: string; document: string };
}

/** The page with the forms. */
export function verifyPage(site: Site, { byUrl, asked, query, refused }: VerifyView): Page {
  return {
    title: refused?.title ?? "Verify",
    section: "verify",
    body: (
      <>
        <AskedProblem asked={asked} />
        <h1>{refused?.title ?? "Check a result"}</h1>
        {refused !== undefined && <p class="reason" role="alert">{sentence(refused.detail)}</p>}
        {asked !== null && asked.requirements !== null && (
          <p>
            The address of this page asks for something, and what you check here is compared with
            it.
          </p>
        )}
        {byUrl && <UrlForm site={site} query={query} />}
        <DocumentForm site={site} query={query} document={refused?.document} />
      </>
    ),
  };
}
