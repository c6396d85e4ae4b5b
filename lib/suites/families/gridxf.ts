/**
 * Family `gridxf`: hidden grid transform from examples. Source: docs/specification/suites/gridxf.md.
 *
 * The rules of a tier form a tree of operations. The first example runs through it once, so that
 * rules share the grids of their common beginnings, and few rules are left for the other examples.
 */
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

/** Source: docs/specification/phrases/gridxf.json. */
export const PINS: PhrasePins = {
  "gridxf.query": {
    chars: 37,
    sha256: "4e8ed07003dbbb2b38cb28ac5bfcd5757e56f5255331e5f84f5c21ee66f98937",
  },
  "gridxf.ask": {
    chars: 80,
    sha256: "e657424c3fb2d37d29e098d64dd4e47147d9581a65f6e4d2a4d5393b910a7d11",
  },
  "gridxf.intro.t5": {
    chars: 410,
    sha256: "f313d0a5e6ab25c5eff01c67cebed6ffe8ec9d4a76d073e98c703f53fb9b77ee",
  },
  "gridxf.intro.t6": {
    chars: 430,
    sha256: "76bbb533b16e695967eb2d16bafab83e32386e0bb20f1464f07cdad7d1a18041",
  },
  "gridxf.intro.t7": {
    chars: 432,
    sha256: "16b196ea3f8d1b8be80897e49d1565daf0b33dc2a665e4b35753fac13ca8bc97",
  },
};

const OPERATIONS = 7;
const MAX_EXAMPLES = 14;
const MAX_SIDE = 5;

/** Steps for running all rules of the largest tier on one grid, and one rule. */
const STEPS_OF_TREE = 3000;
const STEPS_OF_RULE = 20;

/** A grid of digits 0 … 4 (0 is empty), row by row; cells after height · width mean nothing. */
interface Grid {
  height: number;
  width: number;
  readonly cells: Uint8Array;
}

/**
 * Optionally exchanges the colours 1 and 2, then applies operations one after the other. Operations
 * tell colours apart only from 0, so the exchange may as well come last.
 */
interface Rule {
  readonly exchange: boolean;
  readonly chain: readonly number[];
}

export const generate: Generator = (r, { tier }, budget) => {
  const length = tier - 4;
  const chain = r.shuffle([0, 1, 2, 3, 4, 5, 6]).slice(0, length);
  const rule: Rule = { exchange: r.chance(0.3), chain };
  const width = r.intBetween(3, 5);
  const height = r.intBetween(3, 5);
  const draw = () => drawGrid(r, height, width);
  const inputs = [draw(), draw()];
  const query = draw();

  const scratch = Array.from({ length }, emptyGrid);
  const output = (input: Grid) => recoloured(run(chain, input, scratch), rule.exchange);
  const gives = (other: Rule, input: Grid, expected: Grid) =>
    equal(run(other.chain, input, scratch), expected, other.exchange);
  const outputs = inputs.map(output);
  const answer = output(query);

  budget.spend(STEPS_OF_TREE);
  // Only rules that give another answer can make the puzzle ambiguous.
  let rivals = rulesThatMap(inputs[0]!, outputs[0]!, scratch)
    .filter((other) => gives(other, inputs[1]!, outputs[1]!) && !gives(other, query, answer));
  while (rivals.length > 0) {
    if (inputs.length === MAX_EXAMPLES) {
      throw new GenerationError("generation-failed", "the examples leave more than one answer");
    }
    budget.spend(STEPS_OF_RULE * (rivals.length + 1));
    const input = draw();
    const expected = output(input);
    inputs.push(input);
    outputs.push(expected);
    rivals = rivals.filter((other) => gives(other, input, expected));
  }

  const examples = inputs.map((input, i) =>
    `Example ${i + 1} input:\n${print(input)}\nExample ${i + 1} output:\n${print(outputs[i]!)}`
  );
  return {
    parts: [
      { phrase: `gridxf.intro.t${tier}` },
      { text: examples.join("\n\n") },
      { phrase: "gridxf.query" },
      { text: print(query) },
      { phrase: "gridxf.ask" },
    ],
    answer: print(answer),
  };
};

function emptyGrid(): Grid {
  return { height: 0, width: 0, cells: new Uint8Array(MAX_SIDE * MAX_SIDE) };
}

function drawGrid(r: Rng, height: number, width: number): Grid {
  const grid = { ...emptyGrid(), height, width };
  for (let i = 0; i < height * width; i++) {
    if (r.chance(0.45)) grid.cells[i] = r.intBetween(1, 4);
  }
  return grid;
}

function print({ height, width, cells }: Grid): string {
  let text = "";
  for (let i = 0; i < height * width; i++) {
    text += (i === 0 ? "" : i % width === 0 ? "\n" : " ") + cells[i];
  }
  return text;
}

function recolour(cell: number): number {
  return cell === 1 || cell === 2 ? 3 - cell : cell;
}

/** A copy, with the colours 1 and 2 exchanged if wanted. */
function recoloured({ height, width, cells }: Grid, exchange: boolean): Grid {
  const grid = { ...emptyGrid(), height, width };
  for (let i = 0; i < height * width; i++) {
    grid.cells[i] = exchange ? recolour(cells[i]!) : cells[i]!;
  }
  return grid;
}

/** Whether `a`, with the colours 1 and 2 exchanged if wanted, is `b`. */
function equal(a: Grid, b: Grid, exchange: boolean): boolean {
  if (a.height !== b.height || a.width !== b.width) return false;
  for (let i = 0; i < a.height * a.width; i++) {
    const cell = a.cells[i]!;
    if ((exchange ? recolour(cell) : cell) !== b.cells[i]) return false;
  }
  return true;
}

/** What a chain makes of a grid: one of the scratch grids, of which it needs one an operation. */
function run(chain: readonly number[], input: Grid, scratch: readonly Grid[]): Grid {
  let grid = input;
  for (let i = 0; i < chain.length; i++) {
    apply(chain[i]!, grid, scratch[i]!);
    grid = scratch[i]!;
  }
  return grid;
}

/** All rules with as many operations as there are scratch grids that turn input into output. */
function rulesThatMap(input: Grid, output: Grid, scratch: readonly Grid[]): Rule[] {
  const rules: Rule[] = [];
  const chain: number[] = [];
  const extend = (from: Grid) => {
    const depth = chain.length;
    if (depth === scratch.length) {
      for (const exchange of [false, true]) {
        if (equal(from, output, exchange)) rules.push({ exchange, chain: [...chain] });
      }
      return;
    }
    const to = scratch[depth]!;
    for (let operation = 0; operation < OPERATIONS; operation++) {
      if (chain.includes(operation)) continue;
      apply(operation, from, to);
      chain.push(operation);
      extend(to);
      chain.pop();
    }
  };
  extend(input);
  return rules;
}

/** Writes what the operation makes of `from` into `to`, another grid. */
function apply(operation: number, from: Grid, to: Grid): void {
  const { height: h, width: w } = from;
  const last = h * w - 1;
  // The first five read the source in steps: from `start`, `across` a column, `down` a row.
  switch (operation) {
    case 0: // clockwise quarter turn
      return read(from, to, w, h, (h - 1) * w, -w, 1);
    case 1: // half turn
      return read(from, to, h, w, last, -1, -w);
    case 2: // rows reversed
      return read(from, to, h, w, (h - 1) * w, 1, -w);
    case 3: // columns reversed
      return read(from, to, h, w, w - 1, -1, w);
    case 4: // transpose
      return read(from, to, w, h, 0, w, 1);
    case 5:
      return fall(from, to);
    default:
      return crop(from, to);
  }
}

function read(
  from: Grid,
  to: Grid,
  height: number,
  width: number,
  start: number,
  across: number,
  down: number,
): void {
  to.height = height;
  to.width = width;
  let at = 0;
  for (let y = 0; y < height; y++) {
    let source = start + y * down;
    for (let x = 0; x < width; x++) {
      to.cells[at++] = from.cells[source]!;
      source += across;
    }
  }
}

/** Gravity: in each column the non-zero cells fall to the bottom and keep their order. */
function fall(from: Grid, to: Grid): void {
  const { height, width } = from;
  to.height = height;
  to.width = width;
  for (let x = 0; x < width; x++) {
    let floor = (height - 1) * width + x;
    for (let at = floor; at >= 0; at -= width) {
      if (from.cells[at] === 0) continue;
      to.cells[floor] = from.cells[at]!;
      floor -= width;
    }
    for (; floor >= 0; floor -= width) to.cells[floor] = 0;
  }
}

/** The smallest rectangle that holds all non-zero cells; one empty cell if there is none. */
function crop(from: Grid, to: Grid): void {
  const { height, width, cells } = from;
  let top = height, bottom = -1, left = width, right = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (cells[y * width + x] === 0) continue;
      if (top === height) top = y;
      bottom = y;
      if (x < left) left = x;
      if (x > right) right = x;
    }
  }
  if (bottom < 0) return read(from, to, 1, 1, 0, 1, 1);
  read(from, to, bottom - top + 1, right - left + 1, top * width + left, 1, width);
}
