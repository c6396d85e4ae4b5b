/** Badges look as they did: `deno task badges:sheet --golden` draws the pictures anew. */
import assert from "node:assert/strict";
import pixelmatch from "../../support/npm/pixelmatch.ts";
import { standingBadge } from "../../../lib/badge/model.ts";
import { goldenFile, LOOKS, picture } from "../../golden/looks.ts";
import { BADGES, decodePng, type Pixels } from "../../support/badges.ts";

/** Pixels that may differ, and by how much of the way from black to white: another build of resvg. */
const TOLERANCE = { pixels: 5, threshold: 0.1 };

/** Number of pixels that differ; all of them when the sizes do. */
function difference(a: Pixels, b: Pixels): number {
  if (a.width !== b.width || a.height !== b.height) return a.width * a.height;
  const { threshold } = TOLERANCE;
  return pixelmatch(a.data, b.data, undefined, a.width, a.height, { threshold });
}

for (const look of LOOKS) {
  Deno.test(`every badge looks as in its golden picture: ${look.name}`, async () => {
    for (const [kind, badge] of Object.entries(BADGES)) {
      const golden = decodePng(await Deno.readFile(goldenFile(look, kind)));
      const count = difference(await picture(badge, look), golden);
      assert.ok(count <= TOLERANCE.pixels, `${kind}: ${count} pixels differ`);
    }
  });
}

Deno.test("there is a golden picture for each badge and style, and no other", async () => {
  for (const look of LOOKS) {
    const files = await Array.fromAsync(Deno.readDir(new URL(".", goldenFile(look, "x"))));
    assert.deepEqual(
      files.map(({ name }) => name).sort(),
      Object.keys(BADGES).map((kind) => `${kind}.png`).sort(),
    );
  }
});

Deno.test("one digit, or another tone, is more of a difference than golden pictures tolerate", async () => {
  for (const look of LOOKS) {
    const badge = BADGES["admission-unreplayed"]!;
    const shown = await picture(badge, look);
    const digit = { ...badge, message: ["3/4 passed", "3 unreplayed"] };
    assert.ok(difference(shown, await picture(digit, look)) > TOLERANCE.pixels, look.name);
    const plain = standingBadge("checking");
    const toned = { ...plain, tone: "invalid" } as const;
    assert.ok(
      difference(await picture(plain, look), await picture(toned, look)) > TOLERANCE.pixels,
      look.name,
    );
  }
});
