/** Every look that has golden pictures: each style, the card in both themes. */
import { renderBadge } from "../../lib/badge/render.ts";
import type { Badge } from "../../lib/badge/model.ts";
import { decodePng, type Pixels } from "../support/badges.ts";
import { type ColourTheme, type Style, STYLES } from "../../lib/badge/svg.ts";

export interface Look {
  /** Folder of its pictures. */
  name: string;
  style: Style;
  theme: ColourTheme;
}

export const LOOKS: readonly Look[] = STYLES.flatMap((style): Look[] =>
  style === "card"
    ? [{ name: "card-light", style, theme: "light" }, { name: "card-dark", style, theme: "dark" }]
    : [{ name: style, style, theme: "light" }]
);

/** Where the golden picture of a badge is. */
export function goldenFile({ name }: Look, kind: string): URL {
  return new URL(`${name}/${kind}.png`, import.meta.url);
}

/** The picture as it is drawn now, at one device pixel a CSS pixel. */
export async function picture(
  badge: Badge,
  { style, theme }: Pick<Look, "style" | "theme">,
): Promise<Pixels> {
  const { body } = await renderBadge(badge, { style, theme, format: "png", scale: 1 });
  if (typeof body === "string") throw new Error("a PNG is bytes");
  return decodePng(body);
}
