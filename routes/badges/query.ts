/**
 * The query of a badge's address. A badge is an image in somebody's page: whatever is written there,
 * an image comes. A value that can't be used counts as absent, a number outside of its range as the
 * nearest within.
 */
import type { RenderOptions } from "../../lib/badge/render.ts";
import { CACHE_SECONDS, SCALES } from "../http/badge_bounds.ts";
import { COLOUR_THEMES, STYLES } from "../../lib/badge/svg.ts";

/** How a badge is to look, and how long it may be kept. */
export interface BadgeQuery extends Pick<RenderOptions, "style" | "theme" | "scale"> {
  label: string | undefined;
  /** Seconds that a good badge may be kept. */
  cacheSeconds: number;
}

/** Reads `style`, `theme`, `label`, `scale` and `cacheSeconds`; of repeated ones the first. */
export function badgeQuery(query: URLSearchParams): BadgeQuery {
  return {
    style: STYLES.find((style) => style === query.get("style")),
    theme: COLOUR_THEMES.find((theme) => theme === query.get("theme")),
    label: query.get("label") ?? undefined,
    scale: numberIn(query.get("scale"), SCALES.least, SCALES.most) as 1 | 2 | 3 | undefined,
    cacheSeconds: numberIn(query.get("cacheSeconds"), CACHE_SECONDS.least, CACHE_SECONDS.most) ??
      CACHE_SECONDS.least,
  };
}

/** The nearest whole number in a range; undefined when `text` isn't a plain decimal number. */
export function numberIn(text: string | null, least: number, most: number): number | undefined {
  if (text === null || !/^[+-]?\d+(\.\d+)?$/.test(text)) return undefined;
  return Math.min(Math.max(Math.round(Number(text)), least), most);
}
