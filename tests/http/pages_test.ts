import assert from "node:assert/strict";
import { PROBLEMS } from "../../routes/problems.ts";
import { healthSchema } from "../../routes/schemas.ts";
import { gzip, mint, mintHeldOut, post, serverTest, type TestServer } from "./server.ts";

async function page(answer: Response, status = 200): Promise<string> {
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  const csp = answer.headers.get("content-security-policy") ?? "";
  assert.match(csp, /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.equal(answer.headers.get("referrer-policy"), "same-origin");
  const text = await answer.text();
  assert.ok(!/<script|javascript:|\son\w+=|\sstyle=/i.test(text), "nothing that the CSP forbids");
  return text;
}

function submit(
  server: TestServer,
  fields: Record<string, string | File>,
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return server.fetch("/verify", { method: "POST", body: form });
}

serverTest("the start page shows the samples, whose pages and badges exist", async (server) => {
  const text = await page(await server.fetch("/"));
  const ids = [...text.matchAll(/href="\/r\/([0-9a-f]{64})"/g)].map((match) => match[1]!);
  assert.equal(new Set(ids).size, 4);
  const outcomes = await Promise.all(ids.map(async (id) => {
    assert.equal((await server.fetch(`/badge/${id}.svg`)).status, 200);
    await page(await server.fetch(`/r/${id}`));
    return (await (await server.fetch(`/api/results/${id}`)).json()).report.outcome;
  }));
  assert.deepEqual(outcomes, ["verified", "issuer-claimed", "verified", "invalid"]);
});

serverTest("samples exist before the start page was asked for", async (server) => {
  const { default: sample } = await import("../../samples/verified.json", {
    with: { type: "json" },
  });
  const known = await (await server.fetch("/api/verify", post(sample))).json();
  const answer = await server.fetch(`/badge/${known.results[0].id}.json`);
  assert.equal((await answer.json()).message, "4/4 passed");
});

serverTest("a result page says it all", async (server) => {
  const { envelope, pool } = await mintHeldOut(server);
  const kept = await (await server.fetch("/api/results", post(envelope))).json();
  const text = await page(await server.fetch(`/r/${kept.id}`));
  for (
    const part of [
      "issuer-claimed",
      "2 receipts unreplayed.",
      "h:algal:t2",
      "pool-undisclosed",
      pool!.poolKey,
      kept.report.issuer.publicKey,
      "a label, not an identity",
      "issuer-unknown",
      `](${server.url}/r/${kept.id})`,
      `src="/badge/${kept.id}.svg"`,
      kept.report.evaluator.used,
    ]
  ) assert.ok(text.includes(part), part);
  assert.ok(!text.includes(pool!.cells[0]!.label));
});

serverTest("nothing that a document says becomes markup", async (server) => {
  const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u202e`;
  const { envelope } = await mint(server, { context: hostile, subject: hostile });
  const kept = await (await server.fetch("/api/results", post(envelope))).json();
  assert.equal(kept.report.context, hostile);
  for (
    const answer of [
      await server.fetch(`/r/${kept.id}`),
      await submit(server, { document: JSON.stringify(envelope) }),
    ]
  ) {
    const text = await answer.text();
    assert.ok(!text.includes("<script") && !text.includes("<img src=x"));
    assert.ok(text.includes("&lt;script&gt;alert(1)"));
  }
  const broken = await submit(server, { document: `</textarea><script>alert(1)</script>` });
  const text = await broken.text();
  assert.equal(broken.status, 400);
  assert.ok(!text.includes("<script"));
  for (const path of ["/r/%3Cscript%3E", "/problems/%3Cscript%3E", "/%3Cscript%3E?<script>"]) {
    const missing = await server.fetch(path, { headers: { accept: "text/html" } });
    assert.ok(!(await missing.text()).includes("<script"));
  }
});

serverTest("the form verifies without storing", async (server) => {
  const { envelope, pool } = await mintHeldOut(server);
  const document = JSON.stringify(envelope);
  const pasted = await page(await submit(server, { document, action: "verify" }));
  assert.ok(pasted.includes("issuer-claimed") && pasted.includes("Nothing was stored"));
  const label = pool!.cells[0]!.label;
  const forms: Record<string, string | File>[] = [
    { document, pool: JSON.stringify(pool) },
    { document, poolFile: new File([JSON.stringify(pool, null, 2)], "pool.json") },
    { file: new File([await gzip(document)], "a.json.gz"), pool: JSON.stringify(pool) },
    { document: JSON.stringify({ documents: [envelope], pools: [pool] }) },
  ];
  for (const fields of forms) {
    const text = await page(await submit(server, fields));
    assert.ok(/class="outcome">.*verified/.test(text));
    assert.ok(!/Undisclosed pool/.test(text));
    assert.ok(!text.includes(label));
  }
  const several = await page(await submit(server, { document: `[${document},${document},1]` }));
  assert.ok(several.includes("3 documents"));
  for await (const _ of server.kv.list({ prefix: [] })) assert.fail("stored");
  assert.ok(!server.logs.join().includes(label));
});

serverTest("the form keeps a document and leads to its page", async (server) => {
  const { envelope, pool } = await mintHeldOut(server);
  const document = JSON.stringify(envelope);
  const fields = { document, pool: JSON.stringify(pool), action: "keep" };
  const answer = await submit(server, fields);
  assert.equal(answer.status, 303);
  const location = answer.headers.get("location")!;
  assert.match(location, /^\/r\/[0-9a-f]{64}$/);
  // Kept without its pool.
  assert.ok((await page(await server.fetch(location))).includes("2 receipts unreplayed."));
  for await (const { key, value } of server.kv.list({ prefix: [] })) {
    assert.ok(
      !Deno.inspect([key, value], { depth: 20 }).includes(pool!.cells[0]!.label),
      String(key[0]),
    );
    assert.notEqual(key[0], "pool");
  }
});

serverTest("forms that can't be used come back with the problem", async (server) => {
  const { envelope } = await mint(server);
  const document = JSON.stringify(envelope);
  const file = new File([document], "a.json");
  const html = { headers: { accept: "text/html" } };
  const cases: [Record<string, string | File>, number][] = [
    [{ document: "{" }, 400],
    [{ document: "[]", action: "keep" }, 422],
    [{ document: "{}", action: "keep" }, 422],
    [{ document: JSON.stringify(Array(101).fill(0)) }, 413],
  ];
  for (const [fields, status] of cases) await page(await submit(server, fields), status);
  const both = await submit(server, { document, file });
  assert.equal(both.status, 400);
  const pools = await submit(server, { document, pool: "{}", poolFile: file });
  assert.equal(pools.status, 400);
  const none = await submit(server, { action: "verify" });
  assert.equal(none.status, 400);
  const secret = await submit(server, { document, pool: '{"label":"a-secret-label"' });
  assert.equal(secret.status, 422);
  assert.ok(!(await secret.text()).includes("a-secret-label"));
  const noForm = await server.fetch("/verify", { method: "POST", body: "x=", ...html });
  await page(noForm, 400);
});

serverTest("evaluator, API and problem pages", async (server) => {
  const evaluator = await page(await server.fetch("/evaluator"));
  assert.ok(/<dt>Answer<\/dt>\s*<dd><code>34<\/code>/.test(evaluator));
  assert.ok(/<dt>Fuel used<\/dt>\s*<dd>87<\/dd>/.test(evaluator));
  const api = await page(await server.fetch("/api"));
  for (const match of api.matchAll(/href="(\/[^"#]*)"/g)) {
    assert.equal((await server.fetch(match[1]!)).status, 200, match[1]);
  }
  for (const code of Object.keys(PROBLEMS)) {
    assert.ok((await page(await server.fetch(`/problems/${code}`))).includes(code));
  }
  assert.equal((await server.fetch("/problems/other")).status, 404);
});

serverTest("the API description names every reference it uses", async (server) => {
  const description = await (await server.fetch("/api/openapi.json")).json();
  assert.equal(description.openapi, "3.1.0");
  assert.equal(description.servers[0].url, server.url);
  const text = JSON.stringify(description);
  for (const match of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(match[1]! in description.components.schemas, match[1]);
  }
  for (const path of ["/api/verify", "/api/results", "/badge/{id}.svg"]) {
    assert.ok(path in description.paths);
  }
});

serverTest("small things", async (server) => {
  assert.equal(healthSchema.parse(await (await server.fetch("/healthz")).json()).status, "ok");
  const types = {
    "/robots.txt": "text/plain; charset=utf-8",
    "/favicon.svg": "image/svg+xml",
    "/style.css": "text/css; charset=utf-8",
  };
  for (const [path, type] of Object.entries(types)) {
    const answer = await server.fetch(path);
    assert.equal(answer.headers.get("content-type"), type);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    const etag = answer.headers.get("etag")!;
    const again = await server.fetch(path, { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    assert.ok((await answer.text()).length > 0);
  }
});

serverTest("unknown addresses and wrong methods", async (server) => {
  const problem = await server.fetch("/nowhere");
  assert.equal(problem.status, 404);
  assert.equal((await problem.json()).code, "route-unknown");
  const html = { headers: { accept: "text/html,application/xhtml+xml" } };
  await page(await server.fetch("/nowhere", html), 404);
  await page(await server.fetch(`/r/${"0".repeat(64)}`, html), 404);
  const cases: [string, string, string][] = [
    ["PUT", "/api/verify", "POST, GET, HEAD"],
    ["GET", "/api/refresh", "POST"],
    ["DELETE", "/api/results/x", "GET, HEAD"],
    ["DELETE", "/api/results", "POST, GET, HEAD"],
    ["DELETE", "/api/pools", "POST, GET, HEAD"],
    ["PUT", "/api/pools/x", "GET, HEAD"],
    ["POST", "/api/feed", "GET, HEAD"],
    ["POST", "/badge/x.svg", "GET, HEAD"],
    ["POST", "/", "GET, HEAD"],
    ["DELETE", "/verify", "GET, HEAD, POST"],
  ];
  for (const [method, path, allow] of cases) {
    const answer = await server.fetch(path, { method });
    assert.equal(answer.status, 405, `${method} ${path}`);
    assert.equal(answer.headers.get("allow"), allow);
    assert.equal((await answer.json()).code, "method-not-allowed");
  }
});

serverTest("a Host header that names no host", async (server) => {
  for (const host of [`"><script>`, "a b", "[::1", "x:99999"]) {
    const connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(server.url).port),
    });
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    const text = await new Response(connection.readable).text();
    assert.match(text, /^HTTP\/1\.1 400 /, host);
    assert.ok(!text.includes("<script"));
  }
  assert.deepEqual(server.logs, []);
});

serverTest("forms with very many fields are refused before they are told apart", async (server) => {
  const send = (body: string, type: string) =>
    server.fetch("/verify", { method: "POST", headers: { "content-type": type }, body });
  const part = '--X\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n';
  const forms: [string, string][] = [
    ["a&".repeat(2_000_000), "application/x-www-form-urlencoded"],
    [part.repeat(50_000) + "--X--\r\n", "multipart/form-data; boundary=X"],
    [part.repeat(50_000) + "--X--\r\n", 'multipart/form-data; boundary="X"'],
  ];
  for (const [body, type] of forms) {
    const answer = await send(body, type);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /at most 32 fields|form-malformed/);
  }
});

serverTest("a verified fail says so in its headline", async (server) => {
  const { envelope } = await mint(server, { answers: ["wrong", "wrong"] });
  const { urls } = await (await server.fetch("/api/results", post(envelope))).json();
  const text = await page(await server.fetch(new URL(urls.page).pathname));
  assert.match(text, /verified<span class="failed"> · failed<\/span>/);
});
