/** The host side of the evaluator: pins, limits, and recovery (algal-expr spec 12.1). */
import assert from "node:assert/strict";
import { sha256Hex } from "../../../lib/encoding/digest.ts";
import {
  type Evaluator,
  EvaluatorError,
  type EvaluatorErrorCode,
  type Json,
  LIMITS,
  loadEvaluator,
} from "../../../lib/evaluator/module.ts";
import { ownModule } from "../../../wasm/load.ts";
import { OFFICIAL, OWN } from "../../../wasm/pins.ts";
import { type StandIn, standIn } from "../../support/evaluator_standin.ts";

function fails(code: EvaluatorErrorCode) {
  return (error: unknown) => error instanceof EvaluatorError && error.code === code;
}

function load(options: StandIn): Promise<Evaluator> {
  const bytes = standIn(options);
  return loadEvaluator(bytes, sha256Hex(bytes));
}

const own = () => ownModule().then((bytes) => loadEvaluator(bytes, OWN.sha256));

Deno.test("our own module matches its pin and evaluates", async () => {
  const bytes = await ownModule();
  assert.equal(bytes.length, OWN.bytes);
  assert.ok(OWN.bytes < 60 * 1024);
  const evaluator = await own();
  assert.equal(evaluator.sha256, OWN.sha256);
  assert.deepEqual(evaluator.evaluate(["add", 1, ["get", "x"]], { x: 2 }), {
    ok: true,
    value: 3,
    fuel: 7,
  });
  assert.deepEqual(evaluator.evaluate(["div", 1, 0], {}), {
    ok: false,
    err: { code: "EXPR_DIV_ZERO", op: "div" },
    fuel: 4,
  });
  assert.deepEqual(evaluator.check(["get", "x"], ["x"]), { ok: true });
  assert.deepEqual(evaluator.check(["get", "x"], []), {
    ok: false,
    err: { code: "EXPR_PATH", op: "get", what: 'unbound name "x"' },
  });
});

Deno.test("a module with any byte flipped is refused before it is compiled", async () => {
  const bytes = await ownModule();
  for (const at of [0, 8, bytes.length >> 1, bytes.length - 1]) {
    const flipped = bytes.slice();
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    await assert.rejects(loadEvaluator(flipped, OWN.sha256), fails("evaluator-hash-mismatch"));
  }
  await assert.rejects(
    loadEvaluator(bytes, OFFICIAL.sha256),
    fails("evaluator-hash-mismatch"),
  );
});

Deno.test("what is compiled is what was hashed", async () => {
  const bytes = standIn();
  const loading = loadEvaluator(bytes, sha256Hex(bytes));
  bytes.fill(0);
  assert.equal((await loading).evaluate(1, {}).ok, true);
});

Deno.test("a pinned module must compile, import nothing, and export the interface", async () => {
  const junk = new Uint8Array([1, 2, 3]);
  await assert.rejects(loadEvaluator(junk, sha256Hex(junk)), fails("evaluator-compile"));
  await assert.rejects(load({ imports: true }), fails("evaluator-imports"));
  for (const name of ["memory", "algal_alloc", "algal_dealloc", "algal_eval", "algal_check"]) {
    await assert.rejects(load({ without: name }), fails("evaluator-exports"));
  }
});

Deno.test("fuel is an integer from 0 to 10,000", async () => {
  const evaluator = await own();
  for (const fuel of [-1, 0.5, 10_001, NaN, Infinity]) {
    assert.throws(() => evaluator.evaluate(1, {}, fuel), fails("evaluator-fuel-invalid"));
  }
  assert.deepEqual(evaluator.evaluate(1, {}, 0), {
    ok: false,
    err: { code: "EXPR_FUEL", cost: 1, left: 0 },
    fuel: 0,
  });
  assert.equal(evaluator.evaluate(1, {}, 10_000).ok, true);
  assert.equal(evaluator.evaluate(1, {}, -0).fuel, 0);
});

Deno.test("requests have at most 64 KiB of UTF-8", async () => {
  const evaluator = await own();
  const empty = JSON.stringify({ program: 1, env: { x: "" }, fuel: 10_000 }).length;
  const fits = "é".repeat((LIMITS.requestBytes - empty) >> 1);
  assert.equal(evaluator.evaluate(1, { x: fits }).ok, true);
  assert.throws(
    () => evaluator.evaluate(1, { x: fits + "é" }),
    fails("evaluator-request-too-large"),
  );
  let deep: Json = 0;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  assert.throws(() => evaluator.evaluate(deep, {}), EvaluatorError);
});

Deno.test("responses have at most 64 KiB", async () => {
  const evaluator = await own();
  // Ten texts make a list of 65,521 bytes, which "output-bytes" allows; the envelope adds 31.
  const program: Json = ["list", ...Array<Json>(10).fill(["get", "x"])];
  const env = { x: "x".repeat(6_549) };
  assert.throws(() => evaluator.evaluate(program, env), fails("evaluator-response-too-large"));
  assert.equal(evaluator.evaluate(1, {}).ok, true, "the next call has a fresh instance");
  const standin = await load({ mishap: "long" });
  assert.throws(() => standin.evaluate(1, {}, 7), fails("evaluator-response-too-large"));
});

Deno.test("an instance is kept from call to call", async () => {
  const evaluator = await load({});
  const values = [1, 2, 3].map(() => evaluator.evaluate(1, {}, 8));
  assert.deepEqual(values.map((response) => response.ok && response.value), [1, 2, 3]);
});

Deno.test("after a failure the next call has a fresh instance", async () => {
  const cases: [StandIn["mishap"], EvaluatorErrorCode][] = [
    ["trap", "evaluator-trap"],
    ["loop-stack", "evaluator-trap"],
    ["grow", "evaluator-memory"],
    ["grow-then-trap", "evaluator-trap"],
    ["zero", "evaluator-failed"],
    ["long", "evaluator-response-too-large"],
    ["outside", "evaluator-failed"],
  ];
  for (const [mishap, code] of cases) {
    const evaluator = await load({ mishap });
    assert.deepEqual(evaluator.evaluate(1, {}, 8), { ok: true, value: 1, fuel: 1 });
    assert.throws(() => evaluator.evaluate(1, {}, 7), fails(code), mishap);
    assert.deepEqual(evaluator.evaluate(1, {}, 8), { ok: true, value: 1, fuel: 1 }, mishap);
  }
});

Deno.test("an instance that starts above 16 MiB, or can't allocate, is a typed error", async () => {
  const evaluator = await load({ pages: 257 });
  assert.throws(() => evaluator.evaluate(1, {}), fails("evaluator-memory"));
  assert.equal((await load({ pages: 256 })).evaluate(1, {}).ok, true);
  const none = await load({ pointer: 0 });
  assert.throws(() => none.evaluate(1, {}), fails("evaluator-failed"));
  const outside = await load({ pointer: 0x7fff_ffff });
  assert.throws(() => outside.evaluate(1, {}), fails("evaluator-failed"));
});

Deno.test("a response that is none is a typed error", async () => {
  const responses = [
    "",
    "{",
    "\ufeff1",
    "1",
    "[]",
    "null",
    "{}",
    '{"ok":true}',
    '{"ok":true,"fuel":1}',
    '{"ok":true,"fuel":-1,"value":1}',
    '{"ok":true,"fuel":10001,"value":1}',
    '{"ok":false,"fuel":1}',
    '{"ok":false,"fuel":1,"err":{}}',
    '{"ok":1,"fuel":1,"value":1}',
  ];
  for (const response of responses) {
    const evaluator = await load({ response });
    assert.throws(() => evaluator.evaluate(1, {}), EvaluatorError, response);
  }
});
