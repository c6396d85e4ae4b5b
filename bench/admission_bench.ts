/**
 * Whole checks of the house samples, and of the real admissions in CONFORMANCE_DIR beside the
 * calibration loop; `admissions.ts` compares those with the reference in its own way.
 */
import { verifyDocument } from "../lib/verify/verify.ts";
import { createVerifyContext } from "../service/verify_context.ts";
import { calibration } from "./calibration.ts";
import failed from "../samples/failed.json" with { type: "json" };
import invalid from "../samples/invalid.json" with { type: "json" };
import unreplayed from "../samples/unreplayed.json" with { type: "json" };
import verified from "../samples/verified.json" with { type: "json" };

const verifier = createVerifyContext("auto");

for (const [name, document] of Object.entries({ verified, failed, unreplayed, invalid })) {
  Deno.bench(`verify the sample "${name}"`, { group: "admission" }, async () => {
    await verifyDocument(document, verifier);
  });
}

const folder = Deno.env.get("CONFORMANCE_DIR");
const ADMISSIONS = "fixtures/real/site/benchmark/admissions-opus5-2026-09-19/admissions";

if (folder !== undefined) {
  Deno.bench("calibration", { group: "real" }, () => void calibration());
  for (const name of ["frontier-001", "v2-001"]) {
    const document = JSON.parse(Deno.readTextFileSync(`${folder}/${ADMISSIONS}/${name}.json`));
    Deno.bench(`verify ${name}`, { group: "real" }, async () => {
      await verifyDocument(document, verifier);
    });
  }
}
