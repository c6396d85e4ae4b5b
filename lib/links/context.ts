/**
 * What the functions about links work on: the services that they need, the rules, and what this
 * process remembers. `createLinks` in {@link ./create.ts} makes one context and hands it to each.
 */
import { type SingleFlight, singleFlight } from "../async/single_flight.ts";
import { realWait, type Wait } from "../async/within.ts";
import { FetchError } from "../fetch/error.ts";
import type { fetchRemote } from "../fetch/fetch.ts";
import type { RemoteRules } from "../fetch/rules.ts";
import { StoreError, StoreUnavailable } from "../store/store.ts";
import { CheckerBusy } from "../verify/checker.ts";
import type { InputLimits } from "../verify/input.ts";
import { type Content, type ContentCache, createContentCache } from "./content_cache.ts";
import type { LinksOptions, Served } from "./links.ts";
import { createLinkCache, type LinkCache } from "./row_cache.ts";
import type { LinkEntry } from "./rows.ts";
import { createReadUrl, type ReadUrl } from "./url.ts";

/** What revalidating a link came to. */
export interface Revalidated {
  entry: LinkEntry;
  /** What the URL gives, if it gave something. */
  content: Content | null;
  /** The host's status; null: the URL gave nothing, or wasn't fetched. */
  status: 200 | 304 | null;
  /** False: what was known turned out to be enough. */
  fetched: boolean;
}

export interface LinksContext {
  store: LinksOptions["store"];
  checker: LinksOptions["checker"];
  rules: RemoteRules;
  limits: InputLimits;
  /** As in `LinksOptions`. */
  ownDocument: (url: URL) => string | null;
  /** Told of what should never happen. */
  onFault: (error: unknown) => void;
  fetch: typeof fetchRemote;
  /** Milliseconds since 1970. */
  clock: () => number;
  wait: Wait;
  readUrl: ReadUrl;
  /** The rows of links; see row_cache.ts. */
  links: LinkCache;
  /** The bytes that URLs gave, with the reports on them; see content_cache.ts. */
  contents: ContentCache;
  /** Fetches under way, by the key of the URL; see revalidate.ts. */
  fetching: SingleFlight<string, Revalidated>;
  /** What is under way and nobody may be waiting for. */
  tasks: Set<Promise<unknown>>;
  closing: AbortController;
  /** Aborts when the service closes. */
  signal: AbortSignal;
}

/** Makes a context. Nothing is read or fetched yet. */
export function createContext(options: LinksOptions): LinksContext {
  const { rows, store, checker, rules, limits, ownDocument, onFault, capacity } = options;
  const { fetch = loadAndFetch, clock = Date.now, wait = realWait } = options;
  const closing = new AbortController();
  const { signal } = closing;
  return {
    store,
    checker,
    rules,
    limits,
    ownDocument,
    onFault,
    fetch,
    clock,
    wait,
    readUrl: createReadUrl(rules),
    links: createLinkCache(rows),
    contents: createContentCache({ checker, store, limits, signal }, capacity),
    fetching: singleFlight(),
    tasks: new Set(),
    closing,
    signal,
  };
}

/** Loads what fetches with the first fetch: badges of stored results start without it. */
const loadAndFetch: typeof fetchRemote = async (url, options) => {
  const { fetchRemote } = await import("../fetch/fetch.ts");
  return await fetchRemote(url, options);
};

/** Has a task waited for when everything ends, and its failure told where it is a fault. */
export function track({ tasks, signal, onFault }: LinksContext, task: Promise<unknown>): void {
  const ended = task.catch((error) => {
    if (!signal.aborted && passing(error) === null) onFault(error);
  }).finally(() => tasks.delete(ended));
  tasks.add(ended);
}

/** Resolves when nothing is under way any more. */
export async function idle({ tasks }: LinksContext): Promise<void> {
  while (tasks.size > 0) await Promise.all(tasks);
}

/** What keeps a fetch or a check from succeeding and passes by itself; null: the error is a fault. */
export function passing(error: unknown): Served["problem"] {
  if (error instanceof FetchError) return error.code;
  const passes = error instanceof CheckerBusy || error instanceof StoreUnavailable ||
    error instanceof StoreError;
  return passes ? "busy" : null;
}
