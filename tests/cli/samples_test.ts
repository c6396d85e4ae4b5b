import assert from "node:assert/strict";
import { sampleFile, sampleFiles } from "../../cli/samples.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

const verifier = createVerifyContext("auto");

async function reportOn(name: string) {
  return await verifyDocument(
    JSON.parse(await Deno.readTextFile(sampleFile(`${name}.json`))),
    verifier,
  );
}

Deno.test("the committed samples are what `samples` makes", async () => {
  for (const [file, text] of await sampleFiles(assert.fail)) {
    assert.equal(await Deno.readTextFile(sampleFile(file)), text, `run: deno task samples`);
  }
});

Deno.test("each sample shows what its name says", async () => {
  const verified = await reportOn("verified");
  assert.equal(verified.outcome, "verified");
  assert.equal(verified.verdict, "pass");
  assert.equal(verified.counts?.passed, 4);
  assert.equal(verified.counts?.challenges, 4);

  const unreplayed = await reportOn("unreplayed");
  assert.equal(unreplayed.outcome, "issuer-claimed");
  assert.equal(unreplayed.verdict, "pass");
  assert.equal(unreplayed.counts?.passed, 3);
  assert.equal(unreplayed.counts?.unreplayed, 2);

  const failed = await reportOn("failed");
  assert.equal(failed.outcome, "verified");
  assert.equal(failed.verdict, "fail");
  assert.equal(failed.counts?.passed, 1);
  assert.equal(failed.counts?.challenges, 4);

  const invalid = await reportOn("invalid");
  assert.equal(invalid.outcome, "invalid");
  assert.equal(invalid.reason?.code, "signature-invalid");
  assert.equal(invalid.counts, null);
});
