/** Random input: never a trap, always a JSON response; and JavaScript as an oracle where it is one. */
import assert from "node:assert/strict";
import fc from "../../support/npm/fast_check.ts";
import type { Json } from "../../../lib/evaluator/module.ts";
import { type RawEvaluator, rawEvaluator } from "../../support/evaluator_raw.ts";

const evaluator: RawEvaluator = await rawEvaluator();

interface Response {
  ok: boolean;
  value?: Json;
  fuel: number;
  err?: { code: string };
}

function evaluate(program: Json, env: { [name: string]: Json } = {}): Response {
  return JSON.parse(evaluator.call("algal_eval", JSON.stringify({ program, env })) ?? "");
}

function value(program: Json, env: { [name: string]: Json } = {}): Json | undefined {
  const response = evaluate(program, env);
  assert.ok(response.ok, JSON.stringify(response));
  return response.value;
}

function answersEitherWay(request: string | Uint8Array): void {
  for (const name of ["algal_eval", "algal_check"] as const) {
    const response = evaluator.call(name, request);
    assert.equal(typeof JSON.parse(response ?? "").ok, "boolean");
    assert.equal(evaluator.call(name, request), response, "the same again");
  }
}

Deno.test("random bytes get a response", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), answersEitherWay),
    { numRuns: 3_000 },
  );
});

Deno.test("requests with a few bytes changed get a response", () => {
  const base = new TextEncoder().encode(
    '{"program":["fold",["get","a"],0,"s","i",["add",["get","s"],["slen",["get","i"]]]],' +
      '"env":{"a":["\\ud83d\\ude00","é\\n",""],"n":-1.5e-3},"fuel":9000}',
  );
  const change = fc.tuple(fc.nat(base.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const bytes = base.slice();
      for (const [at, byte] of changes) bytes[at] = byte;
      answersEitherWay(bytes);
    }),
    { numRuns: 5_000 },
  );
});

const OPERATIONS =
  ("add mul min max sub div mod neg abs floor ceil round clamp lt lte gt gte eq neq and or not if " +
    "let quote get list len nth concat map filter fold contains reverse take drop flat unique sort " +
    "slen sconcat upper lower trim split join scontains starts ends toText has keys values merge " +
    "isText isNum isBool isList isMap isNull").split(" ");

const env: { [name: string]: Json } = {
  l: [3, 1, [2], "b", "a", null, true, { z: 1 }],
  t: "a,bé,😀",
  m: { "10": 1, "9": [1], "é": {}, b: null },
  n: -2.5,
};

/** Programs that are well-formed often enough to get past the static check. */
const programs = fc.letrec<{ node: Json }>((tie) => {
  const name = fc.constantFrom<Json>("l", "t", "m", "n", "x", "y");
  const leaf = fc.oneof(
    fc.constantFrom<Json>(null, true, false, 0, 1, -1, 0.5, 1e300, "", "a", ",", 1024),
    name.map((n) => ["get", n] as Json),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const node = tie("node") as fc.Arbitrary<Json>;
  return {
    node: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      leaf,
      fc.tuple(fc.constantFrom(...OPERATIONS), fc.array(node, { minLength: 1, maxLength: 3 }))
        .map(([op, args]) => [op, ...args] as Json),
      fc.tuple(fc.constantFrom("map", "filter"), node, node)
        .map(([op, list, body]) => [op, list, "x", body] as Json),
      fc.tuple(node, node).map(([v, body]) => ["let", "x", v, body] as Json),
      fc.tuple(node, node, node)
        .map(([list, init, body]) => ["fold", list, init, "x", "y", body] as Json),
      fc.dictionary(fc.string({ maxLength: 3 }), node, { maxKeys: 3 }) as fc.Arbitrary<Json>,
    ),
  };
}).node;

Deno.test("random programs get a response, the same every time, within their fuel", () => {
  let evaluated = 0;
  fc.assert(
    fc.property(programs, fc.nat(400), (program, fuel) => {
      const request = JSON.stringify({ program, env, fuel });
      answersEitherWay(request);
      const response: Response = JSON.parse(evaluator.call("algal_eval", request) ?? "");
      assert.ok(response.fuel >= 0 && response.fuel <= fuel);
      if (response.ok) {
        evaluated++;
        // More fuel changes nothing, one unit less ends the evaluation.
        const more = evaluator.call("algal_eval", JSON.stringify({ program, env, fuel: 10_000 }));
        assert.deepEqual(JSON.parse(more ?? ""), response);
        const less = JSON.stringify({ program, env, fuel: response.fuel - 1 });
        const starved: Response = JSON.parse(evaluator.call("algal_eval", less) ?? "");
        assert.equal(starved.err?.code, "EXPR_FUEL");
      }
      assert.ok(evaluator.held() < 4 * 1024 * 1024);
    }),
    { numRuns: 6_000 },
  );
  assert.ok(evaluated > 500, `${evaluated} programs`);
});

/** Spells a double so that reading it is exact: an integer below 2^53, then powers of two. */
function exactly(x: number): Json {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const significand = Number(biased === 0 ? fraction : fraction | (1n << 52n));
  let left = biased === 0 ? -1074 : biased - 1075;
  let program: Json = x < 0 ? -significand : significand;
  // Two steps at most, none of them rounding: the result is a double.
  while (left !== 0) {
    const step = Math.max(-537, Math.min(900, left));
    program = [step < 0 ? "div" : "mul", program, power(Math.abs(step))];
    left -= step;
  }
  return program;
}

function power(exponent: number): Json {
  const factors: Json[] = [];
  for (let left = exponent; left > 0; left -= 52) factors.push(2 ** Math.min(52, left));
  return ["mul", ...factors];
}

Deno.test("numbers print as JavaScript's String(x)", () => {
  const bits = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }).map((n) =>
    new DataView(new BigUint64Array([n]).buffer).getFloat64(0, true)
  ).filter(Number.isFinite);
  const short = fc.tuple(
    fc.integer({ min: -99_999, max: 99_999 }),
    fc.integer({ min: -30, max: 30 }),
  )
    .map(([digits, e]) => Number(`${digits}e${e}`));
  const binary = fc.integer({ min: -1074, max: 1023 }).map((e) => 2 ** e);
  const half = fc.tuple(fc.maxSafeNat(), fc.integer({ min: 0, max: 70 }))
    .map(([n, e]) => n / 2 ** e);
  const number = fc.oneof(bits, short, binary, half, fc.maxSafeInteger());
  fc.assert(
    fc.property(fc.array(number, { minLength: 8, maxLength: 8 }), (numbers) => {
      const request = JSON.stringify({ program: ["list", ...numbers.map(exactly)] });
      const response = evaluator.call("algal_eval", request) ?? "";
      const printed = /"value":\[(.*)\]\}$/.exec(response)?.[1];
      assert.equal(printed, numbers.map(String).join(","));
    }),
    { numRuns: 4_000 },
  );
});

const text = fc.string({ unit: "binary", maxLength: 12 });
const letters = fc.string({
  unit: fc.constantFrom("a", "b", ",", "é", "😀", "\uffff"),
  maxLength: 9,
});

Deno.test("texts are measured, ordered, cut and joined as in JavaScript", () => {
  fc.assert(
    fc.property(fc.oneof(text, letters), fc.oneof(text, letters), (s, t) => {
      const both = { s, t };
      const S: Json = ["get", "s"];
      const T: Json = ["get", "t"];
      assert.equal(value(["slen", S], both), s.length);
      assert.equal(value(["lt", S, T], both), s < t);
      assert.equal(value(["gte", S, T], both), s >= t);
      assert.equal(value(["eq", S, T], both), s === t);
      assert.equal(value(["sconcat", S, T], both), s + t);
      assert.equal(value(["scontains", S, T], both), s.includes(t));
      assert.equal(value(["starts", S, T], both), s.startsWith(t));
      assert.equal(value(["ends", S, T], both), s.endsWith(t));
      assert.equal(value(["toText", S], both), JSON.stringify(s));
      if (t !== "") {
        assert.deepEqual(value(["split", S, T], both), s.split(t));
        assert.equal(value(["join", ["split", S, T], T], both), s);
      }
    }),
    { numRuns: 1_500 },
  );
});

/** For lists of numbers or of texts. */
function ascending(a: Json, b: Json): number {
  if (a === null || b === null || a === b) return 0;
  return a < b ? -1 : 1;
}

Deno.test("lists are sorted, reversed and cut as in JavaScript", () => {
  const items = fc.oneof(
    fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 40 }),
    fc.array(letters, { maxLength: 20 }),
  );
  fc.assert(
    fc.property(items, fc.nat(45), (l: Json[], k) => {
      const L: Json = ["get", "l"];
      assert.deepEqual(value(["sort", L], { l }), l.toSorted(ascending));
      assert.deepEqual(value(["reverse", L], { l }), l.toReversed());
      assert.deepEqual(value(["take", L, k], { l }), l.slice(0, k));
      assert.deepEqual(value(["drop", L, k], { l }), l.slice(k));
      assert.deepEqual(value(["drop", ["reverse", L], k], { l }), l.toReversed().slice(k));
      assert.deepEqual(value(["take", ["reverse", L], k], { l }), l.toReversed().slice(0, k));
      assert.deepEqual(
        value(["sort", ["reverse", ["drop", L, k]]], { l }),
        l.slice(k).toSorted(ascending),
      );
      assert.deepEqual(value(["unique", L], { l: l.slice(0, 15) }), [...new Set(l.slice(0, 15))]);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("JSON comes back as JavaScript's JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), (v) => {
      // Integers only: other spellings are not read as JavaScript reads them (section 2.3).
      const json: Json = JSON.parse(
        JSON.stringify(v),
        (_, item) => typeof item === "number" ? Math.trunc(item % 1e9) + 0 : item,
      );
      assert.deepEqual(value(["get", "v"], { v: json }), json);
      const keys = Object.keys(Object(json));
      if (typeof json === "object" && json !== null && !Array.isArray(json)) {
        const written = value(["keys", ["get", "v"]], { v: json });
        assert.deepEqual(written, keys.toSorted(outputOrder));
      }
    }),
    { numRuns: 1_500 },
  );
});

/** Index keys first, by number; then by UTF-16 code units. */
function outputOrder(a: string, b: string): number {
  const index = (key: string) => /^(0|[1-9][0-9]{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;
  if (index(a) && index(b)) return Number(a) - Number(b);
  if (index(a) !== index(b)) return index(a) ? -1 : 1;
  return a < b ? -1 : 1;
}
