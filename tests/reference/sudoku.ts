/** Family `sudoku`, as docs/specification/suites/sudoku.md says it: every solution is counted, cell by cell. */
import { GenerationError, type Instance } from "../../lib/suites/instance.ts";
import { rng } from "../../lib/suites/rng.ts";

interface Size {
  n: number;
  bw: number;
  bh: number;
  clues: number;
}

const SIZES: Record<number, Size> = {
  3: { n: 4, bw: 2, bh: 2, clues: 7 },
  4: { n: 6, bw: 3, bh: 2, clues: 12 },
  5: { n: 9, bw: 3, bh: 3, clues: 30 },
};

/** The values that the cell's row, column and box lack; 0 is an empty cell. */
function candidatesOf(grid: number[], cell: number, { n, bw, bh }: Size): number[] {
  const x = cell % n;
  const y = Math.floor(cell / n);
  const used = new Set<number>();
  for (let i = 0; i < n; i++) {
    used.add(grid[y * n + i]!);
    used.add(grid[i * n + x]!);
  }
  for (let dy = 0; dy < bh; dy++) {
    for (let dx = 0; dx < bw; dx++) {
      used.add(grid[(y - y % bh + dy) * n + x - x % bw + dx]!);
    }
  }
  return Array.from({ length: n }, (_, i) => i + 1).filter((value) => !used.has(value));
}

function fill(
  grid: number[],
  cell: number,
  size: Size,
  shuffle: (list: number[]) => number[],
): boolean {
  if (cell === grid.length) return true;
  for (const value of shuffle(candidatesOf(grid, cell, size))) {
    grid[cell] = value;
    if (fill(grid, cell + 1, size, shuffle)) return true;
  }
  grid[cell] = 0;
  return false;
}

/** The number of solutions, counting no further than `limit`; fills the tightest cell first. */
function solutions(grid: number[], size: Size, limit: number): number {
  let cell = -1;
  let best: number[] = [];
  for (let i = 0; i < grid.length; i++) {
    if (grid[i] !== 0) continue;
    const candidates = candidatesOf(grid, i, size);
    if (cell === -1 || candidates.length < best.length) {
      cell = i;
      best = candidates;
    }
  }
  if (cell === -1) return 1;
  let found = 0;
  for (const value of best) {
    grid[cell] = value;
    found += solutions(grid, size, limit - found);
    if (found >= limit) break;
  }
  grid[cell] = 0;
  return found;
}

export function generate(_version: string, tier: number, seed: number): Instance {
  const size = SIZES[tier]!;
  const { n, clues } = size;
  const r = rng(seed);
  for (let attempt = 0; attempt < 60; attempt++) {
    const solved = new Array<number>(n * n).fill(0);
    fill(solved, 0, size, r.shuffle);
    const puzzle = [...solved];
    let remaining = n * n;
    for (const cell of r.shuffle(solved.map((_, i) => i))) {
      if (remaining <= clues) break;
      puzzle[cell] = 0;
      if (solutions([...puzzle], size, 2) === 1) remaining--;
      else puzzle[cell] = solved[cell]!;
    }
    if (remaining > clues + 2) continue;
    const rows = (grid: number[]) =>
      Array.from(
        { length: n },
        (_, y) => grid.slice(y * n, y * n + n).map((v) => v === 0 ? "." : `${v}`).join(" "),
      );
    return {
      parts: [
        { phrase: `sudoku.intro.t${tier}` },
        { text: rows(puzzle).join("\n") },
        { phrase: "sudoku.ask" },
      ],
      answer: rows(solved).join(" / "),
    };
  }
  throw new GenerationError("generation-failed", "no attempt succeeded");
}
