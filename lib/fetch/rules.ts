/** What may be fetched, and within which limits. */
import { VERSION } from "../base/release.ts";
import { createHosts, HOST_LIMITS, type HostLimits, type Hosts } from "./hosts.ts";
import { type Resolve, systemResolve } from "./resolve.ts";

interface RemoteLimits {
  /** Milliseconds from a request's start, name resolution included, to the response's first byte. */
  firstByteMs: number;
  /** Milliseconds for everything, all redirects included. */
  totalMs: number;
  /** Milliseconds for resolving a name. */
  resolveMs: number;
  /** Milliseconds that one address of a name may keep the next one waiting. */
  attemptMs: number;
  /** Bytes of a body, as sent and unpacked. */
  bytes: number;
  redirects: number;
}

/** 4 MiB, 5 s to the first byte, 10 s in all, 3 redirects. */
const REMOTE_LIMITS: RemoteLimits = {
  firstByteMs: 5_000,
  totalMs: 10_000,
  resolveMs: 3_000,
  attemptMs: 1_500,
  bytes: 4 * 1024 * 1024,
  redirects: 3,
};

export interface RemoteRules {
  /**
   * Hosts that may also be reached by plain http, on any port and at addresses that aren't public:
   * the operator's word. Spelled as a URL has them: `127.0.0.1:8000`, `files.example`, `[::1]:8000`;
   * the port is left out only where it is the scheme's own.
   */
  allowHosts: ReadonlySet<string>;
  /** Ports of all other hosts. */
  ports: ReadonlySet<number>;
  /** This service's own names, spelled likewise; one without a port means every port. */
  ownHosts: ReadonlySet<string>;
  userAgent: string;
  resolve: Resolve;
  /** Counts requests by host name. */
  hosts: Hosts;
  /**
   * Counts them by address too: whoever runs a name server has as many names for somebody else's
   * address as they like. More generous, since many hosts may share one.
   */
  addresses: Hosts;
  limits: RemoteLimits;
  /** Certificate authorities (PEM) to trust instead of the platform's. */
  ca?: readonly string[];
}

/** Four times what one host gets. */
const ADDRESS_LIMITS: Partial<HostLimits> = {
  concurrent: 4 * HOST_LIMITS.concurrent,
  perMinute: 4 * HOST_LIMITS.perMinute,
  burst: 4 * HOST_LIMITS.burst,
  // One fetch counts for every address of its host.
  total: 4 * HOST_LIMITS.total,
  reserved: 4 * HOST_LIMITS.reserved,
};

/** The rules with their defaults: https on 443 and 8443 to public addresses only. */
export function createRules(
  { limits, ...given }: Partial<Omit<RemoteRules, "limits">> & { limits?: Partial<RemoteLimits> } =
    {},
): RemoteRules {
  return {
    allowHosts: new Set(),
    ports: new Set([443, 8443]),
    ownHosts: new Set(),
    userAgent: userAgent(null),
    resolve: systemResolve,
    hosts: createHosts(),
    addresses: createHosts(ADDRESS_LIMITS),
    limits: { ...REMOTE_LIMITS, ...limits },
    ...given,
  };
}

/** The User-Agent of all fetches. @param link where its operator's service is explained, or null. */
export function userAgent(link: string | null): string {
  return `Touchstone/${VERSION}` + (link === null ? "" : ` (+${link})`);
}
