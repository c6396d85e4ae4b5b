/** Forced colours drop backgrounds: every mark must still be told from every other by its shape. */
import assert from "node:assert/strict";
import { SHAPES } from "../../lib/badge/marks.ts";
import { Mark, type PageMark } from "../../routes/pages/views/parts/marks.tsx";
import { mint, post, serverTest } from "../support/server.ts";
import { openBrowser, whereChromium } from "./chromium.ts";

/** Every mark that a page can show; `frame` and `unanswered` are those of rows only. */
const MARKS: PageMark[] = [...new Set<PageMark>([...Object.values(SHAPES), "frame", "unanswered"])];

/** Pixels of a mark's picture. */
const SIDE = 20;

/** Pixels by which two marks of that size must differ at least. */
const LEAST = 24;

/** How many pixels of two pictures differ clearly, counted in the page. */
const DIFFERENCE = `
  async (a, b) => {
    const [first, second] = await Promise.all([a, b].map(async (picture) => {
      const bytes = Uint8Array.from(atob(picture), (char) => char.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    }));
    let count = 0;
    for (let at = 0; at < first.length; at += 4) {
      if (Math.abs(first[at + 1] - second[at + 1]) > 64) count++;
    }
    return count;
  }
`;

function page(marks: string[]): string {
  const cells = marks.map((mark, index) =>
    `<div style="position:absolute;left:10px;top:${
      10 + 30 * index
    }px;font-size:${SIDE}px" class="probe">${mark}</div>`
  );
  return `<!doctype html><link rel="stylesheet" href="/style.css">
<style>.probe .mark { display: block; width: ${SIDE}px; height: ${SIDE}px }</style>${
    cells.join("")
  }`;
}

whereChromium("marks in forced colours", () => {
  Deno.test("forced colours keep every mark apart from every other", async () => {
    // The last is one of them again: two pictures of one mark don't differ.
    const all: PageMark[] = [...MARKS, MARKS[0]!];
    const drawn = all.map((mark) => `${Mark({ mark })}`);
    const style = await Deno.readTextFile(
      new URL("../../routes/static/style.css", import.meta.url),
    );
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      ({ url }) =>
        url.endsWith("/style.css")
          ? new Response(style, { headers: { "content-type": "text/css" } })
          : new Response(page(drawn), { headers: { "content-type": "text/html" } }),
    );
    try {
      await using browser = await openBrowser();
      const { tab } = browser;
      await tab.look({ width: 400, height: 900 }, { "forced-colors": "active" });
      await tab.open(`http://127.0.0.1:${server.addr.port}/`);
      assert.equal(await tab.evaluate("matchMedia('(forced-colors: active)').matches"), true);
      const pictures: string[] = [];
      for (const index of all.keys()) {
        const rectangle = { x: 10, y: 10 + 30 * index, width: SIDE, height: SIDE };
        pictures.push((await tab.picture(rectangle)).toBase64());
      }
      const difference = (a: number, b: number) =>
        tab.evaluate<number>(`(${DIFFERENCE})("${pictures[a]}", "${pictures[b]}")`);
      assert.equal(await difference(0, MARKS.length), 0);
      for (const a of MARKS.keys()) {
        for (const b of MARKS.keys()) {
          if (a >= b) continue;
          const pixels = await difference(a, b);
          assert.ok(pixels >= LEAST, `${MARKS[a]} and ${MARKS[b]} differ by ${pixels} pixels`);
        }
      }
    } finally {
      await server.shutdown();
    }
  });

  serverTest("a row's mark is drawn in forced colours, each state with its own", async (server) => {
    const { envelope } = await mint(server, { answers: ["right", "wrong", "none"], minPass: 2 });
    const { id } = await (await server.fetch("/api/results", post(envelope))).json();
    await using browser = await openBrowser();
    const { tab } = browser;
    await tab.look({ width: 1280, height: 900 }, { "forced-colors": "active" });
    await tab.open(`${server.url}/r/${id}`);
    const rows = await tab.evaluate<[string, string, boolean][]>(`
      [...document.querySelectorAll("td[data-label=Result] .state")].map((state) => {
        const path = state.querySelector(".mark path");
        const { fill, color } = getComputedStyle(path);
        return [state.innerText.trim(), path.getAttribute("d"), fill === color];
      })
    `);
    assert.deepEqual(rows.map(([word, , follows]) => [word, follows]), [
      ["pass", true],
      ["fail", true],
      ["unanswered", true],
    ]);
    assert.equal(new Set(rows.map(([, shape]) => shape)).size, 3);
  });
});
