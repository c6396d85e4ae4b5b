/** Who sends a request, for limits and quotas. */
import { LRUCache } from "lru-cache";
import { type Address, clientName, type Network, readAddress } from "../../lib/limits/address.ts";
import { forwardedClient } from "../../lib/limits/forwarded.ts";

/** Addresses of connections that are remembered: reading one takes as long as all else for a badge. */
const PEERS = 1000;

/** What of a request tells its client: a context has it. */
export interface Asking {
  /** What Deno.serve gives beside the request. */
  env: unknown;
  req: { raw: Request };
}

/** The client of a request; null where its address isn't known. */
export type ClientOf = (c: Asking) => string | null;

/**
 * Tells clients by the address of their connection; an IPv6 client is its /64. Behind a proxy all
 * its clients are one, unless it is trusted to say who they are.
 *
 * @param trusted proxies whose `X-Forwarded-For` and `Forwarded` are believed.
 */
export function createClientOf(trusted: readonly Network[] = []): ClientOf {
  const peers = new LRUCache<string, Address>({ max: PEERS });

  function readPeer(hostname: string): Address | null {
    const known = peers.get(hostname);
    if (known !== undefined) return known;
    const address = readAddress(hostname.split("%")[0]!);
    if (address !== null) peers.set(hostname, address);
    return address;
  }

  return (c) => {
    const info: unknown = c.env;
    if (!hasAddress(info)) return null;
    const { hostname } = info.remoteAddr;
    // Nearly always, and nothing to be found out.
    if (trusted.length === 0 && !hostname.includes(":")) return hostname;
    const peer = readPeer(hostname);
    if (peer === null) return hostname;
    return clientName(forwardedClient(peer, c.req.raw.headers, trusted));
  };
}

/** All services of this kind say so when they fetch, and none fetches for another. */
const FETCHING = /^Touchstone\//;

/** Whether a request comes out of a fetch of this service, or of another of its kind. */
export function isFetch(request: Request): boolean {
  return FETCHING.test(request.headers.get("user-agent") ?? "");
}

/** What Deno.serve gives beside a request. */
export function hasAddress(info: unknown): info is { remoteAddr: { hostname: string } } {
  if (typeof info !== "object" || info === null || !("remoteAddr" in info)) return false;
  const { remoteAddr } = info;
  return typeof remoteAddr === "object" && remoteAddr !== null && "hostname" in remoteAddr &&
    typeof remoteAddr.hostname === "string";
}
