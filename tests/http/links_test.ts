/** Documents by URL over HTTP, from another server on loopback that the rules allow. */
import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { PROBLEMS } from "../../routes/http/problems.ts";
import { linkSchema, problemSchema, verificationSchema } from "../../routes/schemas/index.ts";
import { HOUR, MINUTE, setClock } from "../support/links.ts";
import { bytesOf, rowOf, summaryOf } from "../support/runs.ts";
import { gzip, mint, mintHeldOut, post, serverTest, type TestServer } from "../support/server.ts";

/** A secret that must not be seen anywhere. */
const TOKEN = "s3cr3t-t0ken";

/** What the other server has, by path; set by each test. */
const files = new Map<string, () => Response | Promise<Response>>();
const asked: { path: string; headers: Headers }[] = [];

function origin(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  asked.push({ path: pathname, headers: request.headers });
  return files.get(pathname)?.() ?? new Response("no such file", { status: 404 });
}

function originTest(
  name: string,
  run: (server: TestServer) => Promise<void>,
  options: Parameters<typeof serverTest>[2] = {},
): void {
  serverTest(name, async (server) => {
    files.clear();
    asked.length = 0;
    await run(server);
  }, { origin, ...options });
}

const json = (body: BodyInit, headers: Record<string, string> = {}) => () =>
  new Response(body, { headers: { "content-type": "application/json", ...headers } });

/** A change that needs no body, in a type that browsers ask about. */
const ASK = { method: "POST", headers: { "content-type": "application/json" } };

const get = (server: TestServer, url: string, more = "") =>
  server.fetch(`/api/verify?url=${encodeURIComponent(url)}${more}`);

const refresh = (server: TestServer, url: string) =>
  server.fetch(`/api/refresh?url=${encodeURIComponent(url)}`, ASK);

const keep = (server: TestServer, url: string) =>
  server.fetch(`/api/results?url=${encodeURIComponent(url)}`, ASK);

async function refused(answer: Response, status: number, code: keyof typeof PROBLEMS) {
  const problem = problemSchema.parse(await answer.json());
  assert.equal(problem.code, code);
  assert.equal(answer.status, status);
  assert.equal(problem.status, status);
  assert.equal(answer.headers.get("content-type"), "application/problem+json");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return problem;
}

originTest("the very body that a POST of the same bytes gets, in every form", async (server) => {
  const one = JSON.stringify((await mint(server)).envelope);
  const claimed = await mintHeldOut(server);
  const rows = [rowOf("bitmatrix", 4, 1), rowOf("sat", 4, 1)];
  const edited = one.replace('\\"pass\\":true', '\\"pass\\":false');
  assert.notEqual(edited, one);
  const bundle = JSON.stringify({ documents: [claimed.envelope], pools: [claimed.pool] });
  const forms: [string, BodyInit, string][] = [
    ["one", one, "application/json"],
    ["invalid", edited, "text/plain"],
    ["array", `[${one},${JSON.stringify(claimed.envelope)},7]`, "application/json; charset=utf-8"],
    ["lines", `${one}\n{"no":\n${one}\n`, "application/x-ndjson"],
    ["gzip", await gzip(`[${one}]`), "application/gzip"],
    ["asset", await gzip(one), "application/octet-stream"],
    ["wrapper", `{"ok":true,"receipt":${one}}`, "application/vnd.clankdar+json"],
    ["bundle", bundle, "application/json"],
    ["run", bytesOf([...rows, summaryOf(rows)]).slice(), "text/plain"],
    ["other", `{"hello":"world"}`, "application/json"],
  ];
  for (const [name, body, type] of forms) {
    files.set(`/${name}`, () => new Response(body, { headers: { "content-type": type } }));
    const sent = await server.fetch("/api/verify", {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body,
    });
    const expected = await sent.text();
    for (const round of ["fetched", "remembered"]) {
      const answer = await get(server, `${server.origin}/${encodeURIComponent(name)}`);
      assert.equal(answer.status, sent.status, name);
      assert.equal(answer.headers.get("content-type"), "application/json");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      const text = await answer.text();
      verificationSchema.parse(JSON.parse(text));
      assert.equal(text, expected, `${name} ${round}`);
    }
  }
  assert.equal(asked.length, forms.length, "each was asked for once");
});

originTest("wrapped documents are unwrapped, and the report says so", async (server) => {
  const { envelope } = await mint(server);
  files.set("/w", json(JSON.stringify({ admission: envelope, receipts: [] })));
  const { results } = verificationSchema.parse(
    await (await get(server, `${server.origin}/w`)).json(),
  );
  assert.ok(results[0]!.observations.includes("unwrapped"));
});

originTest("a POST with the URL keeps it: a page, a badge, and a link to them", async (server) => {
  const { envelope } = await mint(server);
  files.set("/a", json(JSON.stringify({ ok: true, receipt: envelope })));
  const url = `${server.origin}/a`;
  const without = await get(server, url);
  assert.equal(without.headers.get("link"), null);
  const { results: [report] } = verificationSchema.parse(await without.json());
  const id = report!.id!;
  assert.equal((await server.fetch(`/api/results/${id}`)).status, 404);
  const answer = await keep(server, url);
  assert.equal(answer.headers.get("link"), `<${server.url}/r/${id}>; rel="canonical"`);
  assert.deepEqual(verificationSchema.parse(await answer.json()).results[0], report);
  assert.equal((await server.fetch(`/r/${id}`)).status, 200);
  const document = await server.fetch(`/api/results/${id}/document`);
  assert.equal(sha256Hex(await document.text()), id);
  assert.equal(asked.length, 1, "it was still at hand");
  // Several have no one page.
  const other = JSON.stringify((await mint(server)).envelope);
  files.set("/b", json(`[${JSON.stringify(envelope)},${other}]`));
  const several = await keep(server, `${server.origin}/b`);
  assert.equal(several.headers.get("link"), null);
  const { results } = verificationSchema.parse(await several.json());
  assert.equal((await server.fetch(`/api/results/${results[1]!.id}`)).status, 200);
});

const clock = setClock();

originTest("headers say how old it is, and how it came about", async (server) => {
  const { envelope } = await mint(server);
  const text = JSON.stringify(envelope);
  files.set("/a", json(text, { etag: '"v1"' }));
  const url = `${server.origin}/a`;
  const headers = async () => {
    const answer = await get(server, url);
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    return [answer.headers.get("age"), answer.headers.get("cache-status")];
  };
  assert.deepEqual(await headers(), ["0", "touchstone; fwd=uri-miss; fwd-status=200; ttl=300"]);
  clock.pass(MINUTE + 500);
  assert.deepEqual(await headers(), ["60", "touchstone; hit; ttl=239"]);
  files.set("/a", () => new Response(null, { status: 304 }));
  clock.pass(2 * HOUR);
  assert.deepEqual(await headers(), ["0", "touchstone; fwd=stale; fwd-status=304; ttl=300"]);
  assert.equal(asked.at(-1)!.headers.get("if-none-match"), '"v1"');
  files.set("/a", () => new Response(null, { status: 503 }));
  clock.pass(2 * HOUR);
  assert.deepEqual(await headers(), [
    "7200",
    "touchstone; fwd=stale; ttl=-6900; detail=fetch-status",
  ]);
  assert.deepEqual(await headers(), ["7200", "touchstone; hit; ttl=-6900; detail=fetch-status"]);
}, { fetching: { clock: clock.read } });

const slow = setClock();

originTest("gone: 410, with what there was, until it comes back", async (server) => {
  const { envelope } = await mint(server);
  files.set("/a", json(JSON.stringify(envelope)));
  const url = `${server.origin}/a`;
  const { results } = verificationSchema.parse(await (await keep(server, url)).json());
  const id = results[0]!.id!;
  const fetchedAt = new Date(slow.now).toISOString();
  files.delete("/a");
  slow.pass(2 * HOUR);
  assert.equal((await get(server, url)).status, 200, "once is no proof");
  slow.pass(5 * MINUTE);
  const problem = await refused(await get(server, url), 410, "fetch-gone");
  const goneAt = new Date(slow.now).toISOString();
  assert.deepEqual(problem.last, {
    documents: [{
      id,
      kind: "admission",
      urls: {
        page: `${server.url}/r/${id}`,
        svg: `${server.url}/badge/${id}.svg`,
        png: `${server.url}/badge/${id}.png`,
        json: `${server.url}/badge/${id}.json`,
      },
    }],
    fetchedAt,
    goneAt,
  });
  const page = await (await server.fetch(`/verify?url=${encodeURIComponent(url)}`)).text();
  assert.match(page, /<h1>Gone<\/h1>/);
  assert.ok(page.includes(`href="${server.url}/r/${id}"`));
  files.set("/a", json(JSON.stringify(envelope)));
  const link = linkSchema.parse(await (await refresh(server, url)).json());
  assert.equal(link.state, "fresh");
  assert.deepEqual(link.history.map(({ what }) => what), ["first", "gone", "back"]);
  assert.equal((await get(server, url)).status, 200);
}, { fetching: { clock: slow.read } });

originTest("a refresh looks now, and says what is known", async (server) => {
  const [one, two] = [await mint(server), await mint(server)];
  const url = `${server.origin}/a?token=${TOKEN}`;
  files.set("/a", json(JSON.stringify(one.envelope)));
  await (await keep(server, url)).body?.cancel();
  const answer = await refresh(server, url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const first = linkSchema.parse(await answer.json());
  assert.equal(first.url, `${server.origin}/a?…`);
  assert.equal(first.state, "fresh");
  assert.equal(first.changed, false);
  assert.equal(first.documents[0]!.urls!.page, `${server.url}/r/${first.documents[0]!.id}`);
  files.set("/a", json(JSON.stringify(two.envelope)));
  const second = linkSchema.parse(await (await refresh(server, url)).json());
  assert.equal(second.changed, true);
  assert.notEqual(second.documents[0]!.id, first.documents[0]!.id);
  assert.notEqual(second.documents[0]!.urls, null, "what a kept link gives later is kept too");
  files.set("/a", () => new Response("", { status: 500 }));
  const third = linkSchema.parse(await (await refresh(server, url)).json());
  assert.equal(third.state, "failing");
  assert.equal(third.problem?.code, "fetch-status");
  assert.equal(third.problem?.remoteStatus, 500);
  assert.deepEqual(third.documents, second.documents);
  assert.deepEqual(third.history.map(({ what }) => what), ["first", "changed"]);
  assert.equal(asked.length, 4);
});

originTest("what hosts do wrong is a problem that says so", async (server) => {
  const { envelope } = await mint(server);
  const text = JSON.stringify(envelope);
  files.set("/page", () => new Response("<p>", { headers: { "content-type": "text/html" } }));
  files.set("/picture", () => new Response("x", { headers: { "content-type": "image/png" } }));
  files.set("/broken", json("{"));
  files.set("/many", json(JSON.stringify(Array(101).fill(0))));
  files.set("/nothing", json("[]"));
  files.set("/empty", json(""));
  files.set("/pack", () => new Response(new Uint8Array([0x1f, 0x8b, 1, 2])));
  files.set("/pool", json(JSON.stringify({ documents: [envelope], pools: [{}] })));
  files.set("/utf8", () => new Response(new Uint8Array([0x22, 0xff, 0x22])));
  files.set("/large", json(" ".repeat(4 * 1024 * 1024 + 1)));
  const bomb = await gzip(" ".repeat(5 * 1024 * 1024));
  files.set("/bomb", () => new Response(bomb));
  files.set("/away", () => new Response("", { status: 503, headers: { "retry-after": "60" } }));
  files.set("/secret", () => new Response("", { status: 403 }));
  files.set("/loop", () => Response.redirect(`${server.origin}/loop`));
  files.set("/inside", () => Response.redirect("http://169.254.169.254/latest"));
  files.set("/inside-https", () => Response.redirect("https://10.0.0.1/"));
  files.set("/hop", () => Response.redirect(`${server.origin}/file`));
  files.set("/file", json(text));
  const cases: [string, number, keyof typeof PROBLEMS][] = [
    ["/missing", 502, "fetch-status"],
    ["/away", 502, "fetch-status"],
    ["/secret", 502, "fetch-status"],
    ["/page", 422, "fetch-not-json"],
    ["/broken", 400, "document-not-json"],
    ["/many", 413, "too-many-documents"],
    ["/utf8", 400, "document-not-utf8"],
    ["/nothing", 422, "documents-empty"],
    ["/empty", 422, "documents-empty"],
    ["/pack", 400, "gzip-malformed"],
    ["/pool", 422, "pool-invalid"],
    ["/picture", 422, "fetch-content-type"],
    ["/large", 422, "fetch-too-large"],
    ["/bomb", 422, "fetch-too-large"],
    ["/loop", 502, "fetch-redirects"],
    ["/inside", 422, "fetch-scheme"],
    ["/inside-https", 422, "fetch-blocked-address"],
  ];
  for (const [path, status, code] of cases) {
    const answer = await get(server, `${server.origin}${path}?token=${TOKEN}`);
    const after = answer.headers.get("retry-after");
    const problem = await refused(answer, status, code);
    assert.equal(after, path === "/away" ? "60" : "10", path);
    assert.ok(!JSON.stringify(problem).includes(TOKEN));
    assert.ok(!JSON.stringify(problem).includes("127.0.0.1"), "nor anything of the network");
  }
  const missing = await (await get(server, `${server.origin}/missing?token=${TOKEN}`)).json();
  assert.equal(missing.remoteStatus, 404);
  const many = await (await get(server, `${server.origin}/many?token=${TOKEN}`)).json();
  assert.equal(many.reason.code, "too-many-documents");
  assert.equal((await get(server, `${server.origin}/hop`)).status, 200);
});

originTest("queries and URLs that can't be meant", async (server) => {
  const url = encodeURIComponent(`${server.origin}/a`);
  const refusals: [string, number, keyof typeof PROBLEMS][] = [
    ["", 400, "query-malformed"],
    [`?url=${url}&url=${url}`, 400, "query-malformed"],
    [`?url=${url}&store=yes`, 400, "query-malformed"],
    [`?url=${url}&store=1`, 400, "query-malformed"],
    [`?url=${url}&stroe=1`, 400, "query-malformed"],
    ["?url=", 400, "fetch-url-malformed"],
    ["?url=receipt.json", 400, "fetch-url-malformed"],
    ["?url=http%3A%2F%2Ffiles.example%2F", 422, "fetch-scheme"],
    ["?url=file%3A%2F%2F%2Fetc%2Fpasswd", 422, "fetch-scheme"],
    ["?url=https%3A%2F%2Fu%3Ap%40files.example%2F", 422, "fetch-credentials"],
    ["?url=https%3A%2F%2Ffiles.example%3A22%2F", 422, "fetch-port"],
    ["?url=https%3A%2F%2Flocalhost%2F", 422, "fetch-blocked-address"],
    ["?url=https%3A%2F%2F2130706433%2F", 422, "fetch-blocked-address"],
    ["?url=https%3A%2F%2Fno.such.example%2F", 422, "fetch-blocked-address"],
  ];
  for (const [query, status, code] of refusals) {
    await refused(await server.fetch(`/api/verify${query}`), status, code);
    if (query.includes("store") || query.includes("stroe")) continue;
    await refused(await server.fetch(`/api/refresh${query}`, ASK), status, code);
    if (query !== "") await refused(await server.fetch(`/api/results${query}`, ASK), status, code);
  }
  assert.equal(asked.length, 0);
});

originTest("URLs of this service: the stored document, and no circles", async (server) => {
  const { envelope } = await mint(server);
  const kept = await (await server.fetch("/api/results", post(envelope))).json();
  const { id } = kept;
  for (const path of [`/r/${id}`, `/api/results/${id}`, `/badge/${id}.svg`]) {
    const answer = await get(server, `${server.url}${path}`);
    assert.equal(answer.headers.get("link"), `<${server.url}/r/${id}>; rel="canonical"`);
    const { results } = verificationSchema.parse(await answer.json());
    assert.deepEqual(results.map((report) => report.id), [id], path);
  }
  const inner = `${server.url}/api/verify?url=${encodeURIComponent(`${server.origin}/a`)}`;
  for (const url of [inner, `${server.url}/`, `${server.url}/r/${"0".repeat(64)}`]) {
    await refused(await get(server, url), 422, "fetch-own-host");
  }
  // Through a redirect as well.
  files.set("/doc", () => Response.redirect(`${server.url}/r/${id}`));
  files.set("/circle", () => Response.redirect(inner));
  const through = verificationSchema.parse(
    await (await get(server, `${server.origin}/doc`)).json(),
  );
  assert.equal(through.results[0]!.id, id);
  await refused(await get(server, `${server.origin}/circle`), 422, "fetch-own-host");
  // And where it goes by a name that nobody knows: whoever fetches says so.
  const agent = { headers: { "user-agent": "Touchstone/9.9.9 (+https://other.example)" } };
  const path = `/api/verify?url=${encodeURIComponent(`${server.origin}/a`)}`;
  await refused(await server.fetch(path, agent), 422, "fetch-own-host");
  const before = asked.length;
  const badge = `/badge.json?url=${encodeURIComponent(`${server.origin}/unasked`)}`;
  assert.equal((await (await server.fetch(badge, agent)).json()).message, "unreachable");
  assert.equal(asked.length, before);
  assert.match(asked.at(-1)!.headers.get("user-agent")!, /^Touchstone\/\d/);
});

serverTest("the public name is ours too, and its path counts", async (server) => {
  const { envelope } = await mint(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const answer = await get(server, `https://stone.example/t/r/${id}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("link"), `<https://stone.example/t/r/${id}>; rel="canonical"`);
  await refused(await get(server, `https://stone.example/r/${id}`), 422, "fetch-own-host");
}, { publicUrl: "https://stone.example/t" });

originTest("a check's ETag that is another document's", async (server) => {
  const { envelope } = await mint(server);
  const path = "/v1/checks/gs_9AH2bzdnfvKJ";
  files.set(path, json(JSON.stringify(envelope), { etag: `"${"0".repeat(64)}"` }));
  const url = `${server.origin}${path}`;
  const { results } = verificationSchema.parse(await (await get(server, url)).json());
  assert.equal(results[0]!.outcome, "verified");
  assert.equal(results[0]!.observations.at(-1), "etag-mismatch");
  const page = await (await server.fetch(`/verify?url=${encodeURIComponent(url)}`)).text();
  assert.match(page, /names another document(?:'|&#39;)s hash/);
});

originTest("the page: where it came from, what changed, and a button", async (server) => {
  const { envelope } = await mint(server);
  files.set("/a", json(JSON.stringify(envelope)));
  const url = `${server.origin}/a?token=${TOKEN}`;
  const path = `/verify?url=${encodeURIComponent(url)}`;
  const answer = await server.fetch(path);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("referrer-policy"), "same-origin");
  const page = await answer.text();
  for (
    const part of [
      `From <code>${server.origin}/a?…</code>`,
      "a moment ago",
      "First seen",
      "Nothing was stored",
      "Fetch it again now",
    ]
  ) assert.ok(page.includes(part), part);
  // The button leads to the page that it is on, and so its form needs no address.
  assert.match(
    page,
    /<form method="post">\s*<div\s+class="buttons">\s*<button name="action" value="refresh"/,
  );
  const again = await server.fetch(path, {
    method: "POST",
    body: new URLSearchParams({ action: "refresh" }),
  });
  assert.equal(again.status, 303);
  assert.equal(again.headers.get("location"), path);
  assert.equal(asked.length, 2);

  const missing = await server.fetch(
    `/verify?url=${encodeURIComponent(`${server.origin}/b?token=${TOKEN}`)}`,
  );
  assert.equal(missing.status, 502);
  const text = await missing.text();
  assert.match(text, /<h1>The host does not give the file<\/h1>/);
  assert.match(text, /The host has no such file; check the URL \(status 404\)\./);
  const blocked = await server.fetch(
    `/verify?url=${encodeURIComponent(`https://10.0.0.1/?${TOKEN}`)}`,
  );
  assert.equal(blocked.status, 422);
  for (const html of [page, text, await blocked.text()]) assert.ok(!html.includes(TOKEN));
  for (const path of ["/", "/verify"]) {
    assert.match(await (await server.fetch(path)).text(), /<input id="url" name="url" type="url"/);
  }
});

originTest("nothing of a URL's query in logs or in the database", async (server) => {
  const { envelope } = await mint(server);
  files.set("/a", json(JSON.stringify(envelope), { etag: '"v1"' }));
  files.set("/hop", () => Response.redirect(`${server.origin}/a?signature=${TOKEN}`));
  files.set("/down", () => new Response("", { status: 500 }));
  for (const path of ["/a", "/hop", "/down", "/missing"]) {
    const url = `${server.origin}${path}?token=${TOKEN}`;
    for (const ask of [get, keep]) await (await ask(server, url)).body?.cancel();
    await (await refresh(server, url)).body?.cancel();
    await (await server.fetch(`/verify?url=${encodeURIComponent(url)}`)).body?.cancel();
  }
  assert.ok(asked.length >= 6);
  for await (const { key, value } of server.kv.list({ prefix: [] })) {
    assert.ok(!Deno.inspect([key, value], { depth: 20, strAbbreviateSize: 1e9 }).includes(TOKEN));
  }
  assert.deepEqual(server.logs, []);
});

originTest("hostile text from a host never becomes markup", async (server) => {
  const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const { envelope } = await mint(server, { context: hostile });
  files.set("/a", json(JSON.stringify(envelope)));
  for (
    const url of [
      `${server.origin}/a`,
      `${server.origin}/${hostile}`,
      `${server.origin}/a?${hostile}`,
      `https://${hostile}/`,
      hostile,
    ]
  ) {
    const answer = await server.fetch(`/verify?url=${encodeURIComponent(url)}`);
    const page = await answer.text();
    assert.ok(!page.includes("<script") && !page.includes("<img src=x"), url);
  }
});

serverTest("switched off: a problem that says so, and no field for links", async (server) => {
  const url = encodeURIComponent("https://files.example/");
  await refused(await server.fetch(`/api/verify?url=${url}`), 403, "fetch-off");
  await refused(
    await server.fetch(`/api/refresh?url=${url}`, ASK),
    403,
    "fetch-off",
  );
  const page = await server.fetch(`/verify?url=${url}`);
  assert.equal(page.status, 403);
  assert.match(await page.text(), /URLs are not fetched here/);
  for (const path of ["/", "/verify"]) {
    assert.doesNotMatch(await (await server.fetch(path)).text(), /type="url"/);
  }
}, { fetching: false });

originTest(
  "a single document that there was no time for: 503, as for one that is sent",
  async (s) => {
    const { envelope } = await mint(s);
    files.set("/a", json(JSON.stringify(envelope)));
    files.set("/b", json(JSON.stringify([envelope, envelope])));
    const one = await get(s, `${s.origin}/a`);
    assert.equal(one.status, 503);
    assert.equal(one.headers.get("cache-control"), "no-store");
    const { results } = verificationSchema.parse(await one.json());
    assert.equal(results[0]!.outcome, null);
    assert.equal(results[0]!.reason!.code, "budget-exceeded");
    assert.equal((await get(s, `${s.origin}/b`)).status, 200);
  },
  { verifier: (verifier) => ({ ...verifier, steps: 1 }) },
);

originTest("a stopped server lets go of what is in flight", async (server) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  files.set("/slow", async () => {
    await promise;
    return new Response("{}");
  });
  const waiting = server.fetch(`/verify?url=${encodeURIComponent(`${server.origin}/slow`)}`, {
    signal: AbortSignal.timeout(200),
  });
  await assert.rejects(waiting);
  resolve();
});
