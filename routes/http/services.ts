/** What the routes need; {@link ../../service/services.ts} puts it together once a process. */
import type { Renderer } from "../../lib/badge/renderer.ts";
import type { References } from "../../lib/evaluator/reference.ts";
import type { Network } from "../../lib/limits/address.ts";
import type { Links } from "../../lib/links/links.ts";
import type { Bounds } from "../../lib/serving/bounds.ts";
import type { Drawings } from "../../lib/store/drawings.ts";
import type { Store, StoredResult, UpgradeProgress } from "../../lib/store/store.ts";
import type { Registry } from "../../lib/trust/registry.ts";
import type { Checker } from "../../lib/verify/checker.ts";
import type { ClientOf } from "./client.ts";
import type { Limits } from "./limits.ts";

/** A document of the start page, and what it shows. */
export interface Sample {
  id: string;
  title: string;
  text: string;
}

export interface Samples {
  /** All samples; none when the store turned out to be full. They are stored meanwhile. */
  list(): Promise<Sample[]>;
}

/** Upgrades of results after a disclosure. */
export interface Upgrades {
  /** Sees to it that the upgrade of a public pool is under way here or elsewhere. Doesn't wait. */
  start(poolKey: string): void;
  /**
   * The progress of a public pool's upgrade, again whenever the progress has changed, and at last when
   * the upgrade is done. Watching drives the upgrade. The sequence ends without a word when `signal`
   * is aborted or the pool is unknown.
   */
  watch(poolKey: string, signal: AbortSignal): AsyncIterable<UpgradeProgress>;
}

/** What handlers need. */
export interface Services {
  /** Documents, results and pools; the samples are among them. */
  store: Store;
  upgrades: Upgrades;
  samples: Samples;
  checker: Checker;
  /** What URLs give; null: no URL is fetched. */
  links: Links | null;
  /** For the page about the evaluator. */
  references: References;
  /** Known issuers and named policies. */
  registry: Registry;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Draws badges, off the event loop where a worker can do it. */
  renderBadge: Renderer["render"];
  /** Told of every document that is stored for somebody. */
  onStored: (result: StoredResult) => void;
  /** Badges that were drawn before; null: they aren't remembered beyond the process. */
  drawings: Drawings | null;
  /** Where the service is reached from outside; null: links as the request was addressed. */
  publicUrl: string | null;
  /** Who sends a request, for limits and quotas. */
  clientOf: ClientOf;
  /** What one client may use; null: there is no limit. */
  limits: Limits | null;
  /** Told of what should never happen, for the log. */
  onFault: (error: unknown) => void;
  /** Milliseconds between two heartbeats of an event stream; default as in {@link ./events.ts}. */
  heartbeat?: number | undefined;
}

/** What the application needs besides, to guard its routes and to end. */
export interface AppServices extends Omit<Services, "onStored"> {
  /** Receives what an operator must see. Never documents, pools or labels. */
  log: (message: string) => void;
  /** Other numbers for receiving bodies than those of lib/serving/bounds.ts. */
  bounds: Partial<Bounds>;
  /** Whether the service listens on this machine alone; see {@link ./host.ts}. */
  onLoopback: boolean;
  /** Proxies that are believed about their clients. */
  trustedProxies: readonly Network[];
  /** Whether the badge of a result is drawn as soon as the result is stored. */
  drawsAhead: boolean;
  /** Takes up in the background what earlier processes left; no request waits for it. */
  resume(): void;
  /** Ends the work in the background; then nothing here uses the database any more. */
  close(): Promise<void>;
}
