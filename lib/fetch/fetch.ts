/** Fetches a stranger's URL without trusting it, its host, or its host's name server. */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { addressKey, isPublicAddress } from "./address.ts";
import { connect } from "./connect.ts";
import { checkContent, decodeContent } from "./content.ts";
import { deadline, unlessAborted } from "../async/deadline.ts";
import { FetchError } from "./error.ts";
import { exchange, type Head, type Response } from "./exchange.ts";
import type { Hosts, Visit } from "./hosts.ts";
import type { RemoteRules } from "./rules.ts";
import { blockedAddress, isAllowed, isOwn, literalAddress, readTarget } from "./target.ts";

/** What a URL gave before; sent only to the URL that gave it. */
export interface Validators {
  etag: string | null;
  /** As the host wrote it. */
  lastModified: string | null;
  /** Final URL of the fetch that gave them. */
  url: string;
}

export type Fetched =
  /** `url`: where the bytes came from, after redirects; it may hold a secret query string. */
  | {
    kind: "content";
    bytes: Uint8Array;
    url: string;
    /** The header's value, quotes included; null also where it isn't well-formed. */
    etag: string | null;
    lastModified: string | null;
  }
  /** `url` still has what the validators name. */
  | { kind: "not-modified"; url: string }
  /** A URL of this service; nothing was connected to. */
  | { kind: "own"; url: string };

export interface FetchOptions {
  rules: RemoteRules;
  validators?: Validators;
  /** Who asks for it, and is charged; null: nobody that can be told from others. */
  client?: string | null;
  signal?: AbortSignal;
}

/** Addresses of a name that are tried, one after the other. */
const MAX_ADDRESSES = 4;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches `url`, which `readTarget` has read, and follows its redirects.
 *
 * Every hop is read, resolved and checked anew, counts for its host and for the client, and is connected to at an
 * address that was checked.
 *
 * @throws {FetchError}
 * @throws the signal's reason when `signal` aborts.
 */
export async function fetchRemote(url: URL, options: FetchOptions): Promise<Fetched> {
  const { rules, validators, client = null } = options;
  using whole = deadline(rules.limits.totalMs, timeout, options.signal);
  whole.signal.throwIfAborted();
  const seen = new Set<string>();
  let current = readTarget(url.href, rules);
  for (let redirects = 0;; redirects++) {
    if (redirects > rules.limits.redirects) throw badRedirect("redirects too often");
    if (isOwn(current, rules)) return { kind: "own", url: current.href };
    if (seen.has(current.href)) throw badRedirect("redirects in a circle");
    seen.add(current.href);

    const condition = conditionFor(current, validators);
    const response = await countingVisits(
      client,
      (count) => visit(current, { rules, count }, condition, whole.signal),
    );
    if (REDIRECTS.has(response.status)) {
      current = readRedirect(response.headers.location, current, rules);
    } else if (response.body === null) {
      return { kind: "not-modified", url: current.href };
    } else {
      const bytes = await decodeContent(response.body, response.headers, rules.limits.bytes);
      return { kind: "content", bytes, url: current.href, ...validatorsOf(response.headers) };
    }
  }
}

/** Counts a request by host name and by address. */
type Count = (limit: Hosts, name: string) => void;

/** Runs one request, which counts for its client until it has ended, and twice if it gives nothing. */
async function countingVisits(
  client: string | null,
  run: (count: Count) => Promise<Response>,
): Promise<Response> {
  using stack = new DisposableStack();
  const visits: Visit[] = [];
  try {
    return await run((limit, name) => void visits.push(stack.use(limit.enter(name, client))));
  } catch (error) {
    const asked = !(error instanceof FetchError && error.code === "fetch-host-busy");
    if (asked) { for (const visit of visits) visit.failed(); }
    throw error;
  }
}

/** One request: its response is a redirect or unchanged (no body), or content. */
async function visit(
  url: URL,
  { rules, count }: { rules: RemoteRules; count: Count },
  condition: Record<string, string>,
  parent: AbortSignal,
): Promise<Response> {
  using waiting = deadline(rules.limits.firstByteMs, timeout, parent);
  using connected = new DisposableStack();
  const { signal } = waiting;
  count(rules.hosts, url.hostname);
  const addresses = await addressesOf(url, rules, signal);
  for (const key of new Set(addresses.map(addressKey))) count(rules.addresses, key);
  const { attemptMs, bytes } = rules.limits;
  const ca = rules.ca && { ca: rules.ca };
  const socket = await connect(url, addresses, { attemptMs, signal, ...ca });
  connected.defer(() => void socket.destroy());

  const onHead = (head: Head): boolean => {
    waiting.stop();
    if (REDIRECTS.has(head.status)) return false;
    if (head.status === 304 && Object.keys(condition).length > 0) return false;
    if (head.status !== 200) throw badStatus(head);
    checkContent(head.headers);
    return true;
  };
  return await exchange(socket, url.pathname + url.search, {
    headers: {
      "Host": url.host,
      "User-Agent": rules.userAgent,
      "Accept": "application/json, application/octet-stream;q=0.9, text/plain;q=0.9, */*;q=0.1",
      "Accept-Encoding": "identity",
      ...condition,
    },
    bytes,
    onHead,
    signal,
  });
}

/**
 * The addresses to connect to, of which each was checked. One address that isn't public spoils them
 * all: no honest name has both.
 *
 * @throws {FetchError} `fetch-blocked-address`, also when the name doesn't resolve, or not in time.
 */
async function addressesOf(url: URL, rules: RemoteRules, parent: AbortSignal): Promise<string[]> {
  const literal = literalAddress(url.hostname);
  const found = literal === null ? await resolveName(url.hostname, rules, parent) : [literal];
  const mayConnect = isAllowed(url, rules)
    ? (text: string) => isIP(text) !== 0 && !text.includes("%")
    : isPublicAddress;
  if (found.length === 0 || !found.every(mayConnect)) throw blockedAddress();
  return inTurn([...new Set(found)]).slice(0, MAX_ADDRESSES);
}

/** IPv4 and IPv6 by turns: a network may have no way to one of them. */
function inTurn(addresses: readonly string[]): string[] {
  const four = addresses.filter((address) => isIP(address) === 4);
  const six = addresses.filter((address) => isIP(address) === 6);
  const ranked = [four, six].flatMap((family) =>
    family.map((address, rank) => ({ address, rank }))
  );
  return ranked.sort((a, b) => a.rank - b.rank).map(({ address }) => address);
}

async function resolveName(
  host: string,
  rules: RemoteRules,
  parent: AbortSignal,
): Promise<string[]> {
  using waiting = deadline(rules.limits.resolveMs, () => blockedAddress(), parent);
  try {
    return await unlessAborted(rules.resolve(host, waiting.signal), waiting.signal);
  } catch (error) {
    parent.throwIfAborted();
    throw error instanceof FetchError ? error : blockedAddress(error);
  }
}

function readRedirect(location: string | undefined, from: URL, rules: RemoteRules): URL {
  // Bytes that aren't ASCII come as Latin-1 letters, and mean UTF-8 in practice.
  const escaped = location?.replace(
    /[\x80-\xff]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const next = escaped === undefined ? null : URL.parse(escaped, from);
  if (next === null) throw badRedirect("redirects to something that isn't a URL");
  if (from.protocol === "https:" && next.protocol === "http:") {
    throw badRedirect("redirects from https to http");
  }
  try {
    return readTarget(next.href, rules);
  } catch (error) {
    if (error instanceof FetchError && error.code === "fetch-url-malformed") {
      throw badRedirect("redirects to something that isn't a URL");
    }
    throw error;
  }
}

/** Headers that ask for content only if it has changed; none where another URL gave the validators. */
function conditionFor(url: URL, validators: Validators | undefined): Record<string, string> {
  if (validators === undefined || validators.url !== url.href) return {};
  const etag = wellFormedEtag(validators.etag);
  const date = wellFormedDate(validators.lastModified);
  return {
    ...(etag !== null && { "If-None-Match": etag }),
    ...(date !== null && { "If-Modified-Since": date }),
  };
}

function validatorsOf(headers: IncomingHttpHeaders): Omit<Validators, "url"> {
  return {
    etag: wellFormedEtag(headers.etag),
    lastModified: wellFormedDate(headers["last-modified"]),
  };
}

/**
 * An entity tag is stored and sent again with the next fetch, so nothing else is taken for one. Source:
 * RFC 9110 8.8.3.
 */
function wellFormedEtag(text: string | null | undefined): string | null {
  return text != null && /^(?:W\/)?"[\x21\x23-\x7e]{0,256}"$/.test(text) ? text : null;
}

function wellFormedDate(text: string | null | undefined): string | null {
  return text != null && /^[\x20-\x7e]{1,64}$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : null;
}

function badStatus({ status, headers }: Head): FetchError {
  return new FetchError("fetch-status", `${statusMessage(status)} (status ${status})`, {
    status,
    retryAfter: retryAfterOf(headers["retry-after"]),
  });
}

function statusMessage(status: number): string {
  if (status === 404 || status === 410) return "the host has no such file; check the URL";
  if (status === 401 || status === 403) {
    return "the host doesn't give this file to everybody; link a public one";
  }
  if (status === 429) return "the host has had too many requests; try again later";
  if (status >= 500) return "the host has trouble; try again later";
  return "the host answers with something else than the file; check the URL";
}

/** Seconds, at most a day. */
function retryAfterOf(text: string | undefined): number | null {
  if (text === undefined || text.length > 64) return null;
  const seconds = /^[0-9]+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(86_400, Math.max(1, Math.ceil(seconds)));
}

function badRedirect(what: string): FetchError {
  return new FetchError("fetch-redirects", `the host ${what}; give the final URL of the file`);
}

function timeout(): FetchError {
  return new FetchError("fetch-timeout", "the host took too long to answer; try again later");
}
