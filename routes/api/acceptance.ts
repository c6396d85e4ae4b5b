/**
 * Requirements in a query, for every address that takes them: `issuer` (repeatable), `policy`,
 * `context`, `session`, `replayed=all`, `maxage`. See {@link ../lib/verify/acceptance.ts}.
 */
import type { Context } from "hono";
import {
  PARAMETERS,
  readRequirements,
  type Requirements,
  type RequirementsRead,
} from "../../lib/trust/acceptance.ts";
import type { Registry } from "../../lib/trust/registry.ts";
import { requireParameters } from "../http/query.ts";
import { ProblemError } from "../http/problems.ts";

/**
 * The requirements of a query, or what is wrong with them. Parameters of other names are left to the
 * caller.
 */
function readAcceptance(c: Context, registry: Registry): RequirementsRead {
  const given = c.req.queries();
  const entries = PARAMETERS.flatMap((name) =>
    Object.hasOwn(given, name) ? [[name, given[name]] as const] : []
  );
  return readRequirements(Object.fromEntries(entries), registry);
}

/**
 * The requirements of a query; null: none are stated.
 *
 * @param others parameters that the address takes besides. A misspelt requirement must not pass for
 * none.
 * @throws {ProblemError} `query-malformed`, and the codes of a requirement, with its parameter.
 */
export function requireAcceptance(
  c: Context,
  registry: Registry,
  others: readonly string[] = [],
): Requirements | null {
  requireParameters(c, [...PARAMETERS, ...others], PARAMETERS);
  const read = readAcceptance(c, registry);
  if (read.ok) return read.requirements;
  const { code, message, parameter } = read.error;
  throw new ProblemError(code, `${parameter}: ${message}`, { parameter });
}
