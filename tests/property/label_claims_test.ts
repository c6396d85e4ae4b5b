import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { allowedLabel, readLabel } from "../../lib/badge/label_claims.ts";

const NAMES = ["clankdar", "touchstone", "Clankdar staging"];

/**
 * Characters that look like a letter, from charts by eye: Cyrillic, Greek, Armenian and other
 * letters; full-width, mathematical and circled ones are made by their places.
 */
const ALIKE: Record<string, string> = {
  a: "аɑαÁàä",
  c: "сϲⅽᴄć",
  d: "ԁⅾ",
  e: "еéë",
  f: "ḟ",
  g: "ġ",
  h: "һ",
  i: "іíΙІ",
  k: "кκΚК",
  l: "ⅼ1I|ӏ",
  n: "ոΝń",
  o: "оοо0Οօ",
  p: "рρΡР",
  r: "ŕ",
  s: "ѕЅś",
  t: "тΤТ",
  u: "ύùü".slice(1),
  v: "νⅴѵ",
  y: "уý",
};

/** What readers don't see, or read over. */
const BETWEEN = [
  "",
  "",
  "",
  " ",
  "-",
  ".",
  "·",
  "_",
  "\u200b",
  "\u200d",
  "\u00ad",
  "\u2060",
  "\u0336",
  "\u202e",
];

function lookalikes(letter: string): string[] {
  const at = letter.toLowerCase().codePointAt(0)! - 0x61;
  if (at < 0 || at > 25) return [letter];
  const placed = [0xff41, 0xff21, 0x1d41a, 0x1d400, 0x1d5ba, 0x24d0, 0x24b6, 0x1f170];
  return [
    letter,
    letter.toUpperCase(),
    ...placed.map((start) => String.fromCodePoint(start + at)),
    ...(ALIKE[letter.toLowerCase()] ?? ""),
  ];
}

/** A word as a forger may write it: letters for letters, with something between them or not. */
function disguised(word: string): fc.Arbitrary<string> {
  const letters = [...word].map((letter) =>
    fc.tuple(fc.constantFrom(...lookalikes(letter)), fc.constantFrom(...BETWEEN)).map(([a, b]) =>
      a + b
    )
  );
  return fc.tuple(...letters).map((parts) => parts.join(""));
}

const around = fc.constantFrom("", "my ", "the 🚀 ", "Ω ");

Deno.test("label property: no disguise of a name is shown where it doesn't belong", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES).chain((name) => fc.tuple(fc.constant(name), disguised(name))),
      around,
      async ([name, word], before) => {
        const asked = await readLabel(before + word, NAMES);
        // What is cut off is not shown either.
        if (asked!.text.endsWith("…")) return;
        assert.ok(asked!.names.includes(name), before + word);
        const { label, refused } = allowedLabel(asked, { own: "own", mine: [] });
        assert.deepEqual([label, refused === null], ["own", false]);
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("label property: no disguise of an outcome is shown", async () => {
  const words = [
    "verified",
    "invalid",
    "passed",
    "failed",
    "unreplayed",
    "issuer-claimed",
    "accepted",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...words).chain(disguised),
      around,
      async (word, before) => {
        const asked = await readLabel(before + word, NAMES);
        if (asked!.text.endsWith("…")) return;
        const { label } = allowedLabel(asked, { own: "own", mine: NAMES });
        assert.equal(label, "own", before + word);
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("label property: no count is shown, in any digits", async () => {
  const digit = fc.tuple(
    fc.nat({ max: 9 }),
    fc.constantFrom(0x30, 0x660, 0x966, 0xe50, 0xff10, 0x1d7ce, 0x1d7d8),
  ).map(([value, zero]) => String.fromCodePoint(zero + value));
  const number = fc.array(digit, { minLength: 1, maxLength: 3 }).map((digits) => digits.join(""));
  await fc.assert(
    fc.asyncProperty(
      number,
      fc.constantFrom("/", "⁄", "∕", "／", "⧸", " / ", " of ", " out of ", "/\u200b"),
      number,
      around,
      async (passed, between, total, before) => {
        const asked = await readLabel(`${before}${passed}${between}${total}`, NAMES);
        assert.ok(asked!.claims.includes("count"), asked!.text);
      },
    ),
  );
});

Deno.test("label property: a label is shown as it is said, or the usual one is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (given) => {
      const asked = await readLabel(given, NAMES);
      const { label, refused } = allowedLabel(asked, { own: "own", mine: [] });
      assert.equal(label, asked === undefined || refused !== null ? "own" : asked.text);
      // It may go to a worker.
      assert.deepEqual(structuredClone(asked), asked);
    }),
    { numRuns: 1_000 },
  );
});
