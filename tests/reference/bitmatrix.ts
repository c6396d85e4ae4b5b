/** Family `bitmatrix` straight from docs/specification/suites/bitmatrix.md; the rank by Gaussian elimination. */
import type { SeededGenerator } from "../../lib/suites/generate.ts";
import { GenerationError } from "../../lib/suites/instance.ts";
import { mixSeed, rng } from "../../lib/suites/rng.ts";

const EXTRA: Record<number, [variables: number, extra: number]> = {
  4: [6, 2],
  5: [9, 3],
  6: [12, 4],
};

export const generate: SeededGenerator = (_version, tier, seed, budget) => {
  const [n, extra] = EXTRA[tier]!;
  const r = rng(mixSeed(`bitmatrix:t${tier}`, seed));
  for (let attempt = 0; attempt < 400; attempt++) {
    budget.spend(1000);
    const x: number[] = [];
    for (let v = 0; v < n; v++) x.push(r.int(2));
    const drawn = new Set<number>();
    while (drawn.size < n + extra) {
      const m = r.int(2 ** n);
      if (m !== 0) drawn.add(m);
    }
    const rows = [...drawn].map((m) => x.map((_, v) => Math.floor(m / 2 ** v) % 2));
    if (rank(rows.map((row) => [...row])) !== n) continue;
    const lines = rows.map((row) => {
      const variables = row.flatMap((bit, v) => bit === 1 ? [v] : []);
      const sum = variables.reduce((total, v) => total + x[v]!, 0);
      return `${variables.map((v) => `x${v}`).join(" ⊕ ")} = ${sum % 2}`;
    });
    return {
      parts: [
        { phrase: "bitmatrix.intro" },
        { text: lines.join("\n") },
        { text: "\n\nReply with only the " },
        { text: String(n) },
        { phrase: "bitmatrix.ask" },
        { text: String(n - 1) },
        { text: " last." },
      ],
      answer: x.join(""),
    };
  }
  throw new GenerationError("generation-failed", "no attempt succeeded");
};

function rank(rows: number[][]): number {
  let done = 0;
  for (let column = 0; column < rows[0]!.length; column++) {
    const at = rows.findIndex((row, i) => i >= done && row[column] === 1);
    if (at < 0) continue;
    const pivot = rows[at]!;
    rows[at] = rows[done]!;
    rows[done] = pivot;
    for (const row of rows) {
      if (row === pivot || row[column] === 0) continue;
      pivot.forEach((bit, i) => row[i] = (row[i]! + bit) % 2);
    }
    done++;
  }
  return done;
}
