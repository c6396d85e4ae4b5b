import assert from "node:assert/strict";
import { scriptsOf, settingOf } from "../../../lib/badge/scripts.ts";
import { charactersOf, drawn, said, saidLabel, shorten } from "../../../lib/badge/text.ts";

/** Text, how it is said, and how it is drawn where that differs. */
const FORMS: [text: string, said: string, drawn?: string][] = [
  ["plain text", "plain text"],
  ["<b> & 漢 😀 Ωж", "<b> & 漢 😀 Ωж"],
  // White space.
  ["foo\n", "foo"],
  [" a\t\r\n b ", "a b"],
  ["no\u00a0break\u3000wide\u2028line\u0085next", "no break wide line next"],
  ["a \0 b", "a b"],
  ["", ""],
  [" \t ", ""],
  // Controls, and what turns the direction.
  ["a\0b\u007fc\u009fd\x1be", "abcde"],
  ["x\u202ey\u202cz\u2066q\u2069\u202ar\u202b\u202d\u2067\u2068", "xyzqr"],
  // What XML can't hold, and halves of characters.
  ["\ud800a\udc00", "\ufffda\ufffd"],
  ["a\ufffe\uffff\u{1fffe}\ufdd0", "a\ufffd\ufffd\ufffd\ufffd"],
  // Joiners, selectors and other things that draw nothing.
  ["a\u200db\u200bc\u2060d\ufeffe\u00adf", "a\u200db\u200bc\u2060d\ufeffe\u00adf", "abcdef"],
  ["✔\ufe0e ok", "✔\ufe0e ok", "✔ ok"],
  ["a\ufe0f\u{e0041}b", "a\ufe0f\u{e0041}b", "ab"],
  ["\u3164\u115f", "\u3164\u115f", ""],
  // Where they choose a form they stay.
  ["क्\u200dष", "क्\u200dष"],
  ["می\u200cخواهم", "می\u200cخواهم"],
  [
    "✔\ufe0f 👩\u200d💻 1\ufe0f\u20e3 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "✔\ufe0f 👩\u200d💻 1\ufe0f\u20e3 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  ],
  // Marks.
  ["e\u0301 q\u0301", "e\u0301 q\u0301", "\u00e9 q\u0301"],
  ["\u0301a \u0301", "\u0301a \u0301", "\u25cc\u0301a \u25cc\u0301"],
  ["परीक्षण", "परीक्षण"],
  ["ที่นี่", "ที่นี่"],
  ["مُحَمَّد", "مُحَمَّد", "مُحَمَّد".normalize("NFC")],
  ["שָׁלוֹם", "שָׁלוֹם", "שָׁלוֹם".normalize("NFC")],
  // What has no form.
  ["a\ue000\u2800\ufffc\u0378", "a\ue000\u2800\ufffc\u0378", "a\ufffd\ufffd\ufffd\ufffd"],
];

Deno.test("what a text says, and what is drawn of it", () => {
  for (const [text, saying, drawing = saying] of FORMS) {
    assert.equal(said(text), saying, JSON.stringify(text));
    assert.equal(drawn(text), drawing, JSON.stringify(text));
    // Once is enough.
    assert.equal(said(said(text)), saying);
    assert.equal(drawn(drawn(text)), drawing);
    assert.equal(drawn(said(text)), drawing);
  }
});

const FAMILY = "👩🏽\u200d👩🏽\u200d👧🏽\u200d👦🏽";

Deno.test("a label has 40 characters, and none of them is cut", () => {
  const characters = [
    "a",
    "é",
    "e\u0301",
    "😀",
    "🇩🇪",
    "क्षि",
    "ที่",
    "שָׁ",
    "مَّ",
    "1\ufe0f\u20e3",
    "漢",
    FAMILY,
  ];
  for (const character of characters) {
    assert.equal(saidLabel(character.repeat(40)), character.repeat(40));
    assert.equal(saidLabel(character.repeat(41)), `${character.repeat(39)}…`);
    assert.equal(charactersOf(saidLabel(`${character}x`.repeat(30))).length, 40);
    for (const limit of [1, 2, 7]) {
      const cut = shorten(character.repeat(9), limit);
      assert.equal(cut, `${character.repeat(limit - 1)}…`);
    }
  }
  assert.equal(saidLabel("a".repeat(1e6)), `${"a".repeat(39)}…`);
  assert.equal(saidLabel(`${"a".repeat(38)} bc`), `${"a".repeat(38)}…`);
  assert.equal(saidLabel(` ${"a".repeat(40)}\n`), "a".repeat(40));
});

Deno.test("a letter with marks without end is no character", () => {
  assert.equal(saidLabel(`a${"\u0301".repeat(31)}`), `a${"\u0301".repeat(31)}`);
  assert.equal(saidLabel(`bc${"\u0301".repeat(32)}d`), "b…");
  assert.equal(saidLabel("\u0301".repeat(1e6)), "…");
  // 31 code points each.
  assert.equal(
    saidLabel(`a${"\u0301".repeat(30)}`.repeat(40)),
    `${`a${"\u0301".repeat(30)}`.repeat(15)}…`,
  );
});

Deno.test("each script has its font, and no text has one that it doesn't need", () => {
  const table: [string, string[]][] = [
    ["clankdar", []],
    ["Ωж é ✓ ❤ ™ © — “x” 漢", []],
    ["परीक्षण", ["Noto Sans Devanagari"]],
    ["ทดสอบ", ["Noto Sans Thai"]],
    ["שָׁלוֹם", ["Noto Sans Hebrew"]],
    ["اردو ہے", ["Noto Sans Arabic"]],
    ["🚀", ["Noto Emoji"]],
    ["❤️ ⚡ 1️⃣ 🇩🇪", ["Noto Emoji"]],
    ["❤︎", []],
    ["שלום ทดสอบ 🚀", ["Noto Sans Hebrew", "Noto Sans Thai", "Noto Emoji"]],
  ];
  for (const [text, scripts] of table) assert.deepEqual(scriptsOf([text]), scripts, text);
  assert.deepEqual(scriptsOf(table.map(([text]) => text)).length, 5);
});

Deno.test("a text is divided by fonts, but never one that has right-to-left letters", () => {
  assert.deepEqual(settingOf("abc"), {
    fonts: ["DejaVu Sans"],
    leading: 0,
    runs: [{ text: "abc", font: "DejaVu Sans" }],
  });
  assert.deepEqual(settingOf("हि न्दी ok 👩\u200d💻🚀"), {
    fonts: ["DejaVu Sans"],
    leading: 0,
    runs: [
      { text: "हि", font: "Noto Sans Devanagari" },
      { text: " ", font: "DejaVu Sans" },
      { text: "न्दी", font: "Noto Sans Devanagari" },
      { text: " ok ", font: "DejaVu Sans" },
      { text: "👩\u200d💻🚀", font: "Noto Emoji" },
    ],
  });
  const { fonts, runs } = settingOf("abc שלום 🚀");
  assert.deepEqual(fonts, ["Noto Sans Hebrew", "DejaVu Sans", "Noto Emoji"]);
  assert.deepEqual(runs, [{ text: "abc\u00a0שלום\u00a0🚀", font: "Noto Sans Hebrew" }]);
});

Deno.test("the fonts are those that their list says, with their licence", async () => {
  const folder = new URL("../../../lib/badge/fonts/", import.meta.url);
  const list = await Deno.readTextFile(new URL("README.md", folder));
  const listed = new Map(
    [...list.matchAll(/^\| `([\w-]+\.woff)` .* `([0-9a-f]{64})` \|$/gm)].map((
      [, name, hash],
    ) => [name!, hash!]),
  );
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assert.deepEqual(files, ["OFL.txt", "README.md", ...[...listed.keys()].sort()]);
  assert.equal(listed.size, 5);
  for (const [name, hash] of listed) {
    const digest = await crypto.subtle.digest(
      "SHA-256",
      await Deno.readFile(new URL(name, folder)),
    );
    assert.equal(new Uint8Array(digest).toHex(), hash, name);
  }
  const licence = await Deno.readTextFile(new URL("OFL.txt", folder));
  assert.equal(licence.match(/^Copyright \d{4} /gm)?.length, 5);
  assert.match(licence, /SIL OPEN FONT LICENSE Version 1\.1/);
});
