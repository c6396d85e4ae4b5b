/** @jsxImportSource satori/jsx */
/** The styles of one line, label left and message right: flat, flat-square, plastic, for-the-badge. */
import type { Design, Element, Pen } from "../drawing.ts";
import { SHAPES } from "../marks.ts";
import { type Badge, messageText } from "../model.ts";
import { LABEL, PALETTE } from "../palette.ts";
import { shorten } from "../text.ts";
import { written } from "./written.tsx";

/** Measures in CSS pixels. */
interface Measures {
  height: number;
  radius: number;
  fontSize: number;
  /** Of the text, below the badge's top. */
  baseline: number;
  /** Side of the mark. */
  mark: number;
  /** Before the mark, between mark and label, and around the texts. */
  lead: number;
  gap: number;
  pad: number;
  gloss: boolean;
  /** In capitals, spaced out, the message bold. */
  loud: boolean;
}

const FLAT: Measures = {
  height: 20,
  radius: 3,
  fontSize: 11,
  baseline: 14,
  mark: 10,
  lead: 6,
  gap: 5,
  pad: 7,
  gloss: false,
  loud: false,
};

const LOUD: Measures = {
  ...FLAT,
  height: 28,
  radius: 0,
  fontSize: 10,
  baseline: 18,
  mark: 12,
  lead: 9,
  gap: 8,
  pad: 12,
  loud: true,
};

/** A design that draws so many characters of a label; its accessible name is whole in any case. */
export type TwoPart = (letters: number) => Design;

export const flat: TwoPart = twoPart(FLAT);
export const flatSquare: TwoPart = twoPart({ ...FLAT, radius: 0 });
export const plastic: TwoPart = twoPart({
  ...FLAT,
  height: 18,
  radius: 4,
  baseline: 13,
  gloss: true,
});
export const forTheBadge: TwoPart = twoPart(LOUD);

function twoPart(measures: Measures): TwoPart {
  return (letters) => ({
    // 1/16 of a pixel is invisible even at 3x.
    units: 16,
    height: () => measures.height,
    bold: measures.loud,
    inks: [],
    texts: ({ label, message }) => [label, ...message],
    layout: (badge, pen) =>
      layOut({ ...badge, label: shorten(badge.label, letters) }, pen, measures),
  });
}

function layOut(badge: Badge, pen: Pen, measures: Measures): Element {
  const { height, radius, fontSize, baseline, mark, lead, gap, pad, gloss, loud } = measures;
  const { px } = pen;
  const colours = PALETTE[badge.tone];
  const paint = (ground: string) => gloss ? pen.gloss(ground) : ground;
  // The line's own baseline is as far down as the font is high.
  const text = { marginTop: px(baseline - fontSize + 1) };
  const line = pen.line(fontSize, fontSize - 1);
  const label = written(badge.label, line, loud);
  const message = written(messageText(badge), line, loud);
  const side = { display: "flex", height: px(height) };
  return (
    <div
      style={{
        display: "flex",
        fontSize: px(fontSize),
        letterSpacing: loud ? px(1) : 0,
        whiteSpace: "pre",
      }}
    >
      <div
        style={{
          ...side,
          paddingLeft: px(lead),
          // Letter spacing stands behind the last letter too.
          paddingRight: px(loud ? pad - 1 : pad),
          borderRadius: `${px(radius)}px 0 0 ${px(radius)}px`,
          background: paint(LABEL.ground),
          color: LABEL.text,
        }}
      >
        <div
          style={{
            marginTop: px((height - mark) / 2),
            width: px(mark),
            height: px(mark),
            background: pen.mark(SHAPES[badge.tone], colours.mark),
          }}
        />
        <span style={{ ...text, marginLeft: px(gap), ...label.style }}>{label.children}</span>
      </div>
      <div
        style={{
          ...side,
          paddingLeft: px(pad),
          paddingRight: px(loud ? pad - 1 : pad),
          borderRadius: `0 ${px(radius)}px ${px(radius)}px 0`,
          background: paint(colours.ground),
          color: colours.text,
          fontWeight: loud ? 700 : 400,
        }}
      >
        <span style={{ ...text, ...message.style }}>{message.children}</span>
      </div>
    </div>
  );
}
