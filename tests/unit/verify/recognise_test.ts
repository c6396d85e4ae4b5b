import assert from "node:assert/strict";
import { recognise } from "../../../lib/verify/recognise.ts";

const receipt = { protocol: "clankdar-attest-v1", payload: "{}", signature: "" };
const admission = { protocol: "clankdar-gate-v1", payload: "{}", signature: "" };

function kindOf(value: unknown): string {
  const recognised = recognise(value);
  return recognised.kind === "unknown" ? recognised.reason.code : recognised.kind;
}

Deno.test("documents of each kind", () => {
  assert.equal(kindOf(receipt), "receipt");
  assert.equal(kindOf(admission), "admission");
  assert.equal(kindOf({ protocol: "clankdar-badge-v1" }), "dossier");
  assert.equal(kindOf({ head: {}, entries: [] }), "tlog");
  assert.equal(kindOf({ protocol: "clankdar-attest-v1" }), "receipt", "a claimed protocol decides");
});

Deno.test("anything else", () => {
  for (const value of [null, 1, "x", true, [], [receipt], {}, { receipt: 1 }, { receipt }]) {
    assert.equal(kindOf(value), "document-unrecognised", JSON.stringify(value));
  }
  assert.equal(kindOf({ ...receipt, protocol: "clankdar-attest-v2" }), "protocol-unknown");
  assert.equal(kindOf({ ...receipt, protocol: "constructor" }), "protocol-unknown");
  assert.equal(kindOf({ protocol: "clankdar-holdout-v1", cells: [] }), "document-unrecognised");
});

Deno.test("inherited and hostile members are not members", () => {
  assert.equal(kindOf(JSON.parse('{"__proto__":{"protocol":"clankdar-gate-v1"}}')), UNRECOGNISED);
  assert.equal(kindOf(JSON.parse('{"__proto__":{"receipt":{}}}')), UNRECOGNISED);
});
const UNRECOGNISED = "document-unrecognised";

Deno.test("64 levels are allowed, 65 are too deep", () => {
  const nested = (levels: number): unknown => levels === 1 ? [] : [nested(levels - 1)];
  assert.equal(kindOf({ ...receipt, x: nested(63) }), "receipt");
  assert.equal(kindOf({ ...receipt, x: nested(64) }), "document-too-deep");
});
