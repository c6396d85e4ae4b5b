/**
 * Replaying one row: regenerating its instance, and its transcript's tool outputs.
 * Source: runs spec 3 and 4.3.
 */
import type { Budget } from "../../suites/budget.ts";
import type { Regenerated } from "../../suites/generate.ts";
import { matchesPrompt } from "../../suites/prompt.ts";
import { answerFormat, scoreAnswer } from "../../suites/scoring.ts";
import { toolsOf } from "../../suites/tools/environment.ts";
import { callTool, type ToolResult, type Tools } from "../../suites/tools/tool.ts";
import { readAction } from "./action.ts";
import type { Row, TranscriptEntry } from "./format.ts";

/**
 * What became of a row whose instance is the regenerated one. `replayed`: its transcript's outputs
 * were recomputed, its verdict rescored. `unaided`: its family has no tools. `error`: the episode
 * failed before there was a transcript.
 */
export type Replayed = "replayed" | "unaided" | "error";

/** Why a row doesn't replay. */
type ReplayFault = {
  code:
    | "instance-mismatch"
    | "transcript-missing"
    | "transcript-unexpected"
    | "transcript-mismatch"
    | "verdict-mismatch";
  message: string;
  /** The member at fault. */
  member: string;
};

/** Steps that a tool call counts as, and the row it is part of. */
const CALL_STEPS = 2000;

/**
 * Replays a row against the instance regenerated from its suite version, family, tier and seed.
 *
 * @throws {BudgetExceeded} when the budget is used up.
 */
export function replayRow(
  row: Row,
  instance: Regenerated,
  budget: Budget,
): Replayed | ReplayFault {
  budget.spend(CALL_STEPS);
  if (!matchesPrompt(row.prompt, instance.parts, instance.pins)) {
    return fault("instance-mismatch", "the prompt is not the regenerated one", "prompt");
  }
  if (row.expected !== instance.answer) {
    return fault("instance-mismatch", "the answer is not the regenerated one", "expected");
  }
  const tools = toolsOf(row.family, row.tier, row.seed, instance.answer);
  const transcript = row.detail?.transcript;
  if (transcript === undefined) {
    if (row.error !== undefined) return "error";
    if (tools === null) return "unaided";
    return fault("transcript-missing", "a solver with tools leaves a transcript", "detail");
  }
  if (tools === null) {
    const message = "the family has no tools, so there is no transcript";
    return fault("transcript-unexpected", message, "detail.transcript");
  }
  const mismatch = firstMismatch(transcript, tools, budget);
  if (mismatch !== null) {
    const message = "the recorded tool output is not the recomputed one";
    return fault("transcript-mismatch", message, `detail.transcript[${mismatch}]`);
  }
  const { pass } = scoreAnswer(row.expected, row.response, answerFormat(row.family));
  return pass === row.pass
    ? "replayed"
    : fault("verdict-mismatch", "the recorded verdict is not the rescored one", "pass");
}

/**
 * Index of the first successful tool entry that can't be recomputed, or null. Each turn's call is
 * made once, however many entries claim to be its output.
 */
function firstMismatch(
  transcript: readonly TranscriptEntry[],
  tools: Tools,
  budget: Budget,
): number | null {
  const calls = new Map<number, { name: string; result: ToolResult } | null>();
  for (const { turn, role, text } of transcript) {
    if (role !== "model" || calls.has(turn)) continue;
    budget.spend(CALL_STEPS);
    const action = readAction(text);
    calls.set(
      turn,
      action.kind === "tool"
        ? { name: action.name, result: callTool(tools, action.name, action.args) }
        : null,
    );
  }
  for (const [index, { turn, role, tool, ok, text }] of transcript.entries()) {
    const claimsOutput = role === "tool" && ok === true && tool !== undefined &&
      tool !== "protocol";
    if (!claimsOutput) continue;
    const call = calls.get(turn);
    if (!call || call.name !== tool || !call.result.ok || call.result.text !== text) return index;
  }
  return null;
}

function fault(code: ReplayFault["code"], message: string, member: string): ReplayFault {
  return { code, message, member };
}
