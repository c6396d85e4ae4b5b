import { inLineChecker } from "../../service/checker.ts";
import assert from "node:assert/strict";
import { createKey } from "../../lib/issuer/keys.ts";
import { createStore } from "../../lib/store/create.ts";
import { problemSchema, resultPageSchema } from "../../routes/schemas/index.ts";
import {
  keep,
  mintContradicting,
  mintUnder,
  newPool,
  problem,
  resultOf,
} from "../support/disclosure.ts";
import { fileOf, publish, tallyOf } from "../support/disclosure.ts";
import { mint, serverTest, type TestServer } from "../support/server.ts";

async function list(server: TestServer, query: string) {
  const answer = await server.fetch(`/api/results${query}`);
  const value = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(value));
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return resultPageSchema.parse(value);
}

async function ids(server: TestServer, query: string): Promise<string[]> {
  return (await list(server, query)).items.map(({ id }) => id);
}

serverTest("results by issuer, session, subject and time", async (server) => {
  const [issuer, subject] = [createKey(), createKey()];
  const pool = newPool();
  const own = await keep(server, (await mintUnder(server, pool, { key: issuer })).envelope);
  const second = await keep(
    server,
    (await mintContradicting(server, pool, { key: issuer })).envelope,
  );
  const proven = await keep(
    server,
    (await mintUnder(server, pool, { subjectKey: subject })).envelope,
  );
  const { envelope } = await mint(server);
  const edited = await keep(server, {
    ...envelope,
    payload: envelope.payload.replace('"pass":true', '"pass":false'),
  });
  const key = issuer.publicKey.text;
  assert.deepEqual(
    (await ids(server, `?issuer=${key}`)).toSorted(),
    [own.id, second.id].toSorted(),
  );
  assert.deepEqual(await ids(server, `?subject=${subject.publicKey.text}`), [proven.id]);
  const session = own.report.sessionId!;
  assert.deepEqual(await ids(server, `?session=${session}`), [own.id]);
  assert.deepEqual(await ids(server, `?session=${session}&issuer=${key}`), [own.id]);
  const stranger = createKey().publicKey.text;
  assert.deepEqual(await ids(server, `?session=${session}&issuer=${stranger}`), []);
  assert.deepEqual(await ids(server, `?issuer=${stranger}`), []);
  const all = [own, second, proven, edited].map(({ id }) => id).toSorted();
  for (const query of ["", "?recent", "?recent=true"]) {
    assert.deepEqual((await ids(server, query)).toSorted(), all);
  }

  // A forged document is nobody's: it isn't listed under the key that it names.
  const forged = await keep(server, {
    ...(await mintUnder(server, pool, { key: issuer })).envelope,
    signature: "A".repeat(86),
  });
  assert.equal(forged.report.outcome, "invalid");
  assert.ok(!(await ids(server, `?issuer=${key}`)).includes(forged.id));

  await publish(server, fileOf(pool));
  const rows = (await list(server, `?issuer=${key}`)).items;
  assert.deepEqual(
    rows.map((row) => row.state === "current" && row.outcome).toSorted(),
    ["invalid", "verified"],
  );
  await tallyOf(server, pool.poolKey);
}, { file: true });

serverTest("pages of a list follow each other without gap or repeat", async (server) => {
  const kept: string[] = [];
  for (let n = 0; n < 7; n++) kept.unshift((await keep(server, (await mint(server)).envelope)).id);
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await list(server, `?limit=3${query}`);
    assert.ok(page.items.length <= 3);
    paged.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== null);
  assert.deepEqual(paged.toSorted(), kept.toSorted());
}, { file: true });

serverTest("queries that mean nothing are refused", async (server) => {
  const key = createKey().publicKey.text;
  const bad = [
    "?isuer=x",
    "?issuer=x",
    "?issuer=",
    `?issuer=${key}&issuer=${key}`,
    `?issuer=${key}&subject=${key}`,
    `?session=s&recent`,
    "?session=s&issuer=",
    "?subject=0123456789abcdef",
    "?limit=0",
    "?limit=101",
    "?limit=1e1",
    "?limit=-1",
  ];
  for (const query of bad) {
    await problem(await server.fetch(`/api/results${query}`), 400, "query-malformed");
  }
  await keep(server, (await mint(server)).envelope);
  await keep(server, (await mint(server)).envelope);
  const { cursor } = await list(server, "?limit=1");
  const cursors = ["x", "%00", "../..", "a".repeat(5000), `${cursor}x`, "e30", ""];
  for (const text of cursors) {
    const answer = await server.fetch(`/api/results?cursor=${encodeURIComponent(text)}`);
    await problem(answer, 400, "cursor-malformed");
  }
  // A cursor belongs to its own list.
  const other = await server.fetch(`/api/results?issuer=${key}&cursor=${cursor}`);
  await problem(other, 400, "cursor-malformed");
}, { file: true });

serverTest("a removed document leaves what was claimed of it", async (server) => {
  const pool = newPool();
  const { envelope } = await mintContradicting(server, pool);
  const { id } = await keep(server, envelope);
  await publish(server, fileOf(pool));
  await tallyOf(server, pool.poolKey);
  assert.ok(await createStore(server.kv, inLineChecker(server.verifier)).deleteDocument(id));
  for (const path of [`/api/results/${id}`, `/api/results/${id}/document`]) {
    const value = problemSchema.parse(
      await problem(await server.fetch(path), 410, "result-removed"),
    );
    assert.equal(value.removed?.why, "deleted");
    assert.equal(value.removed?.outcome, "invalid");
    assert.deepEqual(
      value.removed?.history.map(({ from, to }) => [from, to]),
      [["issuer-claimed", "invalid"]],
    );
  }
  const page = await server.fetch(`/r/${id}`, { headers: { accept: "text/html" } });
  assert.equal(page.status, 410);
  assert.ok((await page.text()).includes("What was claimed before"));
  await new Promise((done) => setTimeout(done, 25));
  const badge = await server.fetch(`/badge/${id}.json`);
  assert.equal(badge.status, 200);
  assert.equal((await badge.json()).message, "gone");
  assert.deepEqual(await ids(server, ""), []);
  const again = await keep(server, envelope);
  assert.equal(again.report.outcome, "invalid");
  assert.equal((await resultOf(server, id)).state, "current");
}, { file: true });
