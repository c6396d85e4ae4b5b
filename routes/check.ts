/** Checking what is sent without storing it: with the pools that came along, and the public ones. */
import type { Pool } from "../lib/protocol/pool.ts";
import type { Store } from "../lib/store/store.ts";
import { type Input, verifyInput } from "../lib/verify/input.ts";
import type { Report } from "../lib/verify/report.ts";
import type { Verifier } from "../lib/verify/verify.ts";

/** Reports on an input's entries, in order. No report lacks a pool that is public by now. */
export async function checkInput(
  input: Input,
  { store, verifier }: { store: Pick<Store, "pool">; verifier: Verifier },
): Promise<Report[]> {
  const reports = await verifyInput(input, verifier);
  const lacked = new Set(reports.flatMap(lackedBy));
  const pools = new Map<string, Pool>();
  for (const poolKey of lacked) {
    const record = await store.pool(poolKey);
    if (record !== null) pools.set(poolKey, record.pool);
  }
  const stale = reports.flatMap((report, index) =>
    lackedBy(report).some((poolKey) => pools.has(poolKey)) ? [index] : []
  );
  const again = await verifyInput({
    entries: stale.map((index) => input.entries[index]!),
    pools: [...input.pools, ...pools.values()],
  }, verifier);
  for (const [at, index] of stale.entries()) reports[index] = again[at]!;
  return reports;
}

function lackedBy({ pools }: Report): string[] {
  return pools.flatMap(({ poolKey, disclosed }) => disclosed ? [] : [poolKey]);
}
