/** A worker that draws badges; see {@link ./renderer.ts}. */
import type { Badge } from "../lib/badge/model.ts";
import { renderBadge, type RenderOptions } from "../lib/badge/render.ts";
import { serveJobs } from "../lib/workers/serve.ts";

/** A badge to be drawn. */
export interface DrawJob {
  badge: Badge;
  options: RenderOptions;
}

serveJobs(() => (job) => {
  const { badge, options } = job as DrawJob;
  return renderBadge(badge, options);
});
