/**
 * Colours of the badges. Colour only repeats what the words say; every pair of text and ground
 * has a WCAG contrast of at least 4.5:1, and grounds differ in lightness as well as in hue, so
 * that an issuer-claimed result can't be taken for a replayed one in greyscale either.
 */
import type { Tone } from "./model.ts";

export interface Colours {
  /** Ground of the message, `#rrggbb`. */
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
  claimed: { ground: "#f3bd4e", text: "#2b1d00", mark: "#f3bd4e" },
  fail: { ground: "#c03a2b", text: "#ffffff", mark: "#ff8a76" },
  invalid: { ground: "#6a1220", text: "#ffffff", mark: "#ff6b7d" },
  neutral: { ground: "#5c6573", text: "#ffffff", mark: "#aab2bf" },
};
