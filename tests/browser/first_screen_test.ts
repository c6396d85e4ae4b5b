/**
 * What a reader sees without scrolling, on a phone and on a desktop: whether it passed, how much was
 * replayed, and who says so. Issue: a look of two seconds must tell the three apart.
 */
import assert from "node:assert/strict";
import { createKey } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import type { Registry } from "../../lib/trust/registry.ts";
import { keep } from "../support/disclosure.ts";
import { mint, mintHeldOut, serverTest } from "../support/server.ts";
import { openBrowser, type Tab, whereChromium } from "./chromium.ts";

const HOUSE = createKey(seededRandom("first screen: house"));
const OTHER = createKey(seededRandom("first screen: other"));

const REGISTRY: Registry = {
  issuers: [{
    name: "House",
    publicKey: HOUSE.publicKey.text,
    keyId: HOUSE.publicKey.keyId,
    status: "active",
  }],
  policies: [],
};

const SIZES = [{ width: 375, height: 667 }, { width: 1280, height: 720 }];

/** The texts of those lines of the box that lie in the window whole, uncovered, and large enough. */
const SEEN = `
  [".outcome", ".said .replayed", ".said .signer"].map((name) => {
    const line = document.querySelector(name);
    if (line === null) return name + " is missing";
    const { left, right, top, bottom } = line.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) {
      return name + " is outside: " + [left, top, right, bottom].join(" ");
    }
    const range = document.createRange();
    range.selectNodeContents(line);
    for (const box of range.getClientRects()) {
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!line.contains(top)) return name + " is covered";
    }
    const size = parseFloat(getComputedStyle(line).fontSize);
    return size < 15 ? name + " is small: " + size : line.innerText.trim();
  })
`;

async function seen(tab: Tab, url: string): Promise<string[][]> {
  const all: string[][] = [];
  for (const size of SIZES) {
    await tab.look(size);
    await tab.open("about:blank");
    await tab.open(url);
    all.push(await tab.evaluate<string[]>(SEEN));
  }
  return all;
}

whereChromium("first screen", () => {
  serverTest(
    "first screen: verdict, replay and signer are seen without scrolling",
    async (server) => {
      const documents = {
        known: await mint(server, { key: HOUSE, answers: ["right", "right"], minPass: 2 }),
        failed: await mint(server, {
          key: OTHER,
          answers: ["right", "wrong", "wrong", "wrong"],
          minPass: 3,
        }),
        unknown: await mint(server, { key: OTHER, answers: ["right", "wrong"], minPass: 1 }),
      };
      const heldOut = await mintHeldOut(server);
      await using browser = await openBrowser();
      const page = async (envelope: unknown, query = "") =>
        await seen(browser.tab, `${server.url}/r/${(await keep(server, envelope)).id}${query}`);

      const other = `key ${OTHER.publicKey.keyId.slice(0, 8)}…`;
      const cases: [name: string, shown: string[][], RegExp[]][] = [
        ["known", await page(documents.known.envelope), [
          /^Passed: 2 of 2, 2 required$/,
          /^Every answer was replayed$/,
          /^Signed by House$/,
        ]],
        ["failed", await page(documents.failed.envelope), [
          /^Failed: 1 of 4, 3 required$/,
          /^Every answer was replayed$/,
          new RegExp(`^Signed by an unknown issuer, ${other}$`),
        ]],
        ["pinned", await page(documents.unknown.envelope, `?issuer=${OTHER.publicKey.text}`), [
          /^Passed: 1 of 2, 1 required$/,
          /^Every answer was replayed$/,
          new RegExp(`^Signed by an unknown issuer, ${other}, the key this link asks for$`),
        ]],
        ["not accepted", await page(documents.unknown.envelope, "?issuer=House"), [
          /^Not accepted: other issuer$/,
          /^Every answer was replayed$/,
          new RegExp(`^Signed by an unknown issuer, ${other}$`),
        ]],
        ["bad link", await page(documents.known.envelope, "?issuer=oldname"), [
          /^Not accepted: bad link$/,
          /^Every answer was replayed$/,
          /^Signed by House$/,
        ]],
        ["unreplayed", await page(heldOut.envelope), [
          /^Passed: 3 of 4, 3 required$/,
          /2 .*unreplayed/,
          /^Signed by an unknown issuer, key [0-9a-f]{8}…$/,
        ]],
      ];
      for (const [name, shown, expected] of cases) {
        for (const texts of shown) {
          texts.forEach((text, index) => assert.match(text, expected[index]!, name));
        }
      }
    },
    {
      registry: REGISTRY,
      verifier: (verifier) => ({
        ...verifier,
        issuers: new Map([[HOUSE.publicKey.text, "House"]]),
      }),
    },
  );
});
