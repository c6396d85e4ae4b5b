/**
 * What a page of another site can make its visitor's browser send, to every address: none of it
 * changes what is stored.
 *
 * Not counted as stored is what is merely cached or accounted, and bounded: what URLs last gave (rows
 * of links, which have a share of QUOTA_BYTES and are charged to whoever looks), drawings, how much of
 * its limits a client has used, and the day on which somebody last asked for a document.
 */
import assert from "node:assert/strict";
import { sendRaw } from "../support/raw_request.ts";
import {
  CELLS,
  fileOf,
  keep,
  mintUnder,
  newPool,
  publish,
  tallyOf,
} from "../support/disclosure.ts";
import { mint, serverTest, type TestServer } from "../support/server.ts";

const CACHES = new Set([
  "limit",
  "asked",
  "session-filled",
  "link",
  "link-history",
  "drawn",
  "drawing",
]);

/** Counters that sum up what caches hold too. */
const CACHE_COUNTERS = /^(?:bytes|link-bytes|drawing-bytes)-(?:in|out)$/;

async function dump(kv: Deno.Kv): Promise<string> {
  const lines: string[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const [kind, name] = key.map(String);
    if (CACHES.has(kind!) || kind === "counter" && CACHE_COUNTERS.test(name!)) continue;
    lines.push(Deno.inspect([key, value], { depth: 20, strAbbreviateSize: 1e9 }));
  }
  return lines.join("\n");
}

const EVIL = "https://evil.example";

/** Bodies of the three types that browsers send without asking, and of none. */
function bodies(document: string, pool: string): [type: string | null, body: BodyInit | null][] {
  const forms: Record<string, string>[] = [
    { document, action: "store" },
    { pool, action: "publish" },
    { document, pool, confirm: "publish", store: "1" },
  ];
  const sent: [string | null, BodyInit | null][] = [[null, null]];
  for (const fields of forms) {
    sent.push(["application/x-www-form-urlencoded", new URLSearchParams(fields).toString()]);
    const [boundary, parts] = ["X", Object.entries(fields)];
    const text = parts.map(([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    ).join("");
    sent.push([`multipart/form-data; boundary=${boundary}`, `${text}--${boundary}--\r\n`]);
  }
  // A form of type text/plain can be made to look like JSON.
  for (const body of [document, pool]) {
    sent.push(["text/plain", body]);
    sent.push(["text/plain;charset=UTF-8", body]);
    // Names a type that browsers ask about, but isn't it.
    sent.push(["text/plain; application/json", body]);
    sent.push(["text/plain, application/json", body]);
  }
  return sent;
}

/** What browsers say of who sends: today's, those without Sec-Fetch, and those without Origin too. */
const SENDERS: Record<string, string>[] = [
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "origin": EVIL },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": EVIL, "cookie": "a=b" },
  { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "origin": "http://127.0.0.1:1" },
  { "sec-fetch-site": "cross-site", "origin": "null" },
  { "origin": EVIL },
  { "origin": "null" },
  { "referer": `${EVIL}/page` },
  {},
];

/** `<img>`, `<script>`, `<link>`, `<iframe>`, a form or a link that is followed: all of them a GET. */
const GETS: Record<string, string>[] = [
  ...["image", "script", "style", "iframe", "document", "empty", "audio"].map((destination) => ({
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": destination === "document" ? "navigate" : "no-cors",
    "sec-fetch-dest": destination,
  })),
  { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image", "purpose": "prefetch" },
  { "origin": EVIL },
  { "origin": "null" },
  { "referer": `${EVIL}/page` },
  {},
];

async function done(answer: Promise<Response>): Promise<void> {
  await (await answer).body?.cancel();
}

/** Whether a browser, having asked, would send this for a page of another site. */
async function isAllowed(server: TestServer, path: string, method: string): Promise<boolean> {
  const answer = await fetch(`${server.url}${path}`, {
    method: "OPTIONS",
    headers: {
      "origin": EVIL,
      "access-control-request-method": method,
      "access-control-request-headers": "content-type",
    },
  });
  await answer.body?.cancel();
  const header = (name: string) => answer.headers.get(`access-control-allow-${name}`) ?? "";
  const methods = header("methods").split(",");
  return answer.ok && ["*", EVIL].includes(header("origin")) &&
    header("headers").includes("content-type") &&
    (method === "POST" || methods.includes(method) || methods.includes("*"));
}

interface Table {
  paths: string[];
  document: string;
  pool: string;
}

/** A store with one of everything, every address of the service, and what a page would like to store. */
async function prepare(server: TestServer): Promise<Table> {
  const shown = newPool(CELLS);
  const { id } = await keep(server, (await mintUnder(server, shown)).envelope);
  await publish(server, fileOf(shown));
  await tallyOf(server, shown.poolKey);
  // The start page stores its samples when it is first asked for.
  await done(server.fetch("/"));
  const url = encodeURIComponent(`${server.origin}/new`);
  const stored = encodeURIComponent(`${server.origin}/stored`);
  given.set("/stored", await (await server.fetch(`/api/results/${id}/document`)).text());
  const ask = { method: "POST", headers: { "content-type": "application/json" } };
  await done(server.fetch(`/api/results?url=${stored}`, ask));
  const document = JSON.stringify((await mint(server)).envelope);
  given.set("/new", document);
  const key = shown.poolKey;
  const paths = [
    "/",
    "/verify",
    `/verify?url=${url}`,
    `/verify?url=${url}&action=refresh`,
    `/verify?document=${encodeURIComponent(document)}&action=store`,
    `/r/${id}`,
    "/pools",
    "/pools?action=publish",
    `/pools/${key}`,
    "/evaluator",
    "/api",
    "/problems/rate-limited",
    "/healthz",
    "/style.css",
    "/robots.txt",
    "/nowhere",
    "/api/verify",
    `/api/verify?url=${url}`,
    `/api/verify?url=${url}&store=1`,
    `/api/verify?url=${stored}`,
    `/api/refresh?url=${url}`,
    "/api/results",
    `/api/results?url=${url}`,
    `/api/results?url=${url}&store=1`,
    `/api/results/${id}`,
    `/api/results/${id}/document`,
    "/api/pools",
    "/api/pools?confirm=publish",
    `/api/pools/${key}`,
    `/api/pools/${key}/results`,
    "/api/feed",
    "/api/openapi.json",
    ...["svg", "png", "json"].flatMap((format) => [
      `/badge/${id}.${format}`,
      `/badge/session/x.${format}`,
      // Of a document that somebody has stored.
      `/badge.${format}?url=${stored}`,
    ]),
  ];
  return { paths, document, pool: JSON.stringify(fileOf(newPool())) };
}

const given = new Map<string, string>();

function origin(request: Request): Response {
  const body = given.get(new URL(request.url).pathname);
  if (body === undefined) return new Response("no", { status: 404 });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

serverTest(
  "nothing that a page of another site can send changes what is stored",
  async (server) => {
    const { paths, document, pool } = await prepare(server);
    const before = await dump(server.kv);
    const unchanged = async (what: string) => assert.equal(await dump(server.kv), before, what);
    for (const path of paths) {
      const to = `${server.url}${path}`;
      for (const headers of GETS) {
        await done(fetch(to, { headers, redirect: "manual" }));
        await done(fetch(to, { headers, method: "HEAD", redirect: "manual" }));
      }
      await unchanged(`GET ${path}`);
      for (const [type, body] of bodies(document, pool)) {
        for (const sender of SENDERS) {
          const headers = { ...sender, ...(type !== null && { "content-type": type }) };
          // An empty body has no type, but what it is sent with here says nothing of one either.
          await done(fetch(to, { method: "POST", headers, body, redirect: "manual" }));
        }
      }
      await unchanged(`POST ${path}`);
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const allowed = await isAllowed(server, path, method);
        assert.equal(
          allowed,
          method === "POST" && path.startsWith("/api/verify"),
          `${method} ${path}`,
        );
        if (!allowed) continue;
        for (const body of [document, pool]) {
          const headers = { "content-type": "application/json", "origin": EVIL };
          await done(fetch(to, { method, headers, body }));
        }
      }
      await unchanged(`asked first: ${path}`);
      const socket = await sendRaw(server.url, [
        `GET ${path} HTTP/1.1`,
        `Host: ${new URL(server.url).host}`,
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        `Origin: ${EVIL}`,
      ]);
      assert.notEqual(socket.status, 101);
      await unchanged(`WebSocket ${path}`);
    }
    assert.deepEqual(server.logs, []);
  },
  { origin },
);

serverTest("every address of the description is among them", async (server) => {
  const { paths } = await prepare(server);
  const known = paths.map((path) => path.split("?")[0]!);
  const { paths: described } = await (await server.fetch("/api/openapi.json")).json();
  for (const path of Object.keys(described)) {
    // Streams don't end, and are read alone.
    if (path.endsWith("/upgrade")) continue;
    const pattern = new RegExp(
      `^${path.replaceAll(/\{[^}]*\}/g, "[^/]+").replaceAll(".", "\\.")}$`,
    );
    assert.ok(known.some((one) => pattern.test(one)), path);
  }
}, { origin });

serverTest(
  "JSON from a page of another site is refused, should a browser send it",
  async (server) => {
    const { document, pool } = await prepare(server);
    const before = await dump(server.kv);
    const url = encodeURIComponent(`${server.origin}/new`);
    const asked: [path: string, body: string | null][] = [
      ["/api/results", document],
      [`/api/results?url=${url}`, null],
      [`/api/refresh?url=${url}`, null],
      ["/api/pools?confirm=publish", pool],
    ];
    for (const sender of SENDERS.filter((one) => "origin" in one)) {
      for (const [path, body] of asked) {
        const headers = { ...sender, "content-type": "application/json" };
        const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
        assert.equal(answer.status, 403, `${path} ${Deno.inspect(sender)}`);
        assert.equal((await answer.json()).code, "origin-refused");
      }
    }
    assert.equal(await dump(server.kv), before);
    // Programs say nothing of pages.
    for (const [path, body] of asked) {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
      assert.ok(answer.ok, `${path}: ${answer.status}`);
      await answer.body?.cancel();
    }
    assert.notEqual(await dump(server.kv), before);
  },
  { origin },
);
