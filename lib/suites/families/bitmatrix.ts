/**
 * Family `bitmatrix`: linear system over GF(2). Source: docs/specification/suites/bitmatrix.md.
 *
 * A row is a bit set over the variables, and so is the solution.
 */
import type { Budget } from "../budget.ts";
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";

export const PINS: PhrasePins = {
  "bitmatrix.intro": {
    chars: 147,
    sha256: "e2166b7c4e349363310fd4690306004477c2c05d37d2ca20e047d1116ef30fa3",
  },
  "bitmatrix.ask": {
    chars: 54,
    sha256: "04339847617acec87d0591cf58edf51c5980e59658b734bad6170390c80dfc19",
  },
};

const SIZES: Readonly<Record<number, { variables: number; rows: number }>> = {
  4: { variables: 6, rows: 8 },
  5: { variables: 9, rows: 12 },
  6: { variables: 12, rows: 16 },
};

const ATTEMPTS = 400;

/** Draws a solution and rows until the rows have full rank, so that the solution is the only one. */
export const generate: Generator = (r, { tier }, budget) => {
  const { variables, rows } = SIZES[tier]!;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const solution = Array.from({ length: variables }, () => r.int(2));
    const masks = drawMasks(r, variables, rows, budget);
    if (rank(masks) < variables) continue;
    return {
      parts: [
        { phrase: "bitmatrix.intro" },
        {
          text: masks.map((mask) => equation(mask, solution)).join("\n") +
            `\n\nReply with only the ${variables}`,
        },
        { phrase: "bitmatrix.ask" },
        { text: `${variables - 1} last.` },
      ],
      answer: solution.join(""),
    };
  }
  throw new GenerationError("generation-failed", `${ATTEMPTS} attempts gave no unique solution`);
};

/** Different rows, none empty. */
function drawMasks(r: Rng, variables: number, rows: number, budget: Budget): number[] {
  const masks: number[] = [];
  while (masks.length < rows) {
    budget.spend(30);
    const mask = r.int(2 ** variables);
    if (mask !== 0 && !masks.includes(mask)) masks.push(mask);
  }
  return masks;
}

function rank(masks: readonly number[]): number {
  // XOR with a member clears its highest bit, which no later member has: one pass clears them all.
  const basis: number[] = [];
  for (const mask of masks) {
    let rest = mask;
    for (const member of basis) rest = Math.min(rest, rest ^ member);
    if (rest !== 0) basis.push(rest);
  }
  return basis.length;
}

function equation(mask: number, solution: readonly number[]): string {
  const terms: string[] = [];
  let right = 0;
  solution.forEach((bit, variable) => {
    if (((mask >> variable) & 1) === 0) return;
    terms.push(`x${variable}`);
    right ^= bit;
  });
  return `${terms.join(" ⊕ ")} = ${right}`;
}
