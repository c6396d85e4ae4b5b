import assert from "node:assert/strict";
import fc from "../support/npm/fast_check.ts";
import { renderSvg } from "../../lib/badge/svg.ts";
import { charactersOf, drawn, said, saidLabel, shorten } from "../../lib/badge/text.ts";

/** Any UTF-16, with more than chance has of what is special here. */
const special = fc.constantFrom(
  ..."\0\t\n\u0085\u00a0\u00ad\u0301\u0323\u05b8\u064e\u094d\u0e48\u200b\u200c\u200d\u202a\u202e\u2028",
  ..."\u2066\u2069\ufe0f\ufeff\ufffe\ufffc\ud800\udc00\u2800\u3164\ue000",
  ...["😀", "👩\u200d💻", "🇩🇪", "\u{e0041}", "क्ष", "ที่", "שָׁ", "مَّ", "漢", " ", "a", "<", "&"],
);
const text = fc.array(fc.oneof(special, fc.string({ unit: "binary" })), { maxLength: 60 })
  .map((parts) => parts.join(""));

Deno.test("text property: what is said is what was given, less what can't be said", async () => {
  await fc.assert(
    fc.property(text, (given) => {
      const saying = said(given);
      assert.ok(saying.isWellFormed());
      assert.doesNotMatch(saying, /[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Noncharacter_Code_Point}]/u);
      assert.doesNotMatch(saying, /^ | $| {2}|[^ \P{White_Space}]/u);
      assert.equal(said(saying), saying);
      // Letters, marks, joiners and signs are all there, in their order.
      const kept = (from: string) =>
        from.toWellFormed().replace(
          /[\p{Cc}\p{White_Space}\u202a-\u202e\u2066-\u2069\p{Noncharacter_Code_Point}\ufffd]/gu,
          "",
        );
      assert.equal(kept(saying), kept(given));
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("text property: what is drawn has nothing that draws nothing, and its marks have bases", async () => {
  await fc.assert(
    fc.property(text, (given) => {
      const drawing = drawn(given);
      assert.equal(drawn(drawing), drawing);
      assert.equal(drawing, drawing.normalize("NFC"));
      assert.doesNotMatch(drawing, /(^| )\p{M}/u);
      // Whole emoji, and joiners between letters whose form they choose, aside.
      const rest = drawing.replace(/\p{RGI_Emoji}/gv, "")
        .replace(/(?<=[\p{scx=Deva}\p{scx=Arab}]\p{M}*)[\u200c\u200d]/gu, "");
      assert.doesNotMatch(rest, /\p{Default_Ignorable_Code_Point}|\p{Co}|\p{Cn}|[\u2800\ufffc]/u);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("text property: a cut falls between two characters", async () => {
  await fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (given, limit) => {
      const saying = said(given);
      const cut = shorten(saying, limit);
      assert.ok(charactersOf(cut).length <= limit);
      if (cut === saying) return;
      assert.ok(cut.endsWith("…"));
      const whole = charactersOf(saying);
      const kept = cut.slice(0, -1);
      const starts = whole.map((_, index) => whole.slice(0, index).join("").trimEnd());
      assert.ok(starts.includes(kept), JSON.stringify(kept));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("text property: every label can be drawn, and is its badge's accessible name", async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom("flat", "for-the-badge", "card"),
      async (given, style) => {
        const label = saidLabel(given);
        const svg = await renderSvg(
          {
            ...{ label, message: ["1/1 passed"], tone: "pass", title: given },
            state: "verified",
            unreplayed: 0,
            transient: false,
          },
          style,
        );
        const name = /^<svg[^>]* aria-label="([^"]*)"/.exec(svg)![1]!;
        const plain = name.replace(
          /&(?:amp|lt|gt|quot|#39);/g,
          (entity) =>
            ({ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" })[entity]!,
        );
        assert.equal(plain, said(`${label}: 1/1 passed`));
      },
    ),
    { numRuns: 200 },
  );
});
