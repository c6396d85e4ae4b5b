/** Listening for requests, whatever happens to connections. */
import type { Network } from "../limits/address.ts";
import { BOUNDS, type Bounds } from "./bounds.ts";
import { serveBounded } from "./bounded.ts";
import { servePlain } from "./plain.ts";
import { findServeConnection, type Handler } from "./runtime.ts";
import { createSeldom } from "./seldom.ts";

export interface ServingOptions {
  hostname: string;
  /** 0 lets the system choose. */
  port: number;
  /** Stops it: nothing new is accepted, what is under way ends. */
  signal: AbortSignal;
  log: (message: string) => void;
  /** Connections at a time; halved when descriptors run out. */
  maxConnections: number;
  /** Proxies, which hold connections for many clients. */
  trustedProxies?: readonly Network[];
  /** `plain`: by `Deno.serve`, which bounds nothing; default: the bounded one where there is one. */
  kind?: "bounded" | "plain";
  /** Other numbers than {@link BOUNDS}, for tests. */
  bounds?: Partial<Bounds>;
}

export interface Serving {
  /** Where it listens. */
  addr: Deno.NetAddr;
  /** Settled when it was stopped and nothing is under way any more. It is never rejected. */
  finished: Promise<void>;
}

/** What both kinds of server are started with. */
export type Started = Omit<ServingOptions, "kind" | "bounds" | "log"> & {
  bounds: Bounds;
  report: ReturnType<typeof createSeldom>;
};

/**
 * Serves requests until it is stopped. An error of accepting never ends it.
 *
 * @throws {Error} of the runtime when the address can't be listened on.
 */
export function serve(handler: Handler, options: ServingOptions): Serving {
  const bounds = { ...BOUNDS, ...options.bounds };
  const started: Started = { ...options, bounds, report: createSeldom(options.log, bounds.logMs) };
  const serveConnection = options.kind === "plain" ? null : findServeConnection();
  if (serveConnection === null) return servePlain(handler, started);
  return serveBounded(handler, started, serveConnection);
}

/** The answer to what should not have happened; the handler has its own for everything else. */
export function failed(): Response {
  return new Response(null, { status: 500 });
}

/** What kind of error it is, for a line of the log. */
export function kindOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error;
}
