/** `verify URL`, from a server on loopback. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { run } from "../../cli/verify.ts";
import { UsageError } from "../../cli/usage.ts";
import { mintAdmission } from "../../lib/issuer/mint.ts";
import type { Report } from "../../lib/verify/report.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { memoryIo } from "../support/io.ts";

const TOKEN = "s3cr3t-t0ken";
const { references } = createVerifyContext("auto");
const { envelope } = await mintAdmission({
  references,
  cells: ["algal:t1"],
  answers: ["right", "right"],
  minPass: 2,
});
const text = JSON.stringify(envelope);

/** What is no receipt, by a name: the text, and what it looks like. */
const NO_RECEIPTS: [name: string, text: string, looksLike: string | undefined][] = [
  ["number", "42", "a number"],
  ["object", "{}", "an empty object"],
  ["pool", '{"protocol":"clankdar-holdout-v1","cells":[]}', "a pool"],
  [
    "session",
    '{"sessionId":"gs_1","policy":{},"items":[{"seed":1}]}',
    "a session with secrets in it",
  ],
  ["harness", '{"results":{},"versions":{}}', "an evaluation log of another harness"],
  ["markup", "<html>", "a web page"],
  ["empty", "[]", undefined],
  ["cut", '{"a":', "a text that was cut off"],
];
const FOREIGN = new Map(NO_RECEIPTS.map(([name, text]) => [name, text]));

async function withOrigin(run: (origin: string, host: string) => Promise<void>): Promise<void> {
  const headers = { "content-type": "application/json" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    switch (new URL(request.url).pathname) {
      case "/one":
        return new Response(text, { headers });
      case "/lines.gz":
        return new Response(new Uint8Array(gzipSync(`${text}\n${text}\n`)));
      case "/hop":
        return new Response(null, { status: 302, headers: { location: "/one" } });
      case "/v1/checks/gs_9AH2bzdnfvKJ":
        return new Response(text, { headers: { ...headers, etag: `"${"0".repeat(64)}"` } });
      case "/page":
        return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
      case "/foreign":
        return new Response(FOREIGN.get(new URL(request.url).search.slice(1)), { headers });
      case "/broken":
        return new Response("{", { headers });
      default:
        return new Response("", { status: 404 });
    }
  });
  const host = `127.0.0.1:${server.addr.port}`;
  try {
    await run(`http://${host}`, host);
  } finally {
    await server.shutdown();
  }
}

async function verify(...args: string[]) {
  const io = memoryIo();
  const status = await run(args, io);
  return { status, text: io.written };
}

Deno.test("a URL is as good as a file", async () => {
  await withOrigin(async (origin, host) => {
    const one = await verify(`${origin}/one?token=${TOKEN}`, "--allow-host", host);
    assert.equal(one.status, 0);
    assert.match(one.text, /^◇ Passed: 2 of 2, 2 required/);
    const lines = await verify(`${origin}/lines.gz`, "--allow-host", host, "--json");
    assert.equal(lines.status, 0);
    assert.equal((JSON.parse(lines.text) as Report[]).length, 2);
    assert.equal((await verify(`${origin}/hop`, "--allow-host", host)).status, 0);
  });
});

Deno.test("URLs beside files; the query of a URL is not shown", async () => {
  await withOrigin(async (origin, host) => {
    const url = `${origin}/one?token=${TOKEN}`;
    const { status, text } = await verify("samples/invalid.json", url, "--allow-host", host);
    assert.equal(status, 2);
    assert.ok(text.includes(`${origin}/one?…\n`));
    assert.ok(!text.includes(TOKEN));
  });
});

Deno.test("what can't be fetched: status 3, and the problem", async () => {
  await withOrigin(async (origin, host) => {
    const cases: [string, string][] = [
      [`${origin}/missing?token=${TOKEN}`, "fetch-status"],
      [`${origin}/broken`, "document-not-json"],
      ["http://files.example/", "fetch-scheme"],
      ["https://127.0.0.1/", "fetch-blocked-address"],
      ["https://u:p@files.example/", "fetch-credentials"],
      ["HTTPS://files.example:1/", "fetch-port"],
    ];
    for (const [url, code] of cases) {
      const { status, text } = await verify(url, "--allow-host", host, "--json");
      assert.equal(status, 3, url);
      const [report] = JSON.parse(text) as Report[];
      assert.equal(report!.reason!.code, code);
      assert.ok(!text.includes(TOKEN));
      const shown = await verify(url, "--allow-host", host);
      assert.ok(shown.text.includes(code), shown.text);
    }
    const notAllowed = await verify(`${origin}/one`, "--json");
    assert.equal(notAllowed.status, 3);
    assert.match(notAllowed.text, /fetch-scheme/);
  });
});

Deno.test("what was fetched and is no receipt is called that; of what wasn't fetched nothing is known", async () => {
  await withOrigin(async (origin, host) => {
    const ask = async (path: string) => {
      const { status, text } = await verify(`${origin}/${path}`, "--allow-host", host, "--json");
      const [report] = JSON.parse(text) as Report[];
      const shown = (await verify(`${origin}/${path}`, "--allow-host", host)).text;
      return { status, outcome: report!.outcome, looksLike: report!.looksLike, shown };
    };
    const read: [path: string, looksLike: string | undefined][] = [
      ["page", "a web page"],
      ...NO_RECEIPTS.map(([name, , looksLike]): [string, string | undefined] => [
        `foreign?${name}`,
        looksLike,
      ]),
    ];
    for (const [path, looksLike] of read) {
      const { shown, ...said } = await ask(path);
      assert.deepEqual(said, { status: 3, outcome: "invalid", looksLike }, path);
      assert.match(shown, /^∅ Not a receipt\n/, path);
    }
    const { shown, ...said } = await ask("missing");
    assert.deepEqual(said, { status: 3, outcome: null, looksLike: undefined });
    assert.match(shown, /^… Not fetched\n/);
  });
});

Deno.test("a check's ETag that is another document's is an observation", async () => {
  await withOrigin(async (origin, host) => {
    const url = `${origin}/v1/checks/gs_9AH2bzdnfvKJ`;
    const { status, text } = await verify(url, "--allow-host", host, "--json");
    assert.equal(status, 0);
    assert.ok((JSON.parse(text) as Report[])[0]!.observations.includes("etag-mismatch"));
  });
});

Deno.test("--allow-host takes hosts", async () => {
  for (const host of ["http://127.0.0.1", "a/b", "*"]) {
    await assert.rejects(verify("https://files.example/", "--allow-host", host), UsageError);
  }
});
