/**
 * Family `automata`: elementary cellular automata. Source: docs/specification/suites/automata.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";

export const PINS: PhrasePins = {
  "automata.intro": {
    chars: 58,
    sha256: "5165527697a497ee06cd9c3a106e963d6071511ba3fb5e797c5e84b96cda9215",
  },
  "automata.start": {
    chars: 145,
    sha256: "a41cec2d9514c73d6ca0683b4fc96465f8468991e77c94cdfc9a525959b2af70",
  },
  "automata.ask.t4": {
    chars: 85,
    sha256: "f81971507f9c3be48450b89a474db6f3f77e43b211730fcd823b19348f13ef15",
  },
  "automata.ask.t5": {
    chars: 85,
    sha256: "4605e87d5146843ee2b1c3fd7db9c3691d6fc04055c765f51ad07830c87632e6",
  },
  "automata.ask.t6": {
    chars: 85,
    sha256: "0fb9b77684dc0b0159785a053bbd9ab4ca9c91695290691e17f95147ee7d7f3c",
  },
  "automata.ask.t7": {
    chars: 86,
    sha256: "74e27cc4baeb610d02bacce4bcc2d3fc5e12085b424e7afe3ef68e7d68d4d4c4",
  },
};

const SIZES: Readonly<Record<number, { width: number; steps: number }>> = {
  4: { width: 13, steps: 3 },
  5: { width: 17, steps: 5 },
  6: { width: 21, steps: 7 },
  7: { width: 25, steps: 10 },
};

const RULES = [30, 54, 60, 90, 110, 150, 182, 250];
const RULES_FRONTIER_V1 = [30, 54, 60, 90, 110, 150, 22, 73];

/** Draws a rule and a row that isn't empty, and applies the rule a fixed number of times. */
export const generate: Generator = (r, { version, tier }, budget) => {
  const { width, steps } = SIZES[tier]!;
  budget.spend(width * (steps + 1));
  const rule = r.pick(version === "clankdar-frontier-v1" ? RULES_FRONTIER_V1 : RULES);
  const start = Array.from({ length: width }, () => r.chance(0.4) ? 1 : 0);
  if (!start.includes(1)) start[r.int(width)] = 1;
  let row = start;
  for (let i = 0; i < steps; i++) row = step(row, rule);
  return {
    parts: [
      { phrase: "automata.intro" },
      { text: String(rule) },
      { phrase: "automata.start" },
      { text: start.join("") },
      { phrase: `automata.ask.t${tier}` },
    ],
    answer: row.join(""),
  };
};

/** The next row; beyond its ends all cells are 0. */
function step(row: readonly (0 | 1)[], rule: number): (0 | 1)[] {
  return row.map((self, i) => {
    const left = i > 0 ? row[i - 1]! : 0;
    const right = i + 1 < row.length ? row[i + 1]! : 0;
    return ((rule >> (4 * left + 2 * self + right)) & 1) === 1 ? 1 : 0;
  });
}
