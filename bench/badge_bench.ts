/** Cost of drawing a badge that isn't remembered, everything loaded: `deno bench -A bench/`. */
import { makeBadge } from "./servers/badge_maker_package.ts";
import type { Badge } from "../lib/badge/model.ts";
import { renderPng } from "../lib/badge/png.ts";
import { renderSvg, type Style, STYLES } from "../lib/badge/svg.ts";

let unique = 0;

/** The usual claimed badge under another label every time, so that nothing comes from memory. */
function badge(): Badge {
  return {
    label: `label ${++unique}`,
    message: ["3/4 passed", "2 unreplayed"],
    tone: "claimed",
    title: "Admission: 3 of 4 challenges passed, 3 required: passed. 2 receipts unreplayed: " +
      "they rest on the issuer's word. Signed by key 0123456789abcdef.",
    state: "verified",
    unreplayed: 2,
    transient: false,
  };
}

/** As an admission of four challenges has it. */
function cardBadge(): Badge {
  return {
    ...badge(),
    card: {
      subject: "admission · clankdar-algal-v1",
      facts: ["3 of 4 to pass in 180 s", "2026-01-31"],
      picture: {
        kind: "marks",
        marks: [
          { state: "passed", name: "algal:t1" },
          { state: "failed", name: "t2" },
          { state: "unreplayed", name: "h:t2" },
          { state: "unreplayed", name: "h:t3" },
        ],
      },
      legend: [
        { state: "passed", text: "1 passed" },
        { state: "failed", text: "1 failed" },
        { state: "unreplayed", text: "2 unreplayed" },
      ],
      issuer: "key 0123456789abcdef · unknown issuer",
    },
  };
}

const make = (style: Style) => style === "card" ? cardBadge() : badge();

for (const style of STYLES) await renderSvg(make(style), style);
const svg = await renderSvg(badge());
await renderPng(svg);

for (const style of STYLES) {
  Deno.bench({
    name: `badge: ${style} SVG, a new label each time`,
    group: "badge cold",
    baseline: style === "flat",
    fn: async () => {
      await renderSvg(make(style), style);
    },
  });
}

Deno.bench({
  name: "badge: badge-maker's flat SVG, text left to the reader's fonts",
  group: "badge cold",
  fn: () => {
    const { label, message } = badge();
    makeBadge({ label, message: message.join(" · "), color: "orange" });
  },
});

Deno.bench("badge: PNG 2x from SVG, warm", async () => {
  // Another title, the same picture.
  await renderPng(svg.replace("<title>", `<title>${++unique} `), 2);
});

const remembered = badge();

Deno.bench("badge: flat SVG, remembered", async () => {
  await renderSvg(remembered);
});
