/** Tools of the family `relayvm`. Source: docs/specification/suites/relayvm.md, "Tools". */
import { drawPuzzle, type Instruction, type Operation, run, ZEROS } from "../families/relayvm.ts";
import { mixedStream } from "../stream.ts";
import type { Tool, ToolArguments, Tools } from "./tool.ts";

const MAX_LINES = 64;
const MAX_LINE_LENGTH = 64;

const LINE =
  /^(?<operation>mov|add|sub|mul|xor|shl) r(?<target>[0-3]) (?:r(?<register>[0-3])|(?<constant>[0-9]+))$/;

/** The tools of the instance of a tier and seed. */
export function relayvmTools(tier: number, seed: number): Tools {
  const { program } = drawPuzzle(mixedStream("relayvm", tier, seed), tier);
  return new Map<string, Tool>([
    ["vm_state", ({ k }) => {
      if (!isInteger(k) || k < 0 || k > program.length) return null;
      return show(run(program.slice(0, k), ZEROS));
    }],
    ["vm_run", runLines],
  ]);
}

function runLines(args: ToolArguments): string | null {
  const program = readLines(args.lines);
  const registers = Object.hasOwn(args, "regs") ? readRegisters(args.regs) : ZEROS;
  return program === null || registers === null ? null : show(run(program, registers));
}

function readLines(lines: unknown): Instruction[] | null {
  if (!Array.isArray(lines) || lines.length > MAX_LINES) return null;
  const program = lines.map(readLine);
  return program.every((line) => line !== null) ? program : null;
}

function readLine(line: unknown): Instruction | null {
  if (typeof line !== "string" || line.length > MAX_LINE_LENGTH) return null;
  const groups = LINE.exec(line)?.groups;
  if (groups === undefined) return null;
  const { operation, target, register, constant } = groups;
  return {
    operation: operation as Operation,
    target: Number(target),
    operand: register === undefined
      ? { constant: Number(constant) }
      : { register: Number(register) },
  };
}

function readRegisters(values: unknown): number[] | null {
  if (!Array.isArray(values) || values.length > ZEROS.length || !values.every(isInteger)) {
    return null;
  }
  return ZEROS.map((zero, i) => values[i] ?? zero);
}

/** Whether it is an integral JSON number of any size. */
function isInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}

/** JSON without spaces; numbers as JavaScript prints them, −0 as 0. */
function show(registers: readonly number[]): string {
  return JSON.stringify(registers);
}
