/** Work on a stranger's document ends: every generator keeps to a step budget. */
import assert from "node:assert/strict";
import { mintAdmission } from "../../../lib/issuer/mint.ts";
import { BudgetExceeded, createBudget } from "../../../lib/suites/budget.ts";
import { regenerate } from "../../../lib/suites/generate.ts";
import { suites } from "../../../lib/suites/suites.ts";
import { DOCUMENT_STEPS, verifyDocument } from "../../../lib/verify/verify.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

const verifier = createVerifyContext("auto");
const { references } = verifier;

Deno.test("a budget gives out exactly what it has", () => {
  const budget = createBudget(10);
  budget.spend(4);
  budget.spend(6);
  assert.throws(() => budget.spend(1), BudgetExceeded);
  assert.throws(() => budget.spend(1), (error: BudgetExceeded) => error.code === "budget-exceeded");
});

Deno.test("every cell of every suite takes steps, and stops without them", async () => {
  for (const { version, families } of suites()) {
    for (const [family, tiers] of Object.entries(families)) {
      for (const tier of tiers) {
        const name = `${version} ${family}:t${tier}`;
        const none = regenerate(version, family, tier, 1, references, createBudget(0));
        await assert.rejects(none, BudgetExceeded, name);
        // Sixteen of the costliest fit into a document's allowance many times over.
        const share = createBudget(DOCUMENT_STEPS / 16 / 20);
        await regenerate(version, family, tier, 1, references, share);
      }
    }
  }
});

Deno.test("over budget: not finished, which is no outcome", async () => {
  const { envelope } = await mintAdmission({
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "wrong", "right"],
    minPass: 2,
    references,
  });
  const report = await verifyDocument(envelope, { ...verifier, steps: 1 });
  assert.equal(report.outcome, null);
  assert.equal(report.reason?.code, "budget-exceeded");
  assert.equal(report.verdict, null);
  assert.equal(report.counts, null);
  assert.equal((await verifyDocument(envelope, verifier)).outcome, "issuer-claimed");
});

Deno.test("over budget, but a signature is wrong: invalid all the same", async () => {
  const minted = await mintAdmission({
    cells: ["algal:t1"],
    answers: ["right", "right"],
    minPass: 1,
    references,
  });
  const payload = minted.envelope.payload.replace('"passed":2', '"passed":1');
  const report = await verifyDocument({ ...minted.envelope, payload }, { ...verifier, steps: 1 });
  assert.equal(report.outcome, "invalid");
  assert.equal(report.reason?.code, "signature-invalid");
});
