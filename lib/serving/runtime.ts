/**
 * The runtime's own server for one connection. `Deno.serve` is made of it, but it isn't part of the
 * runtime's public interface: this file alone knows it, and finds out whether it is there.
 */

/**
 * A request's handler, as `Deno.serve` takes it. Event streams and answers above 256 KiB come by a
 * promise: what is answered at once counts as sent.
 */
export type Handler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

/**
 * Serves HTTP on a connection, which belongs to the server from then on. The signal closes it at
 * once; it must not be aborted after the returned promise is settled.
 */
export type ServeConnection = (
  connection: Deno.TcpConn,
  signal: AbortSignal,
  handler: Handler,
  onError: (error: unknown) => Response,
) => Promise<void>;

type Internal = (
  connection: Deno.TcpConn,
  signal: AbortSignal,
  handler: Handler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => { finished: Promise<void> };

/** The runtime's server for one connection; null where there is none. */
export function findServeConnection(): ServeConnection | null {
  const runtime: unknown = Deno;
  const key = memberOf(runtime, "internal");
  if (typeof key !== "symbol") return null;
  const serve = memberOf(memberOf(runtime, key), "serveHttpOnConnection");
  if (!isInternal(serve)) return null;
  return (connection, signal, handler, onError) =>
    serve(connection, signal, handler, onError, () => {}).finished;
}

function memberOf(value: unknown, name: string | symbol): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** By its name and its five parameters; nothing more can be asked without a connection. */
function isInternal(value: unknown): value is Internal {
  return typeof value === "function" && value.length === 5;
}

/**
 * Closes a connection that is served. One whose client left just now has ended already, although its
 * promise isn't settled: the runtime then throws where nobody could catch it, and would end the process.
 */
export function abortConnection(closing: AbortController): void {
  const forgive = (event: ErrorEvent) => {
    if (event.error instanceof Deno.errors.BadResource) event.preventDefault();
  };
  addEventListener("error", forgive);
  try {
    closing.abort();
  } finally {
    removeEventListener("error", forgive);
  }
}
