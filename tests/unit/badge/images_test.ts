import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { cardOf } from "../../../lib/badge/card.ts";
import { markPath, type Shape, SHAPES } from "../../../lib/badge/marks.ts";
import { type Badge, badgeOf, badgeText, type Tone } from "../../../lib/badge/model.ts";
import { LABEL, PALETTE, THEMES } from "../../../lib/badge/palette.ts";
import { renderPng } from "../../../lib/badge/png.ts";
import { FORMATS, renderBadge } from "../../../lib/badge/render.ts";
import { COLOUR_THEMES, renderSvg, type Style, STYLES } from "../../../lib/badge/svg.ts";
import { saidLabel } from "../../../lib/badge/text.ts";
import { createRenderer } from "../../../service/renderer.ts";
import { BADGES, decodePng, ISSUER, pixel, plainLabel, report, row } from "../../support/badges.ts";

function badge(changes: Partial<Badge>): Badge {
  return {
    label: "clankdar",
    message: ["3/4 passed"],
    tone: "pass",
    title: "Three of four.",
    state: "verified",
    unreplayed: 0,
    transient: false,
    ...changes,
  };
}

const CLAIMED: Badge = {
  ...BADGES["admission-unreplayed"]!,
  label: "clankdar",
  message: ["3/4 passed", "2 unreplayed", "unknown issuer"],
};

/** Every document that a badge can become. */
const VARIANTS = STYLES.flatMap((style) =>
  (style === "card" ? COLOUR_THEMES : ["light"] as const).map((theme) => ({ style, theme }))
);

const HEIGHTS: Record<Style, number> = {
  flat: 20,
  "flat-square": 20,
  plastic: 18,
  "for-the-badge": 28,
  card: 172,
};

/**
 * Only these elements, only with quoted attributes, nothing that links, loads or runs. Style rules
 * set colours only.
 */
function assertHarmless(svg: string): void {
  const rest = svg
    .replace(
      /<style>@media\(prefers-color-scheme:dark\)\{(\.b[0-9a-f]{10}-\d+\{fill:#[0-9a-f]{6}\})+\}<\/style>/,
      "",
    )
    .replace(/<(svg|path|rect|linearGradient|stop)((?: [a-zA-Z0-9-]+="[^"<]*")*)\/?>/g, "")
    .replace(/<\/(svg|linearGradient)>/g, "")
    .replace(/^<title>[^<]*<\/title>$/, "");
  assert.equal(rest, "");
  assert.doesNotMatch(
    svg,
    /\son[a-z]+=|href|url\((?!#b[0-9a-f]{10}-\d\) #[0-9a-f]{6}")|style=|data:|<!|<\?/i,
  );
  assert.equal(svg.match(/http/g)?.length, 1, "the namespace is the only URL");
  assert.doesNotMatch(svg.replace(/&(amp|lt|gt|quot|#39);/g, ""), /&/);
}

function attribute(svg: string, name: string): string | undefined {
  return new RegExp(`^<svg[^>]* ${name}="([^"]*)"`).exec(svg)?.[1];
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

Deno.test("every badge in every style: its size, its name, its title, and nothing harmful", async () => {
  for (const { style, theme } of VARIANTS) {
    for (const [kind, given] of Object.entries(BADGES)) {
      const svg = await renderSvg(given, style, theme);
      const where = `${style} ${kind}`;
      assert.equal(attribute(svg, "height"), `${HEIGHTS[style]}`, where);
      assert.match(attribute(svg, "width") ?? "", /^\d+$/, "whole pixels");
      assert.equal(attribute(svg, "role"), "img");
      const escape = (text: string) =>
        text.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&#39;");
      assert.equal(attribute(svg, "aria-label"), escape(badgeText(given)), where);
      assert.ok(svg.includes(`<title>${escape(given.title)}</title>`), where);
      assertHarmless(svg);
    }
  }
});

Deno.test("badges are small: usual, longest, and per letter", async () => {
  // Sentences of the longest kind, under any of the messages.
  const title = "Not accepted: the time of its decision is not within the time asked for. " +
    "1600 receipts unreplayed: they rest on the issuer's word. " +
    "Replay alone does not establish the pass. Signed with the keys fbed0123456789ab, " +
    "0000111122223333, 4444555566667777 and 97 more. 97 of them are of an unknown issuer.";
  const messages = [
    ["invalid", "pool contradicts", "16 unreplayed"],
    ["not accepted", "other context", "1024 unreplayed"],
    ["64/64 admissions passed", "1024 unreplayed"],
    ["1600/1600 passed", "100 of 100 failed", "1600 unreplayed"],
    ["1600/1600 passed", "1600 unreplayed", "partly self-reported"],
    ["10000/10000 passed", "10000 unreplayed", "self-reported"],
    ["1600/1600 passed", "failed", "1600 unreplayed", "unknown issuer", "seen 30 d ago"],
    ["not accepted", "other document", "1600 unreplayed", "unknown issuer", "seen 30 d ago"],
    ...Object.values(BADGES).map(({ message }) => message),
  ];
  assert.equal(
    badgeText(BADGES["admission-unreplayed-unknown-issuer"]!),
    "clankdar: 3/4 passed · 2 unreplayed · unknown issuer",
  );
  for (const style of ["flat", "flat-square", "plastic", "for-the-badge"] as const) {
    const usual = await renderSvg(BADGES["admission-unreplayed-unknown-issuer"]!, style);
    assert.ok(bytes(usual) <= 6_500, `${style}: ${bytes(usual)} bytes`);
    assert.ok(gzipSync(usual).length <= 2_200, `${style}: ${gzipSync(usual).length} compressed`);
    for (const message of messages) {
      const svg = await renderSvg(badge({ message, title }), style);
      // All parts at once come only with a host that doesn't answer.
      const [most, compressed] = message.length > 4 ? [11_000, 3_200] : [8_500, 2_700];
      assert.ok(bytes(svg) <= most, `${style} ${message}: ${bytes(svg)} bytes`);
      const packed = gzipSync(svg).length;
      assert.ok(packed <= compressed, `${style} ${message}: ${packed} compressed`);
    }
  }
  const labels = [
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
    "gSsaQmbpqeGBCODRdcouhnUJP3698&%$@#?{}!0T",
    "äöüéàßñçøåÉÄÖÜâêîôûëïèùìòóúáíãõýÿæœðþšžč",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗ",
  ];
  for (const { style, theme } of VARIANTS) {
    const plain = await renderSvg(CLAIMED, style, theme);
    for (const label of labels) {
      const further = new Set([...label].filter((letter) => !"clankdar".includes(letter))).size;
      const svg = await renderSvg({ ...CLAIMED, label }, style, theme);
      assert.ok(bytes(svg) <= bytes(plain) + 180 * further, `${style} ${label}: ${bytes(svg)}`);
    }
  }
});

/** Labels whose characters have many points. */
const INTRICATE = [
  [..."🦠🐉🎪🏰🗼🎡🎢🚂🛸🧬🦚🦋🐙🦑🦞🦀🐡🐬🦭🐳🦓🦍🦧🐘🦛🦏🐪🦒🦘🐃🐄🐎🐖🐏🐑🦙🐐🦌🐕🐩"].join(""),
  "👩🏽\u200d👩🏽\u200d👧🏽\u200d👦🏽".repeat(40),
  "a\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a".repeat(40),
];

Deno.test("a drawing stays small whatever its label is, and its name is whole", async () => {
  for (const { style, theme } of VARIANTS) {
    for (const label of INTRICATE) {
      const svg = await renderSvg({ ...CLAIMED, label }, style, theme);
      assert.ok(bytes(svg) <= 24 * 1024, `${style}: ${bytes(svg)} bytes`);
      assert.ok(attribute(svg, "aria-label")?.startsWith(`${saidLabel(label)}: 3/4 passed`));
    }
  }
});

Deno.test("a card stays small whatever it has to show", async () => {
  const issuer = { ...ISSUER, name: "Some Great Society of Issuers of Receipts, Limited" };
  const full = report(
    {
      outcome: "issuer-claimed",
      verdict: "fail",
      issuer,
      suite: "clankdar-frontier-v1",
      policy: { suite: "frontier", cells: [], challenges: 16, minPass: 12, ttlSeconds: 3600 },
      decidedAt: "2026-12-28T00:00:00Z",
      receipts: [..."ppppffffuuuuuu--"].map((how, index) =>
        row(how as "p", "h:cryptarithm:t6", `gc_${index}`)
      ),
    },
    { challenges: 16, answered: 14, passed: 10, required: 12, unreplayed: 6, replayedPasses: 4 },
  );
  const cards = [
    ...Object.values(BADGES),
    cardOf(full),
    cardOf(full, { acceptance: { accepted: false, failed: ["context"] } }),
    cardOf(full, {
      label: plainLabel("gSsaQmbpqeGBCODRdcouhnUJP3698&%$@#?{}!0T"),
    }),
    cardOf(full, { label: plainLabel("ҨҩѼѮѯ®©ǽ".repeat(5)) }),
  ];
  for (const theme of COLOUR_THEMES) {
    for (const card of cards) {
      const svg = await renderSvg(card, "card", theme);
      assert.ok(bytes(svg) <= 24 * 1024, `${card.message}: ${bytes(svg)} bytes`);
    }
  }
});

Deno.test("the unreplayed count is drawn in every style", async () => {
  const paths = (svg: string) => svg.match(/ d="[^"]*"/g)?.join();
  for (const style of STYLES) {
    // Only of the message: the card's legend has the number too.
    const { card: _, ...plain } = CLAIMED;
    const two = await renderSvg(plain, style);
    const three = await renderSvg({ ...plain, message: ["3/4 passed", "3 unreplayed"] }, style);
    const without = await renderSvg({ ...plain, message: ["3/4 passed"] }, style);
    assert.notEqual(paths(two), paths(three));
    assert.notEqual(paths(two), paths(without));
    if (style === "card") continue;
    assert.ok(Number(attribute(two, "width")) > Number(attribute(without, "width")) + 50);
  }
});

Deno.test("the same badge gives the same bytes, and every tone has its own shape", async () => {
  const tones = Object.keys(PALETTE) as Tone[];
  assert.equal(new Set(Object.values(SHAPES)).size, tones.length);
  for (const style of STYLES) {
    assert.equal(await renderSvg(CLAIMED, style), await renderSvg(structuredClone(CLAIMED), style));
    const drawn = await Promise.all(tones.map((tone) => renderSvg(badge({ tone }), style)));
    const shapes = drawn.map((svg) =>
      svg.slice(svg.indexOf("</title>")).replace(/ (fill|id|stop-color)="[^"]*"/g, "")
    );
    assert.equal(new Set(shapes).size, tones.length, style);
  }
});

Deno.test("the holes of marks run against their outlines", () => {
  for (const shape of ["hollow", "frame", "half"] satisfies Shape[]) {
    const [outer = 0, inner = 0] = markPath(shape, 3, 5, 40).split("Z").map((contour) => {
      const points = contour.slice(1).split("L").map((point) => point.split(" ").map(Number));
      // Twice the signed area.
      return points.reduce((sum, [x = 0, y = 0], index) => {
        const [nextX = 0, nextY = 0] = points[(index + 1) % points.length]!;
        return sum + x * nextY - nextX * y;
      }, 0);
    });
    assert.ok(outer * inner < 0, shape);
  }
  assert.equal(markPath("lozenge", 100, 20, 20), "M110 20L120 30L110 40L100 30Z");
});

Deno.test("badges that differ share no id and no class, however they are inlined", async () => {
  const owners = new Map<string, string>();
  for (const { style, theme } of VARIANTS) {
    for (const given of Object.values(BADGES)) {
      const svg = await renderSvg(given, style, theme);
      assert.ok(!svg.includes("satori"));
      for (const [, id = ""] of svg.matchAll(/ (?:id|class)="([^"]*)"/g)) {
        assert.equal(owners.get(id) ?? svg, svg, id);
        owners.set(id, svg);
      }
    }
  }
  assert.ok(owners.size > 2 * Object.keys(BADGES).length, "plastic and card have some");
  // The picture is the same, the title is not.
  const id = async (title: string) =>
    / id="([^"]*)"/.exec(await renderSvg(badge({ title }), "plastic"))![1];
  assert.notEqual(await id("One."), await id("Two."));
});

const HOSTILE = [
  `</title><script>alert(1)</script>`,
  `" onload="alert(1)`,
  `' onload='alert(1)`,
  `]]>&amp;&#0;<!-- -->`,
  `a\0\x08\ufffe\uffff\ud800b`,
  `\u202egnp.exe\u2066`,
  `<style>*{fill:red}</style>`,
  `e\u0301\u0301\u0301\u0301`,
  `漢字 שלום مرحبا 👩‍👩‍👧‍👦 🇩🇪 \u{e0041}`,
  `url(#a) href="x" $& $1 \\`,
  ``,
  `   `,
  `x`.repeat(100_000),
  `fill="#000100" #000200 #000300 d="M0 0Z"`,
];

Deno.test("hostile text is drawn, not obeyed", async () => {
  for (const { style, theme } of VARIANTS) {
    for (const text of HOSTILE) {
      const given = badge({
        label: text,
        title: text,
        message: ["1/1 passed"],
        card: {
          subject: text.slice(0, 100),
          facts: [text.slice(0, 100)],
          picture: { kind: "marks", marks: [{ state: "passed", name: text.slice(0, 30) }] },
          legend: [{ state: "passed", text: text.slice(0, 100) }],
          issuer: text,
        },
      });
      const svg = await renderSvg(given, style, theme);
      const neutral = svg.replace(/ aria-label="[^"]*"/, "").replace(/<title>[^<]*/, "<title>");
      assertHarmless(neutral);
      assert.match(svg, /aria-label="[^"<>]*: 1\/1 passed"/);
      assert.doesNotMatch(svg, /[\p{Cc}\ufffe\uffff]/u);
      assert.ok(svg.isWellFormed());
      // resvg's XML parser is strict: a document that isn't well-formed is refused.
      assert.ok((await renderPng(svg, 1)).length > 100);
    }
  }
});

async function widthOf(label: string, style: Style = "flat"): Promise<number> {
  return Number(attribute(await renderSvg(badge({ label }), style), "width"));
}

Deno.test("a character that no font has leaves a visible box, one that draws nothing leaves nothing", async () => {
  for (const style of ["flat", "plastic", "for-the-badge"] as const) {
    const plain = await widthOf("abc", style);
    for (const lacking of ["漢", "\ufffc", "\ue000", "한", "ア", "\u2800", "ᚠ\u{10ffff}"]) {
      assert.ok(await widthOf(`ab${lacking}c`, style) > plain + 3, `${style} ${lacking}`);
    }
    for (const nothing of ["\u200b", "\u200d", "\ufe0f", "\u2060", "\u00ad", "\u202e", "\0"]) {
      assert.equal(await widthOf(`ab${nothing}c`, style), plain, JSON.stringify(nothing));
    }
    // On its base.
    assert.equal(await widthOf("a\u0323bc", style), plain);
    assert.equal(await widthOf("abq\u0301c", style), await widthOf("abqc", style));
  }
});

/** Contours of a path, each without its place. */
function contours(svg: string): string[] {
  return [...svg.matchAll(/ d="([^"]*)"/g)]
    .flatMap(([, d]) => d!.split(/(?<=z)/))
    .map((contour) => contour.replace(/^m-?\d+[ -]?\d+/, ""));
}

Deno.test("labels in other scripts have the letters of their fonts, and no box", async () => {
  const box = contours(await renderSvg(badge({ label: "漢" }))).find((contour) => {
    // The frame of a character that no font has: a rectangle.
    return /^h\d+v-\d+h-\d+z$/.test(contour) || /^v-?\d+h\d+v-?\d+z$/.test(contour);
  });
  assert.ok(box !== undefined);
  const labels = [
    "परीक्षण हिन्दी",
    "ภาษาไทย กำลังที่",
    "שָׁלוֹם עִבְרִית",
    "مُحَمَّد العَرَبِيَّة",
    "اردو ہے",
    "🚀 👩\u200d💻 🇩🇪 1\ufe0f\u20e3 ✔\ufe0f",
  ];
  for (const style of STYLES) {
    for (const label of labels) {
      const svg = await renderSvg({ ...CLAIMED, label }, style);
      assert.equal(
        attribute(svg, "aria-label"),
        `${label}: 3/4 passed · 2 unreplayed · unknown issuer`,
      );
      assertHarmless(svg);
      if (style === "flat") assert.ok(!contours(svg).includes(box), label);
      assert.ok((await renderPng(svg)).length > 500);
    }
  }
  // A conjunct, a family and a flag are one figure each.
  assert.ok(await widthOf("क्ष") < await widthOf("कष"));
  assert.equal(await widthOf("👩\u200d💻"), await widthOf("🚀"));
  assert.equal(await widthOf("🇩🇪"), await widthOf("🚀"));
  // Vowels and points take no room.
  assert.equal(await widthOf("שָׁלוֹם"), await widthOf("שלום"));
  assert.equal(await widthOf("مُحَمَّد"), await widthOf("محمد"));
  assert.equal(await widthOf("ที่"), await widthOf("ท"));
});

Deno.test("text of every font stands on the same line", async () => {
  const message = ["1/1 passed"];
  const bottom = async (label: string) => {
    const image = decodePng(
      await renderPng(await renderSvg(badge({ label, message }), "flat-square"), 3),
    );
    // Of the label alone, right of the mark.
    for (let y = image.height - 1; y >= 0; y--) {
      for (let x = 20 * 3; x < 30 * 3; x++) if (pixel(image, x, y) !== LABEL.ground) return y;
    }
    return -1;
  };
  const line = await bottom("HHHH");
  assert.equal(line, 14 * 3 - 1);
  for (const label of ["หหหห", "ההההה", "دددد", "HH ह", "HHH 🚀", "HHHH של"]) {
    const found = await bottom(label);
    // Round letters reach a little below the line.
    assert.ok(found >= line - 2 && found <= line + 3, `${label}: ${found}`);
  }
});

Deno.test("what a gradient paints has a colour without it", async () => {
  const painted = /fill="url\(#b[0-9a-f]{10}-\d+\) #[0-9a-f]{6}"/g;
  for (const given of Object.values(BADGES)) {
    const svg = await renderSvg(given, "plastic");
    assert.equal(svg.match(painted)?.length, 2);
    const lost = svg.replace(/<linearGradient.*?<\/linearGradient>/g, "");
    assert.ok(
      lost.includes(`) ${LABEL.ground}"`) && lost.includes(`) ${PALETTE[given.tone].ground}"`),
    );
    const image = decodePng(await renderPng(lost, 1));
    assert.equal(pixel(image, 2, 9), LABEL.ground);
    assert.equal(pixel(image, image.width - 3, 9), PALETTE[given.tone].ground);
  }
  for (const { style, theme } of VARIANTS) {
    const svg = await renderSvg(CLAIMED, style, theme);
    assert.equal(svg.match(/url\(/g)?.length ?? 0, svg.match(painted)?.length ?? 0, style);
  }
});

Deno.test("a PNG has the size and colours of its SVG at every scale", async () => {
  for (const kind of ["admission", "admission-unreplayed", "invalid", "run", "checking"]) {
    const given = BADGES[kind]!;
    const svg = await renderSvg(given);
    for (const scale of [1, 2, 3] as const) {
      const image = decodePng(await renderPng(svg, scale));
      assert.equal(image.width, Number(attribute(svg, "width")) * scale);
      assert.equal(image.height, 20 * scale);
      const middle = 10 * scale;
      assert.equal(pixel(image, 2 * scale, middle), LABEL.ground);
      assert.equal(pixel(image, image.width - 1 - 2 * scale, middle), PALETTE[given.tone].ground);
      const colours = new Set<string>();
      for (let x = 0; x < image.width; x++) colours.add(pixel(image, x, middle));
      assert.ok(colours.has(PALETTE[given.tone].mark), "the mark");
      assert.ok(colours.size > 10, "text");
    }
  }
  const svg = await renderSvg(CLAIMED);
  assert.deepEqual(await renderPng(svg), await renderPng(svg, 1));
});

Deno.test("a PNG of what isn't SVG is refused, and the next one is drawn", async () => {
  await assert.rejects(renderPng("<svg"));
  await assert.rejects(renderPng("<svg xmlns='http://www.w3.org/2000/svg'><a></b></svg>"));
  assert.ok((await renderPng(await renderSvg(CLAIMED))).length > 1_000);
});

Deno.test("a card is light, dark, or what its reader prefers", async () => {
  const [light, dark, auto] = await Promise.all(
    COLOUR_THEMES.map((theme) => renderSvg(CLAIMED, "card", theme)),
  );
  const drawing = (svg = "") =>
    svg.replace(/<style>.*?<\/style>/, "").replace(/ (fill|class)="[^"]*"/g, "");
  assert.equal(drawing(light), drawing(dark));
  assert.equal(drawing(light), drawing(auto));
  assert.ok(light!.includes(THEMES.light.ground) && !light!.includes(THEMES.dark.ground));
  assert.ok(dark!.includes(THEMES.dark.ground) && !dark!.includes(THEMES.light.ground));
  // As the light one, with a rule for each of its colours that makes it that of the dark one.
  assert.equal(auto!.replace(/<style>.*?<\/style>/, "").replace(/ class="[^"]*"/g, ""), light);
  const rules = new Map(
    [...auto!.matchAll(/\.([^{]+)\{fill:(#[0-9a-f]{6})\}/g)].map(([, name, colour]) =>
      [name!, colour!] as const
    ),
  );
  const darkened = auto!.replace(/<style>.*?<\/style>/, "")
    .replace(/fill="[^"]*" class="([^"]*)"/g, (_, name) => `fill="${rules.get(name)}"`);
  assert.equal(darkened, dark);
});

Deno.test("renderBadge gives each format, and what isn't asked for has a default", async () => {
  const flat = await renderBadge(CLAIMED);
  assert.deepEqual(flat, { body: await renderSvg(CLAIMED), type: "image/svg+xml" });
  const png = await renderBadge(CLAIMED, { format: "png", style: "card", theme: "auto" });
  assert.deepEqual(png, {
    body: await renderPng(await renderSvg(CLAIMED, "card", "light"), 1),
    type: "image/png",
  });
  const json = await renderBadge(CLAIMED, { format: "json", cacheSeconds: 900 });
  assert.equal(json.type, "application/json");
  assert.deepEqual(JSON.parse(json.body as string), {
    schemaVersion: 1,
    label: "clankdar",
    message: "3/4 passed · 2 unreplayed · unknown issuer",
    color: PALETTE.claimed.ground,
    labelColor: LABEL.ground,
    isError: true,
    cacheSeconds: 900,
  });
});

Deno.test("a badge survives the way to a worker and back", async () => {
  for (const given of Object.values(BADGES)) {
    const there = structuredClone(given);
    for (const format of FORMATS) {
      const back = structuredClone(await renderBadge(there, { format, style: "card" }));
      assert.deepEqual(back, await renderBadge(given, { format, style: "card" }));
    }
  }
});

Deno.test("a badge without a card's details is a card all the same", async () => {
  const plain = badgeOf(report({}));
  assert.equal(plain.card, undefined);
  const svg = await renderSvg(plain, "card");
  assert.equal(attribute(svg, "width"), "400");
  assert.equal(attribute(svg, "height"), "172");
});

Deno.test("the worker that draws may read nothing, and has every font all the same", async () => {
  const faults: string[] = [];
  const renderer = createRenderer(1, (message) => faults.push(message));
  try {
    for (const label of ["परीक्षण", "ทดสอบ", "שָׁלוֹם", "مُحَمَّد", "🚀"]) {
      for (const style of ["flat", "card"] as const) {
        const given = { ...CLAIMED, label };
        const { body } = await renderer.render(given, { style });
        assert.equal(body, await renderSvg(given, style));
      }
    }
    const { body } = await renderer.render({ ...CLAIMED, label: "🚀 परीक्षण" }, { format: "png" });
    assert.equal(decodePng(body as Uint8Array).height, 20);
  } finally {
    renderer.close();
  }
  assert.deepEqual(faults, []);
});
