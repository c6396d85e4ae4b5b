/**
 * Family `knights`: who tells the truth. Source: docs/specification/suites/knights.md.
 *
 * People are numbered from 0; who is a knight is a bit set over them.
 */
import { GenerationError, type Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import type { Rng } from "../rng.ts";
import { letterOf } from "../words.ts";

export const PINS: PhrasePins = {
  "knights.intro": {
    chars: 67,
    sha256: "3ed0104b75c0b1d4a0262a874829906789d35ea838f80d287dd46aa413f30f2c",
  },
  "knights.ask": {
    chars: 116,
    sha256: "b90311518b232af0281e34800c551ff95aa9f9b8cbc2e612d8ed9edbd0db3cac",
  },
};

const ATTEMPTS = 4000;

/** What somebody says; `knight` tells whether of knights or of knaves. */
type Claim =
  | { kind: "one-is"; who: number; knight: boolean }
  | { kind: "both-are" | "some-is"; pair: Pair; knight: boolean }
  | { kind: "exactly-one"; pair: Pair }
  | { kind: "count"; count: number };

/** Two people, in the order in which they are named. */
type Pair = readonly [number, number];

/** Draws claims for as many people as the tier says until one assignment alone fits them. */
export const generate: Generator = (r, { tier }, budget) => {
  const people = Array.from({ length: tier }, (_, i) => i);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    budget.spend(20 * tier + 2 ** tier);
    const claims = people.map((speaker) => drawClaim(r, speaker, tier));
    const knights = onlyAssignment(claims);
    if (knights === null) continue;
    return {
      parts: [
        { phrase: "knights.intro" },
        { text: claims.map((claim, speaker) => says(speaker, claim)).join(" ") },
        { phrase: "knights.ask" },
      ],
      answer: people.map((who) => `${letterOf(who)}=${role(has(knights, who))}`).join(" "),
    };
  }
  throw new GenerationError("generation-failed", `${ATTEMPTS} attempts gave no unique assignment`);
};

function drawClaim(r: Rng, speaker: number, people: number): Claim {
  const others: number[] = [];
  for (let i = 0; i < people; i++) if (i !== speaker) others.push(i);
  switch (r.int(5)) {
    case 0: {
      const who = r.pick(others);
      return { kind: "one-is", who, knight: r.chance(0.5) };
    }
    case 1: {
      const pair = drawPair(r, others);
      return { kind: "both-are", pair, knight: r.chance(0.5) };
    }
    case 2: {
      const pair = drawPair(r, others);
      return { kind: "some-is", pair, knight: r.chance(0.5) };
    }
    case 3:
      return { kind: "exactly-one", pair: drawPair(r, others) };
    default:
      return { kind: "count", count: r.intBetween(0, people) };
  }
}

function drawPair(r: Rng, others: number[]): Pair {
  const [first, second] = r.shuffle(others);
  return [first!, second!];
}

/** The one assignment in which exactly the knights' claims hold; null if there is none, or more. */
function onlyAssignment(claims: readonly Claim[]): number | null {
  let found: number | null = null;
  for (let knights = 0; knights < 2 ** claims.length; knights++) {
    if (!claims.every((claim, speaker) => holds(claim, knights) === has(knights, speaker))) {
      continue;
    }
    if (found !== null) return null;
    found = knights;
  }
  return found;
}

function holds(claim: Claim, knights: number): boolean {
  switch (claim.kind) {
    case "one-is":
      return has(knights, claim.who) === claim.knight;
    case "both-are":
      return has(knights, claim.pair[0]) === claim.knight &&
        has(knights, claim.pair[1]) === claim.knight;
    case "some-is":
      return has(knights, claim.pair[0]) === claim.knight ||
        has(knights, claim.pair[1]) === claim.knight;
    case "exactly-one":
      return has(knights, claim.pair[0]) !== has(knights, claim.pair[1]);
    case "count":
      return size(knights) === claim.count;
  }
}

function says(speaker: number, claim: Claim): string {
  return `${letterOf(speaker)} says: "${sentence(claim)}"`;
}

function sentence(claim: Claim): string {
  switch (claim.kind) {
    case "one-is":
      return `${letterOf(claim.who)} is a ${role(claim.knight)}.`;
    case "both-are":
      return `${both(claim.pair)} are both ${role(claim.knight)}s.`;
    case "some-is":
      return `at least one of ${both(claim.pair)} is a ${role(claim.knight)}.`;
    case "exactly-one":
      return `exactly one of ${both(claim.pair)} is a knight.`;
    case "count":
      return `exactly ${claim.count} of us tell the truth.`;
  }
}

function both(pair: Pair): string {
  return `${letterOf(pair[0])} and ${letterOf(pair[1])}`;
}

function role(knight: boolean): string {
  return knight ? "knight" : "knave";
}

function has(knights: number, who: number): boolean {
  return ((knights >> who) & 1) === 1;
}

function size(knights: number): number {
  let count = 0;
  for (let rest = knights; rest !== 0; rest &= rest - 1) count++;
  return count;
}
