/**
 * Upgrades that this process is at. On Deno Deploy no background task is sure to finish, so an
 * upgrade is also taken up by whoever watches it and by the next start.
 */
import { type Store, StoreUnavailable } from "../lib/store/store.ts";
import { workForNobody } from "../lib/async/asker.ts";
import type { Upgrades } from "../routes/http/services.ts";

/** Before an upgrade is tried again that another process is at, or that the database was away for. */
const COME_BACK_MS = 1000;

/** How often the progress is read, which another process may be making. */
const POLL_MS = 250;

interface RunningUpgrades extends Upgrades {
  /** Takes up what earlier processes left. Doesn't wait. */
  resume(): void;
  /** Stops all, and waits until nothing here uses the store. */
  stop(): Promise<void>;
}

/** @param onFault told of what should never happen. */
export function createUpgrades(store: Store, onFault: (error: unknown) => void): RunningUpgrades {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function run(poolKey: string): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      try {
        const { ended } = await store.runUpgrade(poolKey, { signal });
        if (ended !== "leased") return;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) {
          if (!signal.aborted) onFault(error);
          return;
        }
      }
      await pause(COME_BACK_MS, signal);
    }
  }

  function start(poolKey: string): void {
    if (running.has(poolKey) || stopping.signal.aborted) return;
    // It is nobody's turn that it takes, and nobody pays for it, whoever came by first.
    const upgrade = workForNobody(() => run(poolKey));
    running.set(poolKey, upgrade.finally(() => running.delete(poolKey)));
  }

  let resuming: Promise<void> = Promise.resolve();

  async function takeUp(): Promise<void> {
    for (;;) {
      try {
        for (const poolKey of await store.pendingUpgrades()) start(poolKey);
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!(error instanceof StoreUnavailable)) return onFault(error);
      }
      await pause(COME_BACK_MS, stopping.signal);
    }
  }

  return {
    start,

    async *watch(poolKey, signal) {
      const either = AbortSignal.any([signal, stopping.signal]);
      let seen = "";
      while (!either.aborted) {
        const progress = await store.upgradeProgress(poolKey);
        if (progress === null) return;
        const state = JSON.stringify(progress);
        if (state !== seen) yield progress;
        seen = state;
        if (progress.done) return;
        start(poolKey);
        await Promise.race([running.get(poolKey), pause(POLL_MS, either)]);
      }
    },

    resume() {
      resuming = takeUp();
    },

    async stop() {
      stopping.abort();
      await resuming;
      await Promise.all(running.values());
    },
  };
}

/** Resolves after `ms` milliseconds, or as soon as `signal` is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
