import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { shieldsSchema } from "../../routes/schemas.ts";
import { mint, mintHeldOut, post, serverTest, type TestServer } from "./server.ts";

const TYPES = { svg: "image/svg+xml", png: "image/png", json: "application/json" };

async function keep(server: TestServer, document: unknown): Promise<string> {
  const answer = await server.fetch("/api/results", post(document));
  return (await answer.json()).id;
}

async function message(server: TestServer, id: string): Promise<string> {
  const answer = await server.fetch(`/badge/${id}.json`);
  return shieldsSchema.parse(await answer.json()).message;
}

serverTest("badges say what the results are", async (server) => {
  const verified = await mint(server);
  const edited = {
    ...verified.envelope,
    payload: verified.envelope.payload.replace('"pass":true', '"pass":false'),
  };
  const failed = await mint(server, { answers: ["right", "wrong", "none", "wrong"], minPass: 3 });
  assert.equal(await message(server, await keep(server, verified.envelope)), "2/2 passed");
  assert.equal(await message(server, await keep(server, failed.envelope)), "1/4 passed · failed");
  assert.equal(await message(server, await keep(server, edited)), "invalid");
  const claimed = await keep(server, (await mintHeldOut(server)).envelope);
  assert.equal(await message(server, claimed), "3/4 passed · 2 unreplayed");
  const svg = await (await server.fetch(`/badge/${claimed}.svg`)).text();
  assert.ok(svg.includes("3/4 passed · 2 unreplayed"));
});

serverTest("caching, conditional requests and HEAD in every format", async (server) => {
  const id = await keep(server, (await mint(server)).envelope);
  for (const [format, type] of Object.entries(TYPES)) {
    const path = `/badge/${id}.${format}`;
    for (const round of ["rendered", "from memory"]) {
      const answer = await server.fetch(path);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const hash = createHash("sha256").update(bytes).digest("hex");
      assert.equal(answer.status, 200, round);
      const expected = {
        "content-type": type,
        "content-length": `${bytes.length}`,
        "etag": `"${hash}"`,
        "cache-control": "public, max-age=300, stale-while-revalidate=86400",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        "cross-origin-resource-policy": "cross-origin",
        "access-control-allow-origin": "*",
      };
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(answer.headers.get(name), value, name);
      }
      const unchanged = await server.fetch(path, { headers: { "if-none-match": `"${hash}"` } });
      assert.equal(unchanged.status, 304);
      assert.equal(unchanged.headers.get("etag"), `"${hash}"`);
      assert.equal(unchanged.headers.get("cache-control"), expected["cache-control"]);
      assert.equal(await unchanged.text(), "");
      const head = await server.fetch(path, { method: "HEAD" });
      assert.equal(head.headers.get("content-length"), `${bytes.length}`);
      assert.equal(head.headers.get("etag"), `"${hash}"`);
      assert.equal(await head.text(), "");
    }
  }
});

serverTest("what isn't there is a grey badge that nobody keeps", async (server) => {
  for (const id of ["0".repeat(64), "x", "A".repeat(64), "%2e%2e%2fx", "__proto__"]) {
    for (const [format, type] of Object.entries(TYPES)) {
      const answer = await server.fetch(`/badge/${id}.${format}`);
      assert.equal(answer.status, 404);
      assert.equal(answer.headers.get("content-type"), type);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("etag"), null);
      const text = await answer.text();
      if (format !== "png") assert.ok(text.includes("not found"));
    }
    assert.equal(await message(server, id), "not found");
  }
  for (const path of ["/badge/x.gif", "/badge/x", "/badge/.svgz", "/badge/a/b.svg", "/badge/"]) {
    const answer = await server.fetch(path);
    assert.equal(answer.status, 404, path);
    assert.equal((await answer.json()).code, "route-unknown");
  }
});

serverTest("a badge that was missing appears once the result is kept", async (server) => {
  const { envelope } = await mint(server);
  const id = createHash("sha256").update(JSON.stringify({
    payload: envelope.payload,
    protocol: envelope.protocol,
    signature: envelope.signature,
  })).digest("hex");
  assert.equal(await message(server, id), "not found");
  assert.equal(await keep(server, envelope), id);
  assert.equal(await message(server, id), "2/2 passed");
});

serverTest("many ask for one badge at once", async (server) => {
  const id = await keep(server, (await mint(server)).envelope);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => server.fetch(`/badge/${id}.svg`)),
  );
  const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
  assert.equal(bodies.size, 1);
});
