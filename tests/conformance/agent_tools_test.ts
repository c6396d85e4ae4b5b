/** The tools of the agent families, and the reading of model replies. */
import assert from "node:assert/strict";
import { readAction } from "../../lib/protocol/run/action.ts";
import { createBudget } from "../../lib/suites/budget.ts";
import { generate as autostep } from "../../lib/suites/families/autostep.ts";
import { generate as relayvm } from "../../lib/suites/families/relayvm.ts";
import { generate as satcheck } from "../../lib/suites/families/satcheck.ts";
import { seeded } from "../../lib/suites/generate.ts";
import type { Generator } from "../../lib/suites/instance.ts";
import { toolsOf } from "../../lib/suites/tools/environment.ts";
import { callTool, type ToolArguments } from "../../lib/suites/tools/tool.ts";
import { readVectors } from "./vectors.ts";

const GENERATORS: Record<string, Generator> = { autostep, relayvm, satcheck };

interface ToolRow {
  suite: string;
  family: string;
  tier: number;
  seed: number;
  tool: string;
  args: ToolArguments;
  output: string;
  ok: boolean;
}

interface ActionRow {
  reply: string;
  kind: string;
  name?: string;
  args?: ToolArguments;
  answer?: string;
}

Deno.test("agent-tools.jsonl: every call gives the recorded output", () => {
  const rows = readVectors<ToolRow>("agent-tools.jsonl");
  assert.ok(rows.length > 0);
  for (const { suite, family, tier, seed, tool, args, output, ok } of rows) {
    const { answer } = seeded(family, GENERATORS[family]!)(suite, tier, seed, createBudget(1e8));
    const tools = toolsOf(family, tier, seed, answer);
    assert.ok(tools !== null);
    const name = `${suite} ${family}:t${tier}:s${seed} ${tool} ${JSON.stringify(args)}`;
    assert.deepEqual(callTool(tools, tool, args), { text: output, ok }, name);
  }
});

Deno.test("agent-actions.jsonl: every reply is read as recorded", () => {
  const rows = readVectors<ActionRow>("agent-actions.jsonl");
  assert.ok(rows.length > 0);
  for (const { reply, kind, name, args, answer } of rows) {
    const action = readAction(reply);
    assert.equal(action.kind, kind, reply);
    if (action.kind === "final") assert.equal(action.answer, answer, reply);
    if (action.kind !== "tool") continue;
    assert.equal(action.name, name, reply);
    // As text, since the vectors can't tell −0 from 0.
    if (args !== undefined) assert.equal(JSON.stringify(action.args), JSON.stringify(args), reply);
  }
});
