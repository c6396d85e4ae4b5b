/**
 * The worked examples and remarkable seeds of docs/specification/suites: answers, computed text, and the prompt's
 * length, to which a phrase adds what its pin says.
 */
import assert from "node:assert/strict";
import { BudgetExceeded, createBudget } from "../../../lib/suites/budget.ts";
import * as arithmetic from "../../../lib/suites/families/arithmetic.ts";
import * as automata from "../../../lib/suites/families/automata.ts";
import * as bitcircuit from "../../../lib/suites/families/bitcircuit.ts";
import * as bitmatrix from "../../../lib/suites/families/bitmatrix.ts";
import * as cipher from "../../../lib/suites/families/cipher.ts";
import * as echo from "../../../lib/suites/families/echo.ts";
import * as gridpath from "../../../lib/suites/families/gridpath.ts";
import * as hiddenfn from "../../../lib/suites/families/hiddenfn.ts";
import * as knights from "../../../lib/suites/families/knights.ts";
import * as ordering from "../../../lib/suites/families/ordering.ts";
import * as registervm from "../../../lib/suites/families/registervm.ts";
import * as sequence from "../../../lib/suites/families/sequence.ts";
import { seeded } from "../../../lib/suites/generate.ts";
import { cellStream } from "../../../lib/suites/stream.ts";
import * as strings from "../../../lib/suites/families/strings.ts";
import type { Generator } from "../../../lib/suites/instance.ts";
import type { PhrasePins } from "../../../lib/suites/prompt.ts";
import { suites } from "../../../lib/suites/suites.ts";
import { rng } from "../../../lib/suites/rng.ts";

interface Family {
  generate: Generator;
  PINS: PhrasePins;
}

interface Outcome {
  answer: string;
  /** The computed texts, phrases left out. */
  texts: string[];
  /** Length of the whole prompt in UTF-16 code units. */
  chars: number;
}

const V2 = "clankdar-suite-v2";
const FRONTIER = ["clankdar-frontier-v0", "clankdar-frontier-v1"];

const FAMILIES: Record<string, Family> = {
  arithmetic,
  automata,
  bitcircuit,
  bitmatrix,
  cipher,
  echo,
  gridpath,
  hiddenfn,
  knights,
  ordering,
  registervm,
  sequence,
  strings,
};

function generatorOf(family: Family) {
  const [name] = Object.entries(FAMILIES).find(([, known]) => known === family)!;
  return seeded(name, family.generate);
}

function outcome(family: Family, version: string, tier: number, seed: number): Outcome {
  const { parts, answer } = generatorOf(family)(version, tier, seed, createBudget(1e6));
  const lengths = parts.map((p) => "text" in p ? p.text.length : family.PINS[p.phrase]!.chars);
  return {
    answer,
    texts: parts.flatMap((part) => "text" in part ? [part.text] : []),
    chars: lengths.reduce((sum, length) => sum + length, 0),
  };
}

Deno.test("echo: seed 0 wants the word as it is", () => {
  assert.deepEqual(outcome(echo, V2, 0, 0), { answer: "juniper", texts: ["juniper"], chars: 54 });
});

Deno.test("arithmetic: trees, a zero divisor, and values beyond 32 bits", () => {
  const examples = [
    [1, 0, "-124", "((2 + 4) - (13 * 10))"],
    [1, 263458982, "10", "(0 + 10)"],
    [2, 0, "143", "((6 + (11 * 13)) - (1344 / (14 * 16)))"],
  ] as const;
  for (const [tier, seed, answer, expression] of examples) {
    const got = outcome(arithmetic, V2, tier, seed);
    assert.equal(got.answer, answer);
    if (seed === 0) assert.deepEqual(got.texts, [`Compute ${expression}`]);
    else assert.ok(got.texts[0]!.includes(expression));
  }
  assert.equal(outcome(arithmetic, V2, 2, 2624957177).answer, "-463846734");
  assert.equal(outcome(arithmetic, V2, 2, 623749651).answer, "7457228262");
});

Deno.test("arithmetic: a product of zero and a negative number is plain zero", () => {
  for (const [tier, seed] of [[1, 2133678338], [1, 145920932], [2, 3828853333]] as const) {
    assert.equal(outcome(arithmetic, V2, tier, seed).answer, "0");
  }
});

Deno.test("sequence: a geometric one and one of sums", () => {
  const geometric = outcome(sequence, V2, 2, 0);
  assert.deepEqual([geometric.texts, geometric.answer], [["1, 2, 4, 8, 16"], "32"]);
  const sums = outcome(sequence, V2, 2, 1);
  assert.deepEqual([sums.texts, sums.answer], [["1, 5, 6, 11, 17"], "28"]);
});

Deno.test("strings: a letter by its place, and a word without vowels", () => {
  const nth = outcome(strings, V2, 1, 0);
  assert.equal(nth.answer, "n");
  assert.ok(nth.texts[0]!.endsWith(' 3rd letter of the word "juniper'));
  const vowels = outcome(strings, V2, 2, 0);
  assert.deepEqual([vowels.texts, vowels.answer], [["juniper"], "jnpr"]);
});

Deno.test("cipher: seed 0 shifts by one", () => {
  const got = outcome(cipher, V2, 2, 0);
  assert.equal(got.answer, "juniper");
  assert.deepEqual(got.texts, ['The text "kvojqfs', "1"]);
});

Deno.test("ordering: clues are kept as shuffled, and attempts carry on", () => {
  const clues = [["fay", "di"], ["el", "di"], ["hal", "di"], ["fay", "hal"], ["el", "fay"]];
  const got = outcome(ordering, V2, 3, 0);
  assert.equal(got.answer, "A D B C");
  assert.equal(got.texts[0], "Four runners (A=el, B=hal, C=di, D=fay");
  assert.equal(got.texts[1], clues.map((pair) => pair.join(" finished before ")).join("; "));
  assert.equal(outcome(ordering, V2, 3, 1).answer, "D B A C");
  assert.equal(outcome(ordering, V2, 3, 2070200378).chars, 267);
});

Deno.test("gridpath: seed 0, the longest way, and the seed with the most attempts", () => {
  const got = outcome(gridpath, V2, 3, 0);
  assert.deepEqual(got.texts, ["S...##\n##....\n...#..\n.##..#\n..#.##\n.#...G"]);
  assert.equal(got.answer, "12");
  assert.equal(outcome(gridpath, V2, 3, 4099520716).answer, "20");
  assert.equal(outcome(gridpath, V2, 3, 3943574863).answer, "12");
});

Deno.test("hiddenfn: rules on integers and words, an input added where it is needed", () => {
  const linear = outcome(hiddenfn, V2, 5, 0);
  assert.deepEqual(linear.texts, ["4) = 12\nf(14) = 32\nf(16) = 36\nf(19) = 42", "20"]);
  assert.equal(linear.answer, "44");
  const added = outcome(hiddenfn, V2, 5, 4285395700);
  assert.deepEqual(added.texts, ["4) = 1\nf(8) = 1\nf(20) = 1\nf(16) = 1\nf(1) = 7", "3"]);
  assert.equal(added.answer, "7");
  const word = outcome(hiddenfn, V2, 6, 0);
  assert.deepEqual(word.texts[0]!.match(/^[a-z]+|(?<=f\()[a-z]+/g), [
    "harbor",
    "sable",
    "velvet",
    "yonder",
  ]);
  assert.deepEqual([word.texts[1], word.answer], ["juniper", "tgrkpwl"]);
  const integer = outcome(hiddenfn, V2, 6, 1);
  assert.deepEqual([integer.texts[1], integer.answer], ["40", "16"]);
});

Deno.test("automata: fixed borders, and a row that was empty", () => {
  assert.deepEqual(outcome(automata, V2, 4, 1), {
    answer: "0001101111011",
    texts: ["150", "1000100000010"],
    chars: 304,
  });
  assert.deepEqual(outcome(automata, V2, 4, 4019128665), {
    answer: "0000001101111",
    texts: ["30", "0000000001000"],
    chars: 303,
  });
});

Deno.test("registervm: dropped products, wrapping, and both ways of seeding", () => {
  assert.deepEqual(outcome(registervm, V2, 4, 3781345303), {
    answer: "16",
    texts: [
      [
        "0: mov r0 2",
        "1: shl r0 3",
        "2: xor r0 r2",
        "3: mov r2 16",
        "4: sub r1 r0",
        "5: shl r1 2",
        "6: add r2 r1",
        "7: xor r2 r0",
      ].join("\n"),
    ],
    chars: 425,
  });
  assert.equal(outcome(registervm, V2, 3, 2014967316).answer, "6");
  assert.equal(outcome(registervm, V2, 3, 3393100006).answer, "6");
  for (const version of FRONTIER) {
    assert.equal(outcome(registervm, version, 5, 2605337218).answer, "23");
    const { answer, chars } = outcome(registervm, version, 5, 1049102817);
    assert.deepEqual([answer, chars], ["2", 481]);
  }
});

Deno.test("knights: seed 0 takes the second attempt", () => {
  const { answer, chars } = outcome(knights, V2, 3, 0);
  assert.deepEqual([answer, chars], ["A=knave B=knave C=knave", 300]);
});

Deno.test("bitcircuit: seed 1", () => {
  for (const version of FRONTIER) {
    const got = outcome(bitcircuit, version, 4, 1);
    assert.equal(got.answer, "10001110");
    assert.equal(got.chars, 488);
    assert.deepEqual([got.texts[0], got.texts[2]], ["5 = 101101", "10 through w17"]);
    assert.deepEqual(got.texts[1]!.split("\n").slice(0, 6), [
      "w6 = OR(w1, w0)",
      "w7 = NAND(w0, w6)",
      "w8 = XOR(w0, w6)",
      "w9 = OR(w7, w6)",
      "w10 = OR(w0, w1)",
      "w11 = NOT(w6)",
    ]);
  }
});

Deno.test("bitmatrix: seed 1, repeated rows dropped", () => {
  for (const version of FRONTIER) {
    const got = outcome(bitmatrix, version, 4, 1);
    assert.equal(got.answer, "100000");
    assert.equal(got.chars, 371);
    assert.ok(got.texts[0]!.startsWith("x0 ⊕ x1 ⊕ x5 = 1\nx3 ⊕ x4 ⊕ x5 = 0\n"));
    assert.equal(got.texts[1], "5 last.");
  }
});

Deno.test("cell streams start at the seed in suite v2, elsewhere at the mixed seed", () => {
  assert.equal(cellStream(V2, "automata", 4, 7).next(), rng(7).next());
  const hashes = [
    ["automata", 6, 3197553965],
    ["automata", 7, 3180776346],
    ["registervm", 5, 1510649826],
    ["registervm", 6, 1493872207],
    ["knights", 5, 652088962],
    ["knights", 6, 635311343],
  ] as const;
  for (const version of FRONTIER) {
    for (const [family, tier, hash] of hashes) {
      assert.equal(cellStream(version, family, tier, 0).next(), rng(hash).next());
    }
  }
});

Deno.test("every generator stops when its budget is used up, and refuses what is no seed", () => {
  for (const [name, family] of Object.entries(FAMILIES)) {
    const generate = seeded(name, family.generate);
    const suite = suites().find((suite) => Object.hasOwn(suite.families, name))!;
    const version = suite.version;
    const tier = suite.families[name]![0]!;
    assert.throws(() => generate(version, tier, 0, createBudget(5)), BudgetExceeded, name);
    for (const seed of [-1, 0.5, 2 ** 32, NaN]) {
      // A mixed seed goes through the same check.
      assert.throws(() => generate(version, tier, seed, createBudget(1e6)), RangeError, name);
    }
  }
});
