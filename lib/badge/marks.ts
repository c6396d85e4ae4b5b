/**
 * The marks: they say by their shape what colours say too, for those who don't see the colours, or
 * only see a badge small and grey.
 */
import type { Tone } from "../words/statement.ts";

/**
 * Closed figures on a square of 10 by 10, each a list of contours. Inner contours run against the
 * outer ones, so that they are holes whatever the fill rule.
 */
type Figure = readonly (readonly (readonly [x: number, y: number])[])[];

const LOZENGE = [[5, 0], [10, 5], [5, 10], [0, 5]] as const;

const FIGURES = {
  /** Replayed, and passed. */
  lozenge: [LOZENGE],
  /** Replayed and passed, under a key that nobody vouches for: a seal without a device. */
  ring: [
    [[3, 0], [7, 0], [10, 3], [10, 7], [7, 10], [3, 10], [0, 7], [0, 3]],
    [[3.5, 2], [2, 3.5], [2, 6.5], [3.5, 8], [6.5, 8], [8, 6.5], [8, 3.5], [6.5, 2]],
  ],
  /** Some passed. */
  half: [LOZENGE, [[5, 2], [5, 8], [8, 5]]],
  /** A lozenge with nothing in it: the issuer's word. */
  hollow: [LOZENGE, [[5, 2.5], [2.5, 5], [5, 7.5], [7.5, 5]]],
  /** Failed. */
  bar: [[[0, 3.5], [10, 3.5], [10, 6.5], [0, 6.5]]],
  /** Failed, by the issuer's word. */
  frame: [
    [[0, 2.5], [10, 2.5], [10, 7.5], [0, 7.5]],
    [[1.5, 4], [1.5, 6], [8.5, 6], [8.5, 4]],
  ],
  /** Invalid. */
  cross: [[
    [2, 0.5],
    [5, 3.5],
    [8, 0.5],
    [9.5, 2],
    [6.5, 5],
    [9.5, 8],
    [8, 9.5],
    [5, 6.5],
    [2, 9.5],
    [0.5, 8],
    [3.5, 5],
    [0.5, 2],
  ]],
  /** Not what was asked for. */
  slash: [[[7, 0], [10, 0], [3, 10], [0, 10]]],
  /** A benchmark's columns. */
  columns: [
    [[0, 6], [2.5, 6], [2.5, 10], [0, 10]],
    [[3.5, 3], [6, 3], [6, 10], [3.5, 10]],
    [[7, 0], [9.5, 0], [9.5, 10], [7, 10]],
  ],
  /** No receipt: an empty sheet with a corner off. */
  sheet: [
    [[1.5, 0], [6, 0], [8.5, 2.5], [8.5, 10], [1.5, 10]],
    [[3, 1.5], [3, 8.5], [7, 8.5], [7, 3.5], [5, 1.5]],
  ],
  /** Nothing to tell. */
  dot: [[[3, 3], [7, 3], [7, 7], [3, 7]]],
} satisfies Record<string, Figure>;

export type Shape = keyof typeof FIGURES;

/** The shape of each tone. */
export const SHAPES: Record<Tone, Shape> = {
  pass: "lozenge",
  unvouched: "ring",
  partial: "half",
  fail: "bar",
  claimed: "hollow",
  reported: "columns",
  refused: "slash",
  invalid: "cross",
  foreign: "sheet",
  neutral: "dot",
};

/** Path data of a mark whose square of side `size` has its corner at (x, y), in whole units. */
export function markPath(shape: Shape, x: number, y: number, size: number): string {
  const figure: Figure = FIGURES[shape];
  const unit = (value: number) => Math.round(value * size / 10);
  return figure.map((contour) => {
    const points = contour.map(([px, py]) => `${x + unit(px)} ${y + unit(py)}`);
    return `M${points.join("L")}Z`;
  }).join("");
}
