/** A small subset of the language's vectors, which runs without the conformance folder. */
import assert from "node:assert/strict";
import golden from "../vectors/algal.json" with { type: "json" };
import { rawEvaluator } from "./evaluator_raw.ts";

Deno.test("golden requests have their exact responses", async () => {
  const evaluator = await rawEvaluator();
  for (const { export: name, request, response } of golden) {
    if (name !== "algal_eval" && name !== "algal_check") throw new Error(`no export ${name}`);
    assert.equal(evaluator.call(name, request), response, request);
  }
  assert.ok(golden.length > 150);
});
