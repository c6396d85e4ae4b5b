/** Puts the drawing of badges together: off the event loop, with a queue of its own. */
import { renderBadge, type RenderedBadge } from "../lib/badge/render.ts";
import type { Renderer } from "../lib/badge/renderer.ts";
import { createWorkers } from "../lib/workers/workers.ts";
import type { DrawJob } from "./badge_worker.ts";

/** Badges that wait to be drawn. A card as a PNG takes a tenth of a second. */
const WAITING = 200;

/** How long drawing one may take, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Makes the renderer of a service. Nothing is started or loaded before the first badge.
 *
 * @param workers 0: badges are drawn in line.
 */
export function createRenderer(
  workers: 0 | 1,
  log: (message: string) => void = console.error,
): Renderer {
  const drawing = createWorkers({
    module: import.meta.resolve("./badge_worker.ts"),
    settings: null,
    size: workers,
    lanes: [{ jobs: WAITING, bytes: Infinity }],
    inLine: () => (job) => {
      const { badge, options } = job as DrawJob;
      return renderBadge(badge, options);
    },
    log,
    // What the drawing library looks at.
    permissions: { env: ["NODE_ENV", "JEST_WORKER_ID"], read: false, net: false, write: false },
  });
  return {
    async render(badge, options = {}) {
      const job: DrawJob = { badge, options };
      return await drawing.run(job, { lane: 0, bytes: 0, patience: PATIENCE_MS }) as RenderedBadge;
    },
    close: () => drawing.close(),
  };
}
