/** Family `satcheck`, as docs/specification/suites/satcheck.md says it, around the reference of `sat`. */
import type { Instance } from "../../lib/suites/instance.ts";
import { mixSeed } from "../../lib/suites/rng.ts";
import { generate as generateSat } from "./sat.ts";

export function generate(version: string, tier: number, seed: number): Instance {
  const inner = version === "clankdar-agent-v0" ? seed : mixSeed("satcheck:t5", seed);
  const { parts, answer } = generateSat("", tier, inner);
  const formula = parts.map((part) => "text" in part ? part.text : "").find((text) =>
    text.startsWith("(")
  )!;
  return {
    parts: [
      { phrase: "satcheck.intro" },
      { text: "12" },
      { phrase: "satcheck.body" },
      { text: "11" },
      { phrase: "satcheck.given" },
      { text: formula.slice(0, formula.lastIndexOf(")") + 1) },
      { phrase: "satcheck.submit" },
      { text: "12" },
      { phrase: "satcheck.ask" },
      { text: "11 last." },
    ],
    answer,
  };
}
