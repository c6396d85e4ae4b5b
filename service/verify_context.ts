/**
 * Puts a verifier together: evaluator modules from disk, known issuers.
 */
import { createReferences } from "../lib/evaluator/reference.ts";
import { whereThrown } from "../lib/verify/fault.ts";
import type { Verifier } from "../lib/verify/verify.ts";
import { issuerNames, revokedKeys } from "../lib/trust/registry.ts";
import { registry } from "./trust.ts";
import { officialModule, ownModule } from "../wasm/load.ts";
import { OFFICIAL, OWN } from "../wasm/pins.ts";

/** Where `evaluator:install` puts the official module and the service looks for it. */
export const OFFICIAL_MODULE_PATH = "data/evaluator/official.wasm";

/**
 * Makes the verifier that commands and service share. Nothing is read or compiled before the first
 * check that needs it.
 *
 * @param mode see `EVALUATOR` in {@link ./config.ts}.
 * @param log receives what an operator must see: evaluators that disagree, faults of ours.
 * @throws {RegistryError} see {@link ./registry.ts}.
 */
export function createVerifier(
  mode: "auto" | "official",
  log: (message: string) => void = console.error,
): Verifier {
  const known = registry();
  return {
    references: createReferences({
      own: ownModule,
      official: () => officialModule(OFFICIAL_MODULE_PATH),
      mode,
      ownPin: OWN.sha256,
      officialPin: OFFICIAL.sha256,
      onDisagreement: (details) =>
        log(`EVALUATORS DISAGREE, no result was given: ${JSON.stringify(details)}`),
    }),
    issuers: issuerNames(known),
    revoked: revokedKeys(known),
    onFault: (error) => log(`fault in the verifier: ${whereThrown(error)}`),
  };
}
