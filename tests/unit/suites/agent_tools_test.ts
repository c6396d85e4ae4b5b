/** Tool calls and model replies of agent episodes. Source: runs spec 4. */
import assert from "node:assert/strict";
import { readAction } from "../../../lib/protocol/run/action.ts";
import { toolsOf } from "../../../lib/suites/tools/environment.ts";
import { callTool } from "../../../lib/suites/tools/tool.ts";

const INVALID = { text: "invalid_arguments", ok: false };

Deno.test("a family without tools has no environment", () => {
  assert.equal(toolsOf("sat", 5, 1, "0"), null);
  assert.equal(toolsOf("constructor", 5, 1, "0"), null);
});

Deno.test("names: unknown ones, and the inherited one that upstream finds", () => {
  for (const family of ["autostep", "relayvm", "satcheck"]) {
    const tools = toolsOf(family, 5, 1, "000000000000")!;
    assert.deepEqual(callTool(tools, "nope", {}), { text: "unknown_tool nope", ok: false });
    assert.deepEqual(callTool(tools, "constructor", {}), { text: "[object Object]", ok: true });
    assert.deepEqual(callTool(tools, "constructor", { toString: null }), INVALID);
  }
});

Deno.test("an output is recorded up to 4,096 code units", () => {
  const tools = new Map([["long", () => "a".repeat(4097)], ["whole", () => "a".repeat(4096)]]);
  assert.equal(callTool(tools, "long", {}).text, `${"a".repeat(4096)}\u2026`);
  assert.equal(callTool(tools, "whole", {}).text, "a".repeat(4096));
});

Deno.test("ca_step: arguments", () => {
  const tools = toolsOf("autostep", 5, 1, "")!;
  const call = (args: Record<string, unknown>) => callTool(tools, "ca_step", args);
  assert.deepEqual(call({ rule: 90, row: "010", more: 1 }), { text: "101", ok: true });
  assert.deepEqual(call({ rule: -0, row: "1".repeat(64) }), { text: "0".repeat(64), ok: true });
  assert.deepEqual(call({ rule: 255, row: "0" }), { text: "1", ok: true });
  for (const rule of [-1, 256, 1.5, "30", null, undefined, NaN, [30]]) {
    assert.deepEqual(call({ rule, row: "01" }), INVALID);
  }
  for (const row of ["", "1".repeat(65), "01\n", " 01", "02", 1, null, undefined, ["1"]]) {
    assert.deepEqual(call({ rule: 30, row }), INVALID);
  }
});

Deno.test("check: arguments", () => {
  const tools = toolsOf("satcheck", 5, 1, "011111011101")!;
  const call = (bits: unknown) => callTool(tools, "check", { bits });
  assert.deepEqual(call("011111011101"), { text: "satisfies", ok: true });
  assert.deepEqual(call("011111011100"), { text: "fails", ok: true });
  for (const bits of ["", "01111101110", "0111110111010", "011111011101\n", 0, null, undefined]) {
    assert.deepEqual(call(bits), INVALID);
  }
});

Deno.test("vm_state and vm_run: arguments", () => {
  const tools = toolsOf("relayvm", 5, 1, "")!;
  for (const k of [-1, 13, 0.5, "1", null, undefined, true]) {
    assert.deepEqual(callTool(tools, "vm_state", { k }), INVALID);
  }
  const lines = (...list: unknown[]) => callTool(tools, "vm_run", { lines: list });
  assert.deepEqual(lines("mov r0 7", "shl r0 r0"), { text: "[896,0,0,0]", ok: true });
  for (
    const line of ["mov r4 1", "mov r0 -1", "mov r0  1", "mov r0 1\n", "MOV r0 1", "mov r0", 1]
  ) {
    assert.deepEqual(lines(line), INVALID);
  }
  assert.ok(lines(...Array(64).fill("add r0 1")).ok);
  assert.deepEqual(lines(...Array(65).fill("add r0 1")), INVALID);
  assert.ok(lines(`mov r0 ${"0".repeat(57)}`).ok);
  assert.deepEqual(lines(`mov r0 ${"0".repeat(58)}`), INVALID);

  const regs = (value: unknown) => callTool(tools, "vm_run", { lines: [], regs: value });
  assert.deepEqual(regs([70000, -0, 1e21]), { text: "[70000,0,1e+21,0]", ok: true });
  for (const value of [null, undefined, "1", {}, [1.5], [null], [Infinity], [1, 2, 3, 4, 5]]) {
    assert.deepEqual(regs(value), INVALID);
  }
});

Deno.test("replies: only the first line that isn't blank is read", () => {
  assert.deepEqual(readAction("\ufeff \n\u3000FINAL  4 2 \nFINAL 1"), {
    kind: "final",
    answer: "4 2",
  });
  assert.deepEqual(readAction('TOOL vm_state  {"k": 1, "k": 2}\r\n{}'), {
    kind: "tool",
    name: "vm_state",
    args: { k: 2 },
  });
  const invalid = [
    "",
    " \n ",
    "FINAL",
    "FINAL ",
    "FINAL\u00a0",
    "final 1",
    " x\nFINAL 1",
    "FINAL a\u2028b",
    "TOOL x",
    "TOOL x {}{}",
    "TOOL x []",
    "TOOL x null",
    "TOOL x 1",
    "TOOL 1x {}",
    "TOOL X {}",
    'TOOL x {"a":"\u2029"}',
    "TOOL x \u00a0{}",
  ];
  for (const reply of invalid) assert.deepEqual(readAction(reply), { kind: "invalid" }, reply);
});

Deno.test("replies: nesting is no obstacle, and no reply takes long", () => {
  const nested = `TOOL x {"k":${"[".repeat(4000)}${"]".repeat(4000)}}`;
  assert.equal(readAction(nested).kind, "tool");
  const start = performance.now();
  readAction(`TOOL ${"a".repeat(8187)}`);
  readAction(`FINAL ${" ".repeat(8186)}`);
  readAction("\n ".repeat(4096));
  assert.ok(performance.now() - start < 200);
});
