/** Drawing badges, wherever it is done: in a worker, or in line. */
import type { Badge } from "./model.ts";
import type { RenderedBadge, RenderOptions } from "./render.ts";

export interface Renderer {
  /** As `renderBadge` in {@link ./render.ts}. Rejects with `QueueFull` when too many wait. */
  render(badge: Badge, options?: RenderOptions): Promise<RenderedBadge>;
  close(): void;
}
