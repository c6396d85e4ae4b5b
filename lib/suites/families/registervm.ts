/**
 * Family `registervm`: a small register machine. Source: docs/specification/suites/registervm.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

export const PINS: PhrasePins = {
  "registervm.intro.r3": {
    chars: 88,
    sha256: "32c36f1b8d2695a8682b70628c5ce37fbf978eb41e5d12cd8e2ab40130272f7b",
  },
  "registervm.intro.r4": {
    chars: 92,
    sha256: "93677fed822fa36f5fc4d55865824eed5cc1078d74cd8be391d4d6f2a21e0fb5",
  },
  "registervm.ask": {
    chars: 237,
    sha256: "f6aa071330d807623473db3d062d499be3729a98ab3dec61c35265547b591e76",
  },
};

const SIZES: Readonly<Record<number, { registers: number; length: number }>> = {
  3: { registers: 3, length: 5 },
  4: { registers: 3, length: 8 },
  5: { registers: 4, length: 12 },
  6: { registers: 4, length: 16 },
};

const OPERATIONS = ["mov", "add", "sub", "mul", "xor", "shl"] as const;

/** Registers hold 16 bits. */
const MASK = 0xffff;

/** A product of this or more is not asked of the solver. */
const PRODUCT_LIMIT = 5000;

/** Draws a program and runs it at once, since what the registers hold decides on some lines. */
export const generate: Generator = (r, { tier }, budget) => {
  const { registers, length } = SIZES[tier]!;
  const state = new Array<number>(registers).fill(0);
  state[0] = r.intBetween(1, 9);
  const lines = [`mov r0 ${state[0]}`];
  while (lines.length < length) {
    budget.spend(10);
    const line = drawLine(r, state);
    if (line !== null) lines.push(line);
  }
  return {
    parts: [
      { phrase: `registervm.intro.r${registers}` },
      { text: lines.map((line, i) => `${i}: ${line}`).join("\n") },
      { phrase: "registervm.ask" },
    ],
    answer: String(state[0]),
  };
};

/** Draws an operation and applies it to the registers, or returns null if it is not allowed. */
function drawLine(r: Rng, state: number[]): string | null {
  const operation = r.pick(OPERATIONS);
  const target = r.int(state.length);
  const x = state[target]!;
  if (operation === "mov") {
    const value = r.intBetween(1, 30);
    state[target] = value;
    return `mov r${target} ${value}`;
  }
  if (operation === "shl") {
    const places = r.intBetween(1, 3);
    state[target] = (x << places) & MASK;
    return `shl r${target} ${places}`;
  }
  const source = r.int(state.length);
  const y = state[source]!;
  if (operation === "mul" && (x === 0 || x * y >= PRODUCT_LIMIT)) return null;
  state[target] = combine(operation, x, y);
  return `${operation} r${target} r${source}`;
}

function combine(operation: "add" | "sub" | "mul" | "xor", x: number, y: number): number {
  switch (operation) {
    case "add":
      return (x + y) & MASK;
    case "sub":
      return (x - y) & MASK;
    case "mul":
      return x * y;
    case "xor":
      return x ^ y;
  }
}
