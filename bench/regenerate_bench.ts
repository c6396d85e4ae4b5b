/** One regeneration of each cell, seeds in turn; `generators.ts` compares with the reference. */
import { createBudget } from "../lib/suites/budget.ts";
import { regenerate } from "../lib/suites/generate.ts";
import { suites } from "../lib/suites/suites.ts";
import { GenerationError } from "../lib/suites/instance.ts";
import { createVerifyContext } from "../service/verify_context.ts";

const { references } = createVerifyContext("auto");
const budget = createBudget(Infinity);

for (const { version, families } of suites()) {
  for (const [family, tiers] of Object.entries(families)) {
    for (const tier of tiers) {
      let seed = 0;
      Deno.bench(`${version} ${family}:t${tier}`, { group: "regenerate" }, async () => {
        try {
          await regenerate(version, family, tier, seed++ % 200, references, budget);
        } catch (error) {
          // Two in a thousand seeds of gridxf have no instance.
          if (!(error instanceof GenerationError)) throw error;
        }
      });
    }
  }
}
