/** Checking without storing: with the pools that came along, and the public ones. */
import type { Pool } from "../protocol/pool.ts";
import type { Checker, InputOptions } from "../verify/checker.ts";
import type { Checked, InputAnswer } from "../verify/jobs.ts";
import type { Store } from "./store.ts";

export interface CheckParts {
  checker: Pick<Checker, "input">;
  store: Pick<Store, "pool">;
}

/**
 * Reads and checks bytes that come from outside. No report lacks a pool that is public by the time
 * when its check begins.
 *
 * @throws {CheckerBusy}
 * @throws {StoreUnavailable}
 */
export async function checkInput(
  bytes: Uint8Array,
  { checker, store }: CheckParts,
  options: InputOptions,
): Promise<InputAnswer> {
  const { pools = [], only } = options;
  const first = await checker.input(bytes, options);
  if (!first.ok) return first;
  const known = await publicPools(first.checked, store);
  const stale = first.checked.flatMap(({ lacked }, at) =>
    lacked.some((poolKey) => known.has(poolKey)) ? [at] : []
  );
  if (stale.length === 0) return first;
  const again = await checker.input(bytes, {
    ...options,
    pools: [...pools, ...known.values()],
    only: stale.map((at) => only?.[at] ?? at),
  });
  if (!again.ok) return again;
  for (const [index, at] of stale.entries()) first.checked[at] = again.checked[index]!;
  return first;
}

/** Whether one of the reports lacks a pool that is public by now. @throws {StoreUnavailable} */
export async function isOutdated(
  checked: readonly Checked[],
  store: CheckParts["store"],
): Promise<boolean> {
  return (await publicPools(checked, store)).size > 0;
}

async function publicPools(
  checked: readonly Checked[],
  store: CheckParts["store"],
): Promise<Map<string, Pool>> {
  const pools = new Map<string, Pool>();
  for (const poolKey of new Set(checked.flatMap(({ lacked }) => lacked))) {
    const record = await store.pool(poolKey);
    if (record !== null) pools.set(poolKey, record.pool);
  }
  return pools;
}
