/** Memory of our own module under programs that make as much garbage as fuel allows. */
import assert from "node:assert/strict";
import { type Json, LIMITS } from "../../../lib/evaluator/module.ts";
import { rawEvaluator } from "../../support/evaluator_raw.ts";

type Env = { [name: string]: Json };

const steps = Array<Json>(1024).fill(0);
const long: Json[] = Array.from({ length: 1024 }, (_, i) => i);
const wide: Env = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`k${i}`, i]));
const backwards: Env = Object.fromEntries(
  Array.from({ length: 256 }, (_, i) => [`${9999 - i}`, i]),
);
const acc: Json = ["get", "acc"];

function fold(init: Json, body: Json): Json {
  return ["fold", ["get", "steps"], init, "acc", "i", body];
}

/** Applies an operation `times` times to the accumulator, with further arguments. */
function nested(op: string, times: number, inner: Json, ...more: Json[]): Json {
  return times === 0 ? inner : nested(op, times - 1, [op, inner, ...more], ...more);
}

/** `levels` lets around a body; each keeps a value of its own alive. */
function lets(levels: number, value: Json, body: Json): Json {
  return levels === 0 ? body : ["let", `v${levels}`, value, lets(levels - 1, value, body)];
}

const x64 = "x".repeat(60_000);
const x32 = "x".repeat(30_000);

const HOSTILE: Record<string, { program: Json; env: Env }> = {
  "reverse twelve times a step": {
    program: fold(["get", "long"], nested("reverse", 12, acc)),
    env: { steps, long },
  },
  "rebuild a list by map": {
    program: fold(["get", "long"], ["map", acc, "x", ["get", "x"]]),
    env: { steps, long },
  },
  "map to literals": { program: fold(0, ["map", ["get", "long"], "x", 1]), env: { steps, long } },
  "rebuild a list by filter": {
    program: fold(["get", "long"], ["filter", acc, "x", true]),
    env: { steps, long },
  },
  "take all": {
    program: fold(["get", "long"], nested("take", 12, acc, 1024)),
    env: { steps, long },
  },
  "drop none": { program: fold(["get", "long"], nested("drop", 12, acc, 0)), env: { steps, long } },
  "concat with nothing": {
    program: fold(["get", "long"], ["concat", acc, ["list"]]),
    env: { steps, long },
  },
  "flatten": { program: fold(["list"], ["flat", ["list", acc, ["list", 1]]]), env: { steps } },
  "sort": { program: fold(["get", "long"], ["sort", ["reverse", acc]]), env: { steps, long } },
  "sort maps with long texts": {
    program: fold(0, ["sort", ["list", { a: ["get", "s"] }, { a: ["get", "t"] }]]),
    env: { steps: steps.slice(0, 500), s: x32 + "a", t: x32 + "b" },
  },
  "unique": { program: ["unique", ["get", "long"]], env: { long } },
  "keys": { program: fold(0, ["keys", ["get", "wide"]]), env: { steps, wide: backwards } },
  "values": { program: fold(0, ["values", ["get", "wide"]]), env: { steps, wide } },
  "merge": { program: fold({}, ["merge", ["get", "wide"], acc]), env: { steps, wide } },
  "merge nothing": {
    program: ["list", ...Array<Json>(30).fill(["merge", ...Array<Json>(12).fill({})])],
    env: {},
  },
  "build maps": {
    program: fold(0, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, i]))),
    env: { steps },
  },
  "double a text": { program: fold("x", ["sconcat", acc, acc]), env: { steps } },
  "grow a text": { program: fold("x", ["sconcat", acc, "yy"]), env: { steps } },
  "text of text": { program: fold("\\", ["toText", acc]), env: { steps } },
  "split and join": {
    program: fold(0, ["join", ["split", ["get", "s"], ","], ";"]),
    env: { steps, s: "a,".repeat(900) },
  },
  "split to pieces": { program: ["split", ["get", "s"], "a"], env: { s: "a".repeat(1023) } },
  "change case": { program: fold(0, ["upper", ["get", "s"]]), env: { steps, s: "x".repeat(900) } },
  "grow sideways": { program: fold(["list"], ["list", acc, acc]), env: { steps } },
  "grow downwards": { program: fold(["list"], ["list", acc]), env: { steps } },
  "a list of lists": { program: ["map", ["get", "steps"], "x", ["get", "steps"]], env: { steps } },
  "many live copies": {
    program: lets(
      13,
      ["map", ["get", "few"], "x", ["reverse", ["get", "long"]]],
      ["len", ["get", "v1"]],
    ),
    env: { few: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], long },
  },
  "a request of empty lists": { program: 1, env: { a: Array(1000).fill(Array(20).fill([])) } },
  "a request of empty maps": { program: 1, env: { a: Array(1000).fill(Array(20).fill({})) } },
  "a request of digits": { program: 1, env: { a: Array(1000).fill(Array(31).fill(1)) } },
  "a request of one text": { program: ["slen", ["get", "s"]], env: { s: x64 } },
  "a request of escapes": { program: 1, env: { s: "\u0001\n".repeat(7000) } },
  "quotients": { program: fold(1.1, ["div", acc, 1.0001]), env: { steps } },
};

Deno.test("no program holds 16 MiB, in a fresh instance or after others", async () => {
  const shared = await rawEvaluator();
  for (const [name, { program, env }] of Object.entries(HOSTILE)) {
    const request = JSON.stringify({ program, env });
    assert.ok(request.length <= LIMITS.requestBytes, `${name}: ${request.length}`);
    const fresh = await rawEvaluator();
    const response = fresh.call("algal_eval", request) ?? "";
    assert.ok(fresh.held() < 4 * 1024 * 1024, `${name}: ${fresh.held()}`);
    assert.ok(!response.includes("EXPR_PARSE"), `${name}: ${response.slice(0, 100)}`);
    for (let i = 0; i < 8; i++) assert.equal(shared.call("algal_eval", request), response, name);
  }
  assert.ok(shared.held() < 4 * 1024 * 1024);
});

Deno.test("thousands of calls hold no more than the first ones", async () => {
  const evaluator = await rawEvaluator();
  const requests = Object.values(HOSTILE).map((request) => JSON.stringify(request))
    .filter((request) => request.length < 7_000);
  for (const request of requests) evaluator.call("algal_eval", request);
  const held = evaluator.held();
  for (let i = 0; i < 5_000; i++) {
    evaluator.call("algal_check", '{"program":["get","x"],"names":["x"]}');
    evaluator.call("algal_eval", '{"program":["sort",["quote",[3,1,2]]]}');
    if (i % 10 === 0) evaluator.call("algal_eval", requests[(i / 10) % requests.length] ?? "");
  }
  assert.equal(evaluator.held(), held);
});

Deno.test("the largest budget and large requests neither trap nor leak", async () => {
  const evaluator = await rawEvaluator();
  const { program } = HOSTILE["reverse twelve times a step"] ?? {};
  const request = JSON.stringify({ program, env: { steps, long }, fuel: 1_000_000 });
  assert.match(evaluator.call("algal_eval", request) ?? "", /"ok":true/);
  const digits = `[${"1,".repeat(2_000_000)}1]`;
  assert.equal(
    evaluator.call("algal_eval", `{"program":1,"env":{"a":${digits}}}`),
    '{"err":{"code":"EXPR_BOUNDS","max":262144,"what":"env-bytes"},"fuel":0,"ok":false}',
  );
  const held = evaluator.held();
  for (let i = 0; i < 3; i++) evaluator.call("algal_eval", `{"program":1,"env":{"a":${digits}}}`);
  assert.equal(evaluator.held(), held);
});

Deno.test("buffers: zero lengths, unknown pointers and places outside memory are harmless", async () => {
  const { exports, call } = await rawEvaluator();
  const alloc = exports.algal_alloc as (length: number) => number;
  const dealloc = exports.algal_dealloc as (pointer: number, length: number) => void;
  const run = exports.algal_eval as (pointer: number, length: number) => bigint;
  assert.equal(alloc(0), 0);
  assert.equal(alloc(0xffff_ffff), 0);
  const buffers = [1, 7, 8, 100_000, 3].map((length) => ({ length, at: alloc(length) }));
  assert.equal(new Set(buffers.map(({ at }) => at)).size, 5);
  for (const { at, length } of [...buffers, ...buffers, { at: 12, length: 5 }]) dealloc(at, length);
  for (const [at, length] of [[0, 5], [5, 0], [0xffff_fff0, 5], [16, 0xffff_ffff]] as const) {
    assert.equal(run(at, length), 0n);
  }
  assert.equal(call("algal_eval", '{"program":1}'), '{"fuel":1,"ok":true,"value":1}');
});
