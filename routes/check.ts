/** Checking what is sent without storing it: with the pools that came along, and the public ones. */
import type { Pool } from "../lib/protocol/pool.ts";
import type { Store } from "../lib/store/store.ts";
import type { Asked } from "../lib/verify/acceptance.ts";
import type { Checker } from "../lib/verify/checker.ts";
import type { Checked, Content, InputAnswer } from "../lib/verify/jobs.ts";
import { INPUT_LIMITS, inputRefusal } from "./body.ts";

export interface CheckOptions {
  /** Beside those that came with the documents. */
  pools?: readonly Pool[];
  /** What the reports are held against. */
  asked?: Asked | null;
  /** Charges for what the bytes turned out to hold, before it is checked. */
  admit?: (content: Content) => Promise<void>;
  signal?: AbortSignal;
}

/** An input that could be read. */
export type CheckedInput = Extract<InputAnswer, { ok: true }>;

/**
 * Checks bytes that somebody sent. No report lacks a pool that is public by now.
 *
 * @throws {ProblemError} when the input as a whole, or one of its pools, can't be read.
 * @throws {CheckerBusy}
 */
export async function checkBytes(
  bytes: Uint8Array,
  { checker, store }: { checker: Checker; store: Pick<Store, "pool"> },
  { pools = [], asked = null, admit, signal }: CheckOptions,
): Promise<CheckedInput> {
  const options = { limits: INPUT_LIMITS, asked, admit, signal };
  const first = await checker.input(bytes, { ...options, pools });
  if (!first.ok) throw inputRefusal(first);
  const known = await publicPools(first.checked, store);
  const stale = first.checked.flatMap(({ lacked }, index) =>
    lacked.some((poolKey) => known.has(poolKey)) ? [index] : []
  );
  if (stale.length === 0) return first;
  const again = await checker.input(bytes, {
    ...options,
    pools: [...pools, ...known.values()],
    only: stale,
  });
  if (!again.ok) throw inputRefusal(again);
  for (const [at, index] of stale.entries()) first.checked[index] = again.checked[at]!;
  return first;
}

async function publicPools(
  checked: readonly Checked[],
  store: Pick<Store, "pool">,
): Promise<Map<string, Pool>> {
  const pools = new Map<string, Pool>();
  for (const poolKey of new Set(checked.flatMap(({ lacked }) => lacked))) {
    const record = await store.pool(poolKey);
    if (record !== null) pools.set(poolKey, record.pool);
  }
  return pools;
}
