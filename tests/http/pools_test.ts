import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createDisclosure } from "../../lib/issuer/disclosure.ts";
import { createKey } from "../../lib/issuer/keys.ts";
import { poolKeyOf } from "../../lib/protocol/pool.ts";
import {
  poolDryRunSchema,
  poolPageSchema,
  poolPublishedSchema,
  poolResultsSchema,
} from "../../routes/schemas/index.ts";
import {
  badgeOf,
  fileOf,
  keep,
  mintContradicting,
  mintUnder,
  newPool,
  problem,
  publish,
  resultOf,
  tallyOf,
} from "../support/disclosure.ts";
import { post, serverTest, type TestServer } from "../support/server.ts";

const FILE = { file: true };

function submit(server: TestServer, fields: Record<string, string | File>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return server.fetch("/pools", { method: "POST", body: form });
}

serverTest("a dry run tells what would happen, and keeps nothing", async (server) => {
  const pool = newPool();
  const sound = await keep(server, (await mintUnder(server, pool)).envelope);
  const false_ = await keep(server, (await mintContradicting(server, pool)).envelope);
  await keep(server, (await mintUnder(server, newPool())).envelope);
  const answer = await server.fetch("/api/pools", post(fileOf(pool)));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const plan = poolDryRunSchema.parse(await answer.json());
  assert.deepEqual(plan.upgradedIds, [sound.id]);
  assert.deepEqual(plan.exposedIds, [false_.id]);
  assert.deepEqual([plan.upgraded, plan.exposed, plan.unchanged], [1, 1, 0]);
  assert.ok(plan.complete && !plan.known);
  assert.match(plan.notice, /permanent and public/);
  assert.equal(plan.confirm, `${server.url}/api/pools?confirm=publish`);
  assert.ok(!JSON.stringify(plan).includes(pool.cells[0]!.label));

  await problem(await server.fetch(`/api/pools/${pool.poolKey}`), 404, "pool-unknown");
  assert.equal((await resultOf(server, sound.id)).report.outcome, "issuer-claimed");
  assert.equal((await resultOf(server, false_.id)).report.outcome, "issuer-claimed");
  for await (const { key, value } of server.kv.list({ prefix: [] })) {
    assert.ok(!Deno.inspect([key, value], { depth: 20 }).includes(pool.cells[0]!.label));
  }
  assert.deepEqual(server.logs, []);
}, FILE);

serverTest("publishing upgrades and exposes, at once and for good", async (server) => {
  const pool = newPool();
  const sound = await keep(server, (await mintUnder(server, pool)).envelope);
  const false_ = await keep(server, (await mintContradicting(server, pool)).envelope);
  const other = await keep(server, (await mintUnder(server, newPool())).envelope);
  assert.equal(sound.report.outcome, "issuer-claimed");
  assert.equal(await badgeOf(server, sound.id), "2/2 passed · 2 unreplayed · unknown issuer");
  assert.equal(await badgeOf(server, false_.id), "2/2 passed · 2 unreplayed · unknown issuer");

  const before = Date.now();
  const answer = await server.fetch("/api/pools?confirm=publish", post(fileOf(pool)));
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("location"), `/api/pools/${pool.poolKey}`);
  const published = poolPublishedSchema.parse(await answer.json());
  assert.ok(published.created && !published.disclosure);
  assert.equal(published.pool.poolKey, pool.poolKey);
  assert.ok(Date.parse(published.pool.firstSeen) >= before - 1);
  assert.equal(published.pool.source, "published");

  // The very next reads, whether or not the upgrade has come to these documents.
  assert.equal(await badgeOf(server, sound.id), "2/2 passed · unknown issuer");
  assert.equal(await badgeOf(server, false_.id), "invalid · pool contradicts");
  const upgraded = await resultOf(server, sound.id);
  assert.equal(upgraded.report.outcome, "verified");
  assert.equal(upgraded.report.counts?.unreplayed, 0);
  assert.deepEqual(
    upgraded.history.map(({ from, to, poolKey, exposed }) => [from, to, poolKey, exposed]),
    [["issuer-claimed", "verified", pool.poolKey, false]],
  );
  assert.equal(upgraded.pools[0]?.firstSeen, published.pool.firstSeen);
  assert.equal(upgraded.pools[0]?.statement, null);
  const exposed = await resultOf(server, false_.id);
  assert.equal(exposed.report.outcome, "invalid");
  assert.ok(exposed.report.observations.includes("exposed"));
  assert.equal(exposed.report.reason?.code, "receipt-invalid");
  assert.equal(exposed.report.reason?.inner?.code, "prompt-mismatch");
  assert.deepEqual(
    exposed.history.map(({ from, to, exposed, inner }) => [from, to, exposed, inner]),
    [["issuer-claimed", "invalid", true, "prompt-mismatch"]],
  );
  assert.equal((await resultOf(server, other.id)).report.outcome, "issuer-claimed");

  const tally = await tallyOf(server, pool.poolKey);
  assert.deepEqual([tally.upgraded, tally.exposed, tally.unchanged], [1, 1, 0]);
  const again = await server.fetch("/api/pools?confirm=publish", post(fileOf(pool)));
  assert.equal(again.status, 200);
  const known = poolPublishedSchema.parse(await again.json());
  assert.ok(!known.created);
  assert.equal(known.pool.firstSeen, published.pool.firstSeen);
  assert.deepEqual(await tallyOf(server, pool.poolKey), tally);
  const plan = await server.fetch("/api/pools", post(fileOf(pool)));
  assert.ok(poolDryRunSchema.parse(await plan.json()).known);

  // What comes after the disclosure is checked with it.
  const late = await keep(server, (await mintUnder(server, pool)).envelope);
  assert.equal(late.report.outcome, "verified");
  assert.deepEqual(late.history, []);
}, FILE);

serverTest("an admission without answers is verified, and exposed all the same", async (server) => {
  const published = newPool(["algal:t2"]);
  const wider = { ...newPool(), poolKey: published.poolKey };
  const { envelope } = await mintUnder(server, wider, { answers: ["none", "none"] });
  const { id, report } = await keep(server, envelope);
  assert.equal(report.outcome, "verified");
  await publish(server, fileOf(published));
  const after = await resultOf(server, id);
  assert.equal(after.report.outcome, "invalid");
  assert.equal(after.report.reason?.code, "policy-cell-not-in-pool");
  assert.ok(after.report.observations.includes("exposed"));
  assert.equal(await badgeOf(server, id), "invalid · pool contradicts");
  assert.deepEqual(after.history.map(({ from, to }) => [from, to]), [["verified", "invalid"]]);
  assert.equal((await tallyOf(server, published.poolKey)).exposed, 1);
}, FILE);

serverTest("what is no pool is refused with the reason, and not quoted", async (server) => {
  const good = fileOf(newPool());
  const cell = good.cells[0]!;
  const secret = "secret-label-of-somebody-1";
  const withCells = (cells: unknown[]) => ({
    ...good,
    cells,
    poolKey: poolKeyOf("touchstone", cells as typeof good.cells),
  });
  const refused: [unknown, string, string][] = [
    [{ ...good, poolKey: "0".repeat(64) }, "pool-key-mismatch", "poolKey"],
    [{ ...good, cells: [{ ...cell, label: secret }] }, "pool-key-mismatch", "poolKey"],
    [withCells([{ ...cell, label: "too-short-secret" }]), "label-malformed", "cells[0].label"],
    [withCells([cell, cell]), "pool-cell-duplicate", "cells[1]"],
    [withCells([{ ...cell, tier: 99 }]), "cell-unknown", "cells[0]"],
    [withCells(Array(257).fill(cell)), "pool-malformed", ""],
    [withCells([]), "pool-malformed", ""],
    [{ ...good, suite: "nosuch" }, "pool-suite-unknown", "suite"],
    [{ ...good, protocol: "clankdar-holdout-v2" }, "protocol-unknown", "protocol"],
    [[good], "pool-malformed", ""],
    [null, "pool-malformed", ""],
    [{ pool: { ...good, poolKey: "0".repeat(64) } }, "pool-key-mismatch", "pool.poolKey"],
    [{ pool: good, "disclosure-secret": {} }, "pool-malformed", ""],
    [{ ...good, disclosure: { publicKey: "secret" } }, "pool-malformed", ""],
  ];
  for (const [body, code, path] of refused) {
    for (const query of ["", "?confirm=publish"]) {
      const answer = await server.fetch(`/api/pools${query}`, post(JSON.stringify(body)));
      const value = await problem(answer, 422, "pool-invalid");
      assert.equal(value.reason?.code, code);
      assert.equal(value.reason?.path, path);
      assert.ok(!JSON.stringify(value).includes("secret"));
    }
  }
  const send = (body: BodyInit, type = "application/json") =>
    server.fetch("/api/pools", { method: "POST", body, headers: { "content-type": type } });
  await problem(await send("{"), 400, "document-not-json");
  await problem(await send(new Uint8Array([0x22, 0xff, 0x22])), 400, "document-not-utf8");
  await problem(await send("[".repeat(100) + "]".repeat(100)), 400, "document-too-deep");
  await problem(await send(" ".repeat(64 * 1024) + "1"), 413, "pool-too-large");
  await problem(await send(JSON.stringify(good), "text/plain"), 415, "content-type-unsupported");
  const queries = [
    "confirm=yes",
    "confirm=",
    "confirm=publish&confirm=no",
    "confirm=publish&confirm=publish",
    "confirm=publish&dryRun=true",
    "comfirm=publish",
  ];
  for (const query of queries) {
    const answer = await server.fetch(`/api/pools?${query}`, post(good));
    await problem(answer, 400, "query-malformed");
  }
  assert.deepEqual(
    poolPageSchema.parse(await (await server.fetch("/api/pools")).json()).items,
    [],
  );
  assert.deepEqual(server.logs, []);
}, FILE);

serverTest(
  "members that a pool doesn't have are dropped; the file is canonical",
  async (server) => {
    const pool = newPool();
    const { protocol, suite, poolKey, cells } = fileOf(pool);
    const odd = {
      note: "x",
      cells: cells.map((cell) => ({ x: 1, ...cell })),
      suite,
      protocol,
      poolKey,
    };
    await publish(server, odd);
    const answer = await server.fetch(`/api/pools/${poolKey}`);
    assert.equal(answer.headers.get("content-type"), "application/json");
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    const text = await answer.text();
    const canonical = `{"cells":[${
      cells.map(({ family, label, tier }) =>
        `{"family":"${family}","label":"${label}","tier":${tier}}`
      ).join(",")
    }],"poolKey":"${poolKey}","protocol":"${protocol}","suite":"${suite}"}`;
    assert.equal(text, canonical);
    const etag = `"${createHash("sha256").update(text).digest("hex")}"`;
    assert.equal(answer.headers.get("etag"), etag);
    const unchanged = await server.fetch(`/api/pools/${poolKey}`, {
      headers: { "if-none-match": etag },
    });
    assert.equal(unchanged.status, 304);
    for (const key of ["0".repeat(64), "x", poolKey.toUpperCase()]) {
      for (const path of ["", "/results", "/upgrade"]) {
        await problem(await server.fetch(`/api/pools/${key}${path}`), 404, "pool-unknown");
      }
    }
  },
  FILE,
);

serverTest("a statement is shown beside results of its own key only", async (server) => {
  const pool = newPool();
  const [issuer, stranger] = [createKey(), createKey()];
  const own = await keep(server, (await mintUnder(server, pool, { key: issuer })).envelope);
  const foreign = await keep(
    server,
    (await mintUnder(server, pool, { key: createKey() })).envelope,
  );
  const file = fileOf(pool);
  const statement = await createDisclosure(issuer, pool.poolKey);
  const forged = { ...statement, publicKey: stranger.publicKey.text };
  const elsewhere = await createDisclosure(issuer, newPool().poolKey);
  for (const disclosure of [forged, elsewhere, { publicKey: "x", signature: "y" }, 1, {}]) {
    const answer = await server.fetch(
      "/api/pools?confirm=publish",
      post({ pool: file, disclosure }),
    );
    await problem(answer, 422, "disclosure-invalid");
  }
  await problem(await server.fetch(`/api/pools/${pool.poolKey}`), 404, "pool-unknown");

  assert.ok((await publish(server, { pool: file, disclosure: statement })).disclosure);
  // Others may state the same; it says nothing beside this issuer's results.
  const strange = await createDisclosure(stranger, pool.poolKey);
  const added = await publish(server, { pool: file, disclosure: strange });
  assert.ok(!added.created && added.disclosure);
  const [ownPool] = (await resultOf(server, own.id)).pools;
  assert.equal(ownPool?.statement?.publicKey, issuer.publicKey.text);
  assert.equal(ownPool?.statement?.signature, statement.signature);
  const [foreignPool] = (await resultOf(server, foreign.id)).pools;
  assert.equal(foreignPool?.statement, null);

  const ownPage = await (await server.fetch(`/r/${own.id}`)).text();
  assert.ok(ownPage.includes("Signed with this key that it disclosed pool"));
  const foreignPage = await (await server.fetch(`/r/${foreign.id}`)).text();
  assert.ok(!foreignPage.includes("Signed with this key"));
  const poolPage = await (await server.fetch(`/pools/${pool.poolKey}`)).text();
  assert.equal(poolPage.split("signed that it disclosed this pool").length - 1, 1);
  assert.ok(!poolPage.includes(stranger.publicKey.text));
}, FILE);

serverTest("public pools are listed, page by page", async (server) => {
  const keys: string[] = [];
  for (let n = 0; n < 3; n++) {
    const pool = newPool();
    keys.unshift(pool.poolKey);
    await publish(server, fileOf(pool));
  }
  const listed: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 3; page++) {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const read = poolPageSchema.parse(
      await (await server.fetch(`/api/pools?limit=1${query}`)).json(),
    );
    listed.push(...read.items.map(({ poolKey }) => poolKey));
    cursor = read.cursor;
  }
  assert.deepEqual(listed.toSorted(), keys.toSorted());
  await problem(await server.fetch("/api/pools?cursor=x"), 400, "cursor-malformed");
}, FILE);

serverTest("the results under a pool, with pool and tally", async (server) => {
  const pool = newPool();
  const { id } = await keep(server, (await mintUnder(server, pool)).envelope);
  await keep(server, (await mintUnder(server, newPool())).envelope);
  await publish(server, fileOf(pool));
  await tallyOf(server, pool.poolKey);
  const answer = await server.fetch(`/api/pools/${pool.poolKey}/results`);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const read = poolResultsSchema.parse(await answer.json());
  assert.deepEqual(read.items.map((row) => [row.id, row.state === "current" && row.outcome]), [
    [id, "verified"],
  ]);
  assert.equal(read.cursor, null);
  assert.equal(read.pool.poolKey, pool.poolKey);
  assert.deepEqual(read.pool.cells, [
    { cell: "algal:t2", mixZero: false },
    { cell: "algal:t3", mixZero: false },
  ]);
  assert.equal(read.upgrade?.done, true);
}, FILE);

serverTest("an inline pool changes nothing that is stored, cached or tagged", async (server) => {
  const pool = newPool();
  const { envelope } = await mintUnder(server, pool);
  const { id } = await keep(server, envelope);
  const before = await server.fetch(`/api/results/${id}`);
  const tag = before.headers.get("etag");
  await before.body?.cancel();
  const bundle = { documents: [envelope], pools: [fileOf(pool)] };
  const inline = await server.fetch("/api/verify", post(bundle));
  assert.equal((await inline.clone().json()).results[0].outcome, "verified");
  assert.equal(inline.headers.get("etag"), null);
  assert.equal(inline.headers.get("cache-control"), "no-store");
  await inline.body?.cancel();
  const after = await server.fetch(`/api/results/${id}`);
  assert.equal(after.headers.get("etag"), tag);
  assert.equal((await after.json()).report.outcome, "issuer-claimed");
  assert.equal(await badgeOf(server, id), "2/2 passed · 2 unreplayed · unknown issuer");
  await problem(await server.fetch(`/api/pools/${pool.poolKey}`), 404, "pool-unknown");

  // A public pool is known to checks that store nothing, too.
  await publish(server, fileOf(pool));
  const without = await server.fetch("/api/verify", post([envelope, envelope]));
  const { results } = await without.json();
  assert.deepEqual(
    results.map(({ outcome }: { outcome: string }) => outcome),
    ["verified", "verified"],
  );
}, FILE);

serverTest("a check without storing tells when the pool became public", async (server) => {
  const pool = newPool();
  const document = JSON.stringify((await mintUnder(server, pool)).envelope);
  const check = async (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return await (await server.fetch("/verify", { method: "POST", body: form })).text();
  };
  const firstSeen = "Pool first seen by this service";
  const link = `href="/pools/${pool.poolKey}"`;
  const claimed = await check({ document });
  assert.ok(claimed.includes("this service doesn&#39;t have, so it can&#39;t tell"));
  assert.ok(claimed.includes('href="/pools#hides"') && !claimed.includes(firstSeen));
  // A pool that came along is no public one.
  const along = await check({ document, pool: JSON.stringify(fileOf(pool)) });
  assert.ok(along.includes("Pool (disclosed)"));
  assert.ok(!along.includes(firstSeen) && !along.includes(link));

  const { pool: { firstSeen: at } } = await publish(server, fileOf(pool));
  // Decided before the pool was public, and after it.
  const late = JSON.stringify((await mintUnder(server, pool)).envelope);
  for (const one of [document, `[${document},${late}]`]) {
    const page = await check({ document: one });
    const count = one === document ? 1 : 2;
    assert.equal(page.split(firstSeen).length - 1, count);
    assert.equal(page.split(link).length - 1, count);
    assert.ok(page.includes(at));
  }
}, FILE);

serverTest("the form: dry run, then confirmation, then the pool's page", async (server) => {
  const pool = newPool();
  const key = createKey();
  const { id } = await keep(server, (await mintUnder(server, pool, { key })).envelope);
  const wrong = await keep(server, (await mintContradicting(server, pool, { key })).envelope);
  const text = JSON.stringify(fileOf(pool), null, 2);
  const disclosure = JSON.stringify(await createDisclosure(key, pool.poolKey));
  const empty = await (await server.fetch("/pools")).text();
  assert.ok(empty.includes("None so far") && empty.includes("32-bit constant"));
  const uploads: Record<string, string | File>[] = [
    { pool: text, disclosure },
    { poolFile: new File([text], "pool.json"), disclosure },
    { pool: `{"pool":${text},"disclosure":${disclosure}}` },
  ];
  for (const fields of uploads) {
    const answer = await submit(server, { ...fields, action: "preview" });
    assert.equal(answer.status, 200);
    const page = await answer.text();
    assert.ok(page.includes("Dry run") && page.includes("permanent and public"));
    assert.ok(page.includes(`href="/r/${id}"`) && page.includes(`href="/r/${wrong.id}"`));
    assert.ok(page.includes(key.publicKey.text));
    assert.equal((await server.fetch(`/pools/${pool.poolKey}`)).status, 404);
  }
  const done = await submit(server, { pool: text, disclosure, action: "publish" });
  assert.equal(done.status, 303);
  assert.equal(done.headers.get("location"), `/pools/${pool.poolKey}`);
  await tallyOf(server, pool.poolKey);
  const page = await (await server.fetch(`/pools/${pool.poolKey}`)).text();
  for (
    const part of [
      pool.poolKey,
      pool.cells[0]!.label,
      "32-bit constant",
      "label-mix-zero",
      `src="/badge/${id}.svg"`,
      "signed that it disclosed this pool",
      "the disclosed pool contradicts the admission",
      "First seen by this service",
    ]
  ) assert.ok(page.includes(part), part);
  assert.ok(!page.includes("http-equiv"), "nothing is under way any more");
  const exposed = await (await server.fetch(`/r/${wrong.id}`)).text();
  for (
    const part of [
      "the disclosed pool contradicts the admission",
      "What was claimed before",
      "issuer-claimed",
      "Pool first seen by this service",
      "prompt-mismatch",
      `href="/pools/${pool.poolKey}"`,
    ]
  ) assert.ok(exposed.includes(part), part);
  const list = await (await server.fetch("/pools")).text();
  assert.ok(list.includes(`href="/pools/${pool.poolKey}"`));
  assert.ok((await (await server.fetch("/")).text()).includes('href="/pools"'));
}, FILE);

serverTest(
  "a form that can't be used is answered with the problem, without the pool",
  async (server) => {
    const pool = fileOf(newPool());
    const label = pool.cells[0]!.label;
    const cases: [Record<string, string | File>, number][] = [
      [{ action: "publish" }, 400],
      [{ pool: "{" }, 400],
      [{ pool: JSON.stringify({ ...pool, poolKey: "0".repeat(64) }), action: "publish" }, 422],
      [{ pool: JSON.stringify(pool), disclosure: "x", action: "publish" }, 422],
      [{ pool: JSON.stringify(pool), poolFile: new File(["x"], "x") }, 400],
      [{ pool: " ".repeat(70_000) + "{}" }, 413],
    ];
    for (const [fields, status] of cases) {
      const answer = await submit(server, fields);
      assert.equal(answer.status, status);
      assert.ok(!(await answer.text()).includes(label));
    }
    for (const actions of [["preview", "publish"], ["publish", "publish"]]) {
      const form = new FormData();
      form.set("pool", JSON.stringify(pool));
      for (const action of actions) form.append("action", action);
      const answer = await server.fetch("/pools", { method: "POST", body: form });
      assert.equal(answer.status, 400);
      assert.ok((await answer.text()).includes("given twice"));
    }
    assert.equal((await server.fetch(`/api/pools/${pool.poolKey}`)).status, 404);
  },
  FILE,
);

serverTest("a full store: 507 and 429, with clear words", async (server) => {
  const pool = newPool();
  const { envelope } = await mintUnder(server, pool);
  const first = await keep(server, envelope);
  const second = await mintUnder(server, pool);
  const limited = await server.fetch("/api/results", post(second.envelope));
  assert.match(limited.headers.get("retry-after") ?? "", /^[1-9]\d{0,3}$/);
  await problem(limited, 429, "quota-rate");
  // What is stored already takes nothing.
  assert.equal((await keep(server, envelope)).id, first.id);
  await problem(
    await server.fetch("/api/pools?confirm=publish", post(fileOf(pool))),
    429,
    "quota-rate",
  );
}, { ...FILE, store: { quotas: { bytes: null, documentsPerHour: 1 } } });

serverTest("a store of no more bytes", async (server) => {
  const pool = newPool();
  const { envelope } = await mintUnder(server, pool);
  await problem(await server.fetch("/api/results", post(envelope)), 507, "quota-bytes");
  await problem(
    await server.fetch("/api/pools?confirm=publish", post(fileOf(pool))),
    507,
    "quota-bytes",
  );
  assert.equal((await server.fetch("/")).status, 200, "the start page does without its samples");
  assert.equal((await server.fetch("/api/verify", post(envelope))).status, 200);
}, { ...FILE, store: { quotas: { bytes: 100, documentsPerHour: null } } });
