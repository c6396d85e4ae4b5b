/**
 * Retention, and the end of visits: once a day, while the process runs. `deno task store gc` does the
 * same at any time.
 */
import type { LinkRows } from "../lib/links/rows.ts";
import { type Store, StoreUnavailable } from "../lib/store/store.ts";

const DAY_MS = 86_400_000;

/** Milliseconds after a start before the first sweep: requests have their turn first. */
const FIRST_MS = 60_000;

interface Upkeep {
  /** @param first milliseconds until the first sweep. */
  start(first?: number): void;
  /** Resolves when upkeep doesn't use the database any more. */
  stop(): Promise<void>;
}

/**
 * Removes what nobody has asked for in `days` days: documents and links; and visiting documents after
 * a week.
 *
 * @param days null: nothing is ever removed that somebody asked to have stored.
 */
export async function sweepAll(
  store: Pick<Store, "sweep" | "sweepVisits">,
  links: Pick<LinkRows, "sweep">,
  days: number | null,
): Promise<{ removed: number }> {
  const now = Date.now();
  let { removed } = await store.sweepVisits(now);
  if (days === null) return { removed };
  removed += (await store.sweep(now, days)).removed;
  await links.sweep(now, days);
  return { removed };
}

/**
 * Sweeps once a day.
 *
 * @param days see {@link sweepAll}.
 * @param onFault told of what should never happen.
 */
export function createUpkeep(
  store: Pick<Store, "sweep" | "sweepVisits">,
  links: Pick<LinkRows, "sweep">,
  days: number | null,
  onFault: (error: unknown) => void,
): Upkeep {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  async function sweep(): Promise<void> {
    try {
      await sweepAll(store, links, days);
    } catch (error) {
      // The next day is soon enough for a database that is away.
      if (!(error instanceof StoreUnavailable) && !stopped) onFault(error);
    }
  }

  function plan(ms: number): void {
    timer = setTimeout(() => {
      running = sweep().then(() => {
        if (!stopped) plan(DAY_MS);
      });
    }, ms);
    // A sweep that is due is no reason to let a process live on.
    Deno.unrefTimer(timer);
  }

  return {
    start(first = FIRST_MS) {
      if (!stopped) plan(first);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
