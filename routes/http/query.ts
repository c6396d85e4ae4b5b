/** Query parameters. */
import type { Context } from "hono";
import { MAX_PAGE, type PageRequest } from "../../lib/store/store.ts";
import { ProblemError } from "./problems.ts";

/**
 * Refuses parameters other than `names`, and those that stand twice: a misspelt one must not do
 * something else than was asked for.
 *
 * @param repeatable those that may stand more than once, or whose reader has its own word for it.
 * @throws {ProblemError} `query-malformed`.
 */
export function requireParameters(
  c: Context,
  names: readonly string[],
  repeatable: readonly string[] = [],
): void {
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (!names.includes(name)) {
      throw new ProblemError("query-malformed", "there is a parameter that this address lacks");
    }
    if (repeatable.includes(name)) continue;
    if (values.length > 1) throw new ProblemError("query-malformed", `${name} is given twice`);
  }
}

/**
 * Reads `cursor` and `limit`, and refuses what is neither these nor among `others`.
 * @throws {ProblemError} `query-malformed`.
 */
export function readPaging(c: Context, others: readonly string[] = []): PageRequest {
  requireParameters(c, ["cursor", "limit", ...others]);
  const limit = c.req.query("limit");
  if (limit !== undefined && !(/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MAX_PAGE)) {
    throw new ProblemError("query-malformed", `limit is a number from 1 to ${MAX_PAGE}`);
  }
  return {
    cursor: c.req.query("cursor"),
    limit: limit === undefined ? undefined : Number(limit),
  };
}
