/** Applies one vector of scoring spec 8 (`rng.jsonl`). */
import assert from "node:assert/strict";
import { mixSeed, type Rng, rng } from "../../lib/suites/rng.ts";

type Item = string | number;
type Outcome = Item | boolean | Item[];

interface Call {
  call: string;
  max?: number;
  lo?: number;
  hi?: number;
  p?: number;
  items?: Item[];
  out: Outcome;
}

export interface RngVector extends Omit<Call, "call" | "out"> {
  op: string;
  seed: number;
  label?: string;
  skip?: number;
  nextRaw?: number;
  calls?: Call[];
  throws?: boolean;
  out?: Outcome | boolean[];
}

function need<T>(value: T | undefined): T {
  assert(value !== undefined, "the vector lacks a member");
  return value;
}

function perform(stream: Rng, name: string, call: Omit<Call, "call" | "out">): Outcome {
  switch (name) {
    case "raw":
      return stream.next();
    case "int":
      return stream.int(need(call.max));
    case "intBetween":
      return stream.intBetween(need(call.lo), need(call.hi));
    case "pick":
      return stream.pick(need(call.items));
    case "chance":
      return stream.chance(need(call.p));
    case "shuffle":
      return stream.shuffle([...need(call.items)]);
    default:
      assert.fail(`unknown call ${name}`);
  }
}

export function checkRngVector(vector: RngVector): void {
  const { op, seed, out } = vector;
  if (op === "badSeed") {
    assert.throws(() => rng(seed), RangeError);
    return;
  }
  if (op === "mixSeed") {
    assert.equal(mixSeed(need(vector.label), seed), out);
    return;
  }
  const stream = rng(seed);
  if (op === "sequence") {
    for (const call of need(vector.calls)) {
      assert.deepEqual(perform(stream, call.call, call), call.out);
    }
  } else if (op === "shuffle") {
    assert.deepEqual(perform(stream, op, vector), out);
    assert.equal(stream.next(), vector.nextRaw);
  } else {
    assert(Array.isArray(out) && out.length > 0);
    for (let i = 0; i < (vector.skip ?? 0); i++) stream.next();
    const name = op === "rawAfter" ? "raw" : op;
    assert.deepEqual(out.map(() => perform(stream, name, vector)), out);
  }
}
