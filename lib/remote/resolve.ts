/** Host names to addresses. */

/**
 * All addresses of a host name, as text; none when it has none or doesn't resolve. May reject, which
 * counts as none. Gives up when the signal aborts.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/** Asks the platform's name servers. */
export const systemResolve: Resolve = (_host, _signal) => {
  throw new Error("not built yet");
};
