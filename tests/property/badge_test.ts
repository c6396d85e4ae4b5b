import assert from "node:assert/strict";
import fc from "fast-check";
import { badgeOf, badgeText, messageText } from "../../lib/badge/model.ts";
import { PALETTE } from "../../lib/badge/palette.ts";
import { shieldsOf } from "../../lib/badge/shields.ts";
import { renderSvg } from "../../lib/badge/svg.tsx";
import type { Report } from "../../lib/verify/report.ts";

const count = fc.nat({ max: 20_000 });
const code = fc.constantFrom(
  "receipt-invalid",
  "prompt-mismatch",
  "budget-exceeded",
  "evaluator-missing",
);
const reason = fc.record({
  code,
  message: fc.string(),
  path: fc.string(),
  inner: fc.option(fc.record({ code, message: fc.string(), path: fc.string() }), {
    nil: undefined,
  }),
}).map(({ inner, ...outer }) => inner === undefined ? outer : { ...outer, inner });

/** Any report the type allows, also ones that contradict themselves. */
const reports: fc.Arbitrary<Report> = fc.record({
  id: fc.constant(null),
  kind: fc.constantFrom("receipt", "admission", "dossier", "tlog", "run", "unknown"),
  outcome: fc.constantFrom("verified", "issuer-claimed", "invalid", null),
  verdict: fc.constantFrom("pass", "fail", null),
  counts: fc.option(fc.record({
    challenges: count,
    answered: count,
    passed: count,
    required: count,
    unreplayed: fc.oneof(fc.constant(0), count),
    replayedPasses: count,
    formatOnly: count,
  })),
  reason: fc.option(reason),
  observations: fc.subarray(["exposed", "unsigned", "pass-rests-on-issuer", "issuer-unknown"]),
  issuer: fc.constant(null),
  suite: fc.constantFrom("clankdar-algal-v1", "clankdar-agent-v1", "touchstone-algal-v1", null),
  pools: fc.constant([]),
  evaluator: fc.constant(null),
  checks: fc.constant([]),
  receipts: fc.constant([]),
});

Deno.test("badge property: nothing unreplayed looks replayed, and its number is in sight", async () => {
  await fc.assert(
    fc.asyncProperty(reports, async (report) => {
      const badge = badgeOf(report);
      const shields = shieldsOf(badge);
      const svg = await renderSvg(badge);
      const name = /^<svg[^>]* aria-label="([^"]*)"/.exec(svg)?.[1] ?? "";
      const title = /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? "";
      const unreplayed = report.counts?.unreplayed ?? 0;

      assert.equal(name, badgeText(badge));
      assert.equal(shields.message, messageText(badge));
      if (unreplayed > 0) {
        assert.equal(badge.message.at(-1), `${unreplayed} unreplayed`);
        assert.match(shields.message, new RegExp(`(^| )${unreplayed} unreplayed$`));
        assert.match(name, new RegExp(` ${unreplayed} unreplayed$`));
        assert.match(title, new RegExp(` ${unreplayed} receipts? unreplayed`));
        assert.doesNotMatch(badge.title, /\breplayed\b/);
      } else {
        assert.doesNotMatch(`${shields.message} ${badge.title}`, /unreplayed/);
      }

      const replayed = report.outcome === "verified" && unreplayed === 0;
      if (!replayed) {
        assert.ok(badge.tone !== "pass" && badge.tone !== "fail");
        for (const tone of ["pass", "fail"] as const) {
          assert.notEqual(shields.color, PALETTE[tone].ground);
          assert.ok(!svg.includes(PALETTE[tone].ground) && !svg.includes(PALETTE[tone].mark));
        }
      }
      if (badge.tone === "pass") assert.ok(replayed && report.verdict === "pass");
      if (report.outcome === "invalid") assert.equal(badge.message[0], "invalid");
      if (report.suite === "touchstone-algal-v1") assert.doesNotMatch(name, /clankdar/i);
      assert.equal(badge.transient, report.outcome === null);
      assert.match(badge.title, /^[A-Z].*\.$/);
    }),
    { numRuns: 300 },
  );
});
