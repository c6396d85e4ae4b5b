import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type IncomingHttpHeaders, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { shieldsSchema } from "../../routes/schemas/index.ts";
import { fileOf, mintUnder, newPool, publish, tallyOf } from "../support/disclosure.ts";
import { mint, mintHeldOut, post, serverTest, type TestServer } from "../support/server.ts";

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
  assert.equal(
    await message(server, await keep(server, verified.envelope)),
    "2/2 passed · unknown issuer",
  );
  assert.equal(
    await message(server, await keep(server, failed.envelope)),
    "1/4 passed · failed · unknown issuer",
  );
  assert.equal(await message(server, await keep(server, edited)), "invalid");
  const claimed = await keep(server, (await mintHeldOut(server)).envelope);
  assert.equal(await message(server, claimed), "3/4 passed · 2 unreplayed · unknown issuer");
  const svg = await (await server.fetch(`/badge/${claimed}.svg`)).text();
  assert.ok(svg.includes("3/4 passed · 2 unreplayed · unknown issuer"));
});

/** As a client that decodes nothing sees it. */
function raw(
  server: TestServer,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Uint8Array }> {
  return new Promise((resolve, reject) => {
    request(`${server.url}${path}`, { method, headers, agent: false }, (answer) => {
      const chunks: Uint8Array[] = [];
      answer.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const body = new Uint8Array(Buffer.concat(chunks));
        resolve({ status: answer.statusCode!, headers: answer.headers, body });
      });
    }).on("error", reject).end();
  });
}

const DECODED = { identity: (b: Uint8Array) => b, gzip: gunzipSync, br: brotliDecompressSync };

serverTest(
  "each format in each encoding: caching, conditional requests and HEAD",
  async (server) => {
    const id = await keep(server, (await mint(server)).envelope);
    for (const [format, type] of Object.entries(TYPES)) {
      const path = `/badge/${id}.${format}`;
      const plain = (await raw(server, path)).body;
      for (const [coding, decoded] of Object.entries(DECODED)) {
        for (const round of ["rendered", "from memory"]) {
          const accept = { "accept-encoding": coding };
          const { status, headers, body } = await raw(server, path, accept);
          const hash = createHash("sha256").update(body).digest("hex");
          const sent = format === "png" ? "identity" : coding;
          assert.equal(status, 200, round);
          const expected = {
            "content-type": type,
            "content-encoding": sent === "identity" ? undefined : sent,
            "content-length": `${body.length}`,
            "etag": `"${hash}"`,
            "vary": format === "png" ? undefined : "accept-encoding",
            "cache-control": "public, max-age=300, stale-while-revalidate=60",
            "x-content-type-options": "nosniff",
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
            "cross-origin-resource-policy": "cross-origin",
            "access-control-allow-origin": "*",
          };
          for (const [name, value] of Object.entries(expected)) {
            assert.equal(headers[name], value, `${format} ${coding}: ${name}`);
          }
          const text = format === "png" ? body : new Uint8Array(decoded(body));
          assert.deepEqual(text, plain);
          const known = { ...accept, "if-none-match": `W/"x", "${hash}"` };
          const unchanged = await raw(server, path, known);
          assert.equal(unchanged.status, 304);
          assert.equal(unchanged.body.length, 0);
          for (const name of ["etag", "vary", "cache-control"] as const) {
            assert.equal(unchanged.headers[name], expected[name]);
          }
          const head = await raw(server, path, accept, "HEAD");
          assert.equal(head.status, 200);
          assert.equal(head.body.length, 0);
          for (const name of ["content-length", "content-encoding", "etag"] as const) {
            assert.equal(head.headers[name], expected[name]);
          }
        }
      }
    }
    // Another encoding's tag is another's.
    const gzipped = await raw(server, `/badge/${id}.svg`, { "accept-encoding": "gzip" });
    const other = { "accept-encoding": "br", "if-none-match": gzipped.headers.etag! };
    assert.equal((await raw(server, `/badge/${id}.svg`, other)).status, 200);
  },
);

serverTest("style, theme, label, scale and cacheSeconds do what they say", async (server) => {
  const claimed = await keep(server, (await mintHeldOut(server)).envelope);
  const svg = async (query: string) => {
    const answer = await server.fetch(`/badge/${claimed}.svg?${query}`);
    assert.equal(answer.status, 200, query);
    return await answer.text();
  };
  const size = (text: string) => / width="(\d+)" height="(\d+)"/.exec(text)!.slice(1).map(Number);
  const heights = {
    "flat": 20,
    "flat-square": 20,
    "plastic": 18,
    "for-the-badge": 28,
    "card": 172,
  };
  for (const [style, height] of Object.entries(heights)) {
    const drawn = await svg(`style=${style}`);
    assert.equal(size(drawn)[1], height);
    assert.match(drawn, /aria-label="touchstone: 3\/4 passed · 2 unreplayed · unknown issuer"/);
  }
  assert.equal(
    new Set(await Promise.all(Object.keys(heights).map((s) => svg(`style=${s}`)))).size,
    5,
  );
  assert.ok(!(await svg("style=card")).includes("<style>"));
  assert.match(await svg("style=card&theme=auto"), /prefers-color-scheme:dark/);
  assert.ok((await svg("style=card&theme=dark")).includes('fill="#161b22"'));
  assert.match(
    await svg("label=my%20%3Cmodel%3E"),
    /aria-label="my &lt;model&gt;: 3\/4 passed · 2 unreplayed · unknown issuer"/,
  );
  const label = await server.fetch(`/badge/${claimed}.json?label=${"x".repeat(50)}`);
  assert.equal((await label.json()).label, `${"x".repeat(39)}…`);

  const widths = await Promise.all(["", "scale=1", "scale=2", "scale=3"].map(async (query) => {
    const { body } = await raw(server, `/badge/${claimed}.png?${query}`);
    return new DataView(body.buffer).getUint32(16);
  }));
  const [width = 0] = size(await svg(""));
  assert.deepEqual(widths, [width, width, 2 * width, 3 * width]);

  const kept = await raw(server, `/badge/${claimed}.json?cacheSeconds=3600`);
  assert.equal(
    kept.headers["cache-control"],
    "public, max-age=3600, stale-while-revalidate=60",
  );
  assert.equal(JSON.parse(new TextDecoder().decode(kept.body)).cacheSeconds, 3600);
});

serverTest("whatever stands in a badge's query, an image comes", async (server) => {
  const id = await keep(server, (await mint(server)).envelope);
  // What was left out of account is told in the title alone.
  const untitled = (svg: string) => svg.replace(/<title>.*?<\/title>/, "");
  const plain = untitled(await (await server.fetch(`/badge/${id}.svg`)).text());
  const queries = [
    "style=",
    "style=Flat",
    "style=social",
    "style=__proto__",
    "style=flat&style=card",
    "theme=dark",
    "theme=pink",
    "label=",
    "label=%20",
    "label",
    "scale=9",
    "cacheSeconds=-1",
    "cacheSeconds=1e9",
    "cacheSeconds=999999999999999999999999",
    "unknown=1",
    "%",
    "%ff=%zz",
    "?&=&",
    "constructor=1",
  ];
  for (const query of queries) {
    const answer = await server.fetch(`/badge/${id}.svg?${query}`);
    assert.equal(answer.status, 200, query);
    assert.equal(untitled(await answer.text()), plain, query);
  }
  for (
    const query of [`label=${"%F0%9F%98%80".repeat(2000)}`, "label=%00%ff%fe", "style=card&label=%"]
  ) {
    const answer = await server.fetch(`/badge/${id}.svg?${query}`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /^<svg .*<\/svg>$/s);
  }
  assert.deepEqual(server.logs, []);
});

serverTest("a card is of the result as it is now", async (server) => {
  const pool = newPool();
  const id = await keep(server, (await mintUnder(server, pool)).envelope);
  const card = async () => await (await server.fetch(`/badge/${id}.svg?style=card`)).text();
  const before = await card();
  assert.match(before, /aria-label="touchstone: 2\/2 passed · 2 unreplayed · unknown issuer"/);
  assert.equal(await card(), before);
  await publish(server, fileOf(pool));
  await tallyOf(server, pool.poolKey);
  const after = await card();
  assert.match(after, /aria-label="touchstone: 2\/2 passed · unknown issuer"/);
  assert.notEqual(after, before);
});

serverTest("a badge that can't be read is checking, and nobody keeps it", async (server) => {
  for (const [format, type] of Object.entries(TYPES)) {
    const answer = await raw(server, `/badge/${"1".repeat(64)}.${format}?style=card`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], type);
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["etag"], undefined);
    if (format !== "png") assert.match(new TextDecoder().decode(answer.body), /checking/);
  }
}, {
  kv: (kv) =>
    new Proxy(kv, {
      get(target, name) {
        if (name === "get") return () => Promise.reject(new RangeError("no such thing"));
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
});

serverTest("what isn't there is a grey badge that nobody keeps", async (server) => {
  for (const id of ["0".repeat(64), "x", "A".repeat(64), "%2e%2e%2fx", "__proto__"]) {
    for (const [format, type] of Object.entries(TYPES)) {
      const answer = await server.fetch(`/badge/${id}.${format}`);
      assert.equal(answer.status, 200);
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
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get("touchstone-state")?.split(";")[0], "not-found", path);
    assert.match(await answer.text(), /^<svg .*aria-label="receipt: not found"/);
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
  assert.equal(await message(server, id), "2/2 passed · unknown issuer");
});

serverTest("many ask for one badge at once", async (server) => {
  const id = await keep(server, (await mint(server)).envelope);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => server.fetch(`/badge/${id}.svg`)),
  );
  const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
  assert.equal(bodies.size, 1);
});
