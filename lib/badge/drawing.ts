/**
 * From a layout to the final SVG: satori lays boxes and text out; figures, gradients and themes go
 * where placeholders of a colour of their own stand.
 */
import type satori from "satori";
import { sha256Hex } from "../encoding/digest.ts";
import { loadTypesetter } from "./fonts.ts";
import { markPath, type Shape } from "./marks.ts";
import { type Badge, badgeText } from "./model.ts";
import { glossOf, type Theme } from "./palette.ts";
import { compactPath } from "./path.ts";
import { MIDDLE, scriptsOf } from "./scripts.ts";
import { escapeXml, said } from "./text.ts";

export type Element = Parameters<typeof satori>[0];

/** What a design draws with. Lengths are CSS pixels, turned into units by {@link px}. */
export interface Pen {
  px(pixels: number): number;
  /**
   * Line height that puts the baseline of DejaVu Sans `baseline` pixels below the top of the line,
   * relative to the font size: on a pixel edge text is crisp.
   */
  line(fontSize: number, baseline: number): number;
  /** The colour of a box in which a mark is to be drawn. The box has to be a square. */
  mark(shape: Shape, colour: string): string;
  /** The colour of a box that gets a gradient around `ground`. */
  gloss(ground: string): string;
}

export interface Design {
  /** Drawn at this many units a pixel, as what is drawn is rounded to whole units. */
  units: number;
  /** Height in CSS pixels; the width follows from the text. */
  height(badge: Badge): number;
  /** Whether it needs the bold weight. */
  bold: boolean;
  /** Colours of texts that nothing is drawn over: each becomes one path. */
  inks: readonly string[];
  /** What is written, which decides what fonts are needed. */
  texts(badge: Badge): readonly string[];
  layout(badge: Badge, pen: Pen): Element;
}

/** Placeholders for colours that are set later. No palette has a colour as dark as these. */
const MARK = "#0001";
const GLOSS = "#0002";
const THEMED = "#0003";

/** A theme whose colours are those of `light`, and of `dark` where the reader prefers that. */
export function themeOfReader(light: Theme, dark: Theme): { theme: Theme; swatches: Swatch[] } {
  const swatches: Swatch[] = [];
  const pair = (light: string, dark: string) => {
    swatches.push([light, dark]);
    return placeholder(THEMED, swatches.length - 1);
  };
  const marks = Object.entries(light.marks).map(([tone, colour]) =>
    [tone, pair(colour, dark.marks[tone as keyof Theme["marks"]])] as const
  );
  const theme = {
    ground: pair(light.ground, dark.ground),
    line: pair(light.line, dark.line),
    text: pair(light.text, dark.text),
    muted: pair(light.muted, dark.muted),
    marks: Object.fromEntries(marks) as Theme["marks"],
  };
  return { theme, swatches };
}

/** A colour and what it becomes in the dark. */
export type Swatch = readonly [light: string, dark: string];

/**
 * Draws a badge. The result is a complete, self-contained SVG document: no script, no external
 * reference, no XML declaration; ids and classes differ between badges that differ.
 *
 * @param swatches of {@link themeOfReader}, when the design was given its theme.
 */
export async function drawBadge(
  badge: Badge,
  design: Design,
  swatches: readonly Swatch[] = [],
): Promise<string> {
  const { units } = design;
  const marks: [Shape, string][] = [];
  const grounds: string[] = [];
  const pen: Pen = {
    px: (pixels) => pixels * units,
    line: (fontSize, baseline) => 2 * baseline / fontSize - MIDDLE,
    mark: (shape, colour) => placeholder(MARK, marks.push([shape, colour]) - 1),
    gloss: (ground) => placeholder(GLOSS, grounds.push(ground) - 1),
  };
  const { satori, fonts } = await loadTypesetter(
    design.bold,
    scriptsOf(design.texts(badge)),
  );
  const drawn = await satori(design.layout(badge, pen), {
    height: design.height(badge) * units,
    fonts,
    // Layout snaps to whole pixels, so that edges between grounds are crisp.
    pointScaleFactor: 1 / units,
  });
  const size = /^<svg width="(\d+)" height="(\d+)"[^>]*>/.exec(drawn);
  if (size === null) throw new Error("unexpected output of satori");
  const [open, width, height] = size;
  const head = `width="${Number(width) / units}" height="${Number(height) / units}" ` +
    `viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-label="${escapeXml(said(badgeText(badge)))}">` +
    `<title>${escapeXml(said(badge.title))}</title>`;
  const boxes = dropUnusedMasks(drawn.slice(open.length))
    // A path has no place and size of its own; satori writes them all the same.
    .replace(/<path x="[^"]*" y="[^"]*" width="[^"]*" height="[^"]*"/g, "<path")
    .replace(/<\/?g\/?>/g, "");
  const body = gatherInks(drawMarks(boxes, marks), design.inks)
    .replace(/ d="([^"]*)"/g, (_, d: string) => ` d="${compactPath(d)}"`);
  const prefix = `b${sha256Hex(head + body + JSON.stringify([grounds, swatches])).slice(0, 10)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${head}` +
    dress(body, prefix, grounds, swatches).replaceAll("satori_", prefix);
}

function placeholder(kind: string, index: number): string {
  return kind + index.toString(16).padStart(2, "0");
}

function indexIn(colour: string): number {
  return parseInt(colour.slice(5), 16);
}

/** satori defines an overflow mask for every box, used or not. */
function dropUnusedMasks(svg: string): string {
  return svg.replace(
    /<mask id="([^"]+)">.*?<\/mask>/g,
    (mask, id: string) => svg.includes(`url(#${id})`) ? mask : "",
  );
}

/** The box of a mark, as satori draws it. */
const BOX = new RegExp(
  `<rect x="(\\d+)" y="(\\d+)" width="(\\d+)" height="\\d+" fill="(${MARK}..)"/>`,
  "g",
);

function drawMarks(svg: string, marks: readonly [Shape, string][]): string {
  return svg.replace(BOX, (_, x: string, y: string, side: string, box: string) => {
    const [shape, colour] = marks[indexIn(box)]!;
    return `<path fill="${colour}" d="${markPath(shape, Number(x), Number(y), Number(side))}"/>`;
  });
}

/** One path for all texts of an ink, last: see {@link Design}. */
function gatherInks(svg: string, inks: readonly string[]): string {
  return inks.reduce((drawn, ink) => {
    const paths: string[] = [];
    const rest = drawn.replace(new RegExp(`<path fill="${ink}" d="([^"]*)"/>`, "g"), (_, d) => {
      paths.push(d);
      return "";
    });
    if (paths.length === 0) return drawn;
    return rest.replace(/<\/svg>$/, `<path fill="${ink}" d="${paths.join("")}"/></svg>`);
  }, svg);
}

/** Puts gradients and themed colours in, and defines them. */
function dress(
  svg: string,
  prefix: string,
  grounds: readonly string[],
  swatches: readonly Swatch[],
): string {
  const used = new Set<number>();
  const dressed = svg.replace(/fill="(#000[23]..)"/g, (_, colour: string) => {
    const index = indexIn(colour);
    // Where the gradient isn't found, as in a page that hides the first of two equal badges, there is
    // a colour all the same.
    if (colour.startsWith(GLOSS)) return `fill="url(#${prefix}-${index}) ${grounds[index]!}"`;
    used.add(index);
    return `fill="${swatches[index]![0]}" class="${prefix}-${index}"`;
  });
  const gradients = grounds.map((ground, index) => {
    const [top, bottom] = glossOf(ground);
    return `<linearGradient id="${prefix}-${index}" x2="0" y2="1">` +
      `<stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>`;
  });
  const rules = [...used].map((index) => `.${prefix}-${index}{fill:${swatches[index]![1]}}`);
  const style = rules.length === 0
    ? ""
    : `<style>@media(prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return gradients.join("") + style + dressed;
}
