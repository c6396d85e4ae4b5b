/** Family `knights` straight from docs/specification/suites/knights.md: claims as predicates, every assignment. */
import type { SeededGenerator } from "../../lib/suites/generate.ts";
import { GenerationError } from "../../lib/suites/instance.ts";
import { mixSeed, type Rng, rng } from "../../lib/suites/rng.ts";

interface Claim {
  text: string;
  holds: (isKnight: boolean[]) => boolean;
}

const LETTERS = "ABCDEF";

export const generate: SeededGenerator = (version, tier, seed, budget) => {
  const n = tier;
  const mixed = version === "clankdar-suite-v2" ? seed : mixSeed(`knights:t${tier}`, seed);
  const r = rng(mixed);
  for (let attempt = 0; attempt < 4000; attempt++) {
    budget.spend(1000);
    const claims: Claim[] = [];
    for (let speaker = 0; speaker < n; speaker++) claims.push(drawClaim(r, speaker, n));
    const consistent = assignments(n).filter((isKnight) =>
      claims.every((claim, speaker) => claim.holds(isKnight) === isKnight[speaker])
    );
    if (consistent.length !== 1) continue;
    return {
      parts: [
        { phrase: "knights.intro" },
        { text: claims.map((claim, s) => `${LETTERS[s]} says: "${claim.text}"`).join(" ") },
        { phrase: "knights.ask" },
      ],
      answer: consistent[0]!.map((knight, i) => `${LETTERS[i]}=${knight ? "knight" : "knave"}`)
        .join(" "),
    };
  }
  throw new GenerationError("generation-failed", "no attempt succeeded");
};

function drawClaim(r: Rng, speaker: number, n: number): Claim {
  const others = [0, 1, 2, 3, 4, 5].slice(0, n).filter((i) => i !== speaker);
  const kind = r.int(5);
  if (kind === 0) {
    const o = r.pick(others);
    const k = r.chance(0.5);
    return {
      text: `${LETTERS[o]} is a ${k ? "knight" : "knave"}.`,
      holds: (isKnight) => isKnight[o] === k,
    };
  }
  if (kind === 4) {
    const t = r.intBetween(0, n);
    return {
      text: `exactly ${t} of us tell the truth.`,
      holds: (isKnight) => isKnight.filter((knight) => knight).length === t,
    };
  }
  const shuffled = r.shuffle([...others]);
  const o1 = shuffled[0]!;
  const o2 = shuffled[1]!;
  const names = `${LETTERS[o1]} and ${LETTERS[o2]}`;
  if (kind === 3) {
    return {
      text: `exactly one of ${names} is a knight.`,
      holds: (isKnight) => Number(isKnight[o1]) + Number(isKnight[o2]) === 1,
    };
  }
  const k = r.chance(0.5);
  if (kind === 1) {
    return {
      text: `${names} are both ${k ? "knights" : "knaves"}.`,
      holds: (isKnight) => isKnight[o1] === k && isKnight[o2] === k,
    };
  }
  return {
    text: `at least one of ${names} is a ${k ? "knight" : "knave"}.`,
    holds: (isKnight) => isKnight[o1] === k || isKnight[o2] === k,
  };
}

function assignments(n: number): boolean[][] {
  if (n === 0) return [[]];
  return assignments(n - 1).flatMap((rest) => [[...rest, false], [...rest, true]]);
}
