/**
 * Whatever is sent, checking it ends in its time, and then nothing goes on. The processor time is that
 * of the whole process, so these tests do not run with others in parallel.
 */
import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { createChecker, inLineChecker } from "../../../service/checker.ts";
import { mintAdmission } from "../../../lib/issuer/mint.ts";
import type { Checker } from "../../../lib/verify/checker.ts";
import type { TimeLimits } from "../../../lib/verify/input.ts";
import type { Report } from "../../../lib/verify/report.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";
import { COSTLY, costlyAdmission, costlyReceipt } from "../../support/heavy.ts";
import { linesOf, rowOf } from "../../support/runs.ts";

const { references } = createVerifyContext("auto");
const LIMITS = { bytes: 4 * 1024 * 1024, documents: 100 };

const bytesOf = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

async function withWorker(
  time: TimeLimits,
  run: (checker: Checker, logs: string[]) => Promise<void>,
): Promise<void> {
  const logs: string[] = [];
  const log = (message: string) => void logs.push(message);
  const checker = createChecker({ evaluator: "auto", workers: 1, time, log });
  try {
    await run(checker, logs);
    assert.deepEqual(logs, []);
  } finally {
    await checker.close();
  }
}

async function reportsOf(checker: Checker, value: unknown): Promise<Report[]> {
  const answer = await checker.input(bytesOf(value), { limits: LIMITS });
  assert.ok(answer.ok && answer.form === "reports");
  return answer.checked.map(({ json }) => JSON.parse(json));
}

/** Processor time of this process and all its threads, in milliseconds. */
function processorTime(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}

/** That for a while next to nothing is computed: a worker still at it would take all of the time. */
async function assertIdle(): Promise<void> {
  const WHILE_MS = 400;
  const before = processorTime();
  await new Promise((done) => setTimeout(done, WHILE_MS));
  const spent = processorTime() - before;
  assert.ok(spent < WHILE_MS / 2, `${spent} ms of ${WHILE_MS} were spent`);
}

const assertOverBudget = (report: Report | undefined, what: string) => {
  assert.deepEqual([report?.outcome, report?.reason?.code], [null, "budget-exceeded"], what);
  assert.equal(report?.counts, null);
  assert.equal(report?.verdict, null);
};

Deno.test("over budget, of whatever kind: not finished, and the processor is idle again", async () => {
  const heldOut = await mintAdmission({
    references,
    cells: ["h:algal:t3"],
    answers: Array(16).fill("right"),
    minPass: 1,
  });
  const runs = ([
    ["clankdar-frontier-v1", "cryptarithm", 6, "1101"],
    ["clankdar-frontier-v1", "gridxf", 7, "1 2\n3 4"],
    ["clankdar-suite-v2", "sudoku", 5, "1 2\n3 4"],
  ] as const).map(([suite, family, tier, answer]) => {
    const given = { expected: answer, response: answer };
    const rows = Array.from({ length: 50 }, (_, seed) => rowOf(family, tier, seed, given));
    return linesOf(suite, rows).map((line) => JSON.stringify(line)).join("\n");
  });
  await withWorker({ document: 0.01, input: 60_000 }, async (checker) => {
    for (const puzzle of COSTLY) {
      const name = puzzle.join(" ");
      const [receipt] = await reportsOf(checker, await costlyReceipt(puzzle, references));
      assertOverBudget(receipt, `receipt ${name}`);
      const [admission] = await reportsOf(checker, await costlyAdmission(puzzle, references));
      assertOverBudget(admission, `admission ${name}`);
    }
    const pools = { documents: [heldOut.envelope], pools: [heldOut.pool] };
    assertOverBudget((await reportsOf(checker, pools))[0], "held out");
    for (const run of runs) {
      const [report] = await reportsOf(checker, run);
      assert.equal(report?.kind, "run");
      assertOverBudget(report, "run");
    }
    await assertIdle();
  });
});

Deno.test("a document stops in the middle of its work, not only before it", async () => {
  const [costliest] = COSTLY;
  const admission = await costlyAdmission(costliest!, references);
  await withWorker({ document: 2, input: 60_000 }, async (checker) => {
    // Some 16 times 3 ms.
    assertOverBudget((await reportsOf(checker, admission))[0], "admission");
    await assertIdle();
  });
  await withWorker({ document: 60_000, input: 60_000 }, async (checker) => {
    const [report] = await reportsOf(checker, admission);
    // The placeholder prompt comes out once there is time to generate the puzzle.
    assert.deepEqual([report?.outcome, report?.reason?.inner?.code], [
      "invalid",
      "prompt-mismatch",
    ]);
  });
});

Deno.test("a request has one deadline: what it has no time for says so, each entry by itself", async () => {
  const admission = await costlyAdmission(COSTLY[0]!, references);
  await withWorker({ document: 60_000, input: 30 }, async (checker) => {
    const reports = await reportsOf(checker, Array(100).fill(admission));
    assert.equal(reports.length, 100);
    assertOverBudget(reports.at(-1), "last");
    assert.ok(reports.every(({ outcome }) => outcome === null || outcome === "invalid"));
    await assertIdle();
  });
});

Deno.test("who goes away takes the work along", async () => {
  const admission = await costlyAdmission(COSTLY[0]!, references);
  await withWorker({ document: 60_000, input: 60_000 }, async (checker) => {
    const controller = new AbortController();
    const bytes = bytesOf(Array(100).fill(admission));
    const checking = checker.input(bytes, { limits: LIMITS, signal: controller.signal });
    await checker.documents([{ bytes: bytesOf(admission), pools: [] }], "read");
    controller.abort(new Error("gone"));
    await assert.rejects(checking, /gone/);
    // Its place is free at once, long before a hundred admissions are through.
    await reportsOf(checker, admission);
    await assertIdle();
  });
});

Deno.test("a worker says what is said in line", async () => {
  const verifier = createVerifyContext("auto");
  const inLine = inLineChecker(verifier);
  const minted = await mintAdmission({
    references,
    cells: ["algal:t1", "h:algal:t2"],
    answers: ["right", "wrong", "right", "none"],
    minPass: 2,
  });
  const documents = [minted.envelope, { admission: minted.envelope }, 17, {}, "?"];
  const inputs = [
    minted.envelope,
    documents,
    { documents, pools: [minted.pool] },
    documents.map((document) => JSON.stringify(document)).join("\n"),
  ];
  await withWorker({ document: 60_000, input: 60_000 }, async (checker) => {
    for (const input of inputs) {
      assert.deepEqual(await reportsOf(checker, input), await reportsOf(inLine, input));
      const bytes = bytesOf(input);
      assert.deepEqual(
        await checker.intake(bytes, LIMITS),
        await inLine.intake(bytes, LIMITS),
      );
    }
    const bytes = bytesOf(minted.envelope);
    const stored = [{ bytes, pools: [minted.pool!] }, { bytes, pools: [] }];
    const reports = await checker.documents(stored, "read");
    assert.deepEqual(reports, await inLine.documents(stored, "read"));
    assert.deepEqual(reports.map(({ outcome }) => outcome), ["verified", "issuer-claimed"]);
    for (const broken of ["{", "[".repeat(70)]) {
      const refused = await checker.input(bytesOf(broken), { limits: LIMITS });
      assert.deepEqual(refused, await inLine.input(bytesOf(broken), { limits: LIMITS }));
      assert.equal(refused.ok, false);
    }
  });
  await inLine.close();
});
