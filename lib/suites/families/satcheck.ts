/**
 * Family `satcheck`: a formula of family `sat` with a checking tool. Source: docs/specification/suites/satcheck.md.
 */
import type { Generator } from "../instance.ts";
import type { PhrasePins } from "../prompt.ts";
import { mixSeed } from "../rng.ts";
import { mixedStream } from "../stream.ts";
import { satFormula } from "./sat.ts";

/** Source: docs/specification/phrases/satcheck.json. */
export const PINS: PhrasePins = {
  "satcheck.intro": {
    chars: 193,
    sha256: "b8cc0e1be8e27f43e88d3ba19a796ce830c2006f5437698876ffbc099088b9ab",
  },
  "satcheck.body": {
    chars: 209,
    sha256: "06671c047ce2e7cd5674c5de22dd5930de7d769c13f74a4e7fe964bb21003fe2",
  },
  "satcheck.given": {
    chars: 86,
    sha256: "7fa309eaeb68a520684e4eeca8adc6b79e8f114d14ca96969ecf19e3237576b0",
  },
  "satcheck.submit": {
    chars: 24,
    sha256: "700946c07a6284f3411f29b00e78bc62a40fbdbbdbc9f39540eab5c649f0d2bc",
  },
  "satcheck.ask": {
    chars: 54,
    sha256: "04339847617acec87d0591cf58edf51c5980e59658b734bad6170390c80dfc19",
  },
};

export const generate: Generator = (_r, { version, tier, seed }, budget) => {
  // The formula is one of family `sat`; agent-v0 shows the very one that `sat` has for the seed.
  const inner = version === "clankdar-agent-v0" ? seed : mixSeed(`satcheck:t${tier}`, seed);
  const { variables, text, answer } = satFormula(mixedStream("sat", tier, inner), tier, budget);
  return {
    parts: [
      { phrase: "satcheck.intro" },
      { text: `${variables}` },
      { phrase: "satcheck.body" },
      { text: `${variables - 1}` },
      { phrase: "satcheck.given" },
      { text },
      { phrase: "satcheck.submit" },
      { text: `${variables}` },
      { phrase: "satcheck.ask" },
      { text: `${variables - 1} last.` },
    ],
    answer,
  };
};
