/**
 * A badge in any format. Takes and gives plain data and keeps nothing but what it drew last, so it
 * can run in a worker as it is.
 */
import type { Badge } from "./model.ts";
import { renderPng, type Scale } from "./png.ts";
import { shieldsOf } from "./shields.ts";
import { type ColourTheme, renderSvg, type Style } from "./svg.ts";

export const FORMATS = ["svg", "png", "json"] as const;
export type Format = typeof FORMATS[number];

export interface RenderOptions {
  /** Default `flat`; JSON has none. */
  style?: Style | undefined;
  /** Of a card, default `light`. A PNG can't follow its reader: `auto` is the light one there. */
  theme?: ColourTheme | undefined;
  /** Default `svg`. */
  format?: Format | undefined;
  /** Of a PNG, default 1. */
  scale?: Scale | undefined;
  /** For JSON: how long a reader may keep the badge, in seconds, default 300. */
  cacheSeconds?: number | undefined;
}

export interface RenderedBadge {
  /** The bytes are shared between callers: don't write to them. */
  body: string | Uint8Array<ArrayBuffer>;
  /** Media type. */
  type: string;
}

/** Renders a badge; the same badge and options always give the same body. */
export async function renderBadge(
  badge: Badge,
  options: RenderOptions = {},
): Promise<RenderedBadge> {
  const { style, theme, format = "svg", scale, cacheSeconds } = options;
  switch (format) {
    case "svg":
      return { body: await renderSvg(badge, style, theme), type: "image/svg+xml" };
    case "png": {
      const svg = await renderSvg(badge, style, theme === "auto" ? "light" : theme);
      return { body: await renderPng(svg, scale), type: "image/png" };
    }
    case "json":
      return { body: JSON.stringify(shieldsOf(badge, cacheSeconds)), type: "application/json" };
  }
}
