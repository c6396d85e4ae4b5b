/**
 * The name under which a request is addressed. Whoever sends a request writes what they like into
 * its Host header, and the runtime joins that with the path to make the URL: so it is looked at
 * before anything else is.
 */
import type { MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import { isWithin, type Network, readAddress } from "../../lib/limits/address.ts";
import { upTo } from "../../lib/async/lru.ts";
import { changesState } from "../table.ts";
import { hasAddress } from "./client.ts";
import { ProblemError } from "./problems.ts";

/** `name`, `name:8000`, `127.0.0.1:8000`, `[::1]:8000`. */
const AUTHORITY = /^(?:[a-z0-9_][a-z0-9._-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** What the runtime writes into the URL of a request without a Host header. */
const RUNTIMES_OWN = "localhost";

/** Names that were found well-formed, so that a hot badge pays for a look-up alone. */
const KNOWN = 1000;

/**
 * Whether the names in a request's Host header and in its URL are `name` or `name:port` each; a name
 * of an IPv6 address stands in brackets.
 *
 * Requests of HTTP/2 have no such header, and the name that they have in its place is in the URL. A
 * request of HTTP/1 without one looks like that as well, under a name of the runtime's: it counts as
 * malformed.
 */
export function createHostCheck(): (request: Request) => boolean {
  const known = new LRUCache<string, true>(upTo(KNOWN));

  function isWellFormed(authority: string): boolean {
    if (known.has(authority)) return true;
    if (!AUTHORITY.test(authority) || !URL.canParse(`http://${authority}/`)) return false;
    known.set(authority, true);
    return true;
  }

  return ({ url, headers }) => {
    const header = headers.get("host");
    const start = url.indexOf("//") + 2;
    const authority = url.slice(start, url.indexOf("/", start));
    if (header === null && hostnameOf(authority) === RUNTIMES_OWN) return false;
    // They differ where the request line holds a whole URL, or the header more than a name.
    return isWellFormed(authority) &&
      (header === null || header === authority || isWellFormed(header));
  };
}

/** A well-formed name without its port, in lower case and without a final dot. */
function hostnameOf(authority: string): string {
  return authority.replace(/:[0-9]+$/, "").replace(/\.$/, "").toLowerCase();
}

/** The name under which the service was asked, as a URL has it; null: the Host header names none. */
export function ownHostOf(requestUrl: string): string | null {
  return URL.parse(requestUrl)?.host.replace(/\.(?=:|$)/, "") ?? null;
}

/**
 * The request as the client addressed it: by `X-Forwarded-Host` and `X-Forwarded-Proto`, where a
 * trusted proxy sends them, and it sends one of each. All others count for nothing.
 *
 * @param info what Deno.serve gives beside the request.
 */
export function readdressed(
  request: Request,
  info: unknown,
  trusted: readonly Network[],
): Request {
  if (trusted.length === 0 || !hasAddress(info)) return request;
  const { headers } = request;
  const [host, scheme] = [headers.get("x-forwarded-host"), headers.get("x-forwarded-proto")];
  if (host === null && scheme === null) return request;
  const peer = readAddress(info.remoteAddr.hostname.split("%")[0]!);
  if (peer === null || !isWithin(peer, trusted)) return request;
  const match = /^([a-z]+):\/\/([^/]*)(\/.*)$/.exec(request.url);
  if (match === null) return request;
  const [, ownScheme, ownHost, rest] = match;
  const isScheme = scheme === "http" || scheme === "https";
  const isHost = host !== null && AUTHORITY.test(host) && URL.canParse(`http://${host}/`);
  const url = `${isScheme ? scheme : ownScheme}://${isHost ? host : ownHost}${rest}`;
  return url === request.url ? request : new Request(url, request);
}

/** Where a service is reached, as far as its operator has said so. */
interface Reached {
  publicUrl: string | null;
  /** It listens on this machine alone, where only pages and programs of this machine get at it. */
  onLoopback: boolean;
}

/**
 * Refuses what would change something (403 `host-refused`) under a name that isn't the service's own:
 * a page of any site can make its name stand for this service's address (DNS rebinding), and then
 * passes for one of the service's own pages.
 *
 * With PUBLIC_URL only its host and names of the loopback are the service's own. Without, a service
 * on the loopback has no name that anybody could have given it but `localhost` and addresses; others
 * can't know their names.
 */
export function requireOwnHost({ publicUrl, onLoopback }: Reached): MiddlewareHandler {
  const own = publicUrl === null ? null : hostnameOf(new URL(publicUrl).host);
  return async (c, next) => {
    if (changesState(c.req.method, c.req.path) && !mayChange(hostnameOf(new URL(c.req.url).host))) {
      throw new ProblemError(
        "host-refused",
        publicUrl === null
          ? "this service doesn't know that it goes by the name in the Host header: whoever runs it " +
            "has to say in PUBLIC_URL where it is reached"
          : "the Host header isn't that of PUBLIC_URL, where whoever runs this service says that it " +
            "is reached",
      );
    }
    await next();
  };

  function mayChange(hostname: string): boolean {
    const address = addressOf(hostname);
    const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
    if (own !== null) return hostname === own || isLocal || isLoopback(hostname);
    return !onLoopback || isLocal || address !== null;
  }
}

/** Whether an address or a name of a host is one of this machine alone. */
export function isLoopback(hostname: string): boolean {
  if (hostname.toLowerCase() === "localhost") return true;
  return addressOf(hostname)?.range() === "loopback";
}

function addressOf(hostname: string): ReturnType<typeof readAddress> {
  return readAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}
