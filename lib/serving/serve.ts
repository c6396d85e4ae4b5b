/** Listening for requests, whatever happens to connections. */
import { BOUNDS } from "./bounds.ts";
import { serveBounded } from "./bounded.ts";
import { servePlain } from "./plain.ts";
import { findServeConnection, type Handler } from "./runtime.ts";
import { createSeldom } from "./seldom.ts";
import type { Serving, ServingOptions, Started } from "./serving.ts";

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
