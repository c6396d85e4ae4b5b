/** Badges in a real Chromium, as README pages show them: in an `<img>`, on light and dark ground. */
import assert from "node:assert/strict";
import { type ColourTheme, renderSvg, type Style, STYLES } from "../../lib/badge/svg.ts";
import { LABEL, PALETTE, THEMES } from "../../lib/badge/palette.ts";
import { BADGES, decodePng, pixel, type Pixels } from "../support/badges.ts";
import { browse, whereChromium } from "./chromium.ts";

const KIND = "admission-unreplayed";

interface Shown {
  style: Style;
  theme: ColourTheme;
  svg: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Every style below the other, the card in each theme; sizes as the documents say. */
async function shownBadges(): Promise<Shown[]> {
  const shown: Shown[] = [];
  let y = 20;
  for (const style of STYLES) {
    for (
      const theme of style === "card" ? (["light", "dark", "auto"] as const) : ["light"] as const
    ) {
      const svg = await renderSvg(BADGES[KIND]!, style, theme);
      const [, width = 0, height = 0] = /width="(\d+)" height="(\d+)"/.exec(svg)?.map(Number) ?? [];
      shown.push({ style, theme, svg, x: 20, y, width, height });
      y += height + 20;
    }
  }
  return shown;
}

const PAGES = { light: "#ffffff", dark: "#0d1117" } as const;

async function screenshot(shown: readonly Shown[], page: keyof typeof PAGES): Promise<Pixels> {
  const folder = await Deno.makeTempDir();
  try {
    // No size in the markup: it has to come from the document.
    const images = await Promise.all(shown.map(async ({ svg, x, y }, index) => {
      await Deno.writeTextFile(`${folder}/${index}.svg`, svg);
      return `<img src="${index}.svg" style="position:absolute;left:${x}px;top:${y}px">`;
    }));
    await Deno.writeTextFile(
      `${folder}/page.html`,
      `<!doctype html><meta name="color-scheme" content="${page}">` +
        `<body style="margin:0;background:${PAGES[page]}">${images.join("")}`,
    );
    const file = `${folder}/shot.png`;
    await browse(
      `file://${folder}/page.html`,
      `--screenshot=${file}`,
      "--window-size=800,1000",
      "--hide-scrollbars",
      "--force-device-scale-factor=1",
      "--allow-file-access-from-files",
    );
    return decodePng(await Deno.readFile(file));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Colours along the row of pixels that cuts through the message. */
function colours(image: Pixels, { style, x, y, width, height }: Shown): Set<string> {
  const row = y + (style === "card" ? 50 : height / 2);
  return new Set(Array.from({ length: width }, (_, index) => pixel(image, x + index, row)));
}

for (const page of ["light", "dark"] as const) {
  const name =
    `Chromium shows badges in <img> on a ${page} page, as large as they say, and not blank`;
  whereChromium(name, () =>
    Deno.test(name, async () => {
      const shown = await shownBadges();
      const image = await screenshot(shown, page);
      const ground = PAGES[page];
      for (const badge of shown) {
        const { style, theme, x, y, width, height } = badge;
        const where = `${style} ${theme}`;
        const middle = y + Math.floor(height / 2);
        // It ends where it says it ends, on every side.
        for (
          const [inX, inY, outX, outY] of [
            [x, middle, x - 1, middle],
            [x + width - 1, middle, x + width, middle],
            [x + width / 2, y, x + width / 2, y - 1],
            [x + width / 2, y + height - 1, x + width / 2, y + height],
          ] as const
        ) {
          assert.notEqual(pixel(image, Math.floor(inX), inY), ground, `${where}: inside`);
          assert.equal(pixel(image, Math.floor(outX), outY), ground, `${where}: outside`);
        }
        assert.ok(colours(image, badge).size > 10, `${where}: text`);
        if (style === "card") {
          const colours = theme === "auto" ? THEMES[page] : THEMES[theme];
          assert.equal(pixel(image, x + width - 10, y + 60), colours.ground, where);
          assert.equal(pixel(image, x + 3, middle), colours.marks.claimed, where);
        } else if (style !== "plastic") {
          assert.equal(pixel(image, x + 2, middle), LABEL.ground, where);
          assert.equal(pixel(image, x + width - 3, middle), PALETTE.claimed.ground, where);
        }
      }
    }));
}
