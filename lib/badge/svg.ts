/**
 * A badge as SVG, by satori: text as paths, so that it looks the same everywhere and needs no
 * font where it is shown. Source: docs/architecture.md, "Badge wording".
 */
import { type Design, drawBadge, type Swatch, themeOfReader } from "./drawing.ts";
import type { Badge } from "./model.ts";
import { type Theme, THEMES } from "./palette.ts";
import { card, type Detail } from "./styles/card.tsx";
import { flat, flatSquare, forTheBadge, plastic, type TwoPart } from "./styles/two_part.tsx";
import { saidLabel } from "./text.ts";

/** How badges can look. Each style draws the same model. */
export const STYLES = ["flat", "flat-square", "plastic", "for-the-badge", "card"] as const;
export type Style = typeof STYLES[number];

/** Of a card; `auto`: what the reader prefers. Other styles look the same in every theme. */
export const COLOUR_THEMES = ["light", "dark", "auto"] as const;
export type ColourTheme = typeof COLOUR_THEMES[number];

const DESIGNS: Record<Exclude<Style, "card">, TwoPart> = {
  flat,
  "flat-square": flatSquare,
  plastic,
  "for-the-badge": forTheBadge,
};

const auto = themeOfReader(THEMES.light, THEMES.dark);

const CARDS: Record<ColourTheme, [Theme, readonly Swatch[]]> = {
  light: [THEMES.light, []],
  dark: [THEMES.dark, []],
  auto: [auto.theme, auto.swatches],
};

/** Bytes that a drawing may have. */
const MAX_BYTES = 24_000;

/** How much of a label a badge shows, in characters, in the order tried: forty emoji have 66,000 bytes. */
const LETTERS = [40, 16, 4] as const;

/**
 * How finely a card is drawn, and how much of its label, in the order tried. A card has more text
 * than a badge, so its coordinates have fewer digits; the coarse ones are for labels of many
 * intricate letters.
 */
const CARD_DETAIL: readonly Detail[] = [
  { units: 8, letters: 40 },
  { units: 6, letters: 40 },
  { units: 4, letters: 40 },
  { units: 4, letters: 16 },
  { units: 4, letters: 2 },
];

/**
 * Renders a badge. The result is a complete, self-contained SVG document (no script, external
 * reference or XML declaration; ids and classes unique by content, so that several can be inlined
 * in one page). The same badge always gives the same bytes.
 * The first call loads satori and the font, some tenths of a second; then a badge takes about 2 ms,
 * and a card 10 ms.
 */
export function renderSvg(
  badge: Badge,
  style: Style = "flat",
  theme: ColourTheme = "light",
): Promise<string> {
  const given = { ...badge, label: saidLabel(badge.label) };
  if (style !== "card") return drawSmall(LETTERS.map(DESIGNS[style]), given);
  const [colours, swatches] = CARDS[theme];
  return drawSmall(CARD_DETAIL.map((detail) => card(colours, detail)), given, swatches);
}

/** The drawing by the first design whose drawing isn't too large, or by the last one. */
async function drawSmall(
  designs: readonly Design[],
  badge: Badge,
  swatches: readonly Swatch[] = [],
): Promise<string> {
  let svg = "";
  for (const design of designs) {
    svg = await drawBadge(badge, design, swatches);
    if (utf8.encode(svg).length <= MAX_BYTES) break;
  }
  return svg;
}

const utf8 = new TextEncoder();
