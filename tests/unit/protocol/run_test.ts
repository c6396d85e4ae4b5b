/** Benchmark runs: what parses, what replays, and what each comes to. Source: docs/specification/runs.md. */
import assert from "node:assert/strict";
import { checkRun, type RunContext, type RunResult } from "../../../lib/protocol/run.ts";
import { wilson95 } from "../../../lib/protocol/run/tally.ts";
import { BudgetExceeded } from "../../../lib/suites/budget.ts";
import { GenerationError } from "../../../lib/suites/instance.ts";
import { bytesOf, type Line, linesOf, placeholders, rowOf, summaryOf } from "../../support/runs.ts";

const FRONTIER = "clankdar-frontier-v1";
const AGENT = "clankdar-agent-v1";

const UNAIDED = [
  rowOf("sat", 5, 2),
  rowOf("sat", 4, 4294967295, { response: "0111", pass: false }),
  rowOf("bitmatrix", 6, 2, { response: "Answer: 0110", pass: false, finalAnswerMatch: true }),
  rowOf("sat", 4, 7, { response: "", pass: false, error: "timeout" }),
  rowOf("sat", 4, 8, { truncated: true, pass: false }),
];

const TRANSCRIPT = [
  { turn: 0, role: "model", text: 'TOOL ca_step {"rule": 90, "row": "010"}' },
  { turn: 0, role: "tool", tool: "ca_step", ok: true, text: "101" },
  { turn: 1, role: "model", text: "TOOL nope {}" },
  { turn: 1, role: "tool", tool: "nope", ok: false, text: "unknown_tool nope" },
  { turn: 2, role: "model", text: "FINAL 0110" },
];

const AIDED = [
  rowOf("autostep", 5, 1, { detail: { transcript: TRANSCRIPT, toolCalls: 2, turns: 3 } }),
  rowOf("satcheck", 5, 1, { detail: { transcript: [] }, response: "", pass: false }),
  rowOf("relayvm", 5, 1, { error: "http_error:500", response: "", pass: false, expected: "0110" }),
];

function check(lines: readonly (Line | string)[], context = placeholders): Promise<RunResult> {
  return checkRun(bytesOf(lines), context);
}

/** A frontier run with its lines edited: index 0 is the manifest, the last the summary. */
function edited(edit: (lines: Line[]) => void, rows: readonly Line[] = UNAIDED): Line[] {
  const lines = linesOf(FRONTIER, rows);
  edit(lines);
  return lines;
}

Deno.test("an unaided run: verified, rescored, by cell", async () => {
  const { outcome, reason, run } = await check(linesOf(FRONTIER, UNAIDED));
  assert.equal(reason, null);
  assert.equal(outcome, "verified");
  assert.deepEqual(run!.tally, {
    total: 5,
    n: 4,
    errors: 1,
    passed: 1,
    strict: 0.25,
    interval95: wilson95(1, 4),
    finalAnswerMatches: 2,
    finalAnswer: 0.5,
    formatOnly: 1,
  });
  assert.deepEqual([run!.replayedPasses, run!.unreplayed], [1, 0]);
  assert.deepEqual([run!.lostPasses, run!.gainedPasses], [[], []]);
  assert.deepEqual(run!.notReplayed.map(({ reason }) => reason), [
    "unaided row",
    "unaided row",
    "unaided row",
    "episode error: timeout",
    "unaided row",
  ]);
  const none = { passed: 0, formatOnly: 0, replayed: 0, errors: 0 };
  assert.deepEqual(run!.cells, [
    { cell: "bitmatrix:t6", ...none, rows: 1, formatOnly: 1, unaided: 1 },
    { cell: "sat:t4", ...none, rows: 3, unaided: 2, errors: 1 },
    { cell: "sat:t5", ...none, rows: 1, passed: 1, unaided: 1 },
  ]);
});

Deno.test("an agent run: verified, its transcripts replayed", async () => {
  const { outcome, run } = await check(linesOf(AGENT, AIDED));
  assert.equal(outcome, "verified");
  assert.deepEqual(run!.cells.map(({ replayed }) => replayed), [1, 0, 1]);
  assert.deepEqual(run!.notReplayed, [
    { row: "relayvm:t5:s1", reason: "episode error: http_error:500" },
  ]);
  assert.deepEqual([run!.suite, run!.adapter, run!.replayedPasses], [AGENT, "local/test", 1]);
});

Deno.test("reading is as lenient as the format", async () => {
  const lines = linesOf(FRONTIER, UNAIDED).map((line) => JSON.stringify(line));
  const files = [
    `\ufeff\n\u3000\r\n${lines.join("\n")}\n\u2028\n \n`,
    lines.join("\r\n"),
    lines.map((line) => line.replace(/^\{/, '{"more":[{}],"tier":9,"__proto__":null,')).join("\n"),
    lines.map((line) => line.replace('"tier":4', '"tier":4.0e0')).join("\n"),
  ];
  for (const file of files) {
    const { outcome, reason } = await check([file]);
    assert.equal(outcome, "verified", JSON.stringify(reason));
  }
  const bytes = bytesOf(lines.map((line, i) => i === 0 ? line.replace(/^\{/, '{"x":"~",') : line));
  bytes[bytes.indexOf("~".charCodeAt(0))] = 0xff;
  assert.equal((await checkRun(bytes, placeholders)).outcome, "verified");
});

/** [what is wrong, the code, the edit] */
const PARSE_FAULTS: [string, string, (lines: Line[]) => void][] = [
  ["schemaVersion of the manifest", "manifest", (l) => l[0]!.schemaVersion = 1],
  ["empty runId", "manifest", (l) => l[0]!.runId = ""],
  ["malformed suiteHash", "manifest", (l) => l[0]!.suiteHash = "A".repeat(64)],
  ["unknown suite", "manifest", (l) => l[0]!.suiteVersion = "clankdar-suite-v1"],
  ["the house suite", "manifest", (l) => l[0]!.suiteVersion = "touchstone-algal-v1"],
  ["inherited name as suite", "manifest", (l) => l[0]!.suiteVersion = "constructor"],
  ["scorerVersion no string", "manifest", (l) => l[0]!.scorerVersion = 2],
  ["second manifest", "manifest", (l) => l.splice(2, 0, l[0]!)],
  ["summary amid", "summary-position", (l) => l.splice(2, 0, l.at(-1)!)],
  ["other type", "record-type", (l) => l[1]!.type = "row"],
  ["type null", "record-type", (l) => l[1]!.type = null],
  ["runId of a row", "result-binding", (l) => l[1]!.runId = "x"],
  ["suiteVersion of a row", "result-binding", (l) => l[1]!.suiteVersion = "clankdar-frontier-v0"],
  ["scorerVersion of a row", "result-binding", (l) => delete l[1]!.scorerVersion],
  ["type left out", "result-schema", (l) => delete l[1]!.type],
  ["schemaVersion of a row", "result-schema", (l) => l[1]!.schemaVersion = "2"],
  ["family no string", "result-field", (l) => l[1]!.family = 5],
  ["response missing", "result-field", (l) => delete l[1]!.response],
  ["prompt too long", "result-field", (l) => l[1]!.prompt = "a".repeat(65537)],
  ["adapter empty", "adapter-label", (l) => l[1]!.adapter = ""],
  ["adapter too long", "adapter-label", (l) => l[1]!.adapter = "a".repeat(201)],
  ["control in the adapter", "adapter-label", (l) => l[1]!.adapter = "a\u007f"],
  ["seed too large", "instance-id", (l) => l[1]!.seed = 4294967296],
  ["seed fractional", "instance-id", (l) => l[1]!.seed = 0.5],
  ["tier as text", "instance-id", (l) => l[1]!.tier = "5"],
  ["no such cell", "instance-id", (l) => l[1]!.tier = 7],
  ["cell of another suite", "instance-id", (l) => l[1]!.family = "sudoku"],
  ["inherited name as family", "instance-id", (l) => l[1]!.family = "constructor"],
  ["pass no boolean", "verdict", (l) => l[1]!.pass = 1],
  ["latency negative", "verdict", (l) => l[1]!.latencyMs = -1],
  ["error null", "error-field", (l) => l[1]!.error = null],
  ["error empty", "error-field", (l) => l[2]!.error = ""],
  ["error and pass", "error-field", (l) => l[1]!.error = "timeout"],
  ["prompt empty", "ground-truth", (l) => l[1]!.prompt = ""],
  ["expected in no format", "ground-truth", (l) => l[1]!.expected = "012"],
  ["truncated no boolean", "flag", (l) => l[1]!.truncated = null],
  ["refused no boolean", "flag", (l) => l[1]!.refused = "no"],
  ["detail null", "not-object", (l) => l[1]!.detail = null],
  ["transcript no list", "transcript", (l) => l[1]!.detail = { transcript: {} }],
  ["transcript too long", "transcript", (l) => l[1]!.detail = { transcript: Array(65).fill({}) }],
  ["entry no object", "not-object", (l) => l[1]!.detail = { transcript: [[]] }],
  ["toolCalls", "episode-field", (l) => l[1]!.detail = { toolCalls: 65 }],
  ["turns", "episode-field", (l) => l[1]!.detail = { turns: null }],
  ["episodeError", "episode-field", (l) => l[1]!.detail = { episodeError: "a".repeat(65) }],
  ["same instance twice", "duplicate", (l) => l.splice(2, 0, l[1]!)],
  ["two adapters", "mixed-adapters", (l) => l[2]!.adapter = "other"],
  ["no summary", "summary-mismatch", (l) => l.pop()],
  ["no rows", "summary-mismatch", (l) => l.splice(1, 5)],
  ["total", "summary-mismatch", (l) => l.at(-1)!.total = 4],
  ["passed", "summary-mismatch", (l) => l.at(-1)!.passed = 2],
  ["errors", "summary-mismatch", (l) => delete l.at(-1)!.errors],
  ["adapter of the summary", "summary-mismatch", (l) => l.at(-1)!.adapter = "other"],
  [
    "scorer",
    "unsupported-version",
    (l) => l.forEach((line) => line.scorerVersion = "clankdar-score-v3"),
  ],
  ["instances", "manifest-coverage", (l) => l[0]!.instances = 6],
  ["adapter of the manifest", "manifest-coverage", (l) => l[0]!.adapter = "other"],
  ["runId of the summary", "manifest-coverage", (l) => l.at(-1)!.runId = "x"],
  ["seeds missing", "manifest-selection", (l) => delete l[0]!.seeds],
  ["seeds not ascending", "manifest-selection", (l) => l[0]!.seeds = [7, 2, 8, 4294967295]],
  ["seeds too many", "manifest-selection", (l) => l[0]!.seeds = [1, 2, 7, 8, 4294967295]],
  ["cell twice", "manifest-selection", (l) => l[0]!.cells = ["sat:t4", "sat:t4", "sat:t5"]],
  ["cells no list", "manifest-selection", (l) => l[0]!.cells = "sat:t4"],
  ["prompt edited", "suite-hash", (l) => l[1]!.prompt = "another"],
  ["expected edited", "suite-hash", (l) => l[2]!.expected = "0111"],
];

for (const [what, code, edit] of PARSE_FAULTS) {
  Deno.test(`a run with a fault doesn't parse: ${what} → ${code}`, async () => {
    const result = await check(edited(edit));
    assert.equal(result.outcome, "invalid");
    assert.equal(result.reason?.code, code);
    assert.equal(result.run, null);
  });
}

Deno.test("transcript entries that break the format", async () => {
  const entry = { turn: 0, role: "tool", text: "", tool: "x", ok: true };
  const broken: Line[] = [
    { turn: 65 },
    { turn: -1 },
    { turn: 0.5 },
    { role: "user" },
    { text: "a".repeat(8193) },
    { text: null },
    { tool: "" },
    { tool: "a".repeat(65) },
    { ok: null },
  ];
  for (const change of broken) {
    const lines = edited((l) => l[1]!.detail = { transcript: [{ ...entry, ...change }] });
    assert.equal((await check(lines)).reason?.code, "transcript", JSON.stringify(change));
  }
});

Deno.test("the first fault in the spec's order counts, line by line", async () => {
  const both = edited((lines) => {
    lines[1]!.pass = "yes";
    lines[1]!.seed = -1;
    lines[2]!.adapter = 1;
    lines[0]!.instances = 0;
  });
  const { reason } = await check(both);
  assert.deepEqual([reason?.code, reason?.path], ["instance-id", "lines[1].seed"]);
});

Deno.test("whole files that are no run", async () => {
  const codes: [Uint8Array, string][] = [
    [bytesOf([""]), "line-count"],
    [bytesOf([" \n\ufeff\n\u2029 "]), "line-count"],
    [bytesOf(Array(10_003).fill("x")), "line-count"],
    [bytesOf(Array(10_002).fill("x")), "json"],
    [bytesOf(["{}", "", "{}"]), "result-field"],
    [bytesOf([linesOf(FRONTIER, UNAIDED)[0]!, "", "{}"]), "json"],
    [bytesOf(["[]"]), "not-object"],
    [bytesOf(["null"]), "not-object"],
    [bytesOf([summaryOf([])]), "summary-mismatch"],
    [new Uint8Array(32 * 1024 * 1024 + 1), "too-large"],
    [new Uint8Array(32 * 1024 * 1024).fill(10), "line-count"],
    [new Uint8Array(1024 * 1024).fill("[".charCodeAt(0)), "document-too-deep"],
  ];
  for (const [bytes, code] of codes) {
    const { outcome, reason } = await checkRun(bytes, placeholders);
    assert.deepEqual([outcome, reason?.code], ["invalid", code]);
  }
});

Deno.test("without a manifest: the issuer's word only, unless it contradicts itself", async () => {
  const rows = [rowOf("sudoku", 3, 1, { expected: "1 2", response: "1 2" }), ...UNAIDED];
  const legacy = await check([...rows, summaryOf(rows)]);
  assert.deepEqual([legacy.outcome, legacy.reason?.code], ["issuer-claimed", "no-manifest"]);
  assert.deepEqual([legacy.run!.unreplayed, legacy.run!.replayedPasses], [6, 0]);
  assert.equal(legacy.run!.tally.passed, 2);

  const lost = [...rows, rowOf("sat", 6, 1, { response: "0" })];
  const result = await check([...lost, summaryOf(lost)]);
  assert.deepEqual([result.outcome, result.reason?.code], ["invalid", "verdict-mismatch"]);

  const typed = await check([{ type: "result", ...rows[0] }, summaryOf(rows.slice(0, 1))]);
  assert.equal(typed.reason?.code, "result-without-manifest");
  const algal = [rowOf("algal", 1, 1, { expected: "1" })];
  assert.equal((await check([...algal, summaryOf(algal)])).reason?.code, "instance-id");
});

/** A run of one row that breaks in replay. */
async function replayOf(version: string, row: Line): Promise<RunResult> {
  return await check(linesOf(version, [row]));
}

Deno.test("replay: the puzzle must be the regenerated one, for error rows too", async () => {
  for (const change of [{ prompt: "another" }, { expected: "00110" }]) {
    for (const error of [{}, { error: "timeout", pass: false }]) {
      const row = rowOf("sat", 5, 1, { ...change, ...error });
      const { outcome, reason } = await replayOf(FRONTIER, { ...row, response: row.expected });
      assert.deepEqual([outcome, reason?.code], ["invalid", "instance-mismatch"]);
    }
  }
});

Deno.test("replay: a transcript stands where there are tools, and only there", async () => {
  const missing = await replayOf(AGENT, rowOf("autostep", 5, 1));
  assert.deepEqual([missing.outcome, missing.reason?.code], ["invalid", "transcript-missing"]);
  assert.equal(missing.row, "autostep:t5:s1");
  const row = rowOf("sat", 5, 1, { detail: { transcript: [] } });
  const unexpected = await replayOf(FRONTIER, row);
  assert.equal(unexpected.reason?.code, "transcript-unexpected");
});

Deno.test("replay: recorded tool outputs must be the recomputed ones", async () => {
  const call = { turn: 3, role: "model", text: 'TOOL ca_step {"rule": 90, "row": "010"}' };
  const output = { turn: 3, role: "tool", tool: "ca_step", ok: true, text: "101" };
  const outcomes: [boolean, Line[]][] = [
    [true, [output, call]],
    [true, [call, output, { ...call, text: "FINAL 1" }]],
    [true, [call, { ...output, ok: false, text: "x" }]],
    [true, [{ ...output, ok: undefined }]],
    [true, [{ ...output, tool: "protocol" }]],
    [true, [{ ...output, tool: undefined }]],
    [false, [output]],
    [false, [call, { ...output, turn: 4 }]],
    [false, [call, { ...output, text: "100" }]],
    [false, [call, { ...output, tool: "check" }]],
    [false, [{ ...call, text: "FINAL 1" }, call, output]],
    [false, [{ ...call, text: "TOOL nope {}" }, { ...output, tool: "nope", text: "" }]],
    [false, [{ ...call, text: "TOOL ca_step {}" }, { ...output, text: "invalid_arguments" }]],
  ];
  for (const [replays, transcript] of outcomes) {
    const { outcome, reason } = await replayOf(
      AGENT,
      rowOf("autostep", 5, 1, { detail: { transcript } }),
    );
    assert.equal(outcome, replays ? "verified" : "invalid", JSON.stringify(transcript));
    if (!replays) assert.equal(reason?.code, "transcript-mismatch");
  }
});

Deno.test("replay: an agent row's verdict is rescored both ways, flags or not", async () => {
  const detail = { transcript: TRANSCRIPT };
  for (const change of [{ response: "0" }, { pass: false }, { pass: false, truncated: true }]) {
    const { reason } = await replayOf(AGENT, rowOf("autostep", 5, 1, { detail, ...change }));
    assert.equal(reason?.code, "verdict-mismatch");
  }
});

Deno.test("rescoring: a lost pass makes a run invalid, a gained one doesn't", async () => {
  const lost = [rowOf("sat", 4, 1), rowOf("sat", 4, 2, { response: "Answer: 0110" })];
  const bad = await check(linesOf(FRONTIER, lost));
  assert.deepEqual([bad.outcome, bad.reason?.code], ["invalid", "verdict-mismatch"]);
  assert.deepEqual([bad.row, bad.run!.lostPasses], ["sat:t4:s2", ["sat:t4:s2"]]);
  assert.equal(bad.run!.tally.passed, 1);

  const truncated = await check(linesOf(FRONTIER, [rowOf("sat", 4, 1, { refused: true })]));
  assert.equal(truncated.reason?.code, "verdict-mismatch");

  const gained = await check(linesOf(FRONTIER, [rowOf("sat", 4, 1, { pass: false })]));
  assert.equal(gained.outcome, "verified");
  assert.deepEqual(gained.run!.gainedPasses, ["sat:t4:s1"]);
});

Deno.test("a fault of the replay counts before a lost pass further up", async () => {
  const rows = [rowOf("sat", 4, 1, { response: "1" }), rowOf("sat", 4, 2, { prompt: "another" })];
  const { reason, row, run } = await check(linesOf(FRONTIER, rows));
  assert.deepEqual([reason?.code, row], ["instance-mismatch", "sat:t4:s2"]);
  assert.deepEqual([run!.lostPasses, run!.unreplayed], [["sat:t4:s1"], 1]);
});

/** Placeholders, but the puzzle of one seed can't be had. */
function failingAt(seed: number, error: Error): RunContext {
  return {
    ...placeholders,
    regenerate: (version, family, tier, s) =>
      s === seed ? Promise.reject(error) : placeholders.regenerate(version, family, tier, s),
  };
}

Deno.test("a puzzle that can't be had: no outcome, but for a seed that has none", async () => {
  const lines = linesOf(FRONTIER, UNAIDED);
  const failed = new GenerationError("generation-failed", "this seed has no puzzle");
  const none = await check(lines, failingAt(7, failed));
  assert.deepEqual([none.outcome, none.reason?.code], ["invalid", "instance-mismatch"]);

  const budget = new BudgetExceeded("too much");
  const over = await check(lines, failingAt(7, budget));
  assert.deepEqual([over.outcome, over.reason?.code], [null, "budget-exceeded"]);
  assert.equal(over.run!.unreplayed, 2);

  const lost = [rowOf("sat", 4, 7), rowOf("sat", 4, 8, { response: "1" })];
  const certain = await check(linesOf(FRONTIER, lost), failingAt(7, budget));
  assert.deepEqual([certain.outcome, certain.reason?.code], ["invalid", "verdict-mismatch"]);

  const fault = new Error("a fault of ours");
  await assert.rejects(check(lines, failingAt(7, fault)), fault);
});

Deno.test("10,000 rows, with progress", async () => {
  const rows = Array.from({ length: 10_000 }, (_, seed) => rowOf("sat", 4, seed));
  const progress: number[] = [];
  const { outcome, run } = await check(linesOf(FRONTIER, rows), {
    ...placeholders,
    onProgress: (done, total) => {
      assert.equal(total, 10_000);
      progress.push(done);
    },
  });
  assert.equal(outcome, "verified");
  assert.equal(run!.tally.passed, 10_000);
  assert.deepEqual(progress, rows.map((_, i) => i + 1));
});

Deno.test("Wilson intervals", () => {
  assert.equal(wilson95(0, 0), null);
  assert.deepEqual(wilson95(7, 9), [0.45258896910698887, 0.9367748928821533]);
  assert.deepEqual(wilson95(5, 6), [0.43649717781352987, 0.9699466302516935]);
  assert.equal(wilson95(3, 3)![1], 1);
});
