/** Requirements in a badge's address, and whether what it shows meets them. */
import type { Acceptance } from "../../lib/badge/model.ts";
import { said, shorten } from "../../lib/badge/text.ts";
import { parseTimestamp } from "../../lib/encoding/timestamp.ts";
import {
  acceptanceOf,
  type AcceptanceSubject,
  PARAMETERS,
  readRequirements,
  REQUIREMENTS,
  type Requirements,
} from "../../lib/trust/acceptance.ts";
import {
  parameterKind,
  requirementBehindUrl,
  requirementWithin,
} from "../../lib/trust/near_parameters.ts";
import type { Registry } from "../../lib/trust/registry.ts";

/** What whoever embeds a badge asks for. */
export interface BadgeAsked {
  /** Null: nothing, or `problem`. */
  requirements: Requirements | null;
  /** What is wrong with the requirements: such a badge accepts nothing. */
  problem: string | null;
  /** Its code, as the API has it. */
  problemCode?: string;
}

const NOTHING: BadgeAsked = { requirements: null, problem: null };

/** What a badge's address takes besides requirements. */
export const OTHERS = ["url", "label", "style", "theme", "scale", "cacheSeconds"];

/** Longest name of a parameter that is repeated, in characters. */
const LONGEST_NAME = 40;

/** The name of a parameter as a title may repeat it. */
export function shownName(name: string): string {
  return shorten(said(name), LONGEST_NAME);
}

/**
 * Reads `issuer`, `policy`, `context`, `session`, `sha256`, `replayed` and `maxage`; see
 * lib/verify/acceptance.ts.
 *
 * @param text the query as it is written, without its question mark.
 */
export function badgeAsked(text: string, registry: Registry): BadgeAsked {
  if (text === "") return NOTHING;
  const query = new URLSearchParams(text);
  const slip = slipIn(text);
  // What can't be understood is never taken for permission.
  if (slip !== null) {
    return { requirements: null, problem: slip, problemCode: "query-malformed" };
  }
  const given = Object.fromEntries(PARAMETERS.map((name) => [name, query.getAll(name)]));
  const read = readRequirements(given, registry);
  if (read.ok) return { requirements: read.requirements, problem: null };
  const { code, parameter, message } = read.error;
  return { requirements: null, problem: `${parameter}: ${message}`, problemCode: code };
}

/**
 * A requirement under a name that isn't quite its own, or in a place that isn't; null: there is none.
 *
 * @param text the query as it is written, without its question mark.
 */
export function slipIn(text: string): string | null {
  const query = new URLSearchParams(text);
  for (const [name, value] of query) {
    const read = parameterKind(name, OTHERS);
    if (read.kind === "near-requirement") return `${shownName(name)}: ${read.meant} may be meant`;
    if (read.kind === "requirement" || name === "url") continue;
    const within = requirementWithin(value, { freeText: name === "label" });
    if (within !== null) return slipped(within, name);
  }
  if (!query.has("url")) return null;
  for (const part of text.split("&")) {
    if (!part.startsWith("url=")) continue;
    const behind = requirementBehindUrl(part.slice("url=".length));
    if (behind !== null) return slipped(behind, "url");
  }
  return null;
}

function slipped(requirement: string, parameter: string): string {
  return `${shownName(requirement)} stands within the value of ${shownName(parameter)}`;
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

/**
 * When `maxage` turns the badge of `subjects`, in milliseconds since 1970: it is too old from then
 * on, or it was decided in what is still the future. `Infinity`: never.
 */
export function turnsAt(
  { requirements }: BadgeAsked,
  subjects: readonly AcceptanceSubject[],
  now: number,
): number {
  const maxAge = requirements?.maxAge?.ms;
  if (maxAge === undefined) return Infinity;
  const times = subjects.flatMap(({ decidedAt }) => {
    const decided = decidedAt == null ? null : parseTimestamp(decidedAt);
    return decided === null ? [] : [decided, decided + maxAge];
  });
  return Math.min(...times.filter((time) => time >= now), Infinity);
}
