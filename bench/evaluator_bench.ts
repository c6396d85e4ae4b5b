/** What evaluating costs: one evaluation per algal cell, warm, and everything up to the first answer. */
import { type Json, loadEvaluator } from "../lib/evaluator/module.ts";
import { ownModule } from "../wasm/load.ts";
import { OWN } from "../wasm/pins.ts";

const get = (...path: Json[]): Json => ["get", ...path];
const times = (i: number): Json => ["mul", get("coefficients", i), get("state", i)];

/** The three program shapes of the family `algal`, with the inputs of seed 1. */
const CELLS: { cell: string; program: Json; env: { [name: string]: Json } }[] = [
  {
    cell: "t1",
    program: [
      "fold",
      [
        "map",
        ["filter", get("values"), "x", ["gt", get("x"), get("cutoff")]],
        "x",
        ["mul", get("x"), get("x")],
      ],
      0,
      "sum",
      "item",
      ["add", get("sum"), get("item")],
    ],
    env: { values: [11, 20, 12, 17, 18, 3, 13, 15], cutoff: 10 },
  },
  {
    cell: "t2",
    program: ["nth", [
      "fold",
      get("values"),
      get("start"),
      "state",
      "item",
      [
        "list",
        get("state", 1),
        get("state", 2),
        ["mod", ["add", times(0), times(1), times(2), get("item")], get("modulus")],
      ],
    ], 2],
    env: {
      values: [15, 3, 4, 14, 18, 19, 2, 17, 8, 6],
      start: [2, 6, 5],
      coefficients: [1, 7, 1],
      modulus: 97,
    },
  },
  {
    cell: "t3",
    program: ["nth", [
      "fold",
      get("rounds"),
      get("start"),
      "state",
      "round",
      ["map", get("matrix"), "row", ["mod", [
        "fold",
        get("indices"),
        0,
        "sum",
        "i",
        ["add", get("sum"), ["mul", get("row", get("i")), get("state", get("i"))]],
      ], get("modulus")]],
    ], get("target")],
    env: {
      matrix: [[2, 1, 0, 0], [2, 0, 2, 2], [1, 2, 1, 2], [0, 1, 1, 1]],
      start: [3, 5, 3, 1],
      indices: [0, 1, 2, 3],
      rounds: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      modulus: 997,
      target: 0,
    },
  },
];

const warm = await loadEvaluator(await ownModule(), OWN.sha256);

for (const { cell, program, env } of CELLS) {
  Deno.bench({ name: `algal ${cell}, warm`, group: "warm" }, () => {
    warm.evaluate(program, env);
  });
}

for (const { cell, program, env } of CELLS) {
  Deno.bench({ name: `algal ${cell}, hash, compile, instantiate`, group: "cold" }, async () => {
    const evaluator = await loadEvaluator(await ownModule(), OWN.sha256);
    evaluator.evaluate(program, env);
  });
}
