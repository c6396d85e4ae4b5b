/** The frame around every page. */
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Site } from "../../http/site.ts";
import { VERSION } from "../../version.ts";
import { styleVersion } from "../../http/static.ts";

/** HTML in which everything that isn't ours is escaped; made with hono's `html` only. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export interface Page {
  title: string;
  /** For search engines and previews; default: what the service is. */
  description?: string;
  /** Which entry of the navigation the page belongs to. */
  section?: "verify" | "pools" | "evaluator" | "api";
  /** Seconds after which the page loads itself again: something is under way. */
  refresh?: number;
  body: Html;
}

const SERVICE =
  "Touchstone verifies Clankdar receipts, and shows which part of a shared result it could, and could not, replay.";

/** The whole document as text. */
export async function renderPage(
  site: Site,
  { title, description = SERVICE, section, refresh, body }: Page,
): Promise<string> {
  const entry = (name: Page["section"], href: string, text: string) =>
    html`
      <a href="${site.path}${href}" ${name === section
        ? raw(' aria-current="page"')
        : ""}>${text}</a>
    `;
  const page = await html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>${title === "Touchstone" ? title : `${title} · Touchstone`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="${description}">
        ${refresh === undefined ? "" : html`<meta http-equiv="refresh" content="${refresh}">`}
        <link rel="alternate" type="application/feed+json" title="Upgrades and exposures" href="${site
          .path}/api/feed">
        <link rel="icon" href="${site.path}/favicon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="${site.path}/style.css?v=${styleVersion()}">
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="band">
          <div class="wrap">
            <a class="brand"
              href="${site.path}/"><span class="streak" aria-hidden="true"></span>Touchstone</a>
            <nav aria-label="Main">
    ${entry("verify", "/verify", "Verify")}
    ${entry("pools", "/pools", "Pools")}
    ${entry("evaluator", "/evaluator", "Evaluator")}
    ${entry("api", "/api", "API")}
            </nav>
          </div>
        </header>
        <main id="main" class="wrap">
    ${body}
        </main>
        <footer class="wrap">
          <p>Touchstone ${VERSION}. A touchstone shows what a coin is really made of.</p>
        </footer>
      </body>
    </html>
  `;
  return page.toString();
}
