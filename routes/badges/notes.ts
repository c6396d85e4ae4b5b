/** What a badge's title says of parts of its address that were left out of account. */
import { FORMATS } from "../../lib/badge/render.ts";
import { COLOUR_THEMES, STYLES } from "../../lib/badge/svg.ts";
import { parameterKind } from "../../lib/trust/near_parameters.ts";
import { OTHERS, shownName } from "./asked.ts";
import { CACHE_SECONDS, SCALES } from "../http/badge_bounds.ts";
import { numberIn } from "./query.ts";

/**
 * Sentences on names that come near another's, on values that can't be used, and on what stands
 * twice. None of them changes what passes: requirements are {@link ./badge_asked.ts}'s.
 *
 * @param otherFormat whether the address has the extension of no format.
 */
export function notesOf(query: URLSearchParams, otherFormat: boolean): string[] {
  const notes = otherFormat ? [`Badges come as ${list(FORMATS)}; this is the svg.`] : [];
  if (query.size === 0) return notes;
  for (const name of new Set(query.keys())) {
    const read = parameterKind(name, OTHERS);
    if (read.kind === "near-known") {
      notes.push(
        `The link's parameter ${shownName(name)} isn't known: ${read.meant} may be meant.`,
      );
    } else if (read.kind === "known" && query.getAll(name).length > 1) {
      notes.push(`The link gives ${name} twice, and the first counts.`);
    }
  }
  return [...notes, ...notesOnValues(query)];
}

function notesOnValues(query: URLSearchParams): string[] {
  const notes: string[] = [];
  const oneOf = (name: string, known: readonly string[]) => {
    const value = query.get(name);
    if (value !== null && !known.includes(value)) {
      notes.push(`The link asks for no ${name} that there is: ${list(known)}.`);
    }
  };
  const within = (name: string, { least, most }: { least: number; most: number }) => {
    const value = query.get(name);
    if (value !== null && `${numberIn(value, least, most)}` !== value) {
      notes.push(`The link's ${name} is no whole number from ${least} to ${most}.`);
    }
  };
  oneOf("style", STYLES);
  oneOf("theme", COLOUR_THEMES);
  within("scale", SCALES);
  within("cacheSeconds", CACHE_SECONDS);
  return notes;
}

/** `a`, `a and b`, `a, b and c`. */
function list(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
