/**
 * What checks need from outside, put together: evaluator modules from disk, known issuers, and what
 * is accepted.
 */
import { createReferences } from "../lib/evaluator/reference.ts";
import { whereThrown } from "../lib/verify/fault.ts";
import { type Asked, withAcceptance } from "../lib/trust/acceptance.ts";
import type { VerifyContext } from "../lib/verify/context.ts";
import { type Job, type JobContext, work } from "../lib/verify/jobs.ts";
import type { Handler } from "../lib/workers/serve.ts";
import { issuerNames, revokedKeys } from "../lib/trust/registry.ts";
import { registry } from "./trust.ts";
import { officialModule, ownModule } from "../wasm/load.ts";
import { OFFICIAL, OWN } from "../wasm/pins.ts";

/** Where `evaluator:install` puts the official module and the service looks for it. */
export const OFFICIAL_MODULE_PATH = "data/evaluator/official.wasm";

/**
 * Makes the context of all checks of commands and service. Nothing is read or compiled before the first
 * check that needs it.
 *
 * @param mode see `EVALUATOR` in {@link ./config.ts}.
 * @param log receives what an operator must see: evaluators that disagree, faults of ours.
 * @throws {RegistryError} see {@link ./trust.ts}.
 */
export function createVerifyContext(
  mode: "auto" | "official",
  log: (message: string) => void = console.error,
): VerifyContext {
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

/** Does the jobs of a worker, or in line: verification, and behind it what the asker accepts. */
export function jobHandler(context: VerifyContext): Handler {
  const whole: JobContext = {
    ...context,
    accept: (report, asked) => {
      const { requirements, now } = asked as Asked;
      return withAcceptance(report, requirements, now);
    },
  };
  return (job, client) => work(job as Job, whole, client);
}
