import assert from "node:assert/strict";
import { serverTest } from "../support/server.ts";

const ID = "0".repeat(64);
const PATHS = [
  "/badge",
  "/badge/",
  "/badge.svg",
  "/badge.SVG",
  "/badge.gif",
  `/badge/${ID}`,
  `/badge/${ID}/`,
  `/badge/${ID}.SVG`,
  `/badge/${ID}.gif`,
  "/badge/session/",
  "/badge/session/gs_notyet.svg",
  "/badge/a/b/c.svg",
  "/badge/%E0%A4%A.svg",
  "/badge/session/%ZZ",
];

serverTest(
  "every address under /badge has an image with status 200 that nobody keeps",
  async (server) => {
    for (const path of PATHS) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await server.fetch(path, { method });
        await answer.body?.cancel();
        const { headers } = answer;
        const seen = [answer.status, headers.get("content-type"), headers.get("cache-control")];
        assert.deepEqual(seen, [200, "image/svg+xml", "no-store"], `${method} ${path}`);
        assert.notEqual(headers.get("touchstone-state"), null, path);
      }
    }
  },
);

serverTest("preflights of badges are answered", async (server) => {
  const headers = {
    "origin": "https://example.org",
    "access-control-request-method": "GET",
    "access-control-request-headers": "if-none-match",
  };
  for (const path of ["/badge.svg", `/badge/${ID}.svg`, "/badge/session/gs_notyet.svg"]) {
    const answer = await server.fetch(path, { method: "OPTIONS", headers });
    await answer.body?.cancel();
    assert.equal(answer.status, 204, path);
    assert.match(answer.headers.get("access-control-allow-headers") ?? "", /if-none-match/);
  }
});

serverTest("whatever the extension, the address of a document has its badge", async (server) => {
  const url = encodeURIComponent(`${server.origin}/receipt.json`);
  for (const path of ["/badge", "/badge.svg", "/badge.Svg", "/badge.webp", "/badge.jpg/"]) {
    const answer = await server.fetch(`${path}?url=${url}`);
    await answer.body?.cancel();
    const state = answer.headers.get("touchstone-state");
    assert.deepEqual([answer.status, state], [200, "not-a-receipt; code=documents-empty"], path);
    assert.equal(answer.headers.get("content-type"), "image/svg+xml", path);
  }
  const json = await server.fetch(`/badge.Json?url=${url}`);
  assert.equal((await json.json()).message, "not a receipt");
}, { origin: () => new Response("[]", { headers: { "content-type": "application/json" } }) });
