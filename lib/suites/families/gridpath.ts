/**
 * Family `gridpath`: shortest path in a 6 × 6 grid. Source: docs/specification/suites/gridpath.md.
 *
 * A grid is two words of 18 bits, rows 0 to 2 and rows 3 to 5; the cell of row r and column c is bit
 * 6 · (r mod 3) + c. So all cells are flooded at once, a step for each move.
 */
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

export const PINS: PhrasePins = {
  "gridpath.intro": {
    chars: 121,
    sha256: "eea4385d4e4b5bb6142d6f82f2a0ca8b9612c4176adaea491b4bb9cd01af4368",
  },
  "gridpath.ask": {
    chars: 85,
    sha256: "f350e9d77f6fa627d769570cb4c40db1eb24ba470bd1c5a4ce72122c8e1aae0a",
  },
};

const SIZE = 6;
const HALF = 18;
const ATTEMPTS = 5000;

/** Shorter paths make too easy a puzzle. */
const MIN_LENGTH = 11;

/** A draw below this is true with probability 0.35. */
const WALL_BELOW = 1503238554;

const START = 1;
const GOAL = 1 << (HALF - 1);
const NOT_FIRST_COLUMN = 0b111110_111110_111110;
const NOT_LAST_COLUMN = 0b011111_011111_011111;
const FIRST_ROW = 0b111111;
const TO_LAST_ROW = HALF - SIZE;

/** Draws grids until the shortest path from corner to corner is long enough. */
export const generate: Generator = (r, _cell, budget) => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    budget.spend(50);
    const top = drawOpen(r) | START;
    const bottom = drawOpen(r) | GOAL;
    const length = shortestPath(top, bottom);
    if (length < MIN_LENGTH) continue;
    return {
      parts: [
        { phrase: "gridpath.intro" },
        { text: render(top, bottom) },
        { phrase: "gridpath.ask" },
      ],
      answer: String(length),
    };
  }
  throw new GenerationError("generation-failed", `${ATTEMPTS} attempts gave no grid`);
};

/** The open cells of three rows, by 18 draws. */
function drawOpen(r: Rng): number {
  let open = 0;
  for (let i = 0; i < HALF; i++) {
    if (r.next() >= WALL_BELOW) open |= 1 << i;
  }
  return open;
}

/** Moves from the first to the last cell through open cells, or 0 when there is no way. */
function shortestPath(openTop: number, openBottom: number): number {
  let top = START, bottom = 0;
  for (let moves = 1;; moves++) {
    const nextTop = (top | spread(top) | ((bottom & FIRST_ROW) << TO_LAST_ROW)) & openTop;
    const nextBottom = (bottom | spread(bottom) | (top >> TO_LAST_ROW)) & openBottom;
    if ((nextBottom & GOAL) !== 0) return moves;
    if (nextTop === top && nextBottom === bottom) return 0;
    top = nextTop;
    bottom = nextBottom;
  }
}

/** The neighbours of cells within the same half; may have bits beyond it. */
function spread(cells: number): number {
  return ((cells & NOT_LAST_COLUMN) << 1) | ((cells & NOT_FIRST_COLUMN) >> 1) |
    (cells << SIZE) | (cells >> SIZE);
}

function render(top: number, bottom: number): string {
  const cells = Array.from({ length: 2 * HALF }, (_, i) => {
    if (i === 0) return "S";
    if (i === 2 * HALF - 1) return "G";
    const open = i < HALF ? top >> i : bottom >> (i - HALF);
    return (open & 1) === 1 ? "." : "#";
  });
  return Array.from(
    { length: SIZE },
    (_, row) => cells.slice(row * SIZE, (row + 1) * SIZE).join(""),
  ).join("\n");
}
