/** @jsxImportSource hono/jsx */
/** What to paste into a README to show a result's badge. */
import { isPublicAddress } from "../../../../lib/fetch/address.ts";
import { resultUrls, type Site } from "../../../http/site.ts";
import { Section } from "./section.tsx";

/** A fixed text: a count written into a README would not follow the badge. */
const ALT = "Result checked by Touchstone; the linked page says what was replayed";

interface SnippetsProps {
  site: Site;
  id: string;
  /** Requirements of the link to the page, `?` included, or empty. */
  query: string;
  /** Whose signature the snippets ask for, where the link asks for none; null: nobody's. */
  issuerKey: string | null;
}

/** The section with the snippets. */
export function Snippets({ site, id, query, issuerKey }: SnippetsProps) {
  const asking = issuerKey === null ? query : withMore(query, `issuer=${issuerKey}`);
  const card = `${site.path}/badge/${id}.svg${withMore(asking, "style=card&theme=auto")}`;
  return (
    <Section id="embed" title="Badge for a README">
      <p>
        Each snippet shows the badge, and leads to this page, which explains it. Click on one to
        select all of it.
        {issuerKey !== null && (
          <>
            {" "}
            The snippets name this issuer's key, which readers can compare with the key that signed;
            were the key ever revoked, the badge would say so.
          </>
        )}
      </p>
      {isLocal(site.url) && <LocalNote url={site.url} />}
      <p class="badge">
        <img src={card} alt="The card" />
      </p>
      {snippets(site, id, asking).map(([name, text]) => <Snippet name={name} text={text} />)}
      {issuerKey !== null && (
        <>
          <details>
            <summary>Without asking for the issuer</summary>
            <p>
              Then the badge asks nothing about who signed. A good signature alone doesn't say whose
              it is.
            </p>
            <Snippet name="Markdown, any issuer" text={markdown(site, id, query)} />
          </details>
          <p>
            <code>policy</code>, <code>context</code>, <code>session</code>,{" "}
            <code>replayed=all</code> and <code>maxage=30d</code> behind the address ask for more.
          </p>
        </>
      )}
      <Files site={site} id={id} query={query} />
    </Section>
  );
}

function Snippet({ name, text }: { name: string; text: string }) {
  return (
    <>
      <h3>{name}</h3>
      <pre class="copy" tabindex={0} role="group" aria-label={`${name} of the badge`}>{text}</pre>
    </>
  );
}

function markdown(site: Site, id: string, query: string): string {
  const { page, svg } = resultUrls(site, id);
  return `[![${ALT}](${svg}${query})](${page}${query})`;
}

function snippets(site: Site, id: string, query: string): [name: string, text: string][] {
  const urls = resultUrls(site, id);
  const page = attribute(urls.page + query);
  const shields = `https://img.shields.io/endpoint?url=${encodeURIComponent(urls.json + query)}`;
  const image = (url: string, size = "") => `<img src="${attribute(url)}" alt="${ALT}"${size}>`;
  const card = (theme: string) => urls.svg + withMore(query, `style=card&theme=${theme}`);
  return [
    ["Markdown", markdown(site, id, query)],
    ["HTML", `<a href="${page}">${image(urls.svg + query, ' height="20"')}</a>`],
    [
      "PNG, sharp on every screen",
      `<a href="${page}">${image(urls.png + withMore(query, "scale=2"), ' height="20"')}</a>`,
    ],
    [
      "Card, light and dark",
      `<a href="${page}"><picture>` +
      `<source media="(prefers-color-scheme: dark)" srcset="${attribute(card("dark"))}">` +
      `${image(card("light"))}</picture></a>`,
    ],
    ["shields.io", `[![${ALT}](${shields})](${urls.page}${query})`],
  ];
}

/** The query, `?` included or empty, with further parameters at its end. */
function withMore(query: string, more: string): string {
  return query === "" ? `?${more}` : `${query}&${more}`;
}

/** In an attribute of a snippet, an ampersand is written out. */
function attribute(url: string): string {
  return url.replaceAll("&", "&amp;");
}

function LocalNote({ url }: { url: string }) {
  return (
    <p class="note" role="note">
      <strong>Only you can see these badges.</strong> <code>{url}</code>{" "}
      is an address of this machine or its network: neither GitHub nor shields.io reaches it. Store
      the document on a public Touchstone before you paste a snippet, or set <code>PUBLIC_URL</code>
      {" "}
      if this one is public under another name.
    </p>
  );
}

/** Whether a service at this address is out of the internet's reach. */
export function isLocal(url: string): boolean {
  const name = URL.parse(url)?.hostname.replace(/\.$/, "") ?? "";
  const address = name.replace(/^\[(.*)\]$/, "$1");
  if (/^[0-9.]+$/.test(address) || address.includes(":")) return !isPublicAddress(address);
  // A name without a dot, or under one that never leaves a network (RFC 6761, 6762, 8375).
  return !name.includes(".") || /\.(?:localhost|local|internal|home\.arpa|test|lan)$/.test(name);
}

function Files({ site, id, query }: Omit<SnippetsProps, "issuerKey">) {
  const badge = `${site.path}/badge/${id}`;
  const result = `${site.path}/api/results/${id}`;
  const files = [
    ["SVG", `${badge}.svg${query}`],
    ["PNG", `${badge}.png${query}`],
    ["JSON for shields.io", `${badge}.json${query}`],
    ["Report as JSON", `${result}${query}`],
    ["Signed document", `${result}/document`],
  ] as const;
  return (
    <ul class="links">
      {files.map(([name, href]) => (
        <li>
          <a href={href}>{name}</a>
        </li>
      ))}
    </ul>
  );
}
