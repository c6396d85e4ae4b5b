/**
 * Small inputs that once came out wrong, with what they come to. They are signed with a throwaway key;
 * each value follows from the protocols specification (1.2, 4, 14.3, 15 no. 29, 20).
 */
import assert from "node:assert/strict";
import { readInput, unreadReport, verifyInput } from "../../../lib/verify/input.ts";
import type { Report } from "../../../lib/verify/report.ts";
import { exitStatusOf } from "../../../lib/words/exit.ts";
import { statementOf } from "../../../lib/words/statement.ts";
import { createVerifyContext } from "../../../service/verify_context.ts";

const FOLDER = new URL("../../vectors/cases/", import.meta.url);
const verifier = createVerifyContext("auto");

async function reportsOn(name: string): Promise<Report[]> {
  const bytes = await Deno.readFile(new URL(name, FOLDER));
  const read = await readInput(bytes, { bytes: 1_000_000, documents: 100 });
  return read.ok ? await verifyInput(read.input, verifier) : [unreadReport(read)];
}

type Row = [
  name: string,
  exit: number,
  outcomes: (string | null)[],
  code: string | null,
  observed: string[],
];

/*
 * The exit statuses follow from what the command's help says, and from what the files hold. All
 * admissions among them are one and the same: one challenge, no receipt, 0 passed of 1 required. Its
 * signature and sums are right, so it is verified; it failed, so its status is 1, and never 0.
 */
const CASES: Row[] = [
  // Nothing to verify: 3, whatever is asked (protocols spec 20).
  ["empty-array.json", 3, ["invalid"], "documents-empty", []],
  ["empty-bundle.json", 3, ["invalid"], "documents-empty", []],
  // A suite that this version doesn't know is rejected (protocols spec 5.1 no. 10): 2, as help says.
  ["future-suite-receipt.json", 2, ["invalid"], "suite-unknown", []],
  // 129 emojis are 258 units, and 256 are allowed (protocols spec 4): a broken document, 2.
  ["context-129-astral.json", 2, ["invalid"], "challenge-malformed", []],
  // The failed admission, however it is laid out and wrapped (protocols spec 1.2, 12, 14 no. 3): 1.
  ["envelope-type-summary.json", 1, ["verified"], null, []],
  ["envelope-type-summary.control-pretty.json", 1, ["verified"], null, []],
  ["bom.jsonl", 1, ["verified", "verified"], null, ["byte-order-mark"]],
  ["gzip-two-members.jsonl.gz", 1, ["verified", "verified"], null, []],
  ["json-string.json", 1, ["verified"], null, ["unwrapped"]],
  ["wrapper-admissions.json", 1, ["verified"], null, ["unwrapped"]],
  // A verifier's answer and a policy are no receipts: 3.
  ["not-a-document.json", 3, ["invalid"], "document-unrecognised", []],
  ["unsigned-protocol-object.json", 3, ["invalid"], "envelope-malformed", []],
];

for (const [name, exit, outcomes, code, observed] of CASES) {
  Deno.test(`case ${name}`, async () => {
    const reports = await reportsOn(name);
    assert.deepEqual(reports.map(({ outcome }) => outcome), outcomes);
    assert.equal(
      Math.max(...reports.map((report) => exitStatusOf(report, { allowUnsigned: false }))),
      exit,
    );
    for (const report of reports) {
      assert.equal(report.reason?.code ?? null, code);
      for (const one of ["unwrapped", "byte-order-mark"]) {
        assert.equal(report.observations.includes(one), observed.includes(one), one);
      }
    }
  });
}

Deno.test("what is no receipt is told what it looks like", async () => {
  const [policy] = await reportsOn("unsigned-protocol-object.json");
  assert.equal(policy!.looksLike, "a policy");
  assert.match(
    policy!.reason!.message,
    /^this is a policy, unsigned, not a receipt: .*give the receipt/,
  );
  const [output] = await reportsOn("not-a-document.json");
  assert.equal(output!.looksLike, "the output of a verifier");
  assert.match(statementOf(output!).title, / It looks like the output of a verifier\.$/);
  assert.match(statementOf(policy!).title, / It looks like a policy\.$/);
});
