/** Fetching a document by its URL; loaded only for a URL. */
import { readHost } from "../lib/fetch/allow.ts";
import { fetchRemote } from "../lib/fetch/fetch.ts";
import { observeFetch } from "../lib/links/observe.ts";
import { rawUrl } from "../lib/fetch/raw_urls.ts";
import { createRules, type RemoteRules } from "../lib/fetch/rules.ts";
import { readTarget } from "../lib/fetch/target.ts";
import { UsageError } from "./usage.ts";

/** What a URL gave. */
export interface Fetched {
  bytes: Uint8Array;
  /** Observations on how a document of this id came. */
  observe(id: string | null): string[];
}

/**
 * The rules of the service, for somebody who asks for themselves.
 *
 * @param allow hosts that may be asked by http, on any port and at any address.
 * @throws {UsageError} for what is no host.
 */
export function rulesFor(allow: readonly string[]): RemoteRules {
  const hosts = allow.map((text) => {
    const host = readHost(text);
    if (host === null) {
      throw new UsageError("--allow-host takes a host and its port: 127.0.0.1:8000");
    }
    return host;
  });
  return createRules({ allowHosts: new Set(hosts) });
}

/** Fetches a URL. @throws {FetchError} */
export async function fetchDocument(text: string, rules: RemoteRules): Promise<Fetched> {
  const url = rawUrl(readTarget(text, rules));
  const fetched = await fetchRemote(url, { rules });
  if (fetched.kind !== "content") throw new Error(`${fetched.kind} was not asked for`);
  const { bytes, etag } = fetched;
  return { bytes, observe: (id) => observeFetch(url, id, etag) };
}
