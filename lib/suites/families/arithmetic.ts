/**
 * Family `arithmetic`: evaluate an expression. Source: docs/specification/suites/arithmetic.md.
 *
 * Doubles are exact here: over all seeds no value exceeds 7457228262. A product may be −0, which
 * prints as 0 and equals 0.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

export const PINS: PhrasePins = {
  "arithmetic.ask0": {
    chars: 29,
    sha256: "a2bb6ea60a2f237c69355f6c74049177e6e7aafd25f16e6662912e595af6a567",
  },
  "arithmetic.ask": {
    chars: 82,
    sha256: "49adf65ee87da8ea3bee7988e7fbbf0cf7cb8a3068bde70c6b7c30cf772be483",
  },
};

const OPERATORS = ["+", "-", "*", "/"] as const;

interface Expression {
  text: string;
  value: number;
}

/** Tier 0 is a sum of two numbers; tiers 1 and 2 are expression trees of depth 2 and 3. */
export const generate: Generator = (r, { tier }, budget) => {
  budget.spend(50);
  if (tier === 0) {
    const a = r.intBetween(2, 12);
    const b = r.intBetween(2, 12);
    return {
      parts: [{ text: `What is ${a} + ${b}` }, { phrase: "arithmetic.ask0" }],
      answer: String(a + b),
    };
  }
  const { text, value } = operation(r, tier + 1);
  return {
    parts: [{ text: `Compute ${text}` }, { phrase: "arithmetic.ask" }],
    answer: String(value),
  };
};

/** What stands at a place other than the root: a leaf or an operation. */
function operand(r: Rng, depth: number): Expression {
  if (depth === 0 || r.chance(0.25)) {
    const value = r.intBetween(2, 19);
    return { text: String(value), value };
  }
  return operation(r, depth);
}

function operation(r: Rng, depth: number): Expression {
  const left = operand(r, depth - 1);
  const operator = r.pick(OPERATORS);
  const right = operand(r, depth - 1);
  // The left operand of a division is drawn, then replaced by what makes the division come out even.
  if (operator === "/") return division(r, right);
  return {
    text: `(${left.text} ${operator} ${right.text})`,
    value: compute(left.value, operator, right.value),
  };
}

function division(r: Rng, divisor: Expression): Expression {
  if (divisor.value === 0) {
    const value = r.intBetween(2, 19);
    return { text: `(0 + ${value})`, value };
  }
  const size = r.intBetween(1, 9);
  const value = r.chance(0.5) ? -size : size;
  return { text: `(${value * divisor.value} / ${divisor.text})`, value };
}

function compute(left: number, operator: "+" | "-" | "*", right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
  }
}
