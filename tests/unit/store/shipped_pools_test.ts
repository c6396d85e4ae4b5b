import assert from "node:assert/strict";
import { createPool, toPoolFile } from "../../../lib/issuer/pool.ts";
import { seededRandom } from "../../../lib/issuer/random.ts";
import { readPool } from "../../../lib/protocol/pool.ts";
import { HOUSE_DEMO_TEXT, SHIPPED_FILES, SHIPPED_POOLS } from "../../../pools/shipped.ts";
import { withStore } from "../../support/store_fixtures.ts";

const FOLDER = new URL("../../../pools/", import.meta.url);

Deno.test("every pool file in the folder is listed, well named, and has its own key", async () => {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(FOLDER)) if (name !== "shipped.ts") names.push(name);
  assert.deepEqual(names.toSorted(), SHIPPED_FILES.toSorted());
  for (const name of names) {
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*\.json$/);
    const file = JSON.parse(await Deno.readTextFile(new URL(name, FOLDER)));
    const read = readPool(file);
    assert.ok(read.ok, name);
    // Nothing beside what the key commits to.
    assert.deepEqual(toPoolFile(read.pool), file);
  }
  const keys = SHIPPED_POOLS.map(({ poolKey }) => poolKey);
  assert.equal(new Set(keys).size, names.length);
});

Deno.test("the house demo pool follows from its public text", () => {
  const cells = ["algal:t1", "algal:t2", "algal:t3"];
  const pool = createPool("touchstone", cells, { random: seededRandom(HOUSE_DEMO_TEXT) });
  assert.ok(SHIPPED_POOLS.some(({ poolKey }) => poolKey === pool.poolKey));
});

Deno.test("shipped pools stand in a fresh store", async () => {
  await withStore(async (store) => {
    const page = await store.pools();
    assert.deepEqual(
      new Set(page.items.map(({ poolKey }) => poolKey)),
      new Set(SHIPPED_POOLS.map(({ poolKey }) => poolKey)),
    );
    assert.equal(page.items.every(({ source }) => source === "shipped"), true);
  }, { shipped: SHIPPED_POOLS });
});
