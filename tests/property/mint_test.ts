import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { createKey } from "../../lib/issuer/keys.ts";
import { type AnswerKind, mintAdmission, mintReceipt } from "../../lib/issuer/mint.ts";
import { createPool } from "../../lib/issuer/pool.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

const verifier = createVerifyContext("auto");
const { references } = verifier;
const NOW = Date.UTC(2026, 5, 6);

const cell = fc.constantFrom(
  ...["algal:t1", "algal:t2", "algal:t3"].flatMap((id) => [id, `h:${id}`]),
);
const kind = fc.constantFrom<AnswerKind>("right", "wrong", "format", "none");
const claim = fc.string({ unit: "binary", minLength: 1, maxLength: 128 });
const disclosure = fc.constantFrom("none", "wrong", "right", "both");

const admission = fc.record({
  text: fc.string(),
  challenges: fc.array(fc.record({ cell, kind }), { minLength: 1, maxLength: 16 }),
  minPassShare: fc.nat(15),
  subject: fc.option(claim, { nil: undefined }),
  context: fc.option(claim, { nil: undefined }),
  bound: fc.boolean(),
  disclosure,
});

Deno.test("every admission that can be minted verifies to what went into it", async () => {
  await fc.assert(
    fc.asyncProperty(admission, async ({ text, challenges, minPassShare, ...rest }) => {
      const random = seededRandom(text);
      const cells = challenges.map(({ cell }) => cell);
      const answers = challenges.map(({ kind }) => kind);
      const minPass = 1 + minPassShare % challenges.length;
      const subjectKey = rest.bound ? createKey(random) : undefined;
      const { subject, context } = rest;
      const minted = await mintAdmission({
        cells,
        answers,
        minPass,
        subject,
        context,
        subjectKey,
        now: NOW,
        random,
        references,
      });
      const pools = poolsFor(rest.disclosure, minted.pool);
      const report = await verifyDocument(minted.envelope, verifier, pools);

      const disclosed = pools.some(({ poolKey }) => poolKey === minted.pool?.poolKey);
      const rows = challenges.map(({ cell, kind }) => ({
        answered: kind === "right" || kind === "wrong",
        pass: kind === "right",
        replayed: disclosed || !cell.startsWith("h:"),
      }));
      const count = (holds: (row: typeof rows[number]) => boolean) => rows.filter(holds).length;
      const unreplayed = count((row) => row.answered && !row.replayed);
      const passed = count((row) => row.pass);
      assert.equal(report.reason, null);
      assert.equal(report.outcome, unreplayed > 0 ? "issuer-claimed" : "verified");
      assert.equal(report.verdict, passed >= minPass ? "pass" : "fail");
      assert.deepEqual(report.counts, {
        challenges: rows.length,
        answered: count((row) => row.answered),
        passed,
        required: minPass,
        unreplayed,
        replayedPasses: count((row) => row.pass && row.replayed),
        formatOnly: 0,
      });
      assert.equal(report.subject, subject);
      assert.equal(report.context, context);
      assert.equal(
        report.subjectKey,
        report.counts!.answered > 0 ? subjectKey?.publicKey.text : undefined,
      );
      assert.deepEqual(
        report.receipts.map(({ outcome }) => outcome),
        rows.map((row) =>
          !row.answered ? "unanswered" : row.replayed ? "verified" : "issuer-claimed"
        ),
      );
      assert.deepEqual(report.receipts.map((receipt) => receipt.cell), cells);
    }),
    { numRuns: 150 },
  );
});

const receipt = fc.record({
  text: fc.string(),
  cell,
  answer: fc.constantFrom("right" as const, "wrong" as const),
  disclosure,
});

Deno.test("every lone receipt that can be minted verifies to what went into it", async () => {
  await fc.assert(
    fc.asyncProperty(receipt, async ({ text, cell, answer, ...rest }) => {
      const minted = await mintReceipt({
        cell,
        answer,
        now: NOW,
        random: seededRandom(text),
        references,
      });
      const pools = poolsFor(rest.disclosure, minted.pool);
      const report = await verifyDocument(minted.envelope, verifier, pools);
      const disclosed = pools.some(({ poolKey }) => poolKey === minted.pool?.poolKey);
      const replayed = disclosed || !cell.startsWith("h:");
      assert.equal(report.outcome, replayed ? "verified" : "issuer-claimed");
      assert.equal(report.counts?.unreplayed, replayed ? 0 : 1);
      assert.equal(report.verdict, answer === "right" ? "pass" : "fail");
    }),
    { numRuns: 100 },
  );
});

/** `wrong`: a pool of the same cells, but not the one that the document names. */
function poolsFor(disclosure: string, pool: ReturnType<typeof createPool> | undefined) {
  const other = createPool("touchstone", ["algal:t1", "algal:t2", "algal:t3"]);
  const pools = disclosure === "right" || disclosure === "both" ? [pool] : [];
  if (disclosure === "wrong" || disclosure === "both") pools.unshift(other);
  return pools.filter((pool) => pool !== undefined);
}
