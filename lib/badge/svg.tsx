/** @jsxImportSource satori/jsx */
/**
 * A badge as SVG, by satori: text as paths, so that it looks the same everywhere and needs no
 * font where it is shown. Source: design.md, "Badge wording".
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type satori from "satori";
import { memo } from "./memo.ts";
import { type Badge, badgeText, messageText, type Tone } from "./model.ts";
import { LABEL, PALETTE } from "./palette.ts";
import { compactPath } from "./path.ts";
import { drawable, drawableLabel, escapeXml } from "./text.ts";

/** How badges can look. Each style draws the same model. */
export const STYLES = ["flat"] as const;
export type Style = typeof STYLES[number];

/** Height of a badge in CSS pixels. */
export const HEIGHT = 20;

/**
 * Drawn at this many units a pixel, because satori rounds coordinates to one decimal of a unit
 * and {@link compactPath} to whole units: 1/20 of a pixel is invisible even at 3x.
 */
const UNITS = 20;
const px = (pixels: number): number => pixels * UNITS;

type Element = Parameters<typeof satori>[0];

const DESIGNS: Record<Style, (badge: Badge) => Element> = { flat };

/**
 * Renders a badge. The result is a complete, self-contained SVG document (no script, style
 * element, external reference or XML declaration; ids unique by content, so that several can be
 * inlined in one page). The same badge always gives the same bytes.
 * The first call loads satori and the font, some tenths of a second; then about 2 ms, and nothing
 * for the badges drawn last.
 */
export function renderSvg(badge: Badge, style: Style = "flat"): Promise<string> {
  // Cut before it becomes a key, so that what is remembered stays small.
  const short: Badge = { ...badge, label: drawableLabel(badge.label) };
  return rendered(JSON.stringify([style, short]), () => draw(short, style));
}

const rendered = memo<string>(512);

async function draw(badge: Badge, style: Style): Promise<string> {
  const { satori, fonts } = await load();
  const drawn = await satori(DESIGNS[style](badge), {
    height: px(HEIGHT),
    fonts,
    // Layout snaps to whole pixels, so that edges between grounds are crisp.
    pointScaleFactor: 1 / UNITS,
  });
  return finish(drawn, badge);
}

type Loaded = {
  satori: typeof satori;
  fonts: Parameters<typeof satori>[1]["fonts"];
};
let loading: Promise<Loaded> | null = null;

/** Neither satori nor the font is needed before the first badge: both cost start-up time. */
function load(): Promise<Loaded> {
  loading ??= (async () => {
    const [{ default: satori }, { default: regular }] = await Promise.all([
      import("satori"),
      import("@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff", {
        with: { type: "bytes" },
      }),
    ]);
    return {
      satori,
      fonts: [{ name: "DejaVu Sans", data: regular.slice().buffer, weight: 400, style: "normal" }],
    };
  })();
  loading.catch(() => loading = null);
  return loading;
}

/** At 11 px this puts the baseline on a pixel edge (y = 14), the x-height and cap height with it. */
const LINE = 248 / 220;

function flat(badge: Badge): Element {
  const colours = PALETTE[badge.tone];
  const side = { display: "flex", height: px(HEIGHT) };
  return (
    <div style={{ display: "flex", fontSize: px(11), lineHeight: LINE, whiteSpace: "pre" }}>
      <div
        style={{
          ...side,
          paddingLeft: px(5),
          paddingRight: px(7),
          borderRadius: `${px(3)}px 0 0 ${px(3)}px`,
          background: LABEL.ground,
          color: LABEL.text,
        }}
      >
        <Mark tone={badge.tone} />
        <span style={{ marginTop: px(4), marginLeft: px(5) }}>{badge.label}</span>
      </div>
      <div
        style={{
          ...side,
          paddingLeft: px(7),
          paddingRight: px(7),
          borderRadius: `0 ${px(3)}px ${px(3)}px 0`,
          background: colours.ground,
          color: colours.text,
        }}
      >
        <span style={{ marginTop: px(4) }}>{drawable(messageText(badge))}</span>
      </div>
    </div>
  );
}

/**
 * The mark says the tone by its shape, for those who don't see its colour: a full lozenge for
 * replayed, a hollow one for claimed, a bar for failed, a cross for invalid, a dot for the rest.
 */
function Mark({ tone }: { tone: Tone }): Element {
  const colour = PALETTE[tone].mark;
  const shape = (width: number, height: number, transform: string, background = colour) => (
    <div
      style={{
        position: "absolute",
        left: px((MARK - width) / 2),
        top: px((MARK - height) / 2),
        width: px(width),
        height: px(height),
        transform,
        background,
      }}
    />
  );
  const shapes: Record<Tone, Element[]> = {
    pass: [shape(6, 6, "rotate(45deg) scale(1.1)")],
    claimed: [
      shape(6, 6, "rotate(45deg) scale(1.1)"),
      shape(6, 6, "rotate(45deg) scale(0.55)", LABEL.ground),
    ],
    fail: [shape(8, 2, "none")],
    invalid: [shape(10, 2, "rotate(45deg)"), shape(10, 2, "rotate(-45deg)")],
    neutral: [shape(4, 4, "none")],
  };
  return (
    <div
      style={{
        display: "flex",
        position: "relative",
        marginTop: px((HEIGHT - MARK) / 2),
        width: px(MARK),
        height: px(MARK),
      }}
    >
      {shapes[tone]}
    </div>
  );
}

/** Side of the square that the mark is centred in, in pixels: even, as all shapes are. */
const MARK = 10;

/** Turns satori's output into the final document. */
function finish(drawn: string, badge: Badge): string {
  const size = /^<svg width="(\d+)" height="(\d+)"[^>]*>/.exec(drawn);
  if (size === null) throw new Error("unexpected output of satori");
  const [open, width, height] = size;
  const text = escapeXml(drawable(badgeText(badge)));
  const prefix = `b${bytesToHex(sha256(utf8ToBytes(drawn))).slice(0, 8)}-`;
  const body = dropUnusedMasks(drawn.slice(open.length))
    .replace(/ d="([^"]*)"/g, (_, d: string) => ` d="${compactPath(d)}"`)
    // A path has no place and size of its own; satori writes them all the same.
    .replace(/<path x="[^"]*" y="[^"]*" width="[^"]*" height="[^"]*"/g, "<path")
    .replace(/matrix\(([^)]*)\)/g, (_, n: string) => `matrix(${n.split(",").map(round).join(" ")})`)
    .replace(/<g>(.*?)<\/g>/g, "$1")
    .replaceAll("satori_", prefix);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Number(width) / UNITS}" ` +
    `height="${Number(height) / UNITS}" viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-label="${text}"><title>${escapeXml(drawable(badge.title))}</title>${body}`;
}

/** satori defines an overflow mask for every box, used or not. */
function dropUnusedMasks(svg: string): string {
  return svg.replace(
    /<mask id="([^"]+)">.*?<\/mask>/g,
    (mask, id: string) => svg.includes(`url(#${id})`) ? mask : "",
  );
}

function round(number: string): string {
  return `${Math.round(Number(number) * 1e4) / 1e4}`;
}
