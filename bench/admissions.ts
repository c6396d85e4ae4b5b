/**
 * Whole checks of the real admissions in CONFORMANCE_DIR against the reference costs of
 * baseline/admissions.jsonl, in units of the calibration loop measured in the same run.
 *
 * Run: CONFORMANCE_DIR=… deno task bench:admissions
 */
import type { References } from "../lib/evaluator/reference.ts";
import { verifyDocument } from "../lib/verify/verify.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import { calibration } from "./calibration.ts";

const WARM_UP = 30;
const ROUNDS = 120;
const FILES: Record<string, string> = {
  "demo-receipt": "fixtures/real/site/launch/fixtures/demo-receipt.json",
  "frontier-001":
    "fixtures/real/site/benchmark/admissions-opus5-2026-09-19/admissions/frontier-001.json",
  "v2-001": "fixtures/real/site/benchmark/admissions-opus5-2026-09-19/admissions/v2-001.json",
};

const folder = Deno.env.get("CONFORMANCE_DIR");
if (folder === undefined) throw new Error("set CONFORMANCE_DIR to the folder with the fixtures");

interface Baseline {
  document: string;
  medianInCalibrations: number;
}

const verifier = createVerifyContext("auto");
const apart = { ...verifier, references: remembered(verifier.references) };
calibration();
console.log("| document | median ms | calibrations | without evaluator | reference | ratio |");
console.log("|---|---|---|---|---|---|");
const lines = Deno.readTextFileSync(`${folder}/baseline/admissions.jsonl`).trim().split("\n");
for (const baseline of lines.map((line) => JSON.parse(line) as Baseline)) {
  const document = JSON.parse(
    Deno.readTextFileSync(`${folder}/${FILES[baseline.document]}`),
  );
  const { outcome } = await verifyDocument(document, verifier);
  const whole = await measure(() => verifyDocument(document, verifier));
  const without = await measure(() => verifyDocument(document, apart));
  const reference = baseline.medianInCalibrations;
  console.log(
    `| ${baseline.document} (${outcome}) | ${whole.ms.toFixed(3)} | ${whole.units.toFixed(4)} | ` +
      `${without.units.toFixed(4)} | ${reference} | ${(without.units / reference).toFixed(2)} |`,
  );
}

async function measure(check: () => Promise<unknown>): Promise<{ ms: number; units: number }> {
  for (let i = 0; i < WARM_UP; i++) await check();
  const times: number[] = [];
  const units: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    if (i % 10 === 0) units.push(calibration());
    const start = performance.now();
    await check();
    times.push(performance.now() - start);
  }
  return { ms: median(times), units: median(times) / median(units) };
}

/** Answers each program once from the evaluator and then from memory: the check without its work. */
function remembered(references: References): References {
  const known = new Map<string, ReturnType<References["evaluate"]>>();
  return {
    use: references.use,
    evaluate(pinned, program, env, fuel) {
      const key = JSON.stringify([pinned, program, env, fuel]);
      const response = known.get(key) ?? references.evaluate(pinned, program, env, fuel);
      known.set(key, response);
      return response;
    },
  };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}
