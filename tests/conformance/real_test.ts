/** Real signed documents: what protocols spec 17, says of each. */
import assert from "node:assert/strict";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { conformanceDir, conformanceTest } from "./vectors.ts";

const LAUNCH = "fixtures/real/site/launch/fixtures";
const ARCHIVE = "fixtures/real/site/benchmark/admissions-opus5-2026-09-19/admissions";

const verifier = createVerifyContext("auto");

conformanceTest("the demo receipt is verified: pass, 4 of 4, nothing unreplayed", async () => {
  const report = await verifyDocument(readJson(`${LAUNCH}/demo-receipt.json`), verifier);
  const published = readJson(`${LAUNCH}/demo-verification.json`) as {
    sha256: string;
    issuerPublicKey: string;
  };
  assert.equal(report.outcome, "verified");
  assert.equal(report.verdict, "pass");
  assert.equal(report.id, published.sha256);
  assert.equal(report.issuer?.publicKey, published.issuerPublicKey);
  const { challenges, answered, passed, required, unreplayed, replayedPasses } = report.counts!;
  assert.deepEqual([challenges, answered, passed, required, unreplayed, replayedPasses], [
    4,
    4,
    4,
    3,
    0,
    4,
  ]);
  assert.ok(report.checks.every(({ status, check }) => status === "ok" || check === "pool"));
});

conformanceTest("the tampered receipt is invalid, and nothing of it is repeated", async () => {
  const report = await verifyDocument(readJson(`${LAUNCH}/tampered-receipt.json`), verifier);
  assert.equal(report.outcome, "invalid");
  assert.equal(report.reason?.code, "signature-invalid");
  assert.equal(report.verdict, null);
  assert.equal(report.counts, null);
  assert.equal(report.issuer, null);
  assert.deepEqual(report.receipts, []);
});

for (
  const [file, suite, answered] of [
    ["frontier-001.json", "clankdar-frontier-v1", 5],
    ["v2-001.json", "clankdar-suite-v2", 7],
  ] as const
) {
  conformanceTest(`${file}: every receipt`, async () => {
    const report = await verifyDocument(readJson(`${ARCHIVE}/${file}`), verifier);
    assert.equal(report.outcome, "verified");
    assert.equal(report.verdict, "pass");
    assert.equal(report.suite, suite);
    assert.equal(report.counts?.answered, answered);
    assert.equal(report.counts?.passed, answered);
    assert.equal(report.counts?.unreplayed, 0);
  });
}

function readJson(path: string): unknown {
  return JSON.parse(Deno.readTextFileSync(`${conformanceDir}/${path}`));
}
