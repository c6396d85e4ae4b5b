/** What both kinds of server have in common. */
import type { Network } from "../limits/address.ts";
import type { Bounds } from "./bounds.ts";
import type { createSeldom } from "./seldom.ts";

/** How a server is started. */
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

/** A server that listens. */
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

/** The response to what should not have happened; the handler has its own for everything else. */
export function failed(): Response {
  return new Response(null, { status: 500 });
}

/** What kind of error it is, for a line of the log. */
export function kindOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error;
}
