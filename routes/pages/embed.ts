/** What to paste into a README to show a result's badge. */
import { html } from "hono/html";
import { resultUrls, type Site } from "../site.ts";
import type { Html } from "./layout.ts";

/** A fixed text: a count written into a README would not follow the badge. */
const ALT = "Result checked by Touchstone; the linked page says what was replayed";

/**
 * The section with the snippets.
 *
 * @param query requirements that the badge and its page are asked, `?` included, or empty.
 * @param issuerKey whose signature it is, where no issuer is required; null: one is, or nobody's.
 */
export function embedHtml(
  site: Site,
  id: string,
  query: string,
  issuerKey: string | null,
): Html {
  const urls = resultUrls(site, id);
  const [page, svg, json] = [urls.page, urls.svg, urls.json].map((url) => url + query);
  const card = (theme: string) => `${svg}${query === "" ? "?" : "&"}style=card&theme=${theme}`;
  const shields = `https://img.shields.io/endpoint?url=${encodeURIComponent(json!)}`;
  const picture = card("auto").slice(site.url.length - site.path.length);
  // In an attribute, an ampersand is written out.
  const attribute = (url: string) => url.replaceAll("&", "&amp;");
  const snippets: [name: string, text: string][] = [
    ["Markdown", `[![${ALT}](${svg})](${page})`],
    [
      "HTML",
      `<a href="${attribute(page!)}"><img src="${attribute(svg!)}" alt="${ALT}" height="20"></a>`,
    ],
    [
      "Card, light and dark",
      `<a href="${attribute(page!)}"><picture>` +
      `<source media="(prefers-color-scheme: dark)" srcset="${attribute(card("dark"))}">` +
      `<img src="${attribute(card("light"))}" alt="${ALT}"></picture></a>`,
    ],
    ["shields.io", `[![${ALT}](${shields})](${page})`],
  ];
  return html`
    <section aria-labelledby="embed">
      <h2 id="embed">Badge for a README</h2>
      <p>Each with a link to this page. Click to select all of it.</p>
      <p class="badge"><img src="${picture}" alt="The card"></p>
      ${snippets.map(([name, text]) =>
        html`
          <h3>${name}</h3>
          <pre class="copy" tabindex="0" aria-label="${name} of the badge">${text}</pre>
        `
      )}
      ${issuerKey === null ? "" : html`
        <p>A good signature alone doesn't say whose it is. With
        <code>?issuer=${issuerKey}</code> behind its address, a badge accepts this issuer and no
        other; <code>policy</code>, <code>context</code>, <code>session</code>,
        <code>replayed=all</code> and <code>maxage=30d</code> ask for more.</p>
      `}
      <ul class="links">
        <li><a href="${site.path}/badge/${id}.svg${query}">SVG</a></li>
        <li><a href="${site.path}/badge/${id}.png${query}">PNG</a></li>
        <li><a href="${site.path}/badge/${id}.json${query}">JSON for shields.io</a></li>
        <li><a href="${site.path}/api/results/${id}${query}">Report as JSON</a></li>
        <li><a href="${site.path}/api/results/${id}/document">Signed document</a></li>
      </ul>
    </section>
  `;
}
