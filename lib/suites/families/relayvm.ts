/**
 * Family `relayvm`: a register machine with one line changed, with tools that run programs.
 * Source: docs/specification/suites/relayvm.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

export const PINS: PhrasePins = {
  "relayvm.intro": {
    chars: 592,
    sha256: "f5a43e873ac9ccbadaeffee51c42042eff402bb94351908dc947a9bf9794dc73",
  },
  "relayvm.ask": {
    chars: 48,
    sha256: "bc3e70fab504a4b2ebc8ed18a99ceb41f535e7fefe5ca28a608691b7b03243fe",
  },
};

const OPERATIONS = ["mov", "add", "sub", "mul", "xor", "shl"] as const;

export type Operation = typeof OPERATIONS[number];

/** One line of a program: `<operation> r<target> <operand>`. Registers are numbered 0 … 3. */
export interface Instruction {
  operation: Operation;
  target: number;
  operand: { register: number } | { constant: number };
}

/** What a seed stands for: the program shown, and the instruction that replaces line `changed`. */
export interface Puzzle {
  program: Instruction[];
  changed: number;
  replacement: Instruction;
}

const LENGTHS: Readonly<Record<number, number>> = { 5: 12, 6: 16 };

/** Four registers, all zero. */
export const ZEROS: readonly number[] = [0, 0, 0, 0];

export const generate: Generator = (r, { tier }, budget) => {
  budget.spend(200);
  const { program, changed, replacement } = drawPuzzle(r, tier);
  const listing = program.map((line, i) => `${i}: ${spell(line)}`).join("\n");
  return {
    parts: [
      { phrase: "relayvm.intro" },
      { text: `${listing}\n\nIf line ${changed} were changed to "${spell(replacement)}` },
      { phrase: "relayvm.ask" },
    ],
    answer: String(run(program.with(changed, replacement), ZEROS)[0]),
  };
};

/** Draws the puzzle of a tier (5 or 6), the same in every suite version. */
export function drawPuzzle(r: Rng, tier: number): Puzzle {
  const length = LENGTHS[tier]!;
  const first: Instruction = {
    operation: "mov",
    target: 0,
    operand: { constant: r.intBetween(1, 9) },
  };
  const program = [first, ...Array.from({ length: length - 1 }, () => drawInstruction(r))];
  const changed = r.intBetween(2, length - 3);
  return { program, changed, replacement: drawInstruction(r) };
}

/**
 * The four registers after `program`, started from `registers`.
 *
 * Registers may hold any double at the start; each result is reduced to 16 bits. In between the
 * arithmetic is that of doubles, as the tool wants it; from 16-bit registers it is exact.
 */
export function run(program: readonly Instruction[], registers: readonly number[]): number[] {
  const state = [...registers];
  for (const { operation, target, operand } of program) {
    const b = "register" in operand ? state[operand.register]! : operand.constant;
    // `&` takes its operand modulo 2^32, and turns an infinity into 0.
    state[target] = apply(operation, state[target]!, b) & 0xffff;
  }
  return state;
}

function apply(operation: Operation, a: number, b: number): number {
  switch (operation) {
    case "mov":
      return b;
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "xor":
      return a ^ b;
    case "shl":
      return a << b;
  }
}

function drawInstruction(r: Rng): Instruction {
  const operation = r.pick(OPERATIONS);
  const target = r.int(4);
  switch (operation) {
    case "mov":
      return { operation, target, operand: { constant: r.intBetween(1, 30) } };
    case "shl":
      return { operation, target, operand: { constant: r.intBetween(1, 3) } };
    default:
      return { operation, target, operand: { register: r.int(4) } };
  }
}

function spell({ operation, target, operand }: Instruction): string {
  const last = "register" in operand ? `r${operand.register}` : operand.constant;
  return `${operation} r${target} ${last}`;
}
