/** Cost of drawing a badge that isn't remembered, everything loaded: `deno bench -A bench/`. */
import type { Badge } from "../lib/badge/model.ts";
import { renderPng } from "../lib/badge/png.ts";
import { renderSvg } from "../lib/badge/svg.tsx";

let unique = 0;

/** The usual claimed badge, different every time, so that nothing comes from memory. */
function badge(): Badge {
  const unreplayed = ++unique;
  return {
    label: "clankdar",
    message: ["3/4 passed", `${unreplayed} unreplayed`],
    tone: "claimed",
    title: `3 of 4 challenges passed. ${unreplayed} receipts unreplayed.`,
    unreplayed,
    transient: false,
  };
}

const svg = await renderSvg(badge());
await renderPng(svg);

Deno.bench("badge: flat SVG, warm", async () => {
  await renderSvg(badge());
});

Deno.bench("badge: PNG 2x from SVG, warm", async () => {
  // Another title, the same picture.
  await renderPng(svg.replace("<title>", `<title>${++unique} `), 2);
});

const remembered: Badge = { ...badge(), message: ["3/4 passed"] };

Deno.bench("badge: flat SVG, remembered", async () => {
  await renderSvg(remembered);
});
