/** Requirements in a badge's address, and whether what it shows meets them. */
import type { Acceptance } from "../../lib/badge/model.ts";
import {
  acceptanceOf,
  type AcceptanceSubject,
  PARAMETERS,
  readRequirements,
  REQUIREMENTS,
  type Requirements,
} from "../../lib/trust/acceptance.ts";
import { parameterKind } from "../../lib/trust/near_parameters.ts";
import type { Registry } from "../../lib/trust/registry.ts";

/** What whoever embeds a badge asks for. */
export interface BadgeAsked {
  /** Null: nothing, or `problem`. */
  requirements: Requirements | null;
  /** What is wrong with the requirements: such a badge accepts nothing. */
  problem: string | null;
}

const NOTHING: BadgeAsked = { requirements: null, problem: null };

/** What a badge's address takes besides requirements. */
const OTHERS = ["url", "label", "style", "theme", "scale", "cacheSeconds"];

/** Reads `issuer`, `policy`, `context`, `session`, `replayed`, `maxage`; see lib/verify/acceptance.ts. */
export function badgeAsked(query: URLSearchParams, registry: Registry): BadgeAsked {
  if (query.size === 0) return NOTHING;
  for (const name of query.keys()) {
    const read = parameterKind(name, OTHERS);
    // What can't be understood is never taken for permission.
    if (read.kind === "near-requirement") {
      return { requirements: null, problem: `${name}: ${read.meant} may be meant` };
    }
  }
  const given = Object.fromEntries(PARAMETERS.map((name) => [name, query.getAll(name)]));
  const read = readRequirements(given, registry);
  if (read.ok) return { requirements: read.requirements, problem: null };
  const { parameter, message } = read.error;
  return { requirements: null, problem: `${parameter}: ${message}` };
}

/**
 * Whether all of `subjects` meet what is asked; undefined: nothing is asked.
 *
 * @param now milliseconds since 1970.
 */
export function badgeAcceptance(
  { requirements, problem }: BadgeAsked,
  subjects: readonly AcceptanceSubject[],
  now: number,
): Acceptance | undefined {
  if (problem !== null) return { accepted: false, failed: [], problem };
  if (requirements === null) return undefined;
  const failures = subjects.map((subject) => acceptanceOf(subject, requirements, now).failed);
  const failed = REQUIREMENTS.filter((name) => failures.some((some) => some.includes(name)));
  return { accepted: failed.length === 0, failed };
}
