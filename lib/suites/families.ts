/**
 * The generators by family. Each is loaded when it is first needed, so that start-up and a check of
 * one suite don't pay for the others.
 */
import type { Generator } from "./instance.ts";
import type { PhrasePins } from "./prompt.ts";

/** One family: its generator, and the pins of the phrases that its prompts name. */
export interface Family {
  generate: Generator;
  PINS: PhrasePins;
}

/** Every family but `algal`, whose answers come from the evaluator (`families/algal.ts`). */
const FAMILIES: Readonly<Record<string, () => Promise<Family>>> = {
  arithmetic: () => import("./families/arithmetic.ts"),
  automata: () => import("./families/automata.ts"),
  autostep: () => import("./families/autostep.ts"),
  bitcircuit: () => import("./families/bitcircuit.ts"),
  bitmatrix: () => import("./families/bitmatrix.ts"),
  cipher: () => import("./families/cipher.ts"),
  cryptarithm: () => import("./families/cryptarithm.ts"),
  echo: () => import("./families/echo.ts"),
  gridpath: () => import("./families/gridpath.ts"),
  gridxf: () => import("./families/gridxf.ts"),
  hiddenfn: () => import("./families/hiddenfn.ts"),
  knights: () => import("./families/knights.ts"),
  ordering: () => import("./families/ordering.ts"),
  registervm: () => import("./families/registervm.ts"),
  relayvm: () => import("./families/relayvm.ts"),
  sat: () => import("./families/sat.ts"),
  satcheck: () => import("./families/satcheck.ts"),
  sequence: () => import("./families/sequence.ts"),
  strings: () => import("./families/strings.ts"),
  sudoku: () => import("./families/sudoku.ts"),
};

const loaded = new Map<string, Family>();

/** The family of that name, or undefined. At once, without a promise, when it has been loaded. */
export function familyOf(name: string): Family | undefined | Promise<Family> {
  const known = loaded.get(name);
  if (known !== undefined || !Object.hasOwn(FAMILIES, name)) return known;
  return FAMILIES[name]!().then((family) => {
    loaded.set(name, family);
    return family;
  });
}
