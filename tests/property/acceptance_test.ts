/** Acceptance over all kinds of reports: it adds one member and changes none. */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import {
  acceptanceOf,
  readRequirements,
  REQUIREMENTS,
  withAcceptance,
} from "../../lib/trust/acceptance.ts";
import { failureSentence, failureWords } from "../../lib/words/requirements.ts";
import { emptyReport, type Report } from "../../lib/verify/report.ts";
import { registry } from "../../service/trust.ts";

const KEYS = [
  "4_1Qbm1y84b4ZAYJtFt7bhLL1WHv7vPsOXHP0XRUW2g",
  "MMP-mO0IcwK9gE43NeBPeZ7xsFtol0lXYtiQWZcHFf8",
];
const CONTEXTS = ["", "a", "b"];
const SESSIONS = ["gs_thKukn9ya3WK", "gs_000000000000"];
const POLICY = registry().policies[0]!.policy;

const some = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

const report = fc.record({
  kind: fc.constantFrom("receipt", "admission", "dossier", "tlog", "run", "unknown"),
  outcome: fc.constantFrom("verified", "issuer-claimed", "invalid", null),
  verdict: fc.constantFrom("pass", "fail", null),
  answered: fc.option(fc.nat(16), { nil: null }),
  unreplayed: fc.nat(16),
  key: some(KEYS),
  policy: some([POLICY, { ...POLICY, minPass: 1 }]),
  context: some(CONTEXTS),
  sessionId: some(SESSIONS),
  decidedAt: fc.option(
    fc.oneof(
      fc.date({ noInvalidDate: true }).map(String),
      fc.integer({
        min: 0,
        max: 4e12,
      }).map((ms) => new Date(ms).toISOString()),
    ),
    { nil: undefined },
  ),
}).map(({ kind, outcome, verdict, answered, unreplayed, key, ...claims }): Report => ({
  ...emptyReport(kind, null, null),
  outcome,
  verdict,
  counts: answered === null ? null : {
    challenges: 16,
    answered,
    passed: 0,
    required: 1,
    unreplayed: Math.min(answered, unreplayed),
    replayedPasses: 0,
    formatOnly: 0,
  },
  issuer: key === undefined ? null : { publicKey: key, keyId: "0123456789abcdef" },
  ...Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)),
}));

const query = fc.record({
  issuer: fc.subarray([...KEYS, "Clankdar staging", "fbedfce73b678cf9"]),
  policy: fc.subarray(["algal-floor-v1", "0".repeat(64)], { maxLength: 1 }),
  context: fc.subarray(CONTEXTS, { maxLength: 1 }),
  session: fc.subarray(SESSIONS, { maxLength: 1 }),
  replayed: fc.subarray(["all"]),
  maxage: fc.tuple(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom("s", "m", "h", "d", "w"))
    .map(([n, unit]) => [`${n}${unit}`]),
}, { requiredKeys: [] });

Deno.test("acceptance changes no other member, and fails in order or not at all", () => {
  fc.assert(fc.property(report, query, fc.integer({ min: 0, max: 4e12 }), (report, query, now) => {
    const read = readRequirements(query, registry());
    assert.ok(read.ok);
    const { requirements } = read;
    const before = structuredClone(report);
    const { acceptance, ...rest } = withAcceptance(report, requirements, now);
    assert.deepEqual(report, before);
    assert.deepEqual(rest, before);
    if (requirements === null) return assert.equal(acceptance, undefined);
    assert.ok(acceptance !== undefined);
    const { accepted, failed } = acceptance;
    assert.equal(accepted, failed.length === 0);
    assert.deepEqual(failed, REQUIREMENTS.filter((name) => failed.includes(name)));
    if (report.outcome === "invalid" || report.outcome === null) assert.equal(failed[0], "invalid");
    for (const name of failed) {
      assert.ok(failureWords(name, report, requirements).length > 0);
      assert.match(failureSentence(name, report, requirements, now), /^[A-Z0-9].*\.$/);
    }
  }));
});

Deno.test("asking for more never makes a document accepted", () => {
  fc.assert(fc.property(report, query, query, fc.integer({ min: 0, max: 4e12 }), (r, a, b, now) => {
    // Where both ask, the first does: further issuers would widen it.
    const less = readRequirements(a, registry());
    const more = readRequirements({ ...b, ...a }, registry());
    assert.ok(less.ok && more.ok);
    if (less.requirements === null || more.requirements === null) return;
    const first = acceptanceOf(r, less.requirements, now).failed;
    const second = acceptanceOf(r, more.requirements, now).failed;
    assert.deepEqual(first.filter((name) => !second.includes(name)), []);
  }));
});
