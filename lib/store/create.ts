/**
 * Puts a store together: each of its methods is a function of this folder over one context. See
 * {@link Store} for what they promise.
 */
import { once } from "../async/once.ts";
import type { Checker } from "../verify/checker.ts";
import { createContext, type StoreContext } from "./context.ts";
import { readBadgeRow, readDocument, readReport, readResult } from "./documents.ts";
import { listFeed, listPools, listResults } from "./lists.ts";
import { removePools, unusedPools } from "./pool_removal.ts";
import { publicPool, readDisclosure } from "./pools.ts";
import { enterShipped, preview, publish } from "./publish.ts";
import { sessionAdmissions } from "./sessions.ts";
import type { Store, StoreOptions } from "./store.ts";
import { storeIntake, storeValue } from "./storing.ts";
import { exportRecords, importRecord, readHistory } from "./transfer.ts";
import { pendingUpgrades, readProgress, upgrade } from "./upgrade.ts";
import { collect, deleteDocument, readStats, sweep } from "./upkeep.ts";
import { sweepVisits } from "./visits.ts";

/** A store in `kv`: a local file, memory, or a server. Nothing is read before the first call. */
export function createStore(kv: Deno.Kv, checker: Checker, options: StoreOptions = {}): Store {
  const { shipped = [] } = options;
  const context = createContext(kv, checker, options);
  const ready = once(async () => {
    if (shipped.length > 0) await enterShipped(context, shipped);
  });

  /** The function as a method of this store. */
  const method =
    <A extends unknown[], R>(run: (context: StoreContext, ...args: A) => R) => (...args: A): R =>
      run(context, ...args);

  /** The same for a method before which the pools have to be public that come with the service. */
  const whenReady =
    <A extends unknown[], R>(run: (context: StoreContext, ...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await ready();
      return await run(context, ...args);
    };

  return {
    keep: whenReady(storeValue),
    keepIntake: whenReady(storeIntake),
    result: whenReady(readResult),
    report: whenReady(readReport),
    badgeRow: (id) => readBadgeRow(context, id, ready),
    document: whenReady(readDocument),
    history: whenReady(readHistory),
    results: whenReady(listResults),
    sessionAdmissions: whenReady(sessionAdmissions),
    feed: whenReady(listFeed),

    pool: whenReady(publicPool),
    pools: whenReady(listPools),
    disclosure: whenReady(readDisclosure),
    previewPool: whenReady(preview),
    publishPool: whenReady(publish),
    runUpgrade: whenReady(upgrade),
    upgradeProgress: whenReady(readProgress),
    pendingUpgrades: whenReady(pendingUpgrades),

    stats: whenReady(readStats),
    deleteDocument: method(deleteDocument),
    removePools: method(removePools),
    unusedPools: method(unusedPools),
    sweep: method(sweep),
    sweepVisits: method(sweepVisits),
    gc: method(collect),
    exportLines: method(exportRecords),
    importLine: method(importRecord),
  };
}
