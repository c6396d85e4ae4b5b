/** The pages in a real Chromium: badges appear, and nothing is refused by the pages' own policy. */
import assert from "node:assert/strict";
import {
  fileOf,
  keep,
  mintContradicting,
  newPool,
  publish,
  tallyOf,
} from "../support/disclosure.ts";
import { mintHeldOut, post, serverTest, type TestServer } from "../support/server.ts";
import { browse, whereChromium } from "./chromium.ts";

function browserTest(name: string, run: (server: TestServer) => Promise<void>): void {
  whereChromium(name, () => serverTest(name, run));
}

browserTest("no page breaks its own policy or writes to the console", async (server) => {
  const { envelope } = await mintHeldOut(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const pool = newPool();
  const exposed = await keep(server, (await mintContradicting(server, pool)).envelope);
  await publish(server, fileOf(pool));
  await tallyOf(server, pool.poolKey);
  const paths = [
    "/",
    `/r/${id}`,
    `/r/${exposed.id}`,
    "/verify",
    `/verify?url=${encodeURIComponent(`${server.url}/r/${id}`)}`,
    `/verify?url=${encodeURIComponent("https://10.0.0.1/")}`,
    "/pools",
    `/pools/${pool.poolKey}`,
    "/evaluator",
    "/api",
    "/problems/pool-invalid",
  ];
  for (const path of paths) {
    const { out, log } = await browse(`${server.url}${path}`, "--dump-dom");
    assert.ok(out.includes("</main>"), path);
    assert.ok(!/CONSOLE|Content.Security.Policy/i.test(log), `${path}: ${log}`);
  }
});

browserTest("the result page draws its badge, on a desktop and on a phone", async (server) => {
  const { envelope } = await mintHeldOut(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  for (const size of ["1280,900", "390,844"]) {
    const file = await Deno.makeTempFile({ suffix: ".png" });
    await browse(`${server.url}/r/${id}`, `--screenshot=${file}`, `--window-size=${size}`);
    const png = await Deno.readFile(file);
    await Deno.remove(file);
    assert.deepEqual([...png.slice(1, 4)], [0x50, 0x4e, 0x47]);
    const view = new DataView(png.buffer);
    assert.equal(view.getUint32(16), Number(size.split(",")[0]));
    assert.ok(png.length > 10_000, "not blank");
  }
  const { out } = await browse(`${server.url}/r/${id}`, "--dump-dom");
  assert.ok(out.includes(`<img src="/badge/${id}.svg"`));
  // The badge by itself: Chromium's own parser finds it well-formed.
  const svg = await browse(`${server.url}/badge/${id}.svg`, "--dump-dom");
  assert.ok(svg.out.includes("3/4 passed · 2 unreplayed"));
  assert.ok(!svg.out.includes("parsererror"));
});
