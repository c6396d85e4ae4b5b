/** What the routes need, put together once by {@link ./app.ts}. */
import type { Drawings } from "../../lib/store/drawings.ts";
import type { Store, StoredResult } from "../../lib/store/store.ts";
import type { Links } from "../../lib/links/links.ts";
import type { References } from "../../lib/evaluator/reference.ts";
import type { Checker } from "../../lib/verify/checker.ts";
import type { ClientOf } from "./client.ts";
import type { Limits } from "./limits.ts";
import type { Registry } from "../../lib/trust/registry.ts";
import type { Renderer } from "../../lib/badge/renderer.ts";
import type { Samples } from "../../service/samples.ts";
import type { Upgrades } from "../../service/upgrades.ts";

export interface Services {
  /** Documents, results and pools; the samples are among them. */
  store: Store;
  upgrades: Upgrades;
  samples: Samples;
  checker: Checker;
  /** What URLs give; null: none is fetched. */
  links: Links | null;
  /** For the page about the evaluator. */
  references: References;
  /** Known issuers and named policies. */
  registry: Registry;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Draws badges, off the event loop where it can be. */
  renderBadge: Renderer["render"];
  /** Told of every document that is stored for somebody. */
  onKept: (result: StoredResult) => void;
  /** Badges that were drawn before. */
  drawings: Drawings | null;
  /** See {@link ../config.ts}. */
  publicUrl: string | null;
  /** Who sends a request, for quotas. */
  clientOf: ClientOf;
  /** Null: there is no limit. */
  limits: Limits | null;
  /** Told of what should never happen, for the log. */
  onFault: (error: unknown) => void;
  /** Of event streams, in milliseconds; default as in {@link ./events.ts}. */
  heartbeat?: number | undefined;
}
