import assert from "node:assert/strict";
import { mixSeed, rng } from "../../../lib/suites/rng.ts";

Deno.test("rng: a seed that is no u32 is refused, by the generator and by mixSeed", () => {
  const bad = [-1, -0.5, 0.5, 1.5, 2 ** 32, 2 ** 53, NaN, Infinity, -Infinity];
  for (const seed of bad) {
    assert.throws(() => rng(seed), RangeError, String(seed));
    assert.throws(() => mixSeed("a", seed), RangeError, String(seed));
  }
  for (const seed of ["1", "", null, undefined, true, 1n, [1], {}]) {
    assert.throws(() => rng(seed as number), RangeError, String(seed));
    assert.throws(() => mixSeed("a", seed as number), RangeError, String(seed));
  }
});

Deno.test("rng: the smallest and the largest seed are accepted", () => {
  assert.equal(rng(0).next(), 1144304738);
  assert.equal(rng(4294967295).next(), 3850105811);
  assert.equal(rng(-0).next(), 1144304738);
});

Deno.test("rng: generators don't share state, and their members can be taken out", () => {
  const { next, int } = rng(0);
  const other = rng(0);
  assert.equal(next(), 1144304738);
  assert.equal(other.next(), 1144304738);
  // 1416247 / 2^32 is about 0.00033.
  assert.equal(int(10000), 3);
  assert.equal(other.next(), 1416247);
});

Deno.test("rng: forced outcomes cost one draw as well", () => {
  const second = 1416247;
  const int = rng(0);
  assert.equal(int.int(1), 0);
  assert.equal(int.next(), second);
  const between = rng(0);
  assert.equal(between.intBetween(-5, -5), -5);
  assert.equal(between.next(), second);
  const pick = rng(0);
  assert.equal(pick.pick(["only"]), "only");
  assert.equal(pick.next(), second);
  const never = rng(0);
  assert.equal(never.chance(0), false);
  assert.equal(never.next(), second);
  const always = rng(0);
  assert.equal(always.chance(1), true);
  assert.equal(always.next(), second);
});

Deno.test("rng: shuffle works in place, and draws nothing for fewer than two items", () => {
  const stream = rng(0);
  const none: string[] = [];
  const one = ["a"];
  assert.equal(stream.shuffle(none), none);
  assert.equal(stream.shuffle(one), one);
  assert.equal(stream.next(), 1144304738);
  const two = ["a", "b"];
  assert.equal(stream.shuffle(two), two);
  // 1416247 is in the lower half, so j = 0: the items change places.
  assert.deepEqual(two, ["b", "a"]);
});

Deno.test("rng: picking from an empty list is refused", () => {
  assert.throws(() => rng(0).pick([]), RangeError);
});

Deno.test("rng: chance equals the integer test of the specification", () => {
  const thresholds = [
    [0.25, 1073741824],
    [0.3, 1288490189],
    [0.35, 1503238554],
    [0.4, 1717986919],
    [0.45, 1932735284],
    [0.5, 2147483648],
  ] as const;
  for (const [p, threshold] of thresholds) {
    const raw = rng(20);
    const stream = rng(20);
    for (let i = 0; i < 2000; i++) assert.equal(stream.chance(p), raw.next() < threshold);
  }
});

Deno.test("rng: chance is strict where p equals the draw", () => {
  assert.equal(rng(0).chance(1144304738 / 2 ** 32), false);
  assert.equal(rng(0).chance(1144304739 / 2 ** 32), true);
});

Deno.test("mixSeed: the checks of the specification", () => {
  assert.equal(mixSeed("a", 0), 3826002220);
  assert.equal(mixSeed("satcheck:t5", 0), 4185905990);
  assert.equal(mixSeed("", 0), 0x811c9dc5);
  assert.equal(mixSeed("", 0xffffffff), 0x7ee3623a);
});

Deno.test("mixSeed: only the first UTF-16 unit of a code point counts", () => {
  assert.equal(mixSeed("\u{1F600}", 0), mixSeed("\u{1F64F}", 0));
  assert.equal(mixSeed("\u{1F600}", 0), mixSeed("\ud83d", 0));
  assert.notEqual(mixSeed("\u{1F600}", 0), mixSeed("\u{10FFFF}", 0));
});
