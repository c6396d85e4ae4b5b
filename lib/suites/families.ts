/**
 * The generators by family. Each is loaded when it is first needed, so that start-up and a check of
 * one suite don't pay for the others.
 */
import type { Generator } from "./instance.ts";
import type { PhrasePins } from "./prompt.ts";

/** How answers are written. Source: scoring spec 2. */
export type AnswerFormat = "integer" | "grid" | "bits" | "tokens" | "assignments" | "text";

/** One family: its generator, and the pins of the phrases that its prompts name. */
interface Family {
  generate: Generator;
  PINS: PhrasePins;
}

/** A family before it is loaded. */
interface Entry {
  /** How its answers are written; see scoring.ts. */
  format: AnswerFormat;
  /** Null: its answers come from an evaluator, and it is loaded with it (`families/algal.ts`). */
  load: (() => Promise<Family>) | null;
}

const FAMILIES: Readonly<Record<string, Entry>> = {
  algal: { format: "integer", load: null },
  arithmetic: { format: "integer", load: () => import("./families/arithmetic.ts") },
  automata: { format: "bits", load: () => import("./families/automata.ts") },
  autostep: { format: "bits", load: () => import("./families/autostep.ts") },
  bitcircuit: { format: "bits", load: () => import("./families/bitcircuit.ts") },
  bitmatrix: { format: "bits", load: () => import("./families/bitmatrix.ts") },
  cipher: { format: "text", load: () => import("./families/cipher.ts") },
  cryptarithm: { format: "integer", load: () => import("./families/cryptarithm.ts") },
  echo: { format: "text", load: () => import("./families/echo.ts") },
  gridpath: { format: "integer", load: () => import("./families/gridpath.ts") },
  gridxf: { format: "grid", load: () => import("./families/gridxf.ts") },
  hiddenfn: { format: "text", load: () => import("./families/hiddenfn.ts") },
  knights: { format: "assignments", load: () => import("./families/knights.ts") },
  ordering: { format: "tokens", load: () => import("./families/ordering.ts") },
  registervm: { format: "integer", load: () => import("./families/registervm.ts") },
  relayvm: { format: "integer", load: () => import("./families/relayvm.ts") },
  sat: { format: "bits", load: () => import("./families/sat.ts") },
  satcheck: { format: "bits", load: () => import("./families/satcheck.ts") },
  sequence: { format: "integer", load: () => import("./families/sequence.ts") },
  strings: { format: "text", load: () => import("./families/strings.ts") },
  sudoku: { format: "grid", load: () => import("./families/sudoku.ts") },
};

const loaded = new Map<string, Family>();

/** The family of that name, or undefined. At once, without a promise, when it has been loaded. */
export function familyOf(name: string): Family | undefined | Promise<Family> {
  return loaded.get(name) ?? entryOf(name)?.load?.().then((family) => {
    loaded.set(name, family);
    return family;
  });
}

/** The answer format of the family of that name, or undefined. */
export function formatOf(name: string): AnswerFormat | undefined {
  return entryOf(name)?.format;
}

function entryOf(name: string): Entry | undefined {
  return Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined;
}
