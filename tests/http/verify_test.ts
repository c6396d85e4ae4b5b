import { CheckerBusy } from "../../lib/verify/checker.ts";
import assert from "node:assert/strict";
import { problemSchema, verificationSchema } from "../../routes/schemas/index.ts";
import { gzip, mint, mintHeldOut, post, serverTest, upload } from "../support/server.ts";

async function verify(response: Response) {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("cache-control"), "no-store");
  return verificationSchema.parse(await response.json());
}

async function refused(response: Response, status: number, code: string) {
  assert.equal(response.status, status);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const problem = problemSchema.parse(await response.json());
  assert.equal(problem.status, status);
  assert.equal(problem.code, code);
  assert.equal(problem.type, `/problems/${code}`);
  return problem;
}

serverTest("a verified admission, in every form a body may have", async (server) => {
  const { envelope } = await mint(server);
  const text = JSON.stringify(envelope);
  const other = JSON.stringify((await mint(server)).envelope);
  const forms: [string, BodyInit, number][] = [
    ["one document", text, 1],
    ["pretty printed", JSON.stringify(envelope, null, 2) + "\n", 1],
    ["an array", `[${text},${other}]`, 2],
    ["a bundle", `{"documents":[${text}]}`, 1],
    ["a wrapper", `{"ok":true,"receipt":${text}}`, 1],
    ["JSON lines", `${text}\n${other}\n`, 2],
    ["gzip", await gzip(text), 1],
    ["gzip of JSON lines", await gzip(`${text}\n${other}`), 2],
  ];
  for (const [name, body, documents] of forms) {
    const answer = await server.fetch("/api/verify", upload(body));
    const { results, summary } = await verify(answer);
    assert.deepEqual(results.map((report) => report.outcome), Array(documents).fill("verified"));
    assert.deepEqual(summary, {
      documents,
      verified: documents,
      issuerClaimed: 0,
      invalid: 0,
      unfinished: 0,
      passed: 2 * documents,
      challenges: 2 * documents,
      unreplayed: 0,
    }, name);
  }
});

serverTest("one report an entry, in order, whatever the outcomes", async (server) => {
  const good = (await mint(server)).envelope;
  const claimed = (await mintHeldOut(server)).envelope;
  const edited = { ...good, payload: good.payload.replace('"pass":true', '"pass":false') };
  const { results, summary } = await verify(
    await server.fetch("/api/verify", post([good, edited, 7, claimed, {}])),
  );
  assert.deepEqual(
    results.map((report) => report.outcome),
    ["verified", "invalid", "invalid", "issuer-claimed", "invalid"],
  );
  assert.equal(results[1]?.reason?.code, "signature-invalid");
  // The edited one counts for nothing: 2 of 2 and 3 of 4.
  assert.deepEqual(summary, {
    documents: 5,
    verified: 1,
    issuerClaimed: 1,
    invalid: 3,
    unfinished: 0,
    passed: 5,
    challenges: 6,
    unreplayed: 2,
  });
});

serverTest(
  "an inline pool decides this request only, and is neither stored nor logged",
  async (server) => {
    const { envelope, pool } = await mintHeldOut(server);
    assert.ok(pool);
    const label = pool.cells[0]!.label;
    const without = await verify(await server.fetch("/api/verify", post(envelope)));
    assert.equal(without.results[0]?.outcome, "issuer-claimed");
    assert.equal(without.results[0]?.counts?.unreplayed, 2);
    const withPool = await verify(
      await server.fetch("/api/verify", post({ documents: [envelope], pools: [pool] })),
    );
    assert.equal(withPool.results[0]?.outcome, "verified");
    assert.equal(withPool.results[0]?.counts?.unreplayed, 0);
    const after = await verify(await server.fetch("/api/verify", post(envelope)));
    assert.equal(after.results[0]?.outcome, "issuer-claimed");
    for await (const entry of server.kv.list({ prefix: [] })) {
      assert.fail(`stored ${JSON.stringify(entry.key)}`);
    }
    assert.ok(!server.logs.join("\n").includes(label));
    assert.ok(!JSON.stringify(withPool).includes(label));
  },
);

serverTest("a pool that isn't one is named", async (server) => {
  const { envelope, pool } = await mintHeldOut(server);
  assert.ok(pool);
  const wrong = { ...pool, poolKey: "0".repeat(64) };
  const answer = await server.fetch(
    "/api/verify",
    post({ documents: [envelope], pools: [pool, wrong] }),
  );
  const problem = await refused(answer, 422, "pool-invalid");
  assert.equal(problem.pool, 1);
  assert.equal(problem.reason?.code, "pool-key-mismatch");
  assert.equal(problem.reason?.path, "pools[1].poolKey");
  assert.ok(!JSON.stringify(problem).includes(pool.cells[0]!.label));
  const noList = await server.fetch("/api/verify", post({ documents: [0], pools: {} }));
  await refused(noList, 422, "pools-malformed");
  const many = await server.fetch(
    "/api/verify",
    post({ documents: [0], pools: Array(65).fill(1) }),
  );
  await refused(many, 422, "too-many-pools");
});

serverTest("bodies that can't be read as a whole", async (server) => {
  const send = (body: BodyInit) => server.fetch("/api/verify", upload(body));
  for (const nothing of ["", " \n", "\ufeff", "[]", '{"documents":[]}']) {
    await refused(await send(nothing), 422, "documents-empty");
  }
  await refused(await send("{"), 400, "document-not-json");
  await refused(await send(new Uint8Array([0x22, 0xff, 0x22])), 400, "document-not-utf8");
  await refused(await send(new Uint8Array([0x1f, 0x8b, 1, 2, 3])), 400, "gzip-malformed");
  await refused(await send("[".repeat(200_000) + "]".repeat(200_000)), 400, "document-too-deep");
});

serverTest("sizes and numbers are bounded", async (server) => {
  const send = (body: BodyInit) => server.fetch("/api/verify", upload(body));
  await refused(await send(" ".repeat(4 * 1024 * 1024 + 1)), 413, "document-too-large");
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(0x20)),
  });
  // The server may answer before it has read everything, which ends the connection for some clients.
  const answer = await send(endless).catch(() => null);
  if (answer !== null) await refused(answer, 413, "document-too-large");
  const bomb = await gzip(" ".repeat(64 * 1024 * 1024));
  assert.ok(bomb.length < 100_000);
  await refused(await send(bomb), 413, "document-too-large");
  await refused(await send(JSON.stringify(Array(101).fill(0))), 413, "too-many-documents");
  const { summary } = await verify(await send(JSON.stringify(Array(100).fill(0))));
  assert.equal(summary.invalid, 100);
});

serverTest("documents come as JSON, lines, gzip or bytes, and as nothing else", async (server) => {
  const body = JSON.stringify((await mint(server)).envelope);
  const send = (type: string, path = "/api/verify") => server.fetch(path, upload(body, type));
  for (
    const type of [
      "application/json",
      "Application/JSON; charset=utf-8",
      "application/vnd.clankdar+json",
      "application/x-ndjson",
      "application/jsonl",
      "application/gzip",
      "application/octet-stream",
    ]
  ) {
    const { summary } = await verify(await send(type));
    assert.equal(summary.verified, 1, type);
  }
  const bytes = new TextEncoder().encode(body);
  for (const path of ["/api/verify", "/api/results", "/api/pools"]) {
    for (
      const type of [
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/html",
        "image/png",
        "json",
        "application/jsonp",
        "application/json, text/plain",
      ]
    ) await refused(await send(type, path), 415, "content-type-unsupported");
    // A page of another site may send these without asking, too: a blob has no type of its own.
    for (const untyped of [bytes, new Blob([bytes])]) {
      const answer = await server.fetch(path, { method: "POST", body: untyped });
      await refused(answer, 415, "content-type-unsupported");
    }
  }
});

serverTest("hostile documents are outcomes", async (server) => {
  const { envelope } = await mint(server);
  const hostile = [
    null,
    [],
    "text",
    { protocol: "__proto__", payload: "{}", signature: "" },
    { protocol: "clankdar-gate-v1" },
    { ...envelope, payload: "[".repeat(5000) },
    { ...envelope, payload: `{"a":${"[".repeat(60)}${"]".repeat(60)}}` },
    { ...envelope, signature: "\ud800" },
    { admission: { admission: { admission: { admission: envelope } } } },
    JSON.parse(`{"__proto__":{"protocol":"clankdar-gate-v1"},"constructor":1}`),
    { head: {}, entries: Array(10_000).fill({}) },
    Array(10_000).fill([]),
    { ...envelope, payload: "x".repeat(3_000_000) },
  ];
  for (const document of hostile) {
    const { results } = await verify(await server.fetch("/api/verify", post([document])));
    assert.equal(results.length, 1);
    assert.ok(results[0]?.outcome === "invalid" || results[0]?.outcome === null);
    assert.equal(results[0]?.verdict, null);
  }
  assert.deepEqual(server.logs, []);
});

serverTest("many requests at a time", async (server) => {
  const minted = await Promise.all(
    Array.from({ length: 8 }, (_, i) => mint(server, { context: `c${i}` })),
  );
  const answers = await Promise.all(Array.from({ length: 64 }, async (_, i) => {
    const answer = await server.fetch("/api/verify", post(minted[i % 8]!.envelope));
    return (await verify(answer)).results[0];
  }));
  answers.forEach((report, i) => {
    assert.equal(report?.outcome, "verified");
    assert.equal(report?.context, `c${i % 8}`);
  });
});

serverTest(
  "over budget: 503 for a document alone, an entry that says so among others",
  async (server) => {
    const { envelope } = await mint(server);
    const send = (value: unknown) => server.fetch("/api/verify", post(value));
    const alone = await send(envelope);
    assert.equal(alone.status, 503);
    assert.equal(alone.headers.get("cache-control"), "no-store");
    const { results, summary } = await alone.json();
    assert.deepEqual([results[0].outcome, results[0].reason.code], [null, "budget-exceeded"]);
    assert.equal(summary.unfinished, 1);

    const batch = await send([envelope, 17]);
    assert.equal(batch.status, 200);
    assert.equal(batch.headers.get("cache-control"), "no-store");
    const both = await batch.json();
    assert.equal(both.results[0].reason.code, "budget-exceeded");
    assert.equal(both.results[1].reason.code, "document-unrecognised");

    const kept = await server.fetch("/api/results", post(envelope));
    assert.equal(kept.status, 503);
    assert.equal((await kept.json()).code, "check-unfinished");
    assert.deepEqual((await (await server.fetch("/api/results?recent")).json()).items, []);
  },
  { time: { document: 0, input: 60_000 } },
);

serverTest(
  "too many wait: 503 with a time to come back, for programs and for people",
  async (server) => {
    const { envelope } = await mint(server);
    for (const path of ["/api/verify", "/api/results"]) {
      const answer = await server.fetch(path, post(envelope));
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get("retry-after"), "7");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal((await answer.json()).code, "verifier-busy");
    }
    const form = new URLSearchParams({ document: JSON.stringify(envelope) });
    const page = await server.fetch("/verify", {
      method: "POST",
      headers: { accept: "text/html" },
      body: form,
    });
    assert.equal(page.status, 503);
    assert.equal(page.headers.get("retry-after"), "7");
    assert.match(await page.text(), /Too many checks wait/);
  },
  {
    checker: (checker) => ({
      ...checker,
      input: () => Promise.reject(new CheckerBusy(7)),
      intake: () => Promise.reject(new CheckerBusy(7)),
    }),
  },
);
