/**
 * Family `sudoku`: 4×4, 6×6 and 9×9. Source: docs/specification/suites/sudoku.md.
 *
 * Before every removal the puzzle has one solution, the filled grid. So it still has one without a
 * cell exactly when no other value in that cell can be completed, and only those are tried.
 */
import type { Budget } from "../budget.ts";
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

/** Source: docs/specification/phrases/sudoku.json. */
export const PINS: PhrasePins = {
  "sudoku.ask": {
    chars: 101,
    sha256: "17ece2b3d47272817673b288114d158e23fe2bf09ccd2c33584396ea1228f787",
  },
  "sudoku.intro.t3": {
    chars: 79,
    sha256: "00c486f130c6e82f6414e6eb1a1e5d1c6058a5f8ebdbcc20502c87d94c56e06a",
  },
  "sudoku.intro.t4": {
    chars: 79,
    sha256: "37c06a31128e03f8077f918699374bee662ef269fd3109131d4e990cf0d9de0e",
  },
  "sudoku.intro.t5": {
    chars: 79,
    sha256: "29d08f0090525881a03526e964cedebc1262155b0ce1b02d1297f980093c371c",
  },
};

const ATTEMPTS = 60;

/** How many clues above the target a puzzle may keep. */
const SURPLUS = 2;

/** The geometry of a tier. Cells are numbered row by row. */
interface Shape {
  readonly side: number;
  readonly clues: number;
  /** The row, column and box of each cell. */
  readonly rowOf: Uint8Array;
  readonly columnOf: Uint8Array;
  readonly boxOf: Uint8Array;
}

const SHAPES: Readonly<Record<number, Shape>> = {
  3: shapeOf(4, 2, 2, 7),
  4: shapeOf(6, 3, 2, 12),
  5: shapeOf(9, 3, 3, 30),
};

/** A grid in progress. A set of values is a mask: value v is bit v − 1. */
interface Grid {
  readonly shape: Shape;
  /** One value a cell, as a mask of one bit; 0 is an empty cell. */
  readonly cells: Uint16Array;
  /** The values that each row, column and box does not have yet. */
  readonly rows: Uint16Array;
  readonly columns: Uint16Array;
  readonly boxes: Uint16Array;
}

export const generate: Generator = (r, { tier }, budget) => {
  const shape = SHAPES[tier]!;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const grid = emptyGrid(shape);
    fill(grid, 0, r, budget);
    const solved = rowsOf(grid);
    const order = r.shuffle(Array.from(grid.cells.keys()));
    const remaining = removeClues(grid, order, budget);
    if (remaining > shape.clues + SURPLUS) continue;
    return {
      parts: [
        { phrase: `sudoku.intro.t${tier}` },
        { text: rowsOf(grid).join("\n") },
        { phrase: "sudoku.ask" },
      ],
      answer: solved.join(" / "),
    };
  }
  throw new GenerationError("generation-failed", `no sudoku in ${ATTEMPTS} attempts`);
};

function shapeOf(side: number, boxWidth: number, boxHeight: number, clues: number): Shape {
  const cells = Array.from({ length: side * side }, (_, cell) => cell);
  const row = (cell: number) => Math.floor(cell / side);
  const boxesAcross = side / boxWidth;
  return {
    side,
    clues,
    rowOf: Uint8Array.from(cells, row),
    columnOf: Uint8Array.from(cells, (cell) => cell % side),
    boxOf: Uint8Array.from(
      cells,
      (cell) =>
        Math.floor(row(cell) / boxHeight) * boxesAcross + Math.floor(cell % side / boxWidth),
    ),
  };
}

function emptyGrid(shape: Shape): Grid {
  const all = (1 << shape.side) - 1;
  return {
    shape,
    cells: new Uint16Array(shape.side * shape.side),
    rows: new Uint16Array(shape.side).fill(all),
    columns: new Uint16Array(shape.side).fill(all),
    boxes: new Uint16Array(shape.side).fill(all),
  };
}

/** The values that neither row, column nor box of the cell has. */
function candidatesOf(grid: Grid, cell: number): number {
  const { rowOf, columnOf, boxOf } = grid.shape;
  return grid.rows[rowOf[cell]!]! & grid.columns[columnOf[cell]!]! & grid.boxes[boxOf[cell]!]!;
}

/** Takes a value that is free there out of the cell's row, column and box, or puts it back. */
function toggle(grid: Grid, cell: number, value: number): void {
  const { rowOf, columnOf, boxOf } = grid.shape;
  grid.rows[rowOf[cell]!]! ^= value;
  grid.columns[columnOf[cell]!]! ^= value;
  grid.boxes[boxOf[cell]!]! ^= value;
}

/** Fills the grid from that cell on, in order, trying the candidates of a cell in shuffled order. */
function fill(grid: Grid, cell: number, r: Rng, budget: Budget): boolean {
  if (cell === grid.cells.length) return true;
  budget.spend(grid.shape.side);
  const values: number[] = [];
  for (let left = candidatesOf(grid, cell); left !== 0; left &= left - 1) values.push(left & -left);
  for (const value of r.shuffle(values)) {
    grid.cells[cell] = value;
    toggle(grid, cell, value);
    if (fill(grid, cell + 1, r, budget)) return true;
    toggle(grid, cell, value);
  }
  grid.cells[cell] = 0;
  return false;
}

/** Empties cells in that order while the solution stays the only one; returns the clues left. */
function removeClues(grid: Grid, order: readonly number[], budget: Budget): number {
  const empty = new Uint8Array(order.length);
  let count = 0;
  for (const cell of order) {
    if (order.length - count <= grid.shape.clues) break;
    const value = grid.cells[cell]!;
    toggle(grid, cell, value);
    if (hasOther(grid, cell, value, empty, count, budget)) {
      toggle(grid, cell, value);
    } else {
      grid.cells[cell] = 0;
      empty[count++] = cell;
    }
  }
  return order.length - count;
}

/** Whether the grid can be completed with a value other than `value` in the cell. */
function hasOther(
  grid: Grid,
  cell: number,
  value: number,
  empty: Uint8Array,
  count: number,
  budget: Budget,
): boolean {
  for (let left = candidatesOf(grid, cell) & ~value; left !== 0; left &= left - 1) {
    const other = left & -left;
    toggle(grid, cell, other);
    const found = canComplete(grid, empty, count, budget);
    toggle(grid, cell, other);
    if (found) return true;
  }
  return false;
}

/**
 * Whether the first `count` cells of `empty` can be filled, the cell with the fewest candidates
 * first. Leaves the grid as it was, and `empty` in another order.
 */
function canComplete(grid: Grid, empty: Uint8Array, count: number, budget: Budget): boolean {
  if (count === 0) return true;
  budget.spend(count);
  let at = 0;
  let candidates = 0;
  let fewest = Infinity;
  for (let i = 0; i < count && fewest > 1; i++) {
    const here = candidatesOf(grid, empty[i]!);
    if (here === 0) return false;
    const size = bitCount(here);
    if (size < fewest) {
      at = i;
      candidates = here;
      fewest = size;
    }
  }
  const cell = empty[at]!;
  empty[at] = empty[count - 1]!;
  empty[count - 1] = cell;
  for (let left = candidates; left !== 0; left &= left - 1) {
    const value = left & -left;
    toggle(grid, cell, value);
    const found = canComplete(grid, empty, count - 1, budget);
    toggle(grid, cell, value);
    if (found) return true;
  }
  return false;
}

/** The bits of a mask of at most nine. */
function bitCount(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}

/** The rows as text, an empty cell as a point. */
function rowsOf({ cells, shape: { side } }: Grid): string[] {
  return Array.from(
    { length: side },
    (_, y) =>
      Array.from(
        cells.subarray(y * side, (y + 1) * side),
        (value) => value === 0 ? "." : `${32 - Math.clz32(value)}`,
      ).join(" "),
  );
}
