/**
 * Colours of the badges. Colour only repeats what the words say; every pair of text and ground
 * has a WCAG contrast of at least 4.5:1, and grounds differ in lightness as well as in hue, so
 * that an issuer-claimed result can't be taken for a replayed one in greyscale either.
 * All colours are `#rrggbb`.
 */
import type { Tone } from "../words/statement.ts";

interface Colours {
  /** Ground of the message. */
  ground: string;
  /** Text on that ground. */
  text: string;
  /** The mark on the label's ground. */
  mark: string;
}

/** The label: a dark stone, whatever was rubbed on it. */
export const LABEL: { ground: string; text: string } = { ground: "#262b33", text: "#f4f5f7" };

export const PALETTE: Record<Tone, Colours> = {
  pass: { ground: "#15784a", text: "#ffffff", mark: "#4cd68f" },
  unvouched: { ground: "#c3d4e6", text: "#16263a", mark: "#c3d4e6" },
  partial: { ground: "#1f6f8b", text: "#ffffff", mark: "#6cc6e4" },
  claimed: { ground: "#f3bd4e", text: "#2b1d00", mark: "#f3bd4e" },
  fail: { ground: "#c03a2b", text: "#ffffff", mark: "#ff8a76" },
  reported: { ground: "#4f5fa3", text: "#ffffff", mark: "#a9b6f2" },
  refused: { ground: "#7d4a2a", text: "#ffffff", mark: "#e8a878" },
  invalid: { ground: "#6a1220", text: "#ffffff", mark: "#ff6b7d" },
  foreign: { ground: "#6a5a78", text: "#ffffff", mark: "#c4b5d2" },
  neutral: { ground: "#5c6573", text: "#ffffff", mark: "#aab2bf" },
};

/** The ends of the gradient that a ground gets in the style `plastic`, top and bottom. */
export function glossOf(ground: string): [top: string, bottom: string] {
  return [mix(ground, 0xff, 0.08), mix(ground, 0x00, 0.14)];
}

/** `colour` with a share of the grey whose channels are `grey`. */
function mix(colour: string, grey: number, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const channel = parseInt(colour.slice(at, at + 2), 16);
    return Math.round(channel * (1 - share) + grey * share).toString(16).padStart(2, "0");
  });
  return `#${channels.join("")}`;
}

/** Colours of a card. */
export interface Theme {
  ground: string;
  /** Lines, and the empty part of a column; never behind text. */
  line: string;
  text: string;
  /** Less important text. */
  muted: string;
  /** Marks on the ground. */
  marks: Record<Tone, string>;
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: {
    ground: "#ffffff",
    line: "#d3d8e0",
    text: "#1b2028",
    muted: "#58616e",
    marks: {
      pass: "#15784a",
      unvouched: "#4a6f96",
      partial: "#1f6f8b",
      claimed: "#b87a00",
      fail: "#c03a2b",
      reported: "#4f5fa3",
      refused: "#7d4a2a",
      invalid: "#8c1a2c",
      foreign: "#6a5a78",
      neutral: "#7a8494",
    },
  },
  dark: {
    ground: "#161b22",
    line: "#353d49",
    text: "#eef1f5",
    muted: "#a3acb9",
    marks: {
      pass: "#4cd68f",
      unvouched: "#c3d4e6",
      partial: "#6cc6e4",
      claimed: "#f3bd4e",
      fail: "#ff8a76",
      reported: "#a9b6f2",
      refused: "#e8a878",
      invalid: "#ff6b7d",
      foreign: "#c4b5d2",
      neutral: "#8b95a3",
    },
  },
};
