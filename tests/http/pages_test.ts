import assert from "node:assert/strict";
import { createKey } from "../../lib/issuer/keys.ts";
import { seededRandom } from "../../lib/issuer/random.ts";
import { PROBLEMS } from "../../routes/http/problems.ts";
import { healthSchema } from "../../routes/schemas/index.ts";
import { challengeOf, receiptBody, signBody } from "../support/forge.ts";
import { bytesOf, rowOf, summaryOf } from "../support/runs.ts";
import { readMarkup } from "../support/markup.ts";
import { gzip, mint, mintHeldOut, post, serverTest, type TestServer } from "../support/server.ts";

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
  assert.equal((await answer.json()).message, "4/4 passed · sample key");
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
    assert.ok(headline(text).startsWith("Passed: 3 of 4, 3 required"), headline(text));
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
  const fields = { document, pool: JSON.stringify(pool), action: "store" };
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
    [{ document: "[]", action: "store" }, 422],
    [{ document: "{}", action: "store" }, 422],
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

/** The text of the headline. */
function headline(text: string): string {
  const [, inner = ""] = /<h1[^>]*class="outcome"[^>]*>([\s\S]*?)<\/h1>/.exec(text) ?? [];
  return inner.replace(/<[^>]*>/g, "").trim();
}

/** The text between the tags of the first element with this class. */
function lineOf(text: string, name: string): string | null {
  const [, inner] = new RegExp(`<li class="${name}[^"]*">([\\s\\S]*?)</li>`).exec(text) ?? [];
  return inner?.replace(/<[^>]*>/g, "").trim() ?? null;
}

function titleOf(text: string): string {
  return /<title>([^<]*)<\/title>/.exec(text)![1]!;
}

function descriptionOf(text: string): string {
  return /<meta name="description" content="([^"]*)"\/>/.exec(text)![1]!;
}

serverTest("a fail is the headline, the title and the description", async (server) => {
  const { envelope, key } = await mint(server, {
    answers: ["right", "wrong", "wrong", "wrong"],
    minPass: 3,
  });
  const { urls } = await (await server.fetch("/api/results", post(envelope))).json();
  const text = await page(await server.fetch(new URL(urls.page).pathname));
  assert.equal(headline(text), "Failed: 1 of 4, 3 required");
  assert.match(titleOf(text), /^Failed: 1 of 4, 3 required/);
  assert.match(titleOf(text), /unknown issuer/);
  assert.match(descriptionOf(text), /1 of 4/);
  assert.equal(lineOf(text, "replayed"), "Every answer was replayed");
  assert.equal(
    lineOf(text, "signer"),
    `Signed by an unknown issuer, key ${key.publicKey.keyId.slice(0, 8)}…`,
  );
  assert.match(lineOf(text, "floor")!, /^Own floor: 3 of 4 required$/);
  assert.match(text, /<div class="verdict tone-fail">/);
  assert.match(text, /Decided <time [^>]*>[^<]* UTC<\/time>, says the issuer/);
  assert.match(
    text,
    /Checked here <time [^>]*>[^<]* UTC<\/time>, by revision [1-9]\d* of the verifier.\s+This is Touchstone \d/,
  );
  assert.match(
    text,
    /This doesn&#39;t show who or what solved the puzzles\.|This doesn't show who/,
  );
  assert.match(text, /href="#limits"/);
  assert.match(text, /id="limits"/);
});

serverTest("what the issuer says of itself is called its word", async (server) => {
  const { envelope } = await mint(server, { subject: "Famous Model 9", context: "official" });
  const text = await page(await submit(server, { document: JSON.stringify(envelope) }));
  for (const [name, value] of [["Subject", "Famous Model 9"], ["Context", "official"]]) {
    assert.match(
      text,
      new RegExp(`<dt>${name}, says the issuer</dt>\\s*<dd><bdi>${value}</bdi></dd>`),
    );
  }
  assert.doesNotMatch(text, /<dt>(?:Subject|Context)<\/dt>/);
});

serverTest("an unsigned run is self-reported, and its model is a claim", async (server) => {
  const rows = [rowOf("sat", 4, 1), rowOf("sat", 4, 3)];
  // Without a manifest: which puzzles it is about nobody says.
  const document = new TextDecoder().decode(bytesOf([...rows, summaryOf(rows)]));
  const text = await page(await submit(server, { document }));
  assert.equal(headline(text), "Unreplayed · self-reported: 2 of 2 passed");
  assert.equal(lineOf(text, "replayed"), "2 of 2 rows unreplayed");
  assert.equal(lineOf(text, "signer"), "Self-reported: nobody signed it");
  assert.match(titleOf(text), /^Unreplayed · self-reported: 2 of 2 passed · 2 unreplayed/);
  assert.equal(lineOf(text, "claim"), "Model, says the file: local/test");
  assert.doesNotMatch(text, /tone-pass|honest issuer/);
});

serverTest("what is no receipt is called that, and not a forgery", async (server) => {
  for (const document of ["42", "{}", '{"a":1}', '["x"]']) {
    const text = await page(await submit(server, { document }));
    assert.equal(headline(text), "Not a receipt", document);
    assert.match(titleOf(text), /^Not a receipt/);
    assert.match(
      text,
      /<article class="report not-a-receipt">\s*<div class="verdict tone-foreign">/,
    );
    assert.doesNotMatch(text, /honest issuer|tone-invalid/);
  }
});

serverTest("a document of an unknown suite is no forgery", async (server) => {
  const key = createKey(seededRandom("pages: a later suite"));
  const challenge = challengeOf(key, 0, { suiteVersion: "clankdar-suite-v99" });
  const document = await signBody(key, receiptBody(challenge));
  const text = await page(await submit(server, { document: JSON.stringify(document) }));
  assert.equal(headline(text), "Unknown suite");
  assert.match(titleOf(text), /^Unknown suite/);
  assert.match(text, /<article class="report unknown-suite">\s*<div class="verdict tone-neutral">/);
  assert.match(text, /<span class="state state-none">[^]*?unknown suite<\/span>/);
  assert.ok(readMarkup(text).texts.join(" ").includes("this version of Touchstone doesn't know"));
  assert.doesNotMatch(text, /honest issuer|tone-invalid|state-invalid|class="figures/);
});

serverTest(
  "challenges: pass or fail is the big word, the outcome the small one",
  async (server) => {
    const { envelope } = await mint(server, { answers: ["right", "wrong", "none"], minPass: 2 });
    const text = await page(await submit(server, { document: JSON.stringify(envelope) }));
    const states = [...text.matchAll(
      /<span class="state state-(\w+)">\s*<svg[^>]*><path[^>]*d="([^"]*)"[^>]*><\/path><\/svg>([^<]*)<\/span>(?:<span class="small">([^<]*)<\/span>)?/g,
    )].map(([, tone, , word, small]) => [tone, word, small]);
    assert.deepEqual(states, [
      ["passed", "pass", "verified"],
      ["failed", "fail", "verified"],
      ["none", "unanswered", undefined],
    ]);
  },
);

serverTest("a link that can't be understood shows the result, not accepted", async (server) => {
  const { envelope, key } = await mint(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const plain = `${server.url}/r/${id}`;
  const bad: [query: string, name: string][] = [
    ["issuer=oldname", "issuer"],
    ["policy=nope", "policy"],
    ["maxage=1", "maxage"],
    ["replayed=yes", "replayed"],
    [`issuer=${key.publicKey.text}&maxage=1d&maxage=2d`, "maxage"],
  ];
  for (const [query, name] of bad) {
    const stored = await page(await server.fetch(`/r/${id}?${query}`));
    const linked = await page(
      await server.fetch(`/verify?url=${encodeURIComponent(plain)}&${query}`),
    );
    for (const text of [stored, linked]) {
      assert.equal(headline(text), "Not accepted: bad link", query);
      assert.match(titleOf(text), /^Not accepted: bad link/);
      const alert = text.indexOf('class="bad-link" role="alert"');
      assert.ok(alert > 0 && alert < text.indexOf("<h1"), "above everything");
      assert.ok(text.slice(alert).includes(`<code>${name}: `), name);
      assert.match(text, /By itself: Passed: 2 of 2, 1 required/);
    }
    // The badge on the page is asked the same; snippets don't repeat the slip.
    const [, image] = /<p class="badge"><img src="([^"]*)"/.exec(stored)!;
    const badge = await (await server.fetch(image!.replaceAll("&amp;", "&"))).text();
    assert.match(badge, /not accepted/);
    assert.ok(!stored.includes(`](${plain}?${query})`));
  }
});

serverTest("/verify?url= takes every requirement as /r/ID does", async (server) => {
  const { envelope, key, session } = await mint(server, { context: "c d" });
  const other = await mint(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const link = encodeURIComponent(`${server.url}/r/${id}`);
  const issuer = key.publicKey.text;
  const cases: [query: string, headline: RegExp][] = [
    [`issuer=${issuer}`, /^Passed/],
    [`issuer=${issuer}&context=c+d&session=${session.sessionId}&replayed=all&maxage=1h`, /^Passed/],
    [`issuer=${other.key.publicKey.text}`, /^Not accepted: other issuer/],
    ["context=c", /^Not accepted: other context/],
    ["session=gs_AAAAAAAAAAAA", /^Not accepted: other session/],
    [`policy=${"0".repeat(64)}`, /^Not accepted: other policy/],
    [`issuer=${other.key.publicKey.text}&issuer=${issuer}`, /^Passed/],
  ];
  for (const [query, expected] of cases) {
    const linked = await page(await server.fetch(`/verify?url=${link}&${query}`));
    const stored = await page(await server.fetch(`/r/${id}?${query}`));
    assert.match(headline(linked), expected, query);
    assert.equal(headline(linked), headline(stored));
    assert.equal(titleOf(linked), titleOf(stored));
    assert.match(linked, expected.source.includes("Not") ? />Not accepted</ : />Accepted</);
  }
});

serverTest("the forms hand on what the address of their page asks for", async (server) => {
  const { envelope, key } = await mint(server);
  const other = (await mint(server)).key.publicKey.text;
  for (const query of [`?issuer=${other}`, `?issuer=${other}&maxage=1d`]) {
    const text = await page(await server.fetch(`/verify${query}`));
    assert.ok(text.includes(`action="/verify${query.replaceAll("&", "&amp;")}"`));
    assert.match(text, new RegExp(`<input type="hidden" name="issuer" value="${other}"/>`));
    const form = new FormData();
    form.set("document", JSON.stringify(envelope));
    const init = () => ({ method: "POST", body: form });
    const refused = await page(await server.fetch(`/verify${query}`, init()));
    assert.equal(headline(refused), "Not accepted: other issuer");
    const met = await page(await server.fetch(`/verify?issuer=${key.publicKey.text}`, init()));
    assert.match(headline(met), /^Passed/);
    form.set("document", "{");
    const again = await page(await server.fetch(`/verify${query}`, init()), 400);
    assert.ok(again.includes(`action="/verify${query.replaceAll("&", "&amp;")}"`));
  }
});

serverTest("several documents are headed by what they are together", async (server) => {
  const mine = await mint(server);
  const failed = await mint(server, { answers: ["wrong", "wrong"], minPass: 1 });
  const document = JSON.stringify([mine.envelope, failed.envelope]);
  const text = await page(await submit(server, { document }));
  assert.equal(headline(text), "Partly passed: 1 of 2 documents, 1 failed");
  assert.match(titleOf(text), /^Partly passed: 1 of 2 documents, 1 failed/);
  assert.equal(lineOf(text, "replayed"), "Every answer was replayed");
  assert.equal(lineOf(text, "signer"), "Signed with 2 keys, none of a known issuer");
  const heads = [...text.matchAll(/<h2\s+class="outcome">[^]*?<span>([^<]*)<\/span>/g)];
  assert.deepEqual(heads.map(([, verdict]) => verdict), [
    "Passed: 2 of 2, 1 required",
    "Failed: 0 of 2, 1 required",
  ]);
  // Not accepted as soon as one of them isn't.
  const form = new FormData();
  form.set("document", document);
  const query = `?issuer=${mine.key.publicKey.text}`;
  const asked = await page(await server.fetch(`/verify${query}`, { method: "POST", body: form }));
  assert.equal(headline(asked), "Not accepted: other issuer");
  assert.match(asked, /By themselves: Partly passed: 1 of 2 documents, 1 failed/);
});

serverTest("a form that can't be used says what is the matter", async (server) => {
  const { envelope } = await mint(server);
  const document = JSON.stringify(envelope);
  const file = new File([document], "a.json");
  const cases: [Record<string, string | File>, RegExp, string][] = [
    [{ action: "verify" }, /paste a document or choose a file/i, ""],
    [{ document, file }, /a text or a file, not both/, document],
    [{ document, pool: "{}" }, /pool/i, document],
    [{ document, pool: "{", poolFile: file }, /a text or a file, not both/, document],
    [{ document: "{" }, /JSON/, "{"],
  ];
  for (const [fields, detail, pasted] of cases) {
    const answer = await submit(server, fields);
    assert.ok(answer.status >= 400 && answer.status < 500);
    const text = await page(answer, answer.status);
    assert.match(/role="alert">([^<]*)</.exec(text)![1]!, detail);
    assert.ok(pasted === "" || readMarkup(text).texts.includes(pasted), "it is given back");
  }
});

serverTest("snippets name the issuer, and without is the option", async (server) => {
  const { envelope, key } = await mint(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const snippetsOf = async (query: string) => {
    const text = await page(await server.fetch(`/r/${id}${query}`));
    return [...text.matchAll(/<pre class="copy"[^>]*>([^<]*)<\/pre>/g)].map(([, code]) =>
      code!.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
        .replaceAll("&amp;", "&")
    );
  };
  const issuer = `issuer=${key.publicKey.text}`;
  const base = `${server.url}/r/${id}`;
  const named = await snippetsOf("");
  // Markdown, HTML, PNG, card, shields; and Markdown again for whoever wants no issuer in it.
  assert.equal(named.length, 6);
  for (const snippet of named.slice(0, 5)) {
    assert.ok(snippet.includes(`${base}?${issuer}`), `${snippet} leads to the page`);
    assert.ok(snippet.split(key.publicKey.text).length > 2, `${snippet} asks for the key twice`);
  }
  assert.ok(!named[5]!.includes("issuer") && named[5]!.includes(`](${base})`));
  assert.match(named[2]!, /\.png\?issuer=[^"]*&amp;scale=2" alt="[^"]*" height="20"/);
  const asked = await snippetsOf(`?${issuer}&replayed=all`);
  assert.equal(asked.length, 5);
  for (const snippet of asked) assert.ok(snippet.includes(`${base}?${issuer}&`), snippet);
  // Nobody else reaches this machine.
  assert.match(await page(await server.fetch(`/r/${id}`)), /Only you can see these badges/);
});

serverTest("a public service doesn't warn of its address", async (server) => {
  const { envelope } = await mint(server);
  const { id } = await (await server.fetch("/api/results", post(envelope))).json();
  const text = await page(await server.fetch(`/r/${id}`));
  assert.doesNotMatch(text, /Only you can see these badges/);
}, { publicUrl: "https://stone.example.org" });

serverTest("the page of an error says what was wrong", async (server) => {
  const answer = await server.fetch("/pools?limit=0", { headers: { accept: "text/html" } });
  assert.match(await page(answer, 400), /Limit is a number from 1 to \d+\./);
});

serverTest(
  "a requirement's misspelt name is said above everything, and isn't met",
  async (server) => {
    const { envelope, key } = await mint(server);
    const { id } = await (await server.fetch("/api/results", post(envelope))).json();
    const link = encodeURIComponent(`${server.url}/r/${id}`);
    const form = new FormData();
    form.set("document", JSON.stringify(envelope));
    const names = ["Issuer", "isuer", "issuers", "amp;issuer", "max-age", "maxAge", "replay"];
    for (const name of [...names, "session-id", "sessionid", "Policy", "contxt", "sha-256"]) {
      const query = `${encodeURIComponent(name)}=${key.publicKey.text}`;
      const pages = [
        await server.fetch(`/r/${id}?${query}`),
        await server.fetch(`/verify?url=${link}&${query}`),
        await server.fetch(`/verify?${query}`, { method: "POST", body: form }),
      ];
      for (const answer of pages) {
        const text = await page(answer);
        assert.equal(headline(text), "Not accepted: bad link", name);
        const alert = text.indexOf('class="bad-link" role="alert"');
        assert.ok(alert > 0 && alert < text.indexOf("<h1"), name);
        assert.ok(readMarkup(text).texts.some((part) => part.startsWith(`${name}: `)), name);
      }
    }
    // Cache busters and what other services add are nobody's requirement.
    for (
      const query of ["v=2", "utm_source=x", "utm_campaign=issuer", "cachebust=1", "Style=flat"]
    ) {
      const text = await page(await server.fetch(`/r/${id}?${query}`));
      assert.match(headline(text), /^Passed/, query);
      assert.doesNotMatch(text, /bad-link/);
    }
  },
);
