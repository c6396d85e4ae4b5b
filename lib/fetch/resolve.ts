/** Host names to addresses. */

/**
 * All addresses of a host name, as text; none when it has none or doesn't resolve. May reject, which
 * counts as none. Gives up when the signal aborts.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Asks the platform's name servers, or the one given, for IPv4 and IPv6 addresses; IPv4 first, since
 * it is more often reachable.
 *
 * Not `node:dns.lookup`, which can't be granted by an allow-list (docs/platform.md). The platform's hosts
 * file counts; its search list doesn't, so that a name means the same everywhere.
 */
export function createResolve(
  nameServer?: { ipAddr: string; port?: number },
): Resolve {
  return async (host, signal) => {
    const ask = (type: "A" | "AAAA") =>
      Deno.resolveDns(`${host}.`, type, { signal, ...(nameServer && { nameServer }) });
    const [v4, v6] = await Promise.allSettled([ask("A"), ask("AAAA")]);
    if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason;
    return [v4, v6].flatMap((found) => found.status === "fulfilled" ? found.value : []);
  };
}

/** Asks the platform's name servers. */
export const systemResolve: Resolve = createResolve();
