/** The worked examples of docs/specification/suites/autostep.md and relayvm.md, and what ties puzzles to tools. */
import assert from "node:assert/strict";
import { createBudget } from "../../../lib/suites/budget.ts";
import { generate as drawAutomaton, nextRow } from "../../../lib/suites/families/autostep.ts";
import {
  drawPuzzle,
  generate as drawRegisters,
  run,
  ZEROS,
} from "../../../lib/suites/families/relayvm.ts";
import { seeded } from "../../../lib/suites/generate.ts";
import { mixedStream } from "../../../lib/suites/stream.ts";
import type { Instance } from "../../../lib/suites/instance.ts";
import { toolsOf } from "../../../lib/suites/tools/environment.ts";
import { callTool } from "../../../lib/suites/tools/tool.ts";
import { mixSeed } from "../../../lib/suites/rng.ts";

const autostep = seeded("autostep", drawAutomaton);
const relayvm = seeded("relayvm", drawRegisters);

/** The computed pieces of an instance's prompt. */
function texts({ parts }: Instance): string[] {
  return parts.flatMap((part) => "text" in part ? [part.text] : []);
}

function automaton(version: string, tier: number, seed: number): Instance {
  return autostep(version, tier, seed, createBudget(1000));
}

/** Rule and start row that an automaton's prompt shows. */
function shown(instance: Instance): { rule: number; row: string } {
  const [, rule, row] = /^(\d+)\. Starting row is:\n\n([01]+)\n/.exec(texts(instance)[1]!)!;
  return { rule: Number(rule), row: row! };
}

Deno.test("autostep: the worked example", () => {
  assert.equal(mixSeed("autostep:t5", 1), 2130259980);
  for (const version of ["clankdar-agent-v0", "clankdar-agent-v1"]) {
    const instance = automaton(version, 5, 1);
    assert.deepEqual(shown(instance), { rule: 54, row: "00111001101101000" });
    assert.equal(instance.answer, "01110011101000100");
    assert.equal(texts(instance)[0], "7");
  }
  const steps = ["00111001101101000", "01000110010011100", "11101001111100010"];
  for (const [i, row] of steps.slice(0, -1).entries()) {
    assert.equal(nextRow(54, Array.from(row, Number)).join(""), steps[i + 1]);
  }
});

Deno.test("autostep: a row that is drawn all zero gets one cell", () => {
  for (const [tier, seed] of [[5, 6393], [6, 7064521], [7, 90039114]] as const) {
    const { row } = shown(automaton("clankdar-agent-v1", tier, seed));
    assert.equal(row.replaceAll("0", ""), "1");
  }
});

Deno.test("autostep: the two suites differ exactly where the last two rules are drawn", () => {
  const v0Only = [182, 250];
  const v1Only = [22, 73];
  const seen = new Set<number>();
  for (let seed = 0; seed < 200; seed++) {
    const v0 = automaton("clankdar-agent-v0", 6, seed);
    const v1 = automaton("clankdar-agent-v1", 6, seed);
    const rules = [shown(v0).rule, shown(v1).rule] as const;
    seen.add(rules[0]);
    const index = v0Only.indexOf(rules[0]);
    if (index < 0) assert.deepEqual(v0, v1);
    else assert.equal(rules[1], v1Only[index]);
  }
  assert.equal(seen.size, 8);
});

Deno.test("autostep: as many tool steps as the question says lead to the answer", () => {
  for (const [tier, steps] of [[5, 5], [6, 7], [7, 10]] as const) {
    for (let seed = 0; seed < 50; seed++) {
      const instance = automaton("clankdar-agent-v1", tier, seed);
      const tools = toolsOf("autostep", tier, seed, instance.answer)!;
      let { rule, row } = shown(instance);
      for (let i = 0; i < steps; i++) row = callTool(tools, "ca_step", { rule, row }).text;
      assert.equal(row, instance.answer);
    }
  }
});

Deno.test("relayvm: the worked example", () => {
  assert.equal(mixSeed("relayvm:t5", 1), 2248458713);
  const instance = relayvm("clankdar-agent-v1", 5, 1, createBudget(1000));
  assert.equal(instance.answer, "96");
  const lines = [
    "mov r0 6",
    "mov r1 14",
    "shl r1 3",
    "sub r2 r0",
    "shl r2 3",
    "mov r3 23",
    "add r0 r0",
    "add r1 r1",
    "shl r2 3",
    "add r1 r2",
    "shl r0 3",
    "xor r2 r3",
  ];
  const listing = lines.map((line, i) => `${i}: ${line}`).join("\n");
  assert.deepEqual(texts(instance), [
    `${listing}\n\nIf line 8 were changed to "xor r2 r3`,
  ]);
});

Deno.test("relayvm: a replacement may equal the line it replaces", () => {
  for (const [tier, seed] of [[5, 1303], [6, 1192]] as const) {
    const { program, changed, replacement } = drawPuzzle(mixedStream("relayvm", tier, seed), tier);
    assert.deepEqual(program[changed], replacement);
  }
});

Deno.test("relayvm: the tools run what the prompt lists", () => {
  for (const [tier, length] of [[5, 12], [6, 16]] as const) {
    for (let seed = 0; seed < 100; seed++) {
      const instance = relayvm("clankdar-agent-v0", tier, seed, createBudget(1000));
      const tools = toolsOf("relayvm", tier, seed, instance.answer)!;
      const [listing, changed, replacement] = texts(instance)[0]!.split(
        /\n\nIf line | were changed to "/,
      );
      const lines = listing!.split("\n").map((line) => line.replace(/^\d+: /, ""));
      assert.equal(lines.length, length);
      for (let k = 0; k <= length; k++) {
        const state = callTool(tools, "vm_state", { k });
        assert.ok(state.ok);
        assert.deepEqual(callTool(tools, "vm_run", { lines: lines.slice(0, k) }), state);
      }
      const modified = lines.with(Number(changed), replacement!);
      const { text } = callTool(tools, "vm_run", { lines: modified });
      assert.equal(String(JSON.parse(text)[0]), instance.answer);
    }
  }
});

Deno.test("relayvm: results have 16 bits, untouched registers keep what they were given", () => {
  const add = { operation: "add", target: 0, operand: { register: 1 } } as const;
  assert.deepEqual(run([add], [65535, 1, 70000, -1]), [0, 1, 70000, -1]);
  assert.deepEqual(run([add], [1e308, 1e308, 0, 0]), [0, 1e308, 0, 0]);
  const sub = { operation: "sub", target: 3, operand: { constant: 1 } } as const;
  assert.deepEqual(run([sub], ZEROS), [0, 0, 0, 65535]);
});

Deno.test("generators stop when the budget is used up", () => {
  assert.throws(() => autostep("clankdar-agent-v1", 5, 1, createBudget(10)), {
    code: "budget-exceeded",
  });
  assert.throws(() => relayvm("clankdar-agent-v1", 5, 1, createBudget(10)), {
    code: "budget-exceeded",
  });
});
