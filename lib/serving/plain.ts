/**
 * The server for where nothing else is there, and for Deno Deploy, which has servers of its own in
 * front: `Deno.serve`, which bounds no connection, and which ends when it can't accept one.
 */
import type { Handler } from "./runtime.ts";
import { failed, kindOf, type Serving, type Started } from "./serving.ts";

/** @throws {Error} of the runtime when the address can't be listened on. */
export function servePlain(handler: Handler, options: Started): Serving {
  const { hostname, signal, bounds, report } = options;
  const closing = new AbortController();
  const listen = (port: number) =>
    Deno.serve(
      { hostname, port, signal: closing.signal, onListen() {}, onError: failed },
      handler,
    );
  const first = listen(options.port);
  const { addr } = first;

  let server: Deno.HttpServer | null = first;

  async function keepListening(): Promise<void> {
    while (!signal.aborted) {
      try {
        server ??= listen(addr.port);
        await server.finished;
        if (signal.aborted) return;
      } catch (error) {
        if (signal.aborted) return;
        report("accept", `connections can't be accepted (${kindOf(error)}): listening again`);
      }
      // What the old one has under way goes on.
      server = null;
      await new Promise((resolve) => setTimeout(resolve, bounds.pauseMs));
    }
  }

  /** What is under way is waited for, but not for ever. */
  signal.addEventListener("abort", () => {
    const enough = setTimeout(() => closing.abort(), bounds.stopMs);
    void server?.shutdown().catch(() => {}).finally(() => clearTimeout(enough));
  });
  return { addr, finished: keepListening() };
}
