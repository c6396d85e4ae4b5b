/** Every row of vectors/protocol/{receipts,admissions,pools}.jsonl: outcome, code, counts. */
import assert from "node:assert/strict";
import { checkAdmission } from "../../lib/protocol/admission.ts";
import { isMixZero, type Pool, readPool } from "../../lib/protocol/pool.ts";
import type { Reason } from "../../lib/protocol/reason.ts";
import { checkReceipt } from "../../lib/protocol/receipt.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { DOCUMENT_STEPS, verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { conformanceTest, readJsonLines } from "./vectors.ts";

interface Expectation {
  outcome: "verified" | "issuer-claimed" | "invalid";
  code: string | null;
  inner?: string;
  verdict?: "pass" | "fail";
  passed?: number;
  unreplayed?: number;
}

interface Row {
  name: string;
  doc: unknown;
  pools?: unknown[];
  expect: Expectation;
}

const verifier = createVerifyContext("auto");

for (const kind of ["receipt", "admission"] as const) {
  const file = `vectors/protocol/${kind}s.jsonl`;
  conformanceTest(`${file}: outcome and reason of every row`, async () => {
    for (const row of readJsonLines<Row>(file)) {
      const pools = (row.pools ?? []).map(poolOf);
      const context = {
        pools: new Map(pools.map((pool) => [pool.poolKey, pool])),
        references: verifier.references,
        budget: createBudget(DOCUMENT_STEPS),
      };
      const check = kind === "receipt" ? checkReceipt : checkAdmission;
      const result = await check(row.doc, context);
      const report = await verifyDocument(row.doc, verifier, pools);
      assert.equal(result.outcome, row.expect.outcome, row.name);
      if (row.expect.outcome === "invalid") {
        assert.equal(result.reason?.code, row.expect.code, row.name);
        assert.equal(result.reason?.inner?.code, row.expect.inner, row.name);
      }
      if (!isEnvelope(row.doc)) continue;
      assert.equal(report.outcome, result.outcome, row.name);
      assert.equal(
        report.reason?.code ?? null,
        row.expect.outcome === "invalid" ? row.expect.code : null,
      );
      if (row.expect.verdict !== undefined) assert.equal(report.verdict, row.expect.verdict);
      if (row.expect.passed !== undefined) assert.equal(report.counts?.passed, row.expect.passed);
      if (row.expect.unreplayed !== undefined) {
        assert.equal(report.counts?.unreplayed, row.expect.unreplayed, row.name);
      }
      assertPathLeadsSomewhere(report.reason);
    }
  });
}

conformanceTest("vectors/protocol/pools.jsonl: every row", () => {
  type PoolRow = {
    name: string;
    doc: unknown;
    expect: { ok: boolean; code: string | null; poolKey?: string; observations?: string[] };
  };
  for (const { name, doc, expect } of readJsonLines<PoolRow>("vectors/protocol/pools.jsonl")) {
    const read = readPool(doc);
    assert.equal(read.ok, expect.ok, name);
    if (!read.ok) assert.equal(read.reason.code, expect.code, name);
    if (read.ok && expect.poolKey) assert.equal(read.pool.poolKey, expect.poolKey, name);
    if (read.ok) {
      const observed = read.pool.cells.some(isMixZero) ? ["label-mix-zero"] : [];
      assert.deepEqual(observed, expect.observations ?? [], name);
    }
  }
});

function poolOf(value: unknown): Pool {
  const read = readPool(value);
  assert.ok(read.ok, "a vector's pool is sound");
  return read.pool;
}

function isEnvelope(doc: unknown): boolean {
  return typeof doc === "object" && doc !== null && "protocol" in doc &&
    ["clankdar-attest-v1", "clankdar-gate-v1"].includes(String(doc.protocol));
}

function assertPathLeadsSomewhere(reason: Reason | null): void {
  for (let at = reason; at; at = at.inner ?? null) {
    assert.ok(at.message.length > 0);
    assert.match(at.path, /^([A-Za-z]+(\[\d+\])*(\.[A-Za-z]+(\[\d+\])*)*)?$/);
  }
}
