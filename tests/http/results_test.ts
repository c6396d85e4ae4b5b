import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { EvaluatorUnavailable } from "../../lib/evaluator/reference.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { problemSchema, resultSchema } from "../../routes/schemas/index.ts";
import {
  gzip,
  mint,
  mintHeldOut,
  post,
  serverTest,
  type TestServer,
  upload,
} from "../support/server.ts";

async function keep(server: TestServer, body: unknown, status: number) {
  const answer = await server.fetch("/api/results", post(body));
  const value = await answer.json();
  assert.equal(answer.status, status, JSON.stringify(value));
  return resultSchema.parse(value);
}

async function problem(answer: Response, status: number, code: string) {
  const value = problemSchema.parse(await answer.json());
  assert.equal(answer.status, status);
  assert.equal(value.code, code);
  return value;
}

/** The id by the definition, without the code under test: members in order, no white space. */
function idOf({ payload, protocol, signature }: Record<string, string>): string {
  return createHash("sha256").update(JSON.stringify({ payload, protocol, signature })).digest(
    "hex",
  );
}

serverTest("storing is idempotent, whatever the formatting", async (server) => {
  const { envelope } = await mint(server);
  const id = idOf({ ...envelope });
  const first = await keep(server, envelope, 201);
  assert.equal(first.id, id);
  assert.equal(first.report.id, id);
  assert.equal(first.report.outcome, "verified");
  assert.deepEqual(first.urls, {
    page: `${server.url}/r/${id}`,
    svg: `${server.url}/badge/${id}.svg`,
    png: `${server.url}/badge/${id}.png`,
    json: `${server.url}/badge/${id}.json`,
  });
  const { payload, protocol, signature } = envelope;
  const others = [
    JSON.stringify({ signature, protocol, payload }, null, 2),
    JSON.stringify({ ...envelope, note: "unknown members are not part of it" }),
    JSON.stringify(envelope).replaceAll("a", "\\u0061"),
  ];
  for (const text of others) assert.deepEqual(await keep(server, text, 200), first);
  const wrapped = await keep(server, { ok: true, sha256: "no", receipt: envelope }, 200);
  assert.equal(wrapped.id, id);
  assert.deepEqual(wrapped.report.observations, [...first.report.observations, "unwrapped"]);
  const bytes = await gzip(JSON.stringify(envelope));
  const packed = await server.fetch("/api/results", upload(bytes, "application/gzip"));
  assert.deepEqual(resultSchema.parse(await packed.json()), first);

  const read = await server.fetch(`/api/results/${id}`);
  assert.deepEqual(resultSchema.parse(await read.json()), first);
});

serverTest("of many who store one document at once, one creates it", async (server) => {
  const { envelope } = await mint(server);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => server.fetch("/api/results", post(envelope))),
  );
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
  assert.equal(answers.filter((answer) => answer.status === 200).length, 19);
  assert.equal(new Set(bodies).size, 1);
});

serverTest("the document comes back as the bytes whose hash is the id", async (server) => {
  const { envelope } = await mintHeldOut(server);
  const { id } = await keep(server, JSON.stringify(envelope, null, 4), 201);
  const path = `/api/results/${id}/document`;
  const answer = await server.fetch(path);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assert.equal(createHash("sha256").update(bytes).digest("hex"), id);
  assert.equal(answer.headers.get("etag"), `"${id}"`);
  assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), envelope);
  const unchanged = await server.fetch(path, { headers: { "if-none-match": `"${id}"` } });
  assert.equal(unchanged.status, 304);
  assert.equal(await unchanged.text(), "");
  const head = await server.fetch(path, { method: "HEAD" });
  assert.equal(head.headers.get("content-length"), `${bytes.length}`);
  assert.equal(await head.text(), "");
});

serverTest("a document above the size of a KV value", async (server) => {
  const { envelope } = await mint(server);
  // Not compressible below 64 KiB, so that it takes several chunks; invalid, which is kept too.
  const noise = Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) =>
    byte.toString(16).padStart(2, "0")).join("") +
    Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) =>
      byte.toString(36)).join("");
  const large = { ...envelope, payload: JSON.stringify({ noise }) };
  const { id, report } = await keep(server, large, 201);
  assert.equal(id, idOf(large));
  assert.equal(report.outcome, "invalid");
  const chunks = [];
  for await (const { key } of server.kv.list({ prefix: ["document-chunk"] })) {
    chunks.push(key);
  }
  assert.ok(chunks.length >= 2);
  const answer = await server.fetch(`/api/results/${id}/document`);
  assert.deepEqual(await answer.json(), large);
  await keep(server, large, 200);
});

serverTest("invalid documents are kept, what is no document is not", async (server) => {
  const { envelope } = await mint(server);
  const edited = { ...envelope, payload: envelope.payload.replace('"pass":true', '"pass":false') };
  const { report } = await keep(server, edited, 201);
  assert.equal(report.outcome, "invalid");
  const send = (body: unknown) => server.fetch("/api/results", post(body));
  const none = await problem(await send({ hello: 1 }), 422, "document-unrecognised");
  assert.equal(none.reason?.code, "document-unrecognised");
  await problem(await send(7), 422, "document-unrecognised");
  await problem(await send({ protocol: "clankdar-gate-v1" }), 422, "document-unrecognised");
  await problem(await send([envelope, envelope]), 422, "not-one-document");
  await problem(await send([]), 422, "documents-empty");
  const { pool, envelope: heldOut } = await mintHeldOut(server);
  const bundle = { documents: [heldOut], pools: [pool] };
  await problem(await send(bundle), 422, "pools-not-kept");
  const long = { ...envelope, payload: "x".repeat(1_100_000) };
  await problem(await send(long), 413, "document-too-large");
  const signed = { ...envelope, signature: "x".repeat(2_200_000) };
  await problem(await send(signed), 413, "document-too-large");
});

serverTest("what can't be finished is not stored", async (server) => {
  const { envelope } = await mint({ verifier: createVerifyContext("auto") });
  const answer = await server.fetch("/api/results", post(envelope));
  const { reason } = await problem(answer, 503, "check-unfinished");
  assert.equal(reason?.code, "evaluator-missing");
  for await (const _ of server.kv.list({ prefix: [] })) assert.fail("stored");
  const form = new FormData();
  form.set("document", JSON.stringify(envelope));
  form.set("action", "store");
  assert.equal((await server.fetch("/verify", { method: "POST", body: form })).status, 503);
}, {
  verifier: (verifier) => ({
    ...verifier,
    references: {
      ...verifier.references,
      evaluate: () => Promise.reject(new EvaluatorUnavailable("evaluator-missing", "not there")),
    },
  }),
});

serverTest("unknown and malformed ids", async (server) => {
  const unknown = "0".repeat(64);
  for (
    const id of [unknown, "x", unknown.toUpperCase().replaceAll("0", "A"), "%00", `${unknown}0`]
  ) {
    await problem(await server.fetch(`/api/results/${id}`), 404, "result-unknown");
    await problem(await server.fetch(`/api/results/${id}/document`), 404, "result-unknown");
  }
});

serverTest("a report is read with ETag, conditional request and HEAD", async (server) => {
  const { id } = await keep(server, (await mint(server)).envelope, 201);
  const answer = await server.fetch(`/api/results/${id}`);
  const text = await answer.text();
  const etag = answer.headers.get("etag");
  assert.ok(etag && !etag.startsWith("W/"));
  assert.equal(answer.headers.get("cache-control"), "no-cache");
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await server.fetch(`/api/results/${id}`, {
      headers: { "if-none-match": header },
    });
    assert.equal(again.status, 304, header);
    assert.equal(again.headers.get("etag"), etag);
  }
  const changed = await server.fetch(`/api/results/${id}`, { headers: { "if-none-match": '"x"' } });
  assert.equal(await changed.text(), text);
  const head = await server.fetch(`/api/results/${id}`, { method: "HEAD" });
  assert.equal(head.headers.get("content-length"), `${new TextEncoder().encode(text).length}`);
});

serverTest("PUBLIC_URL decides about addresses, path included", async (server) => {
  const { id, urls } = await keep(server, (await mint(server)).envelope, 201);
  assert.equal(urls.page, `https://stone.example/t/r/${id}`);
  const unknown = await server.fetch("/api/results/x");
  assert.equal((await unknown.json()).type, "/t/problems/result-unknown");
  const page = await (await server.fetch(`/r/${id}`)).text();
  assert.ok(page.includes(`(https://stone.example/t/badge/${id}.svg)`));
  assert.ok(page.includes(`src="/t/badge/${id}.svg"`));
}, { publicUrl: "https://stone.example/t" });

serverTest("a fault says nothing about itself, but in the log", async (server) => {
  const answer = await server.fetch(`/api/results/${"0".repeat(64)}`);
  const text = await answer.text();
  assert.equal(answer.status, 500);
  assert.equal(JSON.parse(text).code, "internal-error");
  assert.ok(!text.includes("secret") && !text.includes(".ts"));
  assert.equal(server.logs.length, 1);
  assert.match(server.logs[0]!, /^GET \/api\/results\/:id: Error\n +at /);
  assert.ok(!server.logs[0]!.includes("secret"));
}, {
  kv: (kv) =>
    answering(kv, () => {
      const entry = {
        get value(): never {
          throw new Error("secret of a document");
        },
      };
      return Promise.resolve(entry);
    }),
});

serverTest(
  "a database that breaks off is unavailable, and its words go to nobody",
  async (server) => {
    const answer = await server.fetch(`/api/results/${"0".repeat(64)}`);
    assert.equal(answer.status, 503);
    assert.ok(!(await answer.text()).includes("secret"));
    assert.ok(!server.logs.join().includes("secret"));
  },
  { kv: (kv) => answering(kv, () => Promise.reject(new Error("secret of a document"))) },
);

serverTest("a locked database is a passing state", async (server) => {
  const id = "0".repeat(64);
  await problem(await server.fetch(`/api/results/${id}`), 503, "storage-unavailable");
  const badge = await server.fetch(`/badge/${id}.json`);
  assert.equal(badge.status, 200);
  assert.equal(badge.headers.get("cache-control"), "no-store");
  assert.equal((await badge.json()).message, "checking");
}, { kv: (kv) => answering(kv, () => Promise.reject(new TypeError("database is locked"))) });

/** The database with another method `get`. */
function answering(kv: Deno.Kv, get: () => Promise<unknown>): Deno.Kv {
  return new Proxy(kv, {
    get(target, name) {
      if (name === "get") return get;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
