/**
 * Every suite version Touchstone knows: the policy name that means it, its families and tiers.
 * Source: docs/specification/suites/registry.json (which has the last word), protocols spec 3.
 *
 * A suite version is frozen: the same family, tier and seed give the same puzzle for ever. A changed
 * prompt or evaluator pin is a new version, never an edit here.
 */

/** One suite version. */
export interface Suite {
  readonly version: string;
  /** The name that policies and pools use for it; null: only lone receipts and runs may name it. */
  readonly policyName: string | null;
  /** Tiers by family. */
  readonly families: Readonly<Record<string, readonly number[]>>;
  /** SHA-256 (hex) of the evaluator that the suite's prompts pin, for suites that have one. */
  readonly evaluator: string | null;
}

/** ALGAL's official evaluator module, pinned by `clankdar-algal-v1`. */
export const ALGAL_EVALUATOR = "7a8a821f80388a3ba257ac46c7e3d9668e25f77323b22603974d713df1a39fff";

/** The house suite: our own prompts and evaluator (docs/architecture.md, "House suite"). */
export const HOUSE_SUITE = "touchstone-algal-v1";

/** Our own evaluator as frozen into the house suite; a test compares it with `wasm/pins.ts`. */
export const HOUSE_EVALUATOR = "7f60d854d375dd4eb355c0a44ce0d52f9a0a3d5ad0dacec77507ed5c39d12a73";

const FRONTIER = {
  automata: [6, 7],
  bitcircuit: [4, 5, 6],
  bitmatrix: [4, 5, 6],
  cryptarithm: [6],
  gridxf: [7],
  knights: [5, 6],
  registervm: [5, 6],
  sat: [4, 5, 6],
} as const;

const AGENT = { autostep: [5, 6, 7], relayvm: [5, 6], satcheck: [5] } as const;

const V2 = {
  arithmetic: [0, 1, 2],
  automata: [4, 5],
  cipher: [2],
  cryptarithm: [4, 5],
  echo: [0],
  gridpath: [3],
  gridxf: [5, 6],
  hiddenfn: [5, 6],
  knights: [3, 4],
  ordering: [3],
  registervm: [3, 4],
  sequence: [2],
  strings: [1, 2],
  sudoku: [3, 4, 5],
} as const;

const ALGAL = { algal: [1, 2, 3] } as const;

const SUITES: readonly Suite[] = [
  suite("clankdar-algal-v1", "algal", ALGAL, ALGAL_EVALUATOR),
  suite("clankdar-suite-v2", "v2", V2),
  suite("clankdar-frontier-v0", null, FRONTIER),
  suite("clankdar-frontier-v1", "frontier", FRONTIER),
  suite("clankdar-agent-v0", null, AGENT),
  suite("clankdar-agent-v1", "agent", AGENT),
  suite(HOUSE_SUITE, "touchstone", ALGAL, HOUSE_EVALUATOR),
];

const BY_VERSION = new Map(SUITES.map((s) => [s.version, s]));
const BY_POLICY_NAME = new Map(SUITES.flatMap((s) => s.policyName ? [[s.policyName, s]] : []));

/** All suite versions, in a fixed order. */
export function suites(): readonly Suite[] {
  return SUITES;
}

/** The suite of that version, or undefined: an unknown version is rejected, never skipped. */
export function suiteOf(version: string): Suite | undefined {
  return BY_VERSION.get(version);
}

/** The suite that a policy or pool means by `name` (protocols spec 3), or undefined. */
export function suiteNamed(name: string): Suite | undefined {
  return BY_POLICY_NAME.get(name);
}

/** Whether the suite version has that family at that tier. */
export function hasCell(suite: Suite, family: string, tier: number): boolean {
  return Object.hasOwn(suite.families, family) && suite.families[family]!.includes(tier);
}

/** The id of a cell: `family:tN`, with `h:` in front when it is held out. */
export function cellId(family: string, tier: number, heldout = false): string {
  return `${heldout ? "h:" : ""}${family}:t${tier}`;
}

/**
 * Reads a cell id, or null. The family is `[a-z0-9]+`, the tier decimal without leading zeros
 * (protocols spec 3, strict).
 */
export function parseCellId(id: string): { family: string; tier: number; heldout: boolean } | null {
  const match = /^(h:)?([a-z0-9]{1,64}):t(0|[1-9][0-9]{0,8})$/.exec(id);
  if (match === null) return null;
  return { family: match[2]!, tier: Number(match[3]), heldout: match[1] !== undefined };
}

function suite(
  version: string,
  policyName: string | null,
  families: Readonly<Record<string, readonly number[]>>,
  evaluator: string | null = null,
): Suite {
  return { version, policyName, families, evaluator };
}
