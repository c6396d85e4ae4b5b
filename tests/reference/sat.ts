/** Family `sat`, as docs/specification/suites/sat.md says it, step by step: every live mask in a list. */
import type { Instance } from "../../lib/suites/instance.ts";
import { mixSeed, rng } from "../../lib/suites/rng.ts";

type Clause = number[];

function holds(clause: Clause, mask: number): boolean {
  return clause.some((literal) => ((mask >> (literal >> 1)) & 1) === (literal & 1));
}

function ascending(literals: number[]): Clause {
  return literals.sort((a, b) => a - b);
}

function range(size: number): number[] {
  return Array.from({ length: size }, (_, i) => i);
}

export function generate(_version: string, tier: number, seed: number): Instance {
  const n = tier === 4 ? 8 : tier === 5 ? 12 : 14;
  const r = rng(mixSeed(`sat:t${tier}`, seed));
  const target = range(n).map(() => r.int(2));
  const t = target.reduce((mask, bit, v) => mask | (bit << v), 0);
  let live = range(2 ** n);
  const chosen: Clause[] = [];
  const seen = new Set<string>();
  while (live.length > 1) {
    const candidates: { clause: Clause; survivors: number }[] = [];
    const add = (clause: Clause) => {
      const survivors = live.filter((mask) => holds(clause, mask)).length;
      candidates.push({ clause, survivors });
    };
    for (let i = 0; i < 12; i++) {
      const [a, b, c] = r.shuffle(range(n)) as [number, number, number];
      const clause = ascending([2 * a + r.int(2), 2 * b + r.int(2), 2 * c + r.int(2)]);
      if (!seen.has(clause.join()) && holds(clause, t)) add(clause);
    }
    const others = live.filter((mask) => mask !== t);
    const victim = others[r.int(others.length)]!;
    const differs = (v: number) => ((victim >> v) & 1) !== target[v];
    const different = range(n).filter((v) => differs(v));
    const same = range(n).filter((v) => !differs(v));
    if (different.length >= 3) {
      const three = r.shuffle([...different]).slice(0, 3);
      add(ascending(three.map((v) => 2 * v + target[v]!)));
    } else {
      const d = different[r.int(different.length)]!;
      const two = r.shuffle([...same]).slice(0, 2);
      add(ascending([2 * d + target[d]!, ...two.map((v) => 2 * v + 1 - target[v]!)]));
    }
    const best = candidates.filter((c) => c.survivors < live.length)
      .sort((x, y) => x.survivors - y.survivors)[0]!.clause;
    seen.add(best.join());
    chosen.push(best);
    live = live.filter((mask) => holds(best, mask));
  }
  const printed = r.shuffle([...chosen]).map((clause) =>
    `(${clause.map((l) => `${l & 1 ? "" : "¬"}x${l >> 1}`).join(" ∨ ")})`
  );
  return {
    parts: [
      { phrase: "sat.intro" },
      { text: `${n - 1}` },
      { phrase: "sat.given" },
      { text: `${printed.join(" ∧\n")}\n\nReply with only the ${n}` },
      { phrase: "sat.ask" },
      { text: `${n - 1} last.` },
    ],
    answer: target.join(""),
  };
}
