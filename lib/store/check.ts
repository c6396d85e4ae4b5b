/** Checking without storing, with the pools that came along and the public ones. */
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
export function checkInput(
  bytes: Uint8Array,
  { checker, store }: CheckParts,
  options: InputOptions,
): Promise<InputAnswer> {
  return checker.input(bytes, {
    ...options,
    publicPools: (poolKeys) => publicPools(poolKeys, store),
  });
}

/** Whether one of the reports lacks a pool that is public by now. @throws {StoreUnavailable} */
export async function isOutdated(
  checked: readonly Checked[],
  store: CheckParts["store"],
): Promise<boolean> {
  const lacked = new Set(checked.flatMap(({ lacked }) => lacked));
  return (await publicPools([...lacked], store)).length > 0;
}

async function publicPools(
  poolKeys: readonly string[],
  store: CheckParts["store"],
): Promise<Pool[]> {
  const pools: Pool[] = [];
  for (const poolKey of poolKeys) {
    const record = await store.pool(poolKey);
    if (record !== null) pools.push(record.pool);
  }
  return pools;
}
