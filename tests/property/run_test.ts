/** Runs as hostile input: nothing throws, and nothing that matters can change unseen. */
import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { checkRun } from "../../lib/protocol/run.ts";
import { readAction } from "../../lib/protocol/run/action.ts";
import { scoreAnswer } from "../../lib/suites/scoring.ts";
import { toolsOf } from "../../lib/suites/tools/environment.ts";
import { callTool, type ToolArguments } from "../../lib/suites/tools/tool.ts";
import { bytesOf, type Line, linesOf, placeholders, rowOf } from "../support/runs.ts";

const TRANSCRIPT = [
  { turn: 0, role: "model", text: 'TOOL ca_step {"rule": 90, "row": "010"}' },
  { turn: 0, role: "tool", tool: "ca_step", ok: true, text: "101" },
];

const GOOD = bytesOf(linesOf("clankdar-agent-v1", [
  rowOf("autostep", 5, 1, { detail: { transcript: TRANSCRIPT } }),
  rowOf("satcheck", 5, 1, { detail: { transcript: [] }, response: "1", pass: false }),
  rowOf("autostep", 6, 1, { error: "timeout", response: "", pass: false }),
]));

const SINGLE_BYTES = fc.constantFrom(...'0123456789"\\{}[]:,.-+eE \n\t\rabtfnul\x7f');

Deno.test("a run with one byte changed never verifies with other puzzles or passes", async () => {
  assert.equal((await checkRun(GOOD, placeholders)).outcome, "verified");
  const puzzles = rowsIn(GOOD).map(puzzleOf);
  const edit = fc.record({
    at: fc.nat(GOOD.length - 1),
    removed: fc.nat(2),
    added: fc.array(SINGLE_BYTES, { maxLength: 2 }).map((chars) => chars.join("")),
  });
  await fc.assert(
    fc.asyncProperty(edit, async ({ at, removed, added }) => {
      const bytes = new Uint8Array([
        ...GOOD.subarray(0, at),
        ...new TextEncoder().encode(added),
        ...GOOD.subarray(at + removed),
      ]);
      const { outcome } = await checkRun(bytes, placeholders);
      assert.ok(outcome === "verified" || outcome === "invalid");
      if (outcome === "invalid") return;
      const rows = rowsIn(bytes);
      assert.deepEqual(rows.map(puzzleOf), puzzles);
      for (const { pass, expected, response } of rows) {
        if (pass) assert.ok(scoreAnswer(String(expected), String(response), "bits").pass);
      }
    }),
    { numRuns: 3000 },
  );
});

Deno.test("no bytes make a check throw", async () => {
  const member = fc.constantFrom(
    "type",
    "detail",
    "transcript",
    "error",
    "seed",
    "tier",
    "cells",
    "seeds",
    "__proto__",
    "constructor",
  );
  const line = fc.oneof(
    fc.json(),
    fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value)),
    fc.tuple(fc.constantFrom(...linesOf("clankdar-agent-v1", [])), member, fc.jsonValue()).map(
      ([base, name, value]) => JSON.stringify({ ...base, [name]: value }),
    ),
    fc.tuple(member, fc.jsonValue()).map(([name, value]) =>
      JSON.stringify({ ...rowOf("autostep", 5, 1), [name]: value })
    ),
  );
  await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
    await checkRun(bytesOf(lines), placeholders);
  }));
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
    assert.equal((await checkRun(bytes, placeholders)).outcome, "invalid");
  }));
});

Deno.test("no reply makes reading throw, and a tool call reads back", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    readAction(text);
    readAction(`TOOL vm_run ${text}`);
    readAction(`FINAL ${text}`);
  }));
  const args = fc.dictionary(fc.string({ unit: "grapheme-ascii" }), fc.jsonValue());
  fc.assert(fc.property(args, fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/), (args, name) => {
    const text = JSON.stringify(args).replaceAll(/[\u2028\u2029]/g, "");
    const action = readAction(`\n TOOL ${name} ${text}\nand why`);
    assert.ok(action.kind === "tool");
    assert.equal(action.name, name);
    assert.equal(JSON.stringify(action.args), JSON.stringify(JSON.parse(text)));
  }));
});

Deno.test("no arguments make a tool throw", () => {
  const names = ["ca_step", "vm_run", "vm_state", "check", "constructor", "__proto__"];
  const known = ["rule", "row", "lines", "regs", "k", "bits", "toString"];
  const line = fc.stringMatching(/^(mov|add|sub|mul|xor|shl) r[0-4] r?[0-9]{1,20}$/);
  const value = fc.oneof(
    fc.jsonValue(),
    fc.array(line),
    fc.array(fc.double()),
    fc.stringMatching(/^[01]{1,64}$/),
  );
  const call = fc.record({
    family: fc.constantFrom("autostep", "relayvm", "satcheck"),
    name: fc.constantFrom(...names),
    args: fc.dictionary(fc.constantFrom(...known), value) as fc.Arbitrary<ToolArguments>,
  });
  fc.assert(fc.property(call, ({ family, name, args }) => {
    const { text, ok } = callTool(toolsOf(family, 5, 1, "000000000000")!, name, args);
    assert.equal(typeof text, "string");
    assert.ok(ok || text === "invalid_arguments" || text === `unknown_tool ${name}`);
  }));
});

function rowsIn(bytes: Uint8Array): Line[] {
  const lines = new TextDecoder().decode(bytes).trim().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "result");
}

function puzzleOf({ family, tier, seed, prompt, expected }: Line): Line {
  return { family, tier, seed, prompt, expected };
}
