/** Badges that are part of a page, in a real Chromium. */
import assert from "node:assert/strict";
import { LABEL, PALETTE } from "../../lib/badge/palette.ts";
import { renderPng } from "../../lib/badge/png.ts";
import { renderSvg } from "../../lib/badge/svg.ts";
import { BADGES, decodePng, pixel, type Pixels } from "../support/badges.ts";
import { browse, whereChromium } from "./chromium.ts";

const CLAIMED = BADGES["admission-unreplayed"]!;

async function screenshot(html: string): Promise<Pixels> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/page.html`,
      `<!doctype html><body style="margin:0">${html}`,
    );
    const file = `${folder}/shot.png`;
    await browse(
      `file://${folder}/page.html`,
      `--screenshot=${file}`,
      "--window-size=600,200",
      "--hide-scrollbars",
      "--force-device-scale-factor=1",
    );
    return decodePng(await Deno.readFile(file));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Share of pixels that differ clearly. */
function difference(one: Pixels, other: Pixels, width: number, height: number): number {
  let different = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [a, b] = [one, other].map((image) => {
        const colour = parseInt(pixel(image, x, y).slice(1), 16);
        return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
      });
      if (a!.some((channel, index) => Math.abs(channel - b![index]!) > 48)) different++;
    }
  }
  return different / (width * height);
}

whereChromium(
  "Chromium paints an inlined badge whose equal before it is hidden",
  () =>
    Deno.test("Chromium paints an inlined badge whose equal before it is hidden", async () => {
      const svg = await renderSvg(CLAIMED, "plastic");
      const image = await screenshot(`<div style="display:none">${svg}</div><div>${svg}</div>`);
      const width = Number(/width="(\d+)"/.exec(svg)![1]);
      assert.equal(pixel(image, 2, 9), LABEL.ground);
      assert.equal(pixel(image, width - 3, 9), PALETTE.claimed.ground);
    }),
);

whereChromium(
  "Chromium and resvg draw labels of every script alike",
  () =>
    Deno.test("Chromium and resvg draw labels of every script alike", async () => {
      const labels = ["परीक्षण हिन्दी", "กำลังที่", "שָׁלוֹם", "مُحَمَّد", "🚀 👩\u200d💻 🇩🇪"];
      const svgs = await Promise.all(labels.map((label) => renderSvg({ ...CLAIMED, label })));
      for (const svg of svgs) {
        const image = await screenshot(svg);
        const drawn = decodePng(await renderPng(svg));
        // Within the round corners, whose ground is the page's.
        assert.ok(difference(image, drawn, drawn.width - 4, drawn.height) < 0.02, svg);
      }
    }),
);
