/**
 * Retention, and the end of visits: once a day, while the process runs. `deno task store gc` does it
 * at any time.
 */
import { type Store, StoreUnavailable } from "../lib/store/store.ts";

const DAY_MS = 86_400_000;

/** After a start others have their turn first. */
const FIRST_MS = 60_000;

interface Upkeep {
  start(): void;
  /** Resolves when it doesn't use the store any more. */
  stop(): Promise<void>;
}

/**
 * @param days null: nothing is ever removed that somebody wanted kept.
 * @param onFault told of what should never happen.
 * @param first milliseconds after the start.
 */
export function createUpkeep(
  store: Pick<Store, "sweep" | "sweepVisits">,
  days: number | null,
  onFault: (error: unknown) => void,
  first = FIRST_MS,
): Upkeep {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  async function sweep(): Promise<void> {
    try {
      await store.sweepVisits(Date.now());
      if (days !== null) await store.sweep(Date.now(), days);
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
    // It is no reason to keep a process alive.
    Deno.unrefTimer(timer);
  }

  return {
    start() {
      if (!stopped) plan(first);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
