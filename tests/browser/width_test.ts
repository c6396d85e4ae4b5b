/** No page is wider than its window, from 280 px up, whatever stands in the documents. */
import assert from "node:assert/strict";
import { createKey } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import {
  fileOf,
  keep,
  mintContradicting,
  mintUnder,
  newPool,
  publish,
  tallyOf,
} from "../support/disclosure.ts";
import { mint, mintHeldOut, serverTest } from "../support/server.ts";
import { admissionOf, challengeOf, receiptBody } from "../support/forge.ts";
import { openBrowser, whereChromium } from "./chromium.ts";

const WIDTHS = [280, 320, 375, 740, 768, 800, 897, 1000, 1280];

/** How much wider the page is than the window, and what sticks out of it. */
const EXCESS = `
  (() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return "";
    const out = [...document.querySelectorAll("body *")].filter((element) =>
      element.getBoundingClientRect().right > clientWidth + 0.5
    );
    return scrollWidth - clientWidth + " px: " +
      out.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 80)).join(" | ");
  })()
`;

const WIDE = "W".repeat(256);

whereChromium("no page is wider than its window", () => {
  serverTest("no page is wider than its window", async (server) => {
    const key = createKey(seededRandom("width"));
    const claims = await mint(server, {
      context: WIDE,
      subject: WIDE,
      answers: ["wrong", "right"],
    });
    // Answers of any text, each row with a reason.
    const bodies = [WIDE.repeat(4), "again"].map((text, index) =>
      receiptBody(challengeOf(key, index), { response: text, expected: text })
    );
    const contradicted = await admissionOf(key, [
      bodies[1]!,
      receiptBody(challengeOf(key, 2), {
        response: "no",
        expected: WIDE,
        verdict: { pass: true, format: "text", answeredAt: "2026-01-01T00:00:10.000Z" },
      }),
    ]);
    const pool = newPool();
    const under = [await mintUnder(server, pool), await mintContradicting(server, pool)];
    const ids: string[] = [];
    for (
      const envelope of [
        claims.envelope,
        (await mintHeldOut(server)).envelope,
        await admissionOf(key, bodies),
        contradicted,
        ...under.map(({ envelope }) => envelope),
      ]
    ) ids.push((await keep(server, envelope)).id);
    await publish(server, fileOf(pool));
    await tallyOf(server, pool.poolKey);
    const link = encodeURIComponent(`${server.url}/r/${ids[0]}`);
    const paths = [
      "/",
      ...ids.map((id) => `/r/${id}`),
      `/r/${ids[0]}?issuer=${key.publicKey.text}&context=${WIDE}&policy=${"0".repeat(64)}`,
      `/r/${ids[0]}?issuer=${WIDE}`,
      `/r/${ids[0]}?${WIDE}=1&issuers=${WIDE}`,
      "/verify",
      `/verify?url=${link}`,
      `/verify?url=${link}&maxage=1s`,
      `/verify?url=${encodeURIComponent(`https://10.0.0.1/${WIDE}`)}`,
      "/pools",
      `/pools/${pool.poolKey}`,
      "/evaluator",
      "/api",
      "/problems/pool-invalid",
      `/r/${"0".repeat(64)}`,
    ];
    await using browser = await openBrowser();
    const { tab } = browser;
    const wide: string[] = [];
    for (const path of paths) {
      await tab.look({ width: 1280, height: 900 });
      await tab.open(`${server.url}${path}`);
      for (const width of WIDTHS) {
        await tab.look({ width, height: 900 });
        assert.equal(await tab.evaluate<number>("innerWidth"), width);
        const excess = await tab.evaluate(EXCESS);
        if (excess !== "") wide.push(`${path.slice(0, 40)} at ${width}: ${excess}`);
      }
    }
    assert.deepEqual(wide, []);
  });
});
