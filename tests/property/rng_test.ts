import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { mixSeed, rng } from "../../lib/suites/rng.ts";

const MOD = 1n << 32n;
const seeds = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
);

/** The k-th raw draw (k = 1, 2, …), step by step as specified, in exact integers. */
function draw(seed: number, k: number): number {
  const a = (BigInt(seed) + BigInt(k) * 1831565813n) % MOD;
  const b = ((a ^ (a >> 15n)) * (a | 1n)) % MOD;
  const c = b ^ ((b + ((b ^ (b >> 7n)) * (b | 61n)) % MOD) % MOD);
  return Number(c ^ (c >> 14n));
}

const scaled = (u: number, n: number) => Number((BigInt(u) * BigInt(n)) >> 32n);

Deno.test("rng: raw draws equal the specification in exact integers", () => {
  fc.assert(fc.property(seeds, (seed) => {
    const stream = rng(seed);
    for (let k = 1; k <= 20; k++) assert.equal(stream.next(), draw(seed, k));
  }));
});

Deno.test("rng: int, intBetween, pick and chance are exact", () => {
  const sizes = fc.integer({ min: 1, max: 1 << 21 });
  const bounds = fc.integer({ min: -100000, max: 100000 });
  fc.assert(
    fc.property(seeds, sizes, bounds, fc.integer({ min: 0, max: 0xffffffff }), (seed, n, lo, t) => {
      const stream = rng(seed);
      assert.equal(stream.int(n), scaled(draw(seed, 1), n));
      assert.equal(stream.intBetween(lo, lo + n - 1), lo + scaled(draw(seed, 2), n));
      const list = Array.from({ length: n % 97 + 1 }, (_, i) => i);
      assert.equal(stream.pick(list), scaled(draw(seed, 3), list.length));
      assert.equal(stream.chance(t / 2 ** 32), draw(seed, 4) < t);
    }),
  );
});

Deno.test("rng: shuffle follows the specified swaps", () => {
  fc.assert(fc.property(seeds, fc.array(fc.integer(), { maxLength: 60 }), (seed, items) => {
    const expected = [...items];
    let k = 0;
    for (let i = items.length - 1; i >= 1; i--) {
      const j = scaled(draw(seed, ++k), i + 1);
      const item = expected[i] as number;
      expected[i] = expected[j] as number;
      expected[j] = item;
    }
    const stream = rng(seed);
    assert.deepEqual(stream.shuffle([...items]), expected);
    assert.equal(stream.next(), draw(seed, k + 1));
  }));
});

Deno.test("mixSeed: equals FNV-1a over first units, and the seed comes in by XOR only", () => {
  const labels = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  );
  fc.assert(fc.property(labels, seeds, (label, seed) => {
    let h = 2166136261n;
    for (const char of Array.from(label)) {
      h = ((h ^ BigInt(char.charCodeAt(0))) * 16777619n) % MOD;
    }
    assert.equal(mixSeed(label, seed), Number(h ^ BigInt(seed)));
    assert.equal(mixSeed(label, seed), (mixSeed(label, 0) ^ seed) >>> 0);
  }));
});
