/** Query parameters of lists. */
import type { Context } from "hono";
import { MAX_PAGE, type PageRequest } from "../lib/store/store.ts";
import { ProblemError } from "./problems.ts";

/**
 * Reads `cursor` and `limit`, and refuses what is neither these nor among `others`: a misspelt
 * filter must not give another list than was asked for.
 *
 * @throws {ProblemError} `query-malformed`.
 */
export function readPaging(c: Context, others: readonly string[] = []): PageRequest {
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (name !== "cursor" && name !== "limit" && !others.includes(name)) {
      throw new ProblemError("query-malformed", "there is a parameter that this address lacks");
    }
    if (values.length > 1) throw new ProblemError("query-malformed", `${name} is given twice`);
  }
  const limit = c.req.query("limit");
  if (limit !== undefined && !(/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MAX_PAGE)) {
    throw new ProblemError("query-malformed", `limit is a number from 1 to ${MAX_PAGE}`);
  }
  return {
    cursor: c.req.query("cursor"),
    limit: limit === undefined ? undefined : Number(limit),
  };
}
