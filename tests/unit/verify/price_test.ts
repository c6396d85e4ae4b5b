/** What a check is expected to take, by hand from the table of costs. */
import assert from "node:assert/strict";
import { expectedMs } from "../../../lib/verify/price.ts";

const TIME = { document: 3000, input: 9000 };
const encoder = new TextEncoder();

/** A run of so many rows of a cell, as far as an estimate looks at one. */
const run = (family: string, tier: number, rows: number) => ({
  run: encoder.encode(
    Array.from({ length: rows }, (_, seed) => JSON.stringify({ family, tier, seed })).join("\n"),
  ),
});

Deno.test("a costly cell costs more, and nothing more than the time that it is given", () => {
  const about = (entry: ReturnType<typeof run>, ms: number) =>
    assert.ok(Math.abs(expectedMs([entry], TIME) - ms) < 1e-6, `${expectedMs([entry], TIME)}`);
  about(run("echo", 0, 100), 5);
  about(run("cryptarithm", 6, 10), 258);
  about(run("sat", 6, 100), 1950);
  // 1,400 of those would take 36 s.
  about(run("cryptarithm", 6, 1400), 3000);
  // A tier that there isn't, and a name that every object has.
  about(run("cryptarithm", 9, 10), 0.5);
  about(run("constructor", 6, 10), 0.5);
  assert.equal(expectedMs(Array(100).fill(run("cryptarithm", 6, 1400)), TIME), 9000);
});

Deno.test("puzzles count at whatever depth of documents within documents, and texts that are none don't", () => {
  const challenge = { family: "sudoku", seed: 7, suiteVersion: "clankdar-suite-v2", tier: 5 };
  const receipt = { payload: JSON.stringify({ challenge }), protocol: "", signature: "" };
  const admission = { payload: JSON.stringify({ challenges: [challenge], receipts: [receipt] }) };
  assert.equal(expectedMs([{ value: receipt }], TIME), 9.9);
  assert.equal(expectedMs([{ value: admission }], TIME), 19.8);
  for (const value of [undefined, null, 0, "family", [], { family: 1, tier: 5 }]) {
    assert.equal(expectedMs([{ value }], TIME), 0);
  }
  // Linear in what there is to read.
  const hostile = `"family${"\\".repeat(1_000_000)}`;
  assert.equal(expectedMs([{ value: hostile }, { run: encoder.encode(hostile) }], TIME), 0);
});
