/**
 * `deno task badges:sheet`: every badge in every style on one page and in one picture, to look at
 * (data/badges/). With `--golden` also the golden pictures of the tests, anew.
 */
import { escapeXml } from "../../lib/badge/text.ts";
import { renderPng } from "../../lib/badge/png.ts";
import { renderSvg } from "../../lib/badge/svg.ts";
import { BADGES, encodePng } from "../support/badges.ts";
import { goldenFile, type Look, LOOKS, picture } from "./looks.ts";

const FOLDER = "data/badges";
const GAP = 12;
const PAGES = { light: "#ffffff", dark: "#0d1117" } as const;

interface Drawn {
  kind: string;
  svg: string;
  width: number;
  height: number;
}

async function drawAll({ style, theme }: Pick<Look, "style" | "theme">): Promise<Drawn[]> {
  return await Promise.all(
    Object.entries(BADGES).map(async ([kind, badge]) => {
      const svg = await renderSvg(badge, style, theme);
      const [, width = 0, height = 0] = /width="(\d+)" height="(\d+)"/.exec(svg)?.map(Number) ?? [];
      return { kind, svg, width, height };
    }),
  );
}

/** Puts SVG documents beside and below each other: inlined, as nothing of one may reach another. */
class Board {
  #placed: string[] = [];
  #x = GAP;
  width = 0;
  height = 0;

  column(drawn: readonly Drawn[]): void {
    let y = GAP;
    for (const { svg, height } of drawn) {
      this.#placed.push(svg.replace("<svg ", `<svg x="${this.#x}" y="${y}" `));
      y += height + GAP;
    }
    this.#x += Math.max(...drawn.map(({ width }) => width)) + GAP;
    this.width = this.#x;
    this.height = Math.max(this.height, y);
  }

  svg(ground: string, y = 0): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" y="${y}" width="${this.width}" ` +
      `height="${this.height}"><rect width="${this.width}" height="${this.height}" ` +
      `fill="${ground}"/>${this.#placed.join("")}</svg>`;
  }
}

/** Cards in columns as high as those of the other styles. */
const CARD_COLUMNS = 4;

async function boardOn(page: keyof typeof PAGES): Promise<Board> {
  const board = new Board();
  for (const style of ["flat", "flat-square", "plastic", "for-the-badge"] as const) {
    board.column(await drawAll({ style, theme: "light" }));
  }
  const cards = await drawAll({ style: "card", theme: page });
  const rows = Math.ceil(cards.length / CARD_COLUMNS);
  for (let at = 0; at < cards.length; at += rows) board.column(cards.slice(at, at + rows));
  return board;
}

async function writePicture(): Promise<void> {
  const light = await boardOn("light");
  const dark = await boardOn("dark");
  const width = Math.max(light.width, dark.width);
  const both = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" ` +
    `height="${light.height + dark.height}">${light.svg(PAGES.light)}` +
    `${dark.svg(PAGES.dark, light.height)}</svg>`;
  await Deno.writeFile(`${FOLDER}/badges.png`, await renderPng(both, 1));
}

async function writePage(): Promise<void> {
  const looks = [
    ...LOOKS,
    { name: "card-auto (as this browser prefers)", style: "card", theme: "auto" } as const,
  ];
  const sections = await Promise.all(looks.map(async (look) => {
    const badges = (await drawAll(look)).map(({ kind, svg, width, height }) => {
      const src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      return `<figure><img src="${src}" width="${width}" height="${height}" ` +
        `alt="${escapeXml(kind)}"><figcaption>${kind}, ${svg.length} B</figcaption></figure>`;
    }).join("\n");
    const halves = Object.keys(PAGES).map((page) => `<div class="${page}">${badges}</div>`);
    return `<h2>${look.name}</h2>\n${halves.join("\n")}`;
  }));
  await Deno.writeTextFile(
    `${FOLDER}/index.html`,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Badges</title>
<style>
body { margin: 2rem; font: 13px sans-serif }
div { display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 1.5rem }
figure { margin: 0 }
figcaption { color: #768390 }
.light { background: ${PAGES.light} }
.dark { background: ${PAGES.dark} }
</style>
<h1>Badges</h1>
${sections.join("\n")}
</html>
`,
  );
}

async function writeGolden(): Promise<void> {
  for (const look of LOOKS) {
    for (const [kind, badge] of Object.entries(BADGES)) {
      const file = goldenFile(look, kind);
      await Deno.mkdir(new URL(".", file), { recursive: true });
      await Deno.writeFile(file, encodePng(await picture(badge, look)));
    }
  }
}

if (import.meta.main) {
  await Deno.mkdir(FOLDER, { recursive: true });
  await writePage();
  await writePicture();
  console.log(`${FOLDER}/index.html, ${FOLDER}/badges.png`);
  if (Deno.args.includes("--golden")) {
    await writeGolden();
    console.log("tests/golden/*/*.png");
  }
}
