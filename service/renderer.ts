/** Puts the drawing of badges together: off the event loop, with a queue of its own. */
import { renderBadge, type RenderedBadge } from "../lib/badge/render.ts";
import { type Renderer, RendererBusy } from "../lib/badge/renderer.ts";
import { createWorkers, QueueFull } from "../lib/workers/workers.ts";
import type { DrawJob } from "./badge_worker.ts";

/** Badges that wait to be drawn. A card as a PNG takes a tenth of a second. */
const WAITING = 200;

/** How long drawing a badge may take, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Seconds until a full queue is worth another try. */
const RETRY_AFTER = 2;

/**
 * Makes the renderer of a service. Nothing is started or loaded before the first badge.
 *
 * @param size 0: badges are drawn in line.
 */
export function createRenderer(
  size: 0 | 1,
  log: (message: string) => void = console.error,
): Renderer {
  const drawing = createWorkers({
    module: import.meta.resolve("./badge_worker.ts"),
    settings: null,
    size,
    lanes: [{ jobs: WAITING, bytes: Infinity }],
    inLine: () => (job) => {
      const { badge, options } = job as DrawJob;
      return renderBadge(badge, options);
    },
    log,
    // The drawing library looks at these variables.
    permissions: { env: ["NODE_ENV", "JEST_WORKER_ID"], read: false, net: false, write: false },
  });
  return {
    async render(badge, options = {}) {
      const job: DrawJob = { badge, options };
      try {
        return await drawing.run(job, {
          lane: 0,
          bytes: 0,
          patience: PATIENCE_MS,
        }) as RenderedBadge;
      } catch (error) {
        if (error instanceof QueueFull) throw new RendererBusy(RETRY_AFTER);
        throw error;
      }
    },
    close: () => drawing.close(),
  };
}
