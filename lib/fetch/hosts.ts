/**
 * Keeps fetches from hammering one host, and one client from using up what others may fetch of it.
 *
 * A host's budget is divided between the clients that ask for it: with n of them, each has one part
 * of n + 1, so that one part is always left for whoever comes next.
 */
import { LRUCache } from "lru-cache";
import { type Bucket, covers, fullBucket, msUntil, type Rate, refill } from "../limits/bucket.ts";
import { FetchError } from "./error.ts";

export interface HostLimits {
  /** Fetches from one host at a time, of a client that nobody shares the host with. */
  concurrent: number;
  /** Fetches from one host a minute, in the long run, of such a client. */
  perMinute: number;
  /** Fetches from one host at once after a pause, of such a client. */
  burst: number;
  /** Fetches from all hosts at a time. One client has at most a quarter of them. */
  total: number;
  /** Of those, the ones that only clients with no fetch under way may use. */
  reserved: number;
  /** Hosts remembered; the one that was asked longest ago is forgotten first. */
  remembered: number;
}

export const HOST_LIMITS: HostLimits = {
  concurrent: 6,
  perMinute: 60,
  burst: 20,
  total: 64,
  reserved: 16,
  remembered: 10_000,
};

/** All clients of a host together have so many times what one has whom nobody shares it with. */
const ALL = 2;

/** One request to a host, which ends when it is disposed of (more than once does nothing). */
export interface Visit extends Disposable {
  /** It gave nothing: that costs its client another fetch of the host. */
  failed(): void;
}

export interface Hosts {
  /**
   * Counts one request to a host.
   *
   * @param host a host name or address as a URL has it, without a port.
   * @param client who asks for it; null: somebody who can't be told from others like that.
   * @throws {FetchError} `fetch-host-busy`, with the seconds to wait.
   */
  enter(host: string, client: string | null): Visit;
}

/** What one client has taken of a host, and what it has under way there. */
interface Share {
  bucket: Bucket;
  active: number;
}

interface Host extends Share {
  /** Clients that took something which isn't filled up again yet. */
  clients: Map<string, Share>;
}

/** Whoever can't be told from others. */
const NOBODY = "";

/** What is under way, and what was taken of which host. */
interface Context {
  limits: HostLimits;
  /** Milliseconds of a clock that never goes back. */
  clock: () => number;
  /** The rate of a host as a whole. */
  whole: Rate;
  /** Hosts that were fetched from lately, by name. */
  hosts: LRUCache<string, Host>;
  /** Hosts that are being fetched from, which are never forgotten: they would be hit by more. */
  asked: Map<string, Host>;
  /** Fetches under way, by client. */
  underWay: Map<string, number>;
  /** Fetches under way in all. */
  active: number;
}

/** Limits a host; each of the options has a default. @param clock milliseconds, never going back. */
export function createHosts(
  { clock = () => performance.now(), ...given }: Partial<HostLimits> & { clock?: () => number } =
    {},
): Hosts {
  const limits = { ...HOST_LIMITS, ...given };
  const context: Context = {
    limits,
    clock,
    whole: {
      capacity: ALL * limits.burst,
      fillMs: limits.burst / limits.perMinute * 60_000,
    },
    hosts: new LRUCache({ max: limits.remembered }),
    asked: new Map(),
    underWay: new Map(),
    active: 0,
  };
  return { enter: (name, asking) => enter(context, name, asking ?? NOBODY) };
}

function enter(context: Context, name: string, client: string): Visit {
  const { clock, whole, hosts, asked } = context;
  const now = clock();
  requirePlace(context, client);
  const host = asked.get(name) ?? hosts.peek(name) ??
    { ...newShare(context, now), clients: new Map() };
  refill(host.bucket, whole, now);
  const share = shareOf(context, host, client, now);
  try {
    requireShare(context, host, share);
  } catch (error) {
    // Whoever was refused at once has no part.
    if (share.active === 0 && covers(share.bucket.tokens, whole.capacity)) {
      host.clients.delete(client);
    }
    throw error;
  }
  hosts.set(name, host);
  asked.set(name, host);
  share.bucket.tokens--;
  host.bucket.tokens = Math.max(0, host.bucket.tokens - 1);
  count(context, client, [share, host], 1);
  let left = false;
  return {
    failed() {
      share.bucket.tokens = Math.max(0, share.bucket.tokens - 1);
    },
    [Symbol.dispose]() {
      if (left) return;
      left = true;
      count(context, client, [share, host], -1);
      if (host.active === 0) asked.delete(name);
    },
  };
}

/** Counts a fetch that begins (1) or ends (-1). */
function count(
  context: Context,
  client: string,
  shares: readonly Share[],
  by: 1 | -1,
): void {
  for (const share of shares) share.active += by;
  context.active += by;
  const own = (context.underWay.get(client) ?? 0) + by;
  if (own === 0) context.underWay.delete(client);
  else context.underWay.set(client, own);
}

function newShare({ whole }: Context, now: number): Share {
  return { bucket: fullBucket(whole, now), active: 0 };
}

/** A client's share of a host. Clients whose shares are full again have none any more. */
function shareOf(context: Context, host: Host, client: string, now: number): Share {
  const { whole } = context;
  const share = host.clients.get(client) ?? newShare(context, now);
  host.clients.set(client, share);
  const rate = rateOf(context, host.clients.size);
  for (const [name, other] of host.clients) {
    refill(other.bucket, rate, now);
    const isIdle = other.active === 0 && covers(other.bucket.tokens, whole.capacity);
    if (isIdle && name !== client) host.clients.delete(name);
  }
  return share;
}

/** How fast a client's share fills where so many ask; all of them hold what the host's does. */
function rateOf({ whole }: Context, clients: number): Rate {
  return { ...whole, fillMs: whole.fillMs * (clients + 1) };
}

/** @throws {FetchError} where too many fetches are under way, of one client or in all. */
function requirePlace({ limits, underWay, active }: Context, client: string): void {
  const own = underWay.get(client) ?? 0;
  const free = limits.total - active - (own === 0 ? 0 : limits.reserved);
  if (free > 0 && own < Math.max(1, limits.total / 4)) return;
  throw busy("too many fetches are under way", 1);
}

/** @throws {FetchError} where the host has been asked enough for now, by the client or by all. */
function requireShare(context: Context, host: Host, share: Share): void {
  const { limits, whole } = context;
  const parts = host.clients.size + 1;
  const places = ALL * limits.concurrent;
  if (host.active >= places || share.active >= Math.max(1, Math.floor(places / parts))) {
    throw busy("this host is already being asked several times over", 1);
  }
  // What a client may not take is the part of the others.
  const others = whole.capacity - Math.max(1, whole.capacity / parts);
  const wait = Math.max(
    msUntil(others + 1, [[share.bucket, rateOf(context, host.clients.size)]]),
    msUntil(1, [[host.bucket, whole]]),
  );
  if (wait === 0) return;
  throw busy(
    "this host has been asked often enough for now",
    Math.max(1, Math.ceil((wait - 0.001) / 1000)),
  );
}

function busy(what: string, retryAfter: number): FetchError {
  const wait = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
  return new FetchError("fetch-host-busy", `${what}; try again in ${wait}`, { retryAfter });
}
