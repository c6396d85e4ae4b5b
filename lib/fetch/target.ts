/** Reads the URL that somebody wants fetched. */
import { isPublicAddress } from "./address.ts";
import { FetchError } from "./error.ts";
import type { RemoteRules } from "./rules.ts";

type TargetRules = Pick<RemoteRules, "allowHosts" | "ports" | "ownHosts">;

/** Longest URL, in characters. */
const MAX_URL = 2048;

/**
 * What readers of URLs disagree on: white space and control characters, which some drop, and the
 * backslash, which some take for a slash.
 */
// deno-lint-ignore no-control-regex
const AMBIGUOUS = /[\x00-\x20\x7f\\]/;

/** Endings of names that mean something only inside a network. */
const INSIDE = new Set([
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "arpa",
  "onion",
]);

/** Public endings that mean something else inside of a cloud. */
const METADATA = new Set(["metadata.goog"]);

/**
 * The URL to fetch: normalised, without fragment and final dot. Nothing is resolved.
 *
 * A URL of this service's own is given whatever its scheme, port and address: see `isOwn`.
 *
 * @throws {FetchError} `fetch-url-malformed`, `fetch-scheme`, `fetch-credentials`, `fetch-port`,
 * `fetch-blocked-address`.
 */
export function readTarget(text: string, rules: TargetRules): URL {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL) throw tooLong();
  if (AMBIGUOUS.test(trimmed)) {
    throw malformed("the URL has spaces, control characters or backslashes in it");
  }
  const url = URL.parse(trimmed);
  if (url === null) throw malformed("a whole URL is needed, beginning with https://");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw wrongScheme();
  if (!/^https?:\/\/[^/]/i.test(trimmed)) {
    throw malformed("a whole URL is needed, beginning with https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw new FetchError(
      "fetch-credentials",
      "the URL has a user name or password in it; give one that works without",
    );
  }
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  checkHost(url.hostname);
  // Escaping may have made it longer.
  if (url.href.length > MAX_URL) throw tooLong();

  if (isOwn(url, rules) || isAllowed(url, rules)) return url;
  if (url.protocol !== "https:") throw wrongScheme();
  if (!rules.ports.has(portOf(url))) {
    const ports = [...rules.ports].join(" or ");
    throw new FetchError("fetch-port", `only port ${ports} can be fetched from`);
  }
  if (isInside(url.hostname)) throw blockedAddress();
  return url;
}

/** Whether a URL is this service's own, and must be answered without connecting. */
export function isOwn(url: URL, { ownHosts }: Pick<TargetRules, "ownHosts">): boolean {
  return ownHosts.has(url.host) || ownHosts.has(url.hostname) ||
    ownHosts.has(`${url.hostname}:${portOf(url)}`);
}

/** Whether the operator trusts a URL's host whatever its scheme, port and address. */
export function isAllowed(url: URL, { allowHosts }: Pick<TargetRules, "allowHosts">): boolean {
  return allowHosts.has(url.host) || allowHosts.has(`${url.hostname}:${portOf(url)}`);
}

/** The address that a URL's `hostname` is in place of a name, or null. */
export function literalAddress(hostname: string): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // The URL standard makes an address of every host that ends in a number, or refuses it.
  return /\.[0-9]+$/.test(hostname) ? hostname : null;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/**
 * A host that may not be connected to. The same for addresses, names of inside, and names that don't
 * resolve.
 */
export function blockedAddress(cause?: unknown): FetchError {
  return new FetchError(
    "fetch-blocked-address",
    "the host has no address on the public internet; check its name",
    { cause },
  );
}

function checkHost(hostname: string): void {
  if (hostname.startsWith("[")) return;
  const labels = hostname.split(".");
  if (hostname.length > 253 || !labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) {
    throw malformed("the URL's host is not a host name");
  }
}

/** Addresses that aren't public, and names that only mean something inside a network. */
function isInside(hostname: string): boolean {
  const literal = literalAddress(hostname);
  if (literal !== null) return !isPublicAddress(literal);
  const labels = hostname.split(".");
  return labels.length === 1 || INSIDE.has(labels.at(-1)!) || METADATA.has(hostname);
}

function malformed(message: string): FetchError {
  return new FetchError("fetch-url-malformed", message);
}

function tooLong(): FetchError {
  return malformed(`a URL of at most ${MAX_URL} characters is needed`);
}

function wrongScheme(): FetchError {
  return new FetchError("fetch-scheme", "only https URLs can be fetched; give one");
}
