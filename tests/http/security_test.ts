/** Headers of every kind of route, what other sites' pages may do, and whose forms are taken. */
import assert from "node:assert/strict";
import { BUCKETS, type Policies } from "../../lib/limits/policy.ts";
import {
  CELLS,
  fileOf,
  keep,
  mintUnder,
  newPool,
  publish,
  tallyOf,
} from "../support/disclosure.ts";
import { mint, post, serverTest, type TestServer, upload } from "../support/server.ts";

const HTML = { accept: "text/html" };

/** Of everything. */
const COMMON = { "x-content-type-options": "nosniff" };

const PAGE = {
  ...COMMON,
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " +
    "frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "access-control-allow-origin": null,
};

const API = {
  ...COMMON,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "cross-origin",
};

const READ = { ...API, "access-control-allow-origin": "*" };
const WRITE = { ...API, "access-control-allow-origin": null };

const BADGE = {
  ...COMMON,
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
};

function form(fields: Record<string, string>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { method: "POST", body };
}

serverTest("every kind of route has its security headers, whatever it answers", async (server) => {
  const pool = newPool(CELLS);
  const { id } = await keep(server, (await mintUnder(server, pool)).envelope);
  await publish(server, fileOf(pool));
  await tallyOf(server, pool.poolKey);
  const { envelope } = await mint(server);
  const document = JSON.stringify(envelope);
  const key = pool.poolKey;
  const none = "0".repeat(64);
  const hidden = JSON.stringify(fileOf(newPool()));
  type Expected = Record<string, string | null>;
  const cases: [status: number, path: string, expected: Expected, init?: RequestInit][] = [
    [200, "/", PAGE],
    [200, "/verify", PAGE],
    [200, `/r/${id}`, PAGE],
    [404, `/r/${none}`, PAGE, { headers: HTML }],
    [404, `/r/${none}`, PAGE],
    [200, "/pools", PAGE],
    [200, `/pools/${key}`, PAGE],
    [404, `/pools/${none}`, PAGE, { headers: HTML }],
    [200, "/evaluator", PAGE],
    [200, "/api", PAGE],
    [200, "/problems/rate-limited", PAGE],
    [404, "/nowhere", PAGE, { headers: HTML }],
    [405, "/", PAGE, { method: "DELETE" }],
    [200, "/verify", PAGE, form({ document })],
    [400, "/verify", PAGE, form({ document: "{" })],
    [303, "/verify", PAGE, form({ document, action: "keep" })],
    [403, "/verify", PAGE, { ...form({ document }), headers: { origin: "https://x.example" } }],
    [200, "/pools", PAGE, form({ pool: hidden })],
    [422, "/pools", PAGE, form({ pool: "{}" })],
    [303, "/pools", PAGE, form({ pool: hidden, action: "publish" })],
    [200, "/style.css", PAGE],
    [200, "/favicon.svg", PAGE],
    [200, "/robots.txt", PAGE],
    [200, "/healthz", API],
    [200, "/api/verify", READ, post([envelope])],
    [400, "/api/verify", READ, post("{")],
    [415, "/api/verify", READ, upload("{}", "text/plain")],
    [400, "/api/verify", READ],
    [200, "/api/results", READ],
    [400, "/api/results?x=1", READ],
    [200, "/api/results", WRITE, post(envelope)],
    [422, "/api/results", WRITE, post({})],
    [415, "/api/results", WRITE, upload("{}", "text/plain")],
    [200, `/api/results/${id}`, READ],
    [404, `/api/results/${none}`, READ],
    [200, `/api/results/${id}/document`, READ],
    [200, "/api/pools", READ],
    [200, "/api/pools", WRITE, post(hidden)],
    [200, "/api/pools?confirm=publish", WRITE, post(hidden)],
    [422, "/api/pools", WRITE, post({})],
    [200, `/api/pools/${key}`, READ],
    [200, `/api/pools/${key}/results`, READ],
    [200, `/api/pools/${key}/upgrade`, READ],
    [204, `/api/pools/${key}/upgrade`, READ, { headers: { "last-event-id": "done" } }],
    [200, "/api/feed", READ],
    [200, "/api/openapi.json", READ],
    [404, "/api/nowhere", READ],
    ...["svg", "png", "json"].flatMap((format): typeof cases => [
      [200, `/badge/${id}.${format}`, BADGE],
      [200, `/badge/${none}.${format}`, BADGE],
    ]),
  ];
  for (const [status, path, expected, init] of cases) {
    const what = `${init?.method ?? "GET"} ${path}`;
    const answer = await server.fetch(path, init);
    assert.equal(answer.status, status, `${what}: ${await answer.clone().text()}`);
    const heads = [answer];
    const etag = answer.headers.get("etag");
    if (init === undefined && status !== 405) {
      heads.push(await server.fetch(path, { method: "HEAD" }));
      if (etag !== null) {
        heads.push(await server.fetch(path, { headers: { "if-none-match": etag } }));
        assert.equal(heads.at(-1)!.status, 304, what);
      }
    }
    for (const { headers, body } of heads) {
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(headers.get(name), value, `${what}: ${name}`);
      }
      assert.equal(headers.get("access-control-allow-credentials"), null);
      assert.equal(headers.get("set-cookie"), null);
      assert.equal(headers.get("x-powered-by"), null);
      await body?.cancel();
    }
  }
  assert.deepEqual(server.logs, []);
}, { file: true });

const ONCE = Object.fromEntries(
  BUCKETS.map((name) => [name, { name, quota: 1, window: 1_000_000 }]),
) as Policies;

serverTest("refusals over a limit have them too", async (server) => {
  const document = "[]";
  const cases: [path: string, expected: Record<string, string | null>, init?: RequestInit][] = [
    ["/", PAGE, { headers: HTML }],
    ["/verify", PAGE, form({ document })],
    ["/pools", PAGE, form({ pool: "{}" })],
    ["/api/feed", READ],
    ["/api/verify", READ, post(document)],
    ["/api/results", WRITE, post(document)],
    ["/api/pools", WRITE, post({})],
    [`/badge/${"0".repeat(64)}.svg`, BADGE],
  ];
  for (const round of [1, 2]) {
    for (const [path, expected, init] of cases) {
      const answer = await server.fetch(path, init);
      await answer.body?.cancel();
      if (round === 1) continue;
      assert.ok(answer.headers.has("retry-after"), path);
      assert.equal(answer.status, path.startsWith("/badge") ? 200 : 429, path);
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(answer.headers.get(name), value, `${path}: ${name}`);
      }
    }
  }
}, { limits: ONCE });

/** What a browser asks before a page of another site may send a request, and what it may then do. */
async function preflight(server: TestServer, method: string, path: string) {
  const answer = await server.fetch(path, {
    method: "OPTIONS",
    headers: {
      "origin": "https://elsewhere.example",
      "access-control-request-method": method,
      "access-control-request-headers": "content-type",
    },
  });
  await answer.body?.cancel();
  const header = (name: string) => answer.headers.get(`access-control-allow-${name}`) ?? "";
  // Fetch standard, "CORS-preflight fetch": a status of success, the origin, and the header; the
  // methods GET, HEAD and POST need no permission of their own.
  return answer.ok && header("origin") === "*" &&
    header("headers").split(",").includes("content-type") && header("methods");
}

serverTest(
  "pages of other sites may read and verify, and neither store nor publish",
  async (server) => {
    const paths = ["/api/results", "/api/pools", "/api/feed", `/api/results/${"0".repeat(64)}`];
    for (const path of paths) {
      assert.equal(await preflight(server, "GET", path), "GET,HEAD", path);
      assert.equal(await preflight(server, "POST", path), false, path);
      assert.equal(await preflight(server, "DELETE", path), false, path);
    }
    assert.equal(await preflight(server, "POST", "/api/verify"), "GET,HEAD,POST");
    for (const path of ["/verify", "/pools", "/", "/api"]) {
      assert.equal(await preflight(server, "POST", path), false, path);
      assert.equal(await preflight(server, "GET", path), false, path);
    }
    const foreign = { origin: "https://elsewhere.example" };
    const exposed = await server.fetch("/api/verify", post([], foreign));
    assert.equal(
      exposed.headers.get("access-control-expose-headers"),
      "age,cache-status,etag,link,location,ratelimit,ratelimit-policy,retry-after,touchstone-state",
    );
    await exposed.body?.cancel();
  },
);

/** What a form came to, with these headers about where it was sent from. */
async function sendForm(
  server: TestServer,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  // Not `server.fetch`, which adds an Origin.
  const init = form({ document: "[1]", pool: JSON.stringify(fileOf(newPool())) });
  const answer = await fetch(`${server.url}${path}`, { ...init, headers, redirect: "manual" });
  const text = await answer.text();
  if (answer.status === 403) assert.ok(text.includes("origin-refused"), text);
  return answer.status;
}

const FOREIGN = [
  "https://elsewhere.example",
  "http://127.0.0.1",
  "http://127.0.0.1:1",
  "http://localhost",
  "https://stone.example.evil.example",
  "https://evil-stone.example",
  "http://stone.example",
  "https://stone.example:8443",
  "file://",
  "x",
];

serverTest("forms are taken from the service's own pages only", async (server) => {
  const { host } = new URL(server.url);
  for (const path of ["/verify", "/pools"]) {
    const taken: Record<string, string>[] = [
      { origin: server.url },
      // TLS ends at a proxy, which passes the Host on.
      { origin: `https://${host}` },
      { origin: server.url, "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "same-origin" },
      { origin: "null", "sec-fetch-site": "same-origin" },
    ];
    for (const headers of taken) {
      assert.equal(await sendForm(server, path, headers), 200, Deno.inspect(headers));
    }
    const refused: Record<string, string>[] = [
      {},
      { origin: "null" },
      { origin: "null", "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "SAME-ORIGIN x" },
      { referer: `${server.url}/verify` },
      ...FOREIGN.map((origin) => ({ origin })),
      ...FOREIGN.map((origin) => ({ origin, "sec-fetch-site": "same-origin" })),
    ];
    for (const headers of refused) {
      assert.equal(await sendForm(server, path, headers), 403, Deno.inspect(headers));
    }
  }
  const page = await fetch(`${server.url}/verify`, {
    ...form({ document: "[1]" }),
    headers: { ...HTML, origin: "https://elsewhere.example" },
  });
  assert.equal(page.status, 403);
  assert.match(await page.text(), /Form of another site/);
  for await (const { key } of server.kv.list({ prefix: [] })) assert.fail(String(key));
});

serverTest("behind a proxy, the public address is the service's own too", async (server) => {
  for (const path of ["/verify", "/pools"]) {
    for (const origin of ["https://stone.example", server.url]) {
      assert.equal(await sendForm(server, path, { origin }), 200, origin);
    }
    for (const origin of [...FOREIGN, "null"]) {
      assert.equal(await sendForm(server, path, { origin }), 403, origin);
    }
  }
}, { publicUrl: "https://stone.example/t" });
