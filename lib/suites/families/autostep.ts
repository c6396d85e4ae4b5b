/**
 * Family `autostep`: a cellular automaton, with a tool that takes a step.
 * Source: docs/specification/suites/autostep.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";

export const PINS: PhrasePins = {
  "autostep.intro": {
    chars: 337,
    sha256: "9760f705957be3a87d4402f664938fa472474115517b5f67d2de8636a2f1e16f",
  },
  "autostep.rule": {
    chars: 72,
    sha256: "15a1682d1c9018ccdb1457fb0e0ccf75f6ec6aa2011f454eb5e28702ab68f74c",
  },
  "autostep.ask": {
    chars: 55,
    sha256: "a9464568ff67f20331b213f30384f037ced95b37d639d3a4fd72372874a1c9da",
  },
};

const SIZES: Readonly<Record<number, { width: number; steps: number }>> = {
  5: { width: 17, steps: 5 },
  6: { width: 21, steps: 7 },
  7: { width: 25, steps: 10 },
};

const RULES_V0 = [30, 54, 60, 90, 110, 150, 182, 250];
const RULES_V1 = [30, 54, 60, 90, 110, 150, 22, 73];

export const generate: Generator = ({ pick, chance, int }, { version, tier }, budget) => {
  const { width, steps } = SIZES[tier]!;
  budget.spend(width * steps);

  const rule = pick(version === "clankdar-agent-v0" ? RULES_V0 : RULES_V1);
  const start = Array.from({ length: width }, () => chance(0.4) ? 1 : 0);
  if (!start.includes(1)) start[int(width)] = 1;

  let row: readonly number[] = start;
  for (let i = 0; i < steps; i++) row = nextRow(rule, row);

  return {
    parts: [
      { phrase: "autostep.intro" },
      { text: String(steps + 2) },
      { phrase: "autostep.rule" },
      { text: `${rule}. Starting row is:\n\n${start.join("")}\n\nAfter exactly ${steps}` },
      { phrase: "autostep.ask" },
      { text: `${width} digits of 0s and 1s.` },
    ],
    answer: row.join(""),
  };
};

/** The row (of 0s and 1s) after one step under an elementary rule (0 … 255); outside it all is 0. */
export function nextRow(rule: number, row: readonly number[]): number[] {
  return row.map((self, i) => {
    const neighbourhood = 4 * (row[i - 1] ?? 0) + 2 * self + (row[i + 1] ?? 0);
    return (rule >> neighbourhood) & 1;
  });
}
