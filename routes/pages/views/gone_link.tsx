/** @jsxImportSource hono/jsx */
/** `/verify?url=…` of a URL whose file is gone. */
import type { Site } from "../../http/site.ts";
import type { Page } from "./layout.tsx";
import { agoText, LinkSection, type LinkStory } from "./parts/link.tsx";

/** The page of a link whose file is gone. */
export function goneLinkPage(site: Site, story: LinkStory): Page {
  const { url, fetchedAt, now } = story.link;
  return {
    title: "Gone",
    section: "verify",
    body: (
      <>
        <p class="eyebrow">Status 410</p>
        <h1>Gone</h1>
        <p class="lead">
          The host of <code>{url}</code>{" "}
          says that there is no such file, and has said so for five minutes and more.
          {fetchedAt !== null && (
            <>
              {" "}
              It last gave one{" "}
              {agoText(now - fetchedAt)}. Nothing of it is shown as if the file were still there.
            </>
          )}
        </p>
        <LinkSection site={site} story={story} />
      </>
    ),
  };
}
