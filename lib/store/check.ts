/** Checking without storing, with the pools that came along and the public ones. */
import type { Pool } from "../protocol/pool.ts";
import type { Checker, InputOptions } from "../verify/checker.ts";
import type { InputRefusal } from "../verify/input.ts";
import { type CheckedInput, type CheckedSums, responseText } from "../verify/jobs.ts";
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
  parts: CheckParts,
  options: Omit<InputOptions, "whole">,
): Promise<InputRefusal | CheckedInput> {
  const answer = await parts.checker.input(bytes, withPublicPools(parts, options));
  if (answer.ok && answer.form === "text") throw new Error("nobody asked for one text");
  return answer;
}

/** A response with the reports, and what they come to. */
export interface CheckedResponse {
  ok: true;
  checked: readonly CheckedSums[];
  text: string | Uint8Array<ArrayBuffer>;
}

/** The same as {@link checkInput}, as the text of a response; `bytes` are given away. */
export async function checkToText(
  bytes: Uint8Array,
  parts: CheckParts,
  options: Omit<InputOptions, "whole">,
): Promise<InputRefusal | CheckedResponse> {
  const wanted = { ...withPublicPools(parts, options), whole: true };
  const answer = await parts.checker.input(bytes, wanted);
  if (!answer.ok || answer.form === "text") return answer;
  return { ok: true, checked: answer.checked, text: responseText(answer.checked) };
}

function withPublicPools({ store }: CheckParts, options: InputOptions): InputOptions {
  return { ...options, publicPools: (poolKeys) => publicPools(poolKeys, store) };
}

/** Whether one of the reports lacks a pool that is public by now. @throws {StoreUnavailable} */
export async function isOutdated(
  checked: readonly CheckedSums[],
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
