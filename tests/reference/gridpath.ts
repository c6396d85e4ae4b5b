/** Family `gridpath` straight from docs/specification/suites/gridpath.md: a breadth-first search cell by cell. */
import type { SeededGenerator } from "../../lib/suites/generate.ts";
import { GenerationError } from "../../lib/suites/instance.ts";
import { rng } from "../../lib/suites/rng.ts";

export const generate: SeededGenerator = (_version, _tier, seed, budget) => {
  const r = rng(seed);
  for (let attempt = 0; attempt < 5000; attempt++) {
    budget.spend(1000);
    const wall: boolean[][] = [];
    for (let row = 0; row < 6; row++) {
      const cells: boolean[] = [];
      for (let column = 0; column < 6; column++) cells.push(r.chance(0.35));
      wall.push(cells);
    }
    wall[0]![0] = false;
    wall[5]![5] = false;
    const distance = distanceToGoal(wall);
    if (distance === null || distance <= 10) continue;
    const rows: string[][] = wall.map((cells) => cells.map((isWall) => isWall ? "#" : "."));
    rows[0]![0] = "S";
    rows[5]![5] = "G";
    return {
      parts: [
        { phrase: "gridpath.intro" },
        { text: rows.map((cells) => cells.join("")).join("\n") },
        { phrase: "gridpath.ask" },
      ],
      answer: String(distance),
    };
  }
  throw new GenerationError("generation-failed", "no attempt succeeded");
};

function distanceToGoal(wall: boolean[][]): number | null {
  const distance = new Map([["0,0", 0]]);
  const queue: [number, number][] = [[0, 0]];
  for (const [row, column] of queue) {
    const moves = distance.get(`${row},${column}`)!;
    if (row === 5 && column === 5) return moves;
    const neighbours: [number, number][] = [
      [row - 1, column],
      [row + 1, column],
      [row, column - 1],
      [row, column + 1],
    ];
    for (const [nextRow, nextColumn] of neighbours) {
      const key = `${nextRow},${nextColumn}`;
      if (wall[nextRow]?.[nextColumn] !== false || distance.has(key)) continue;
      distance.set(key, moves + 1);
      queue.push([nextRow, nextColumn]);
    }
  }
  return null;
}
