/** Host headers: what is none is refused before anything else, and some names change nothing here. */
import assert from "node:assert/strict";
import { readNetwork } from "../../lib/limits/address.ts";
import { sendRaw } from "../support/raw_request.ts";
import { fileOf, newPool } from "../support/disclosure.ts";
import { mint, post, serverTest, type TestOptions, type TestServer } from "../support/server.ts";

const MALFORMED = [
  "x/badge/ID.svg?label=pwn&z=",
  "x/api/pools?confirm=publish&z=",
  "x?label=forged&x=",
  "?label=forged&x=",
  "x#?label=forged",
  "x#",
  "/",
  "x/",
  "\\x",
  "a b",
  "user@x",
  "user:password@x",
  `"><script>`,
  "[::1",
  "::1",
  "[::1]x",
  "[::g]",
  "[fe80::1%25eth0]",
  "x:",
  "x:y",
  "x:99999",
  "x:-1",
  "x:1:2",
  "x,y",
  "a..b/",
  "256.256.256.256",
  "%61",
  "ä",
  "",
];

const PATHS = (id: string) => [
  "/",
  "/healthz",
  "/nowhere",
  `/badge/${id}.svg`,
  `/badge/${id}.json?label=x`,
  "/badge.json?url=https%3A%2F%2Ffiles.example%2F",
  `/r/${id}`,
  "/api/feed",
  "/style.css",
];

async function keptId(server: TestServer): Promise<string> {
  const answer = await server.fetch("/api/results", post((await mint(server)).envelope));
  return (await answer.json()).id;
}

serverTest("a Host header that is more than a name, or none, is refused everywhere", async (s) => {
  const id = await keptId(s);
  for (const path of PATHS(id)) {
    const usual = await sendRaw(s.url, [`GET ${path} HTTP/1.1`, `Host: ${new URL(s.url).host}`]);
    for (const host of MALFORMED) {
      const odd = await sendRaw(s.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
      assert.equal(odd.status, 400, `${path} to ${JSON.stringify(host)}`);
      // The runtime itself refuses what can't be a header.
      if (odd.body !== "") {
        assert.equal(JSON.parse(odd.body).code, "host-malformed");
        assert.equal(odd.headers.get("cache-control"), "no-store");
        assert.equal(odd.headers.get("x-content-type-options"), "nosniff");
      }
    }
    for (const version of ["1.0", "1.1"]) {
      assert.equal((await sendRaw(s.url, [`GET ${path} HTTP/${version}`])).status, 400, path);
    }
    const again = await sendRaw(s.url, [`GET ${path} HTTP/1.1`, `Host: ${new URL(s.url).host}`]);
    assert.equal(again.status, usual.status);
    if (path.startsWith("/badge")) assert.equal(again.body, usual.body);
  }
  for (const host of ["user@x", "x?label=y"]) {
    const whole = await sendRaw(s.url, [`GET http://${host}/healthz HTTP/1.1`, "Host: x"]);
    assert.equal(whole.status, 400, host);
  }
  assert.deepEqual(s.logs, []);
}, { file: true });

serverTest("badges and pages answer under every name", async (server) => {
  const id = await keptId(server);
  const hosts = [
    "stone.example",
    "STONE.example:8000",
    "stone.example.",
    "my_service:8000",
    "x",
    "10.0.0.1",
    "[::1]",
    "[2001:db8::1]:8000",
    "xn--e1afmkfd.example",
  ];
  for (const host of hosts) {
    // The second time the badge is at hand.
    for (const path of [`/badge/${id}.json`, `/badge/${id}.json`, "/", `/r/${id}`]) {
      const answer = await sendRaw(server.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
      assert.equal(answer.status, 200, `${path} to ${host}`);
    }
  }
});

/** What storing comes to under a Host, from one of its own pages as far as a browser can tell. */
async function storing(server: TestServer, host: string, more: string[] = []): Promise<string> {
  const answer = await sendRaw(server.url, [
    "POST /api/results?url=receipt.json HTTP/1.1",
    `Host: ${host}`,
    `Origin: http://${host}`,
    "Sec-Fetch-Site: same-origin",
    "Content-Type: application/json",
    "Content-Length: 0",
    ...more,
  ]);
  const { code, detail } = JSON.parse(answer.body);
  if (code === "host-refused") {
    assert.equal(answer.status, 403);
    assert.match(detail, /PUBLIC_URL/);
  }
  // Past the door, it is the URL that is none.
  return code === "fetch-url-malformed" ? "taken" : code;
}

function hostTest(
  name: string,
  options: TestOptions,
  expected: { taken: string[]; refused: string[] },
) {
  serverTest(name, async (server) => {
    for (const host of expected.taken) assert.equal(await storing(server, host), "taken", host);
    for (const host of expected.refused) {
      assert.equal(await storing(server, host), "host-refused", host);
      for (const path of ["/pools", "/verify", "/api/pools", "/api/refresh?url=x"]) {
        const answer = await sendRaw(server.url, [
          `POST ${path} HTTP/1.1`,
          `Host: ${host}`,
          `Origin: http://${host}`,
          "Content-Type: application/json",
          "Content-Length: 0",
        ]);
        assert.equal(JSON.parse(answer.body).code, "host-refused", `${path} to ${host}`);
      }
      const check = await sendRaw(server.url, [
        "POST /api/verify HTTP/1.1",
        `Host: ${host}`,
        "Content-Type: application/json",
        "Content-Length: 0",
      ]);
      assert.equal(JSON.parse(check.body).code, "documents-empty", "checking changes nothing");
    }
    for await (const { key } of server.kv.list({ prefix: [] })) assert.fail(String(key));
  }, options);
}

const LOCAL = ["localhost", "localhost:9000", "127.0.0.1", "127.1.2.3:80", "[::1]:8000"];
const FOREIGN = [
  "evil.example",
  "evil.example:8000",
  "localhost.evil.example",
  "127.0.0.1.nip.io",
  "stone.example.evil.example",
  "evil-stone.example",
  "x",
];

hostTest("on the loopback, without PUBLIC_URL: addresses and localhost", {}, {
  taken: [...LOCAL, "10.0.0.1", "[2001:db8::1]", "LOCALHOST.", "stone.localhost"],
  refused: [...FOREIGN, "stone.example"],
});

hostTest("elsewhere, without PUBLIC_URL: nobody can know the name", { onLoopback: false }, {
  taken: [...LOCAL, ...FOREIGN, "10.0.0.1"],
  refused: [],
});

for (const onLoopback of [true, false]) {
  hostTest(`with PUBLIC_URL: its host and the loopback, ${onLoopback}`, {
    publicUrl: "https://stone.example/t",
    onLoopback,
  }, {
    taken: [...LOCAL, "stone.example", "Stone.Example:443", "stone.example.", "stone.example:8000"],
    refused: [...FOREIGN, "10.0.0.1", "[2001:db8::1]", "t"],
  });
}

const FORWARDED = ["X-Forwarded-Host: stone.example", "X-Forwarded-Proto: https"];

serverTest("X-Forwarded-Host and -Proto count from trusted proxies", async (server) => {
  const id = await keptId(server);
  const told = async (more: string[]) =>
    JSON.parse(
      (await sendRaw(server.url, [`GET /api/results/${id} HTTP/1.1`, "Host: inside", ...more]))
        .body,
    ).urls.page;
  assert.equal(await told(FORWARDED), `https://stone.example/r/${id}`);
  assert.equal(await told(["X-Forwarded-Proto: https"]), `https://inside/r/${id}`);
  // What isn't a name, or more than one, counts for nothing.
  for (const odd of ["a, b", "x/y", "u@x", "", "x?y="]) {
    assert.equal(await told([`X-Forwarded-Host: ${odd}`]), `http://inside/r/${id}`, odd);
  }
  for (const odd of ["ftp", "https, http", "javascript"]) {
    assert.equal(await told([`X-Forwarded-Proto: ${odd}`]), `http://inside/r/${id}`, odd);
  }
}, { trustedProxies: [readNetwork("127.0.0.1")!] });

serverTest("X-Forwarded-Host and -Proto of anybody else count for nothing", async (server) => {
  const id = await keptId(server);
  const path = `/api/results/${id}`;
  const answer = await sendRaw(server.url, [`GET ${path} HTTP/1.1`, "Host: inside", ...FORWARDED]);
  assert.equal(JSON.parse(answer.body).urls.page, `http://inside/r/${id}`);
  assert.equal(
    await storing(server, "evil.example", ["X-Forwarded-Host: 127.0.0.1"]),
    "host-refused",
  );
}, { trustedProxies: [readNetwork("10.0.0.0/8")!] });

serverTest("behind a trusted proxy the name is the one that it was asked for", async (server) => {
  const named = (host: string) => storing(server, "inside", [`X-Forwarded-Host: ${host}`]);
  assert.equal(await named("evil.example"), "host-refused");
  const pool = JSON.stringify(fileOf(newPool()));
  const publish = (host: string) =>
    server.fetch("/api/pools?confirm=publish", {
      ...post(pool, { "x-forwarded-host": host, "origin": "https://stone.example" }),
    });
  assert.equal((await publish("stone.example")).status, 201);
  assert.equal((await publish("evil.example")).status, 403);
}, { publicUrl: "https://stone.example", trustedProxies: [readNetwork("127.0.0.1")!] });
