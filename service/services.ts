/** Puts together what the routes need: store, links, limits and the work in the background. */
import { createLinks } from "../lib/links/create.ts";
import type { Links, LinksOptions } from "../lib/links/links.ts";
import { createLinkRows, type LinkRows } from "../lib/links/rows.ts";
import { renderBadge } from "../lib/badge/render.ts";
import type { Renderer } from "../lib/badge/renderer.ts";
import type { References } from "../lib/evaluator/reference.ts";
import { createDatabase } from "../lib/kv/database.ts";
import type { Network } from "../lib/limits/address.ts";
import type { Policies } from "../lib/limits/policy.ts";
import type { Bounds } from "../lib/serving/bounds.ts";
import { createStore } from "../lib/store/create.ts";
import { createDrawings } from "../lib/store/drawings.ts";
import { NO_QUOTAS } from "../lib/store/quota.ts";
import type { Store, StoreOptions } from "../lib/store/store.ts";
import type { Registry } from "../lib/trust/registry.ts";
import type { Checker } from "../lib/verify/checker.ts";
import { whereThrown } from "../lib/verify/fault.ts";
import { INPUT_LIMITS } from "../routes/http/body.ts";
import { createClientOf } from "../routes/http/client.ts";
import { createLimits } from "../routes/http/limits.ts";
import { ownDocument } from "../routes/http/own_urls.ts";
import type { AppServices } from "../routes/http/services.ts";
import { siteOf } from "../routes/http/site.ts";
import { createSamples, withSamples } from "./samples.ts";
import { registry as ownRegistry } from "./trust.ts";
import { createUpgrades } from "./upgrades.ts";
import { createUpkeep } from "./upkeep.ts";

export interface ServiceOptions {
  kv: Deno.Kv;
  /** Closed with the application. */
  checker: Checker;
  /** Closed with the application; default: badges are drawn in line. */
  renderer?: Renderer;
  /** For the page about the evaluator. */
  references: References;
  /** See {@link ./config.ts}; null: links as the request was addressed. */
  publicUrl: string | null;
  /** Receives what an operator must see. Never documents, pools or labels. */
  log?: (message: string) => void;
  store?: StoreOptions;
  /** Default: the registry of {@link ./trust.ts}. */
  registry?: Registry;
  /** The clock that ages are told by, in milliseconds since 1970. */
  now?: () => number;
  /** How URLs are fetched; default and null: not at all. */
  fetching?: Fetching | null;
  /** See {@link ./config.ts}; default null. */
  retentionDays?: number | null;
  /** See {@link ./config.ts}; default null: there is no limit. */
  limits?: Policies | null;
  /** See {@link ./config.ts}; default: none. */
  trustedProxies?: readonly Network[];
  /** Other numbers for receiving bodies, for tests. */
  bounds?: Partial<Bounds>;
  /** Whether the service listens on this machine alone, which is the default. */
  onLoopback?: boolean;
  /** Milliseconds between two heartbeats of an event stream. */
  heartbeat?: number;
}

/** The rules of fetching, and what tests put in their place. */
export type Fetching = Pick<LinksOptions, "rules" | "fetch" | "clock" | "wait">;

/** How long a badge that was drawn before is waited for, in ms: drawing one takes as long. */
const DRAWING_MS = 300;

/**
 * Puts the services of one process together. Nothing is loaded or read yet.
 *
 * @example
 * const app = createApp(createServices({ kv, checker, references, publicUrl: null }));
 *
 * @throws {RegistryError} when the service's own registry is not usable.
 */
export function createServices(options: ServiceOptions): AppServices {
  const { kv, checker, references, publicUrl, renderer, log = console.error } = options;
  const { trustedProxies = [], bounds = {}, onLoopback = true, now = Date.now } = options;
  const onFault = (error: unknown) => log(`fault in the background: ${whereThrown(error)}`);
  const stored = createStore(kv, checker, options.store);
  const samples = createSamples(stored, onFault);
  const store = withSamples(stored, samples);
  const upgrades = createUpgrades(stored, onFault);
  const quotas = options.store?.quotas ?? NO_QUOTAS;
  const rows = createLinkRows(createDatabase(kv), quotas);
  const upkeep = createUpkeep(stored, rows, options.retentionDays ?? null, onFault);
  const links = linksOf(options, store, rows, onFault);
  const drawings = createDrawings(createDatabase(kv, DRAWING_MS), onFault, quotas);
  const clientOf = createClientOf(trustedProxies);
  return {
    store,
    links,
    upgrades,
    samples,
    checker,
    references,
    registry: options.registry ?? ownRegistry(),
    now,
    renderBadge: renderer?.render ?? renderBadge,
    drawings,
    publicUrl,
    clientOf,
    limits: options.limits ? createLimits(options.limits, kv, clientOf) : null,
    onFault,
    heartbeat: options.heartbeat,
    log,
    bounds,
    onLoopback,
    trustedProxies,
    // Only where drawing takes no time of this thread.
    drawsAhead: renderer !== undefined,
    resume() {
      upgrades.resume();
      upkeep.start();
    },
    async close() {
      await Promise.all([upgrades.stop(), upkeep.stop(), links?.close(), drawings.idle()]);
      await samples.idle();
      await checker.close();
      renderer?.close();
    },
  };
}

function linksOf(
  { checker, publicUrl, fetching = null }: ServiceOptions,
  store: Store,
  rows: LinkRows,
  onFault: (error: unknown) => void,
): Links | null {
  if (fetching === null) return null;
  const { rules } = fetching;
  const path = publicUrl === null ? "" : siteOf(publicUrl, publicUrl).path;
  const own = publicUrl === null ? [] : [new URL(publicUrl).host];
  return createLinks({
    ...fetching,
    rules: { ...rules, ownHosts: new Set([...rules.ownHosts, ...own]) },
    rows,
    store,
    checker,
    limits: INPUT_LIMITS,
    ownDocument: (url) => ownDocument(url, path),
    onFault,
  });
}
