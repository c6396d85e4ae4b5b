/** Badges that were drawn before: processes that start find them, and nothing else. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Badge } from "../../../lib/badge/model.ts";
import { renderBadge } from "../../../lib/badge/render.ts";
import { createDatabase } from "../../../lib/kv/database.ts";
import { createDrawings, LOOK } from "../../../lib/store/drawings.ts";
import {
  createBadgeCache,
  sendBadge,
  type ServeOptions,
} from "../../../routes/badges/badge_cache.ts";
import { BADGES } from "../../support/badges.ts";

const ASK = new Request("http://stone.example/badge/x.svg");

const noFault = (error: unknown) => assert.fail(`${error}`);

/** A process that serves badges out of `kv`, and counts what it draws. */
function process(kv: Deno.Kv) {
  let drawn = 0;
  const drawings = createDrawings(createDatabase(kv), noFault);
  const cache = createBadgeCache(noFault, (badge, options) => {
    drawn++;
    return renderBadge(badge, options);
  }, drawings);
  return {
    ask: async (badge: Badge, options: Partial<ServeOptions> = {}) => {
      const answer = await sendBadge(cache, ASK, badge, {
        format: "svg",
        cacheSeconds: 300,
        ...options,
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      await drawings.idle();
      return { bytes, type: answer.headers.get("content-type"), etag: answer.headers.get("etag") };
    },
    drawn: () => drawn,
  };
}

Deno.test("what one process drew, the next has at hand, to the byte", async () => {
  const kv = await Deno.openKv(":memory:");
  try {
    const badge = BADGES["admission"]!;
    for (
      const options of [{}, { format: "png", scale: 2 }, { style: "card", theme: "auto" }] as const
    ) {
      const [first, second] = [process(kv), process(kv)];
      const drawn = await first.ask(badge, options);
      assert.deepEqual(await second.ask(badge, options), drawn);
      assert.deepEqual([first.drawn(), second.drawn()], [1, 0]);
      // Every difference in what is said, and in how, is a badge of its own.
      await second.ask({ ...badge, title: `Another ${JSON.stringify(options)}.` }, options);
      assert.equal(second.drawn(), 1);
    }
  } finally {
    kv.close();
  }
});

Deno.test("labels of embedders are kept for nobody", async () => {
  const kv = await Deno.openKv(":memory:");
  try {
    const badge = { ...BADGES["admission"]!, label: "my own" };
    const [first, second] = [process(kv), process(kv)];
    await first.ask(badge);
    await second.ask(badge);
    assert.deepEqual([first.drawn(), second.drawn()], [1, 1]);
    assert.deepEqual(await Array.fromAsync(kv.list({ prefix: ["drawing"] })), []);
  } finally {
    kv.close();
  }
});

Deno.test("without the database badges are drawn", async () => {
  const kv = await Deno.openKv(":memory:");
  const away = process(
    new Proxy(kv, {
      get: (target, name) =>
        name === "get" || name === "atomic"
          ? () => {
            throw new TypeError("the connection was closed");
          }
          : Reflect.get(target, name),
    }),
  );
  try {
    const { bytes } = await away.ask(BADGES["admission"]!);
    assert.match(new TextDecoder().decode(bytes), /^<svg/);
    assert.equal(away.drawn(), 1);
  } finally {
    kv.close();
  }
});

/** SHA-256 over the golden pictures, by name: how badges look. */
const LOOKS = "2 0df6f653d24ce8a64054cf91243c85c651fb5118cd89ac9bc86368ffbf477782";

Deno.test("a changed look has a number of its own, or old drawings would stay around", async () => {
  const folder = new URL("../../golden/", import.meta.url);
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory) continue;
    for await (const file of Deno.readDir(new URL(`${name}/`, folder))) {
      names.push(`${name}/${file.name}`);
    }
  }
  assert.ok(names.length > 100);
  const hash = createHash("sha256");
  for (const name of names.sort()) {
    hash.update(name);
    hash.update(await Deno.readFile(new URL(name, folder)));
  }
  assert.equal(
    `${LOOK} ${hash.digest("hex")}`,
    LOOKS,
    "badges look different: count up LOOK in lib/store/drawings.ts, and note both here",
  );
});
