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

/** Share of the pixels of `drawn` that differ clearly in `page`, from `top` down. */
function difference(page: Pixels, top: number, drawn: Pixels): number {
  // Without the round corners, whose ground is the page's.
  const [width, height] = [drawn.width - 4, drawn.height];
  let different = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const other = channels(drawn, x, y);
      const same = channels(page, x, top + y).every((channel, index) =>
        Math.abs(channel - other[index]!) <= 48
      );
      if (!same) different++;
    }
  }
  return different / (width * height);
}

function channels(image: Pixels, x: number, y: number): [number, number, number] {
  const colour = parseInt(pixel(image, x, y).slice(1), 16);
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
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
      const image = await screenshot(
        svgs.map((svg, index) => `<div style="position:absolute;top:${30 * index}px">${svg}</div>`)
          .join(""),
      );
      for (const [index, svg] of svgs.entries()) {
        const share = difference(image, 30 * index, decodePng(await renderPng(svg)));
        assert.ok(share < 0.02, `${labels[index]}: ${share}`);
      }
    }),
);
