/** Drawing badges, wherever it is done: in a worker, or in line. */
import type { Badge } from "./model.ts";
import type { RenderedBadge, RenderOptions } from "./render.ts";

export interface Renderer {
  /** As `renderBadge` in {@link ./render.ts}. Rejects with {@link RendererBusy} when too many wait. */
  render(badge: Badge, options?: RenderOptions): Promise<RenderedBadge>;
  close(): void;
}

/** Too many badges wait to be drawn. */
export class RendererBusy extends Error {
  override readonly name = "RendererBusy";
  /** @param retryAfter seconds after which it is worth trying again. */
  constructor(readonly retryAfter: number) {
    super("too many badges wait to be drawn");
  }
}
