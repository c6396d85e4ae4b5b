/** The tool environments of the agent families. Source: runs spec 4. */
import { AUTOSTEP_TOOLS } from "./autostep.ts";
import { relayvmTools } from "./relayvm.ts";
import { satcheckTools } from "./satcheck.ts";
import type { Tools } from "./tool.ts";

type Environment = (tier: number, seed: number, answer: string) => Tools;

const ENVIRONMENTS: ReadonlyMap<string, Environment> = new Map<string, Environment>([
  ["autostep", () => AUTOSTEP_TOOLS],
  ["relayvm", relayvmTools],
  ["satcheck", (_tier, _seed, answer) => satcheckTools(answer)],
]);

/**
 * The tools of a puzzle instance, or null if a solver of the family's puzzles has none.
 *
 * @param answer the instance's answer as its generator gives it.
 */
export function toolsOf(family: string, tier: number, seed: number, answer: string): Tools | null {
  return ENVIRONMENTS.get(family)?.(tier, seed, answer) ?? null;
}
