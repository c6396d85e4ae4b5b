/**
 * Family `bitcircuit`: evaluate a Boolean circuit. Source: docs/specification/suites/bitcircuit.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";

export const PINS: PhrasePins = {
  "bitcircuit.intro": {
    chars: 36,
    sha256: "b36249992ea39c850117d3a0bd2e8cf443de332878640a4d1aade4f28e8c759e",
  },
  "bitcircuit.rules": {
    chars: 161,
    sha256: "2537fb2332fab5282e4e2017f2ce70cf6005d5eb8538cb9642e91d9c261b36f4",
  },
  "bitcircuit.ask": {
    chars: 33,
    sha256: "aed8dbf2f52998f2a5a99c2a61c3d96754e874984ec26f08d36ce2d5db8ea151",
  },
  "bitcircuit.end": {
    chars: 25,
    sha256: "d2ec912e2254ea90149a994c67fa436a17cae88b2b0dbf4c6182eae3062e2a65",
  },
};

const GATES: Readonly<Record<number, number>> = { 4: 12, 5: 20, 6: 32 };

const OPERATIONS = ["AND", "OR", "XOR", "NAND", "NOT", "BUF"] as const;

/** Wires that are asked for: the last ones. */
const ASKED = 8;

/** Draws inputs and gates; every gate reads wires that are there already. */
export const generate: Generator = (r, { tier }, budget) => {
  const gates = GATES[tier]!;
  budget.spend(20 * gates);
  const inputs = r.intBetween(6, 8);
  const wires = Array.from({ length: inputs }, () => r.int(2));
  const inputDigits = wires.join("");
  const lines: string[] = [];
  for (let i = 0; i < gates; i++) {
    const operation = r.pick(OPERATIONS);
    const a = r.int(wires.length);
    const unary = operation === "NOT" || operation === "BUF";
    const b = unary ? a : r.int(wires.length);
    const operands = unary ? `w${a}` : `w${a}, w${b}`;
    lines.push(`w${wires.length} = ${operation}(${operands})`);
    wires.push(evaluate(operation, wires[a]!, wires[b]!));
  }
  return {
    parts: [
      { phrase: "bitcircuit.intro" },
      { text: `${inputs - 1} = ${inputDigits}` },
      { phrase: "bitcircuit.rules" },
      { text: lines.join("\n") },
      { phrase: "bitcircuit.ask" },
      { text: `${wires.length - ASKED} through w${wires.length - 1}` },
      { phrase: "bitcircuit.end" },
    ],
    answer: wires.slice(-ASKED).join(""),
  };
};

/** Unary operations take `a`. */
function evaluate(operation: typeof OPERATIONS[number], a: number, b: number): number {
  switch (operation) {
    case "AND":
      return a & b;
    case "OR":
      return a | b;
    case "XOR":
      return a ^ b;
    case "NAND":
      return 1 - (a & b);
    case "NOT":
      return 1 - a;
    case "BUF":
      return a;
  }
}
