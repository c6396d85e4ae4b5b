import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  type Badge,
  badgeText,
  checkingBadge,
  notFoundBadge,
  type Tone,
} from "../../lib/badge/model.ts";
import { LABEL, PALETTE } from "../../lib/badge/palette.ts";
import { renderPng } from "../../lib/badge/png.ts";
import { renderSvg } from "../../lib/badge/svg.tsx";

function badge(changes: Partial<Badge>): Badge {
  return {
    label: "clankdar",
    message: ["3/4 passed"],
    tone: "pass",
    title: "Three of four.",
    unreplayed: 0,
    transient: false,
    ...changes,
  };
}

const CLAIMED = badge({
  message: ["3/4 passed", "2 unreplayed"],
  tone: "claimed",
  title: "Admission: 3 of 4 challenges passed, 3 required: passed. " +
    "2 receipts unreplayed: they rest on the issuer's word.",
  unreplayed: 2,
});

/** Only these elements, only with quoted attributes, nothing that links, loads or runs. */
function assertHarmless(svg: string): void {
  const rest = svg
    .replace(/<(svg|path|rect)((?: [a-zA-Z-]+="[^"<]*")*)\/?>/g, "")
    .replace(/<\/svg>$/, "")
    .replace(/^<title>[^<]*<\/title>$/, "");
  assert.equal(rest, "");
  assert.doesNotMatch(svg, /\son[a-z]+=|href|url\(|style=|data:|<!|<\?/i);
  assert.equal(svg.match(/http/g)?.length, 1, "the namespace is the only URL");
  assert.doesNotMatch(svg.replace(/&(amp|lt|gt|quot|#39);/g, ""), /&/);
}

function attribute(svg: string, name: string): string | undefined {
  return new RegExp(`^<svg[^>]* ${name}="([^"]*)"`).exec(svg)?.[1];
}

/** RGBA pixels of an 8-bit RGBA PNG (PNG specification, sections 5, 9 and 11). */
async function decodePng(png: Uint8Array<ArrayBuffer>) {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  assert.deepEqual([...png.slice(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  assert.deepEqual([...png.slice(24, 29)], [8, 6, 0, 0, 0]);
  const data: BlobPart[] = [];
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    if (type === "IDAT") data.push(png.slice(at + 8, at + 8 + view.getUint32(at)));
  }
  const inflated = new Blob(data).stream().pipeThrough(new DecompressionStream("deflate"));
  const raw = new Uint8Array(await new Response(inflated).arrayBuffer());
  const stride = width * 4;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < 4 ? 0 : pixels[y * stride + x - 4] ?? 0;
      const up = y === 0 ? 0 : pixels[(y - 1) * stride + x] ?? 0;
      const corner = x < 4 || y === 0 ? 0 : pixels[(y - 1) * stride + x - 4] ?? 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  const at = (x: number, y: number) =>
    `#${
      [...pixels.subarray(y * stride + x * 4, y * stride + x * 4 + 3)]
        .map((channel) => channel.toString(16).padStart(2, "0")).join("")
    }`;
  return { width, height, at };
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

Deno.test("badge SVG: size, accessible name, title", async () => {
  const svg = await renderSvg(CLAIMED);
  assert.equal(attribute(svg, "height"), "20");
  assert.match(attribute(svg, "width") ?? "", /^\d+$/, "whole pixels");
  assert.equal(attribute(svg, "role"), "img");
  assert.equal(attribute(svg, "aria-label"), badgeText(CLAIMED));
  assert.ok(svg.includes(`<title>${CLAIMED.title.replaceAll("'", "&#39;")}</title>`));
  assertHarmless(svg);
  const raw = new TextEncoder().encode(svg);
  assert.ok(raw.length <= 5_000, `${raw.length} bytes`);
  assert.ok(gzipSync(raw).length <= 1_800, `${gzipSync(raw).length} bytes compressed`);
});

Deno.test("badge SVG: the unreplayed count is drawn", async () => {
  const short = await renderSvg({ ...CLAIMED, message: ["3/4 passed"] });
  const two = await renderSvg(CLAIMED);
  const three = await renderSvg({ ...CLAIMED, message: ["3/4 passed", "3 unreplayed"] });
  assert.ok(Number(attribute(two, "width")) > Number(attribute(short, "width")) + 50);
  const paths = (svg: string) => svg.match(/ d="[^"]*"/g)?.join();
  assert.notEqual(paths(two), paths(three));
});

Deno.test("badge SVG: same badge, same bytes; every tone has its own shape", async () => {
  assert.equal(await renderSvg(CLAIMED), await renderSvg(structuredClone(CLAIMED)));
  const tones = Object.keys(PALETTE) as Tone[];
  const drawn = await Promise.all(tones.map((tone) => renderSvg(badge({ tone }))));
  const shapes = drawn.map((svg) =>
    svg.slice(svg.indexOf("</title>")).replace(/ fill="[^"]*"/g, "")
  );
  assert.equal(new Set(shapes).size, tones.length);
});

Deno.test("badge SVG: several inlined in one page share no id", async () => {
  const drawn = await Promise.all([renderSvg(badge({})), renderSvg(CLAIMED)]);
  const ids = drawn.map((svg) => svg.match(/ id="[^"]*"/g) ?? []);
  assert.equal(new Set(ids.flat()).size, ids.flat().length);
  assert.ok(drawn.every((svg) => !svg.includes("satori")));
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
];

Deno.test("badge SVG: hostile text is drawn, not obeyed", async () => {
  for (const text of HOSTILE) {
    const svg = await renderSvg(badge({ label: text, title: text, message: ["1/1 passed"] }));
    const neutral = svg.replace(/ aria-label="[^"]*"/, "").replace(/<title>[^<]*/, "<title>");
    assertHarmless(neutral);
    assert.match(svg, /aria-label="[^"<>]*: 1\/1 passed"/);
    assert.doesNotMatch(svg, /[\p{Cc}\ufffe\uffff]/u);
    assert.ok(svg.isWellFormed());
    // resvg's XML parser is strict: a document that isn't well-formed is refused.
    assert.ok((await renderPng(svg, 1)).length > 100);
  }
});

Deno.test("badge SVG: a character that the font lacks leaves a visible box", async () => {
  const width = async (label: string) =>
    Number(attribute(await renderSvg(badge({ label })), "width"));
  assert.ok(await width("ab漢c") > await width("abc") + 3);
  assert.ok(await width("ab\u200bc") > await width("abc") + 3);
});

Deno.test("badge PNG: size and colours", async () => {
  for (const given of [badge({}), CLAIMED, notFoundBadge(), checkingBadge()]) {
    const svg = await renderSvg(given);
    for (const scale of [1, 2, 3] as const) {
      const image = await decodePng(await renderPng(svg, scale));
      assert.equal(image.width, Number(attribute(svg, "width")) * scale);
      assert.equal(image.height, 20 * scale);
      const middle = 10 * scale;
      assert.equal(image.at(2 * scale, middle), LABEL.ground);
      assert.equal(image.at(image.width - 1 - 2 * scale, middle), PALETTE[given.tone].ground);
      const colours = new Set<string>();
      for (let x = 0; x < image.width; x++) colours.add(image.at(x, middle));
      assert.ok(colours.has(PALETTE[given.tone].mark), "the mark");
      assert.ok(colours.size > 10, "text");
    }
  }
  assert.deepEqual(
    await renderPng(await renderSvg(CLAIMED)),
    await renderPng(await renderSvg(CLAIMED), 2),
  );
});

Deno.test("badge PNG: what isn't SVG is refused, and the next one is drawn", async () => {
  await assert.rejects(renderPng("<svg"));
  await assert.rejects(renderPng("<svg xmlns='http://www.w3.org/2000/svg'><a></b></svg>"));
  assert.ok((await renderPng(await renderSvg(CLAIMED))).length > 1_000);
});
