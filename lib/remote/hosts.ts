/** Keeps fetches from hammering one host, whoever asks for them. */
import { FetchError } from "./error.ts";

export interface HostLimits {
  /** Fetches from one host at a time. */
  concurrent: number;
  /** Fetches from one host a minute, in the long run. */
  perMinute: number;
  /** Fetches from one host at once after a pause. */
  burst: number;
  /** Fetches from all hosts at a time. */
  total: number;
  /** Hosts remembered; the one that was asked longest ago is forgotten first. */
  remembered: number;
}

export const HOST_LIMITS: HostLimits = {
  concurrent: 6,
  perMinute: 60,
  burst: 20,
  total: 64,
  remembered: 10_000,
};

export interface Hosts {
  /**
   * Counts one request to a host, until the function it gives is called (more calls do nothing).
   *
   * @param host a host name or address as a URL has it, without a port.
   * @throws {FetchError} `fetch-host-busy`, with the seconds to wait.
   */
  enter(host: string): () => void;
}

/** One host's bucket of requests, and those under way. */
interface Bucket {
  tokens: number;
  /** When `tokens` was right, in the clock's milliseconds. */
  at: number;
  active: number;
}

/** Limits a host; each of the options has a default. @param clock milliseconds, never going back. */
export function createHosts(
  { clock = () => performance.now(), ...given }: Partial<HostLimits> & { clock?: () => number } =
    {},
): Hosts {
  const limits = { ...HOST_LIMITS, ...given };
  const perMs = limits.perMinute / 60_000;
  /** The one asked longest ago comes first. */
  const buckets = new Map<string, Bucket>();
  let active = 0;

  return {
    enter(host) {
      const now = clock();
      if (active >= limits.total) throw busy("too many fetches are under way", 1);
      const known = buckets.get(host);
      const bucket = known ?? { tokens: limits.burst, at: now, active: 0 };
      bucket.tokens = Math.min(limits.burst, bucket.tokens + (now - bucket.at) * perMs);
      bucket.at = now;
      if (bucket.active >= limits.concurrent) {
        throw busy("this host is already being asked several times over", 1);
      }
      if (bucket.tokens < 1) {
        const wait = Math.ceil((1 - bucket.tokens) / perMs / 1000);
        throw busy("this host has been asked often enough for now", Math.max(1, wait));
      }
      if (known === undefined) makeRoom();
      buckets.delete(host);
      buckets.set(host, bucket);
      bucket.tokens--;
      bucket.active++;
      active++;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        bucket.active--;
        active--;
      };
    },
  };

  /** Forgetting a host too early lets it be asked sooner; forgetting one in use would let it be hit. */
  function makeRoom(): void {
    if (buckets.size < limits.remembered) return;
    for (const [host, bucket] of buckets) {
      if (bucket.active > 0) continue;
      buckets.delete(host);
      return;
    }
  }
}

function busy(what: string, retryAfter: number): FetchError {
  const wait = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
  return new FetchError("fetch-host-busy", `${what}; try again in ${wait}`, { retryAfter });
}
