/**
 * A server that bounds its connections: how many there are, in all and of one client, and how long
 * each may wait for its client.
 */
import { clientName, isWithin, readAddress } from "../limits/address.ts";
import { createConnections } from "./connections.ts";
import type { Handler, ServeConnection } from "./runtime.ts";
import { kindOf, type Serving, type Started } from "./serving.ts";

/** Sweeps in the shortest of the times that connections are closed after. */
const SWEEPS = 10;
const LONGEST_SWEEP_MS = 1000;

/** @throws {Error} of the runtime when the address can't be listened on. */
export function serveBounded(
  handler: Handler,
  options: Started,
  serveConnection: ServeConnection,
): Serving {
  const { hostname, signal, bounds, report, trustedProxies = [] } = options;
  let listener = Deno.listen({ hostname, port: options.port });
  const addr = listener.addr as Deno.NetAddr;
  const connections = createConnections(handler, serveConnection, options);
  const sweepMs = Math.min(LONGEST_SWEEP_MS, Math.min(bounds.headMs, bounds.idleMs) / SWEEPS);
  const sweeping = setInterval(() => connections.sweep(), sweepMs);
  signal.addEventListener("abort", () => listener.close());

  async function acceptAll(): Promise<void> {
    while (!signal.aborted) {
      try {
        const connection = await listener.accept();
        connections.add(connection, clientOf(connection.remoteAddr.hostname));
      } catch (error) {
        if (signal.aborted) return;
        // A client that left before it was accepted is nothing that waiting would help.
        if (error instanceof Deno.errors.ConnectionReset) continue;
        await recover(error);
      }
    }
  }

  async function recover(error: unknown): Promise<void> {
    const bound = isOutOfDescriptors(error) ? connections.halve() : null;
    const now = bound === null ? "" : `, at most ${bound} connections from now on`;
    report("accept", `connections can't be accepted (${kindOf(error)}): trying again${now}`);
    await new Promise((resolve) => setTimeout(resolve, bounds.pauseMs));
    if (signal.aborted || !(error instanceof Deno.errors.BadResource)) return;
    try {
      listener = Deno.listen({ hostname, port: addr.port });
    } catch {
      // The next attempt fails in the same way, and comes here again.
    }
  }

  /** Whom a connection counts for; null: a proxy, which has them for many clients. */
  function clientOf(peer: string): string | null {
    const address = readAddress(peer.split("%")[0]!);
    if (address === null) return peer;
    return isWithin(address, trustedProxies) ? null : clientName(address);
  }

  const finished = acceptAll().then(async () => {
    await connections.end();
    clearInterval(sweeping);
  });
  return { addr, finished };
}

/** EMFILE, the process's own limit, and ENFILE, the system's: the runtime has no class for them. */
function isOutOfDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, "code");
  return code === "EMFILE" || code === "ENFILE" || /os error (?:23|24)\b/.test(error.message);
}
