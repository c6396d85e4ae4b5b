/** The lines of fixtures/valhalla/index.json that speak of receipts, admissions, pools and policies. */
import assert from "node:assert/strict";
import { checkSubjectProof, readSubjectProof } from "../../lib/protocol/subject.ts";
import { checkPolicyPool, readPolicy } from "../../lib/protocol/policy.ts";
import { type Pool, readPool } from "../../lib/protocol/pool.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { conformanceDir, conformanceTest } from "./vectors.ts";

interface Line {
  file: string;
  at?: string;
  kind: string;
  pool?: string;
  expect: {
    ok: boolean | null;
    code?: string;
    inner?: string;
    verdict?: boolean;
    passed?: number;
    unreplayed?: number;
    replayable?: boolean;
    poolKey?: string;
  };
  publicCheckers?: unknown;
}

const verifier = createVerifyContext("auto");

conformanceTest("fixtures/valhalla: receipts and admissions give what the index says", async () => {
  for (const line of lines("index.json", ["receipt", "admission"])) {
    const name = `${line.file}${line.at ?? ""} ${line.pool ?? ""}`;
    const read = line.pool === undefined ? null : readPool(artifact({ file: line.pool }));
    if (read?.ok === false) {
      assert.equal(line.expect.ok, false, `${name}: its pool is refused`);
      continue;
    }
    const report = await verifyDocument(artifact(line), verifier, read ? [read.pool] : []);
    assert.equal(report.outcome !== "invalid", line.expect.ok, `${name} ${report.reason?.code}`);
    if (line.expect.code) assert.equal(report.reason?.code, line.expect.code, name);
    if (line.expect.inner) assert.equal(report.reason?.inner?.code, line.expect.inner, name);
    if (!line.expect.ok) continue;
    assert.equal(report.verdict === "pass", line.expect.verdict, name);
    if (line.kind === "admission") assert.equal(report.counts?.passed, line.expect.passed, name);
    const unreplayed = line.expect.unreplayed ?? (line.expect.replayable === false ? 1 : 0);
    assert.equal(report.counts?.unreplayed, unreplayed, name);
    assert.equal(report.outcome, unreplayed > 0 ? "issuer-claimed" : "verified", name);
  }
});

conformanceTest(
  "fixtures/valhalla: what the public checkers disagree on is never verified loosely",
  async () => {
    for (const line of lines("divergent.json", ["receipt", "admission"])) {
      const pools = line.pool === undefined ? [] : [poolOf({ file: line.pool })];
      const report = await verifyDocument(artifact(line), verifier, pools);
      assert.equal(report.outcome, "invalid", `${line.file}${line.at}`);
    }
  },
);

conformanceTest("fixtures/valhalla: pools", () => {
  for (const line of lines("index.json", ["pool"])) {
    const name = `${line.file}${line.at ?? ""}`;
    const read = readPool(artifact(line));
    assert.equal(read.ok, line.expect.ok, name);
    if (read.ok) assert.equal(read.pool.poolKey, line.expect.poolKey, name);
    else if (line.expect.code) assert.equal(read.reason.code, line.expect.code, name);
  }
});

conformanceTest("fixtures/valhalla: policies", () => {
  for (const line of lines("index.json", ["policy"])) {
    const name = `${line.file}${line.at ?? ""}`;
    const read = readPolicy(artifact(line));
    let reason = read.ok ? null : read.reason;
    if (read.ok && line.pool !== undefined) {
      reason = checkPolicyPool(read.policy, poolOf({ file: line.pool }));
    }
    assert.equal(reason === null, line.expect.ok, name);
    if (line.expect.code) assert.equal(reason?.code, line.expect.code, name);
  }
});

conformanceTest("fixtures/valhalla: subject proofs", async () => {
  for (const line of lines("index.json", ["subject-proof"])) {
    const { challenge, proof } = artifact(line) as { challenge: Challenge; proof: unknown };
    const read = readSubjectProof(proof, "");
    const reason = "code" in read ? read : await checkSubjectProof(read, challenge, "");
    assert.equal(reason === null, line.expect.ok, line.at);
    if (line.expect.code) assert.equal(reason?.code, line.expect.code, line.at);
  }
});

type Challenge = { sessionId?: string; challengeId: string; nonce: string };

function lines(index: string, kinds: string[]): Line[] {
  const found = (readJson(index) as Line[]).filter((line) => kinds.includes(line.kind));
  assert.ok(found.length > 0);
  return found;
}

function poolOf(line: { file: string }): Pool {
  const read = readPool(artifact(line));
  assert.ok(read.ok);
  return read.pool;
}

/** The artifact of a line: the file, or what its JSON pointer leads to. */
function artifact({ file, at }: { file: string; at?: string }): unknown {
  return (at ?? "").split("/").slice(1).reduce<unknown>(
    (value, key) => (value as Record<string, unknown>)[key],
    readJson(file),
  );
}

function readJson(file: string): unknown {
  return JSON.parse(Deno.readTextFileSync(`${conformanceDir}/fixtures/valhalla/${file}`));
}
