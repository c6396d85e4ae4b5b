import assert from "node:assert/strict";
import { whereThrown } from "../../../lib/verify/fault.ts";

const SECRET = "AAAA_a_label_of_somebody_AAAA";

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
}

Deno.test("a fault is told by its kind and its place", () => {
  const told = whereThrown(thrownBy(() => {
    throw new TypeError(SECRET);
  }));
  const [name, first] = told.split("\n");
  assert.equal(name, "TypeError");
  assert.match(first!, /^ {4}at file:\/\/.*fault_test\.ts:\d+:\d+$/);
  const native = whereThrown(thrownBy(() => JSON.parse(`{"${SECRET}`)));
  assert.match(native, /^SyntaxError\n {4}at JSON\.parse \(<anonymous>\)\n {4}at file:/);
});

Deno.test("never by what its message, its name or its cause holds", () => {
  const renamed = new Error("x");
  renamed.name = SECRET;
  const changed = new Error(`x\n    at ${SECRET}\n    at y (${SECRET})`);
  changed.message = "something else";
  const faults: unknown[] = [
    new Error(SECRET),
    new Error(`first\n    at ${SECRET}\n    at ${SECRET} (nowhere:1:1)`),
    new Error(`    at x (file:///${SECRET}:1:1)`),
    new Error("outer", { cause: new Error(SECRET) }),
    new AggregateError([new Error(SECRET)], "several"),
    renamed,
    changed,
    Object.assign(new Error(""), { stack: undefined }),
    thrownBy(() => JSON.parse(`{"label":"${SECRET}"`)),
    SECRET,
    { message: SECRET },
    null,
    undefined,
  ];
  for (const [index, fault] of faults.entries()) {
    const told = whereThrown(fault);
    assert.ok(!told.includes(SECRET), `${index}: ${told}`);
    assert.ok(told.length > 0);
  }
});
