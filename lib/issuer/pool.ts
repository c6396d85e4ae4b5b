/** Making held-out pools. Source: protocols spec 8. */
import { isMixZero, type Pool, POOL_PROTOCOL, poolKeyOf, readPool } from "../protocol/pool.ts";
import { parseCellId } from "../suites/suites.ts";
import { IssuerError, refusal } from "./error.ts";
import { type Random, randomText, systemRandom } from "./random.ts";

/** 192 bits: 32 characters of base64url, where the protocol asks for 128 bits at least. */
const LABEL_BYTES = 24;

export { type PoolFile, toPoolFile } from "../protocol/pool.ts";

/**
 * A pool with a label for each of `cells` (`family:tN`; an `h:` in front is allowed), in that order.
 *
 * @param suite the suite's policy name.
 * @param labels given in place of drawn ones, one a cell.
 * @throws {IssuerError} with the code of protocols spec 8.2 that the pool would have failed by.
 */
export function createPool(
  suite: string,
  cells: readonly string[],
  { labels, random = systemRandom }: { labels?: readonly string[]; random?: Random } = {},
): Pool {
  if (labels !== undefined && labels.length !== cells.length) {
    throw new IssuerError("label-malformed", "there is to be one label a cell");
  }
  const entries = cells.map((id, index) => {
    const cell = parseCellId(id);
    if (cell === null) throw new IssuerError("cell-unknown", `${id} is no cell id`);
    const { family, tier } = cell;
    return { family, tier, label: labels?.[index] ?? drawLabel(random, family, tier) };
  });
  const poolKey = poolKeyOf(suite, entries);
  const read = readPool({ protocol: POOL_PROTOCOL, suite, poolKey, cells: entries });
  if (!read.ok) throw refusal(read.reason);
  return read.pool;
}

/** A label that changes the stream: one in 2^32 wouldn't (protocols spec 8.1). */
function drawLabel(random: Random, family: string, tier: number): string {
  for (;;) {
    const label = randomText(random, LABEL_BYTES);
    if (!isMixZero({ family, tier, label })) return label;
  }
}
