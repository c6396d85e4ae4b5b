/**
 * Documents in random nestings of wrappers: each is reported as it is by itself, none twice and none
 * hidden, whatever unsigned members stand around them. Source: protocols spec 1.2, 12, 20.
 */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { mintAdmission, mintReceipt } from "../../lib/issuer/mint.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import type { Envelope } from "../../lib/protocol/envelope.ts";
import { readInput, verifyInput } from "../../lib/verify/input.ts";
import type { Report } from "../../lib/verify/report.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

const verifier = createVerifyContext("auto", assert.fail);
const { references } = verifier;
const utf8 = new TextEncoder();

const receipt = await mintReceipt({
  cell: "algal:t1",
  answer: "right",
  references,
  random: seededRandom("unwrap: receipt"),
});
const admission = await mintAdmission({
  cells: ["algal:t1"],
  answers: ["right", "wrong"],
  minPass: 1,
  references,
  random: seededRandom("unwrap: admission"),
});
const tampered = {
  ...receipt.envelope,
  payload: receipt.envelope.payload.replace('"pass":true', '"pass":false'),
};

/** Sound ones, a tampered one, one of another protocol, some that are hardly any, and a log. */
const DOCUMENTS: readonly Record<string, unknown>[] = [
  { ...receipt.envelope },
  { ...admission.envelope },
  tampered,
  { ...admission.envelope, protocol: "clankdar-gate-v2" },
  { protocol: "clankdar-attest-v1", payload: "{}", signature: "AA" },
  { protocol: "clankdar-gate-v1", payload: '{"receipts":[{"a":1}]}' },
  { payload: "{}", signature: "BB" },
  { head: { count: 0 }, entries: [] },
];

const ALONE: Report[] = [];
for (const document of DOCUMENTS) ALONE.push(await verifyDocument(document, verifier));

/** Members that nobody signed, and that are no document. */
const noise: fc.Arbitrary<unknown> = fc.oneof(
  fc.string(),
  fc.constantFrom("payload", '{"payload":1}', "[", '"entries"', "eyJ", "W10=", "run", "summary"),
  fc.integer(),
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom<unknown>({}, [], [[]], { payload: 1 }, { signature: "x" }, { verdict: "pass" }, {
    protocol: "clankdar-attest-v1",
    kind: "challenge",
  }, { protocol: "clankdar-gate-v1", policy: {} }),
);

/** Names around documents; each of these means something somewhere. */
const outerName = fc.constantFrom(
  ...["receipt", "receipts", "admission", "badge", "badges", "check", "result", "data", "id"],
  ...["ok", "verdict", "type", "kind", "outcome", "content", "files", "__proto__", "session"],
);

/** Where a document stands: a place of its own, a list, a text of it, or a member further down. */
type Tree =
  | { at: "document"; index: number }
  | { at: "noise"; value: unknown }
  | { at: "list"; items: Tree[] }
  | { at: "text"; base64: boolean; inside: Tree }
  | { at: "object"; members: [string, Tree][] };

const leaf: fc.Arbitrary<Tree> = fc.oneof(
  fc.nat(DOCUMENTS.length - 1).map((index): Tree => ({ at: "document", index })),
  noise.map((value): Tree => ({ at: "noise", value })),
);
const listOf = (item: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.array(item, { maxLength: 3 }).map((items) => ({ at: "list", items }));
const asText = (inside: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.record({ at: fc.constant("text" as const), base64: fc.boolean(), inside });

/** A member at `levels` above the deepest: a document, a list of some, or the text of either. */
function memberAt(levels: number): fc.Arbitrary<Tree> {
  const object = levels > 0 ? [wrapperAt(levels)] : [];
  const item = fc.oneof(leaf, ...object);
  return fc.oneof(item, listOf(item), asText(item), asText(listOf(item)), listOf(asText(item)));
}

function wrapperAt(levels: number): fc.Arbitrary<Tree> {
  const member = fc.tuple(outerName, memberAt(levels - 1));
  return fc.array(member, { maxLength: 4 }).map((members) => ({ at: "object", members }));
}

function valueOf(tree: Tree): unknown {
  switch (tree.at) {
    case "document":
      return DOCUMENTS[tree.index];
    case "noise":
      return tree.value;
    case "list":
      return tree.items.map(valueOf);
    case "object":
      return JSON.parse(
        `{${tree.members.map(([n, t]) => `${JSON.stringify(n)}:${JSON.stringify(valueOf(t))}`)}}`,
      );
    case "text": {
      const text = JSON.stringify(valueOf(tree.inside));
      return tree.base64 ? utf8.encode(text).toBase64() : text;
    }
  }
}

/** Which documents a tree holds; of members of one name the last one counts (protocols spec 14 no. 2). */
function placed(tree: Tree): Set<number> {
  switch (tree.at) {
    case "document":
      return new Set([tree.index]);
    case "noise":
      return new Set();
    case "text":
      return placed(tree.inside);
    case "list":
      return new Set(tree.items.flatMap((item) => [...placed(item)]));
    case "object":
      return new Set(
        [...new Map(tree.members)].flatMap(([name, member]) =>
          name === "__proto__" ? [] : [...placed(member)]
        ),
      );
  }
}

async function reportsOn(text: string): Promise<Report[] | string> {
  const read = await readInput(utf8.encode(text), { bytes: 1_000_000, documents: 1000 });
  return read.ok ? await verifyInput(read.input, verifier) : read.reason.code;
}

/** Reports without what an input adds to them, in an order of their own. */
function comparable(reports: readonly Report[]): string[] {
  return reports.map((report) => {
    const observations = report.observations.filter((one) => one !== "unwrapped");
    return JSON.stringify({ ...report, observations });
  }).sort();
}

Deno.test("every document in a wrapper is reported as by itself, none twice and none hidden", async () => {
  await fc.assert(
    fc.asyncProperty(wrapperAt(3), fc.boolean(), async (tree, pretty) => {
      const wanted = [...placed(tree)].map((index) => ALONE[index]!);
      const reports = await reportsOn(JSON.stringify(valueOf(tree), null, pretty ? 2 : 0));
      if (wanted.length === 0) {
        assert.ok(Array.isArray(reports));
        assert.deepEqual(reports.map(({ outcome, kind }) => [outcome, kind]), [[
          "invalid",
          "unknown",
        ]]);
        return;
      }
      assert.ok(Array.isArray(reports), `${reports}`);
      assert.deepEqual(comparable(reports), comparable(wanted));
      for (const { observations } of reports) {
        assert.equal(observations.filter((one) => one === "unwrapped").length, 1);
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("members beside an envelope's own never change its report, nor does the layout", async () => {
  const others = fc.dictionary(outerName, fc.oneof(noise, fc.constantFrom(...DOCUMENTS)), {
    maxKeys: 5,
  });
  const own = fc.nat(4);
  await fc.assert(
    fc.asyncProperty(
      own,
      others,
      fc.boolean(),
      fc.boolean(),
      async (index, more, first, pretty) => {
        const document = DOCUMENTS[index]!;
        const around = first ? { ...more, ...document } : { ...document, ...more };
        const reports = await reportsOn(JSON.stringify(around, null, pretty ? 2 : 0));
        assert.ok(Array.isArray(reports));
        assert.deepEqual(reports, [ALONE[index]]);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("lines of documents are reported one by one, whatever their types say", async () => {
  const type = fc.constantFrom("run", "summary", "result", "session", undefined);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(4), type), { minLength: 1, maxLength: 6 }),
      fc.constantFrom("\n", "\r\n", "\n\n", "\n\ufeff"),
      async (lines, feed) => {
        const text = lines.map(([index, type]) => JSON.stringify({ ...DOCUMENTS[index], type }));
        const reports = await reportsOn(text.join(feed));
        assert.ok(Array.isArray(reports));
        const noted = (report: Report): Report => ({
          ...report,
          observations: report.observations.filter((one) => one !== "byte-order-mark"),
        });
        assert.deepEqual(reports.map(noted), lines.map(([index]) => ALONE[index]));
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("receipts beside the admission that holds them are its copies, at whatever place", async () => {
  const held: Envelope[] = JSON.parse(admission.envelope.payload).receipts;
  const [alone] = [ALONE[1]!];
  for (
    const wrapper of [
      { admission: admission.envelope, receipts: held },
      { receipts: held, data: { check: { admission: admission.envelope } } },
      { texts: held.map((one) => JSON.stringify(one)), badge: JSON.stringify(admission.envelope) },
      { admissions: [admission.envelope, admission.envelope], receipt: { ...held[0], note: 1 } },
    ]
  ) {
    const reports = await reportsOn(JSON.stringify(wrapper));
    assert.ok(Array.isArray(reports));
    assert.deepEqual(comparable(reports), comparable([alone]));
  }
});
