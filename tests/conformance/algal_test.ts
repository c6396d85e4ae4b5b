/** Every row of tests/vectors/algal-expr.jsonl and algal-raw.jsonl (algal-expr spec 15). */
import assert from "node:assert/strict";
import { loadEvaluator } from "../../lib/evaluator/module.ts";
import { rawEvaluator } from "../support/evaluator_raw.ts";
import { ownModule } from "../../wasm/load.ts";
import { OWN } from "../../wasm/pins.ts";
import { readVectors } from "./vectors.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Row {
  op: "eval" | "check";
  program: Json;
  env?: Json;
  fuel?: Json;
  names?: string[];
  response: string;
  tags?: string[];
}

interface RawRow {
  export: "algal_eval" | "algal_check";
  requestText?: string;
  requestHex?: string;
  response: string | null;
}

const readRows = () => readVectors<Row>("algal-expr.jsonl");

Deno.test("algal.expr.v1: every program has its exact response and fuel", async () => {
  const evaluator = await rawEvaluator();
  const rows = readRows();
  for (const { op, program, env, fuel, names, response } of rows) {
    const request = JSON.stringify(op === "eval" ? { program, env, fuel } : { program, names });
    assert.equal(evaluator.call(`algal_${op}`, request), response, request.slice(0, 400));
  }
  assert.equal(rows.length, 2800);
  assert.ok(evaluator.held() < 16_777_216);
});

Deno.test("algal.expr.v1: every raw request has its exact response", async () => {
  const evaluator = await rawEvaluator();
  const rows = readVectors<RawRow>("algal-raw.jsonl");
  for (const { export: name, requestText, requestHex = "", response } of rows) {
    const request = requestText ?? Uint8Array.fromHex(requestHex);
    assert.equal(evaluator.call(name, request), response, requestText ?? requestHex);
  }
  assert.equal(rows.length, 233);
});

Deno.test("the host gives the vectors' values, errors and fuel", async () => {
  const evaluator = await loadEvaluator(await ownModule(), OWN.sha256);
  let compared = 0;
  for (const { op, program, env, fuel, names, response, tags = [] } of readRows()) {
    if (tags.includes("overHost")) continue;
    if (op === "check" && names !== undefined) {
      assert.deepEqual(evaluator.check(program, names), JSON.parse(response));
      compared++;
    }
    if (op === "eval" && isInputs(env) && isHostFuel(fuel) && response.length <= 65_000) {
      assert.deepEqual(evaluator.evaluate(program, env ?? {}, fuel), JSON.parse(response));
      compared++;
    }
  }
  assert.ok(compared > 2000, `${compared} rows`);
});

/** An absent env means no inputs; what else is no map can't be passed to the host. */
function isInputs(env: Json | undefined): env is { [name: string]: Json } | undefined {
  return env === undefined || (typeof env === "object" && env !== null && !Array.isArray(env));
}

function isHostFuel(fuel: Json | undefined): fuel is number | undefined {
  return fuel === undefined ||
    (typeof fuel === "number" && Number.isInteger(fuel) && fuel >= 0 && fuel <= 10_000);
}
