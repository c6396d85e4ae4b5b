/** Whole checks of the house samples; the real admissions are in `admissions.ts`. */
import { verifyDocument } from "../lib/verify/verify.ts";
import { createVerifier } from "../verifier.ts";
import failed from "../samples/failed.json" with { type: "json" };
import invalid from "../samples/invalid.json" with { type: "json" };
import unreplayed from "../samples/unreplayed.json" with { type: "json" };
import verified from "../samples/verified.json" with { type: "json" };

const verifier = createVerifier("auto");

for (const [name, document] of Object.entries({ verified, failed, unreplayed, invalid })) {
  Deno.bench(`verify the sample "${name}"`, { group: "admission" }, async () => {
    await verifyDocument(document, verifier);
  });
}
