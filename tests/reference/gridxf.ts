/** Family `gridxf`, as docs/specification/suites/gridxf.md says it: every rule run on every grid, as text. */
import { GenerationError, type Instance } from "../../lib/suites/instance.ts";
import { mixSeed, type Rng, rng } from "../../lib/suites/rng.ts";

type Grid = number[][];
interface Rule {
  swap: boolean;
  chain: number[];
}

const build = (h: number, w: number, cell: (y: number, x: number) => number): Grid =>
  Array.from({ length: h }, (_, y) => Array.from({ length: w }, (_, x) => cell(y, x)));
const height = (g: Grid) => g.length;
const width = (g: Grid) => g[0]!.length;

const OPERATIONS: ((g: Grid) => Grid)[] = [
  (g) => build(width(g), height(g), (y, x) => g[height(g) - 1 - x]![y]!),
  (g) => build(height(g), width(g), (y, x) => g[height(g) - 1 - y]![width(g) - 1 - x]!),
  (g) => build(height(g), width(g), (y, x) => g[height(g) - 1 - y]![x]!),
  (g) => build(height(g), width(g), (y, x) => g[y]![width(g) - 1 - x]!),
  (g) => build(width(g), height(g), (y, x) => g[x]![y]!),
  (g) => {
    const columns = build(width(g), height(g), (x, y) => g[y]![x]!).map((column) => {
      const cells = column.filter((cell) => cell !== 0);
      return [...new Array<number>(column.length - cells.length).fill(0), ...cells];
    });
    return build(height(g), width(g), (y, x) => columns[x]![y]!);
  },
  (g) => {
    const ys = g.flatMap((row, y) => row.some((cell) => cell !== 0) ? [y] : []);
    const xs = g[0]!.flatMap((_, x) => g.some((row) => row[x] !== 0) ? [x] : []);
    if (ys.length === 0) return [[0]];
    return g.slice(ys[0], ys.at(-1)! + 1).map((row) => row.slice(xs[0], xs.at(-1)! + 1));
  },
];

function run({ swap, chain }: Rule, input: Grid): Grid {
  const start = swap
    ? input.map((row) => row.map((cell) => cell === 1 ? 2 : cell === 2 ? 1 : cell))
    : input;
  return chain.reduce((grid, operation) => OPERATIONS[operation]!(grid), start);
}

function chains(length: number): number[][] {
  if (length === 0) return [[]];
  return chains(length - 1).flatMap((chain) =>
    [0, 1, 2, 3, 4, 5, 6].filter((op) => !chain.includes(op)).map((op) => [...chain, op])
  );
}

function text(grid: Grid): string {
  return grid.map((row) => row.join(" ")).join("\n");
}

function draw(r: Rng, h: number, w: number): Grid {
  return build(h, w, () => r.chance(0.45) ? r.intBetween(1, 4) : 0);
}

export function generate(_version: string, tier: number, seed: number): Instance {
  const r = rng(tier === 7 ? mixSeed("gridxf:t7", seed) : seed);
  const chain = r.shuffle([0, 1, 2, 3, 4, 5, 6]).slice(0, tier - 4);
  const rule = { swap: r.chance(0.3), chain };
  const w = r.intBetween(3, 5);
  const h = r.intBetween(3, 5);
  const examples = [draw(r, h, w), draw(r, h, w)];
  const query = draw(r, h, w);
  const agrees = (grid: Grid) => (other: Rule) => text(run(other, grid)) === text(run(rule, grid));
  let kept = [false, true].flatMap((swap) => chains(tier - 4).map((c) => ({ swap, chain: c })));
  for (const example of examples) kept = kept.filter(agrees(example));
  const ambiguous = () => new Set(kept.map((other) => text(run(other, query)))).size > 1;
  while (ambiguous() && examples.length < 14) {
    const example = draw(r, h, w);
    examples.push(example);
    kept = kept.filter(agrees(example));
  }
  if (ambiguous()) throw new GenerationError("generation-failed", "still ambiguous");
  const shown = examples.map((example, i) =>
    `Example ${i + 1} input:\n${text(example)}\nExample ${i + 1} output:\n${
      text(run(rule, example))
    }`
  );
  return {
    parts: [
      { phrase: `gridxf.intro.t${tier}` },
      { text: shown.join("\n\n") },
      { phrase: "gridxf.query" },
      { text: text(query) },
      { phrase: "gridxf.ask" },
    ],
    answer: text(run(rule, query)),
  };
}
