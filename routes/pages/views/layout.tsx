/** @jsxImportSource hono/jsx */
/** The frame around every page. */
import type { Child } from "hono/jsx";
import { styleVersion } from "../../http/static.ts";
import type { Site } from "../../http/site.ts";
import { VERSION } from "../../../lib/base/release.ts";

/** A page, without its frame. */
export interface Page {
  title: string;
  /** For search engines and previews; default: what the service is. */
  description?: string;
  /** Which entry of the navigation the page belongs to. */
  section?: SectionName;
  /** Seconds after which the page loads itself again, because work is under way. */
  refresh?: number;
  body: Child;
}

type SectionName = "verify" | "pools" | "evaluator" | "api";

const SERVICE =
  "Touchstone verifies Clankdar receipts, and shows which part of a shared result it could, and could not, replay.";

/** Entries of the navigation; each one's path is its name. */
const ENTRIES: readonly [name: SectionName, text: string][] = [
  ["verify", "Verify"],
  ["pools", "Pools"],
  ["evaluator", "Evaluator"],
  ["api", "API"],
];

/** The whole document as text. Everything in the page that isn't markup of ours is escaped. */
export async function renderPage(site: Site, page: Page): Promise<string> {
  const html = (
    <html lang="en">
      <Head site={site} page={page} />
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="band">
          <div class="wrap">
            <a class="brand" href={`${site.path}/`}>
              <span class="streak" aria-hidden="true" />Touchstone
            </a>
            <nav aria-label="Main">
              {ENTRIES.map(([name, text]) => (
                <>
                  <a
                    href={`${site.path}/${name}`}
                    aria-current={name === page.section ? "page" : undefined}
                  >
                    {text}
                  </a>
                  {" "}
                </>
              ))}
            </nav>
          </div>
        </header>
        <main id="main" class="wrap">{page.body}</main>
        <footer class="wrap">
          <p>Touchstone {VERSION}. A touchstone shows what a coin is really made of.</p>
        </footer>
      </body>
    </html>
  );
  return `<!doctype html>${await html.toString()}`;
}

function Head({ site: { path }, page }: { site: Site; page: Page }) {
  const { title, description = SERVICE, refresh } = page;
  return (
    <head>
      <meta charset="utf-8" />
      <title>{title === "Touchstone" ? title : `${title} · Touchstone`}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content={description} />
      {refresh !== undefined && <meta http-equiv="refresh" content={`${refresh}`} />}
      <link
        rel="alternate"
        type="application/feed+json"
        title="Upgrades and exposures"
        href={`${path}/api/feed`}
      />
      <link rel="icon" href={`${path}/favicon.svg`} type="image/svg+xml" />
      <link rel="stylesheet" href={`${path}/style.css?v=${styleVersion()}`} />
    </head>
  );
}
