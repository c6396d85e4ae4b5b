import assert from "node:assert/strict";
import { run as runIssuer } from "../../cli/issuer.ts";
import { run } from "../../cli/pool.ts";
import { UsageError } from "../../cli/usage.ts";
import { createKey, toJwk } from "../../lib/issuer/keys.ts";
import { createDisclosure } from "../../lib/issuer/disclosure.ts";
import { verifyDisclosure } from "../../lib/protocol/disclosure.ts";
import {
  fileOf,
  keep,
  mintContradicting,
  mintUnder,
  newPool,
  resultOf,
} from "../support/disclosure.ts";
import { serverTest } from "../support/server.ts";
import { memoryIo } from "../support/io.ts";

async function pool(args: string[]) {
  const io = memoryIo();
  const status = await run(args, io);
  return { status, out: io.written, err: io.errors };
}

async function withFiles(
  files: Record<string, unknown>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, value] of Object.entries(files)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

serverTest("pool publish: a dry run, then for good, with a statement", async (server) => {
  const secret = newPool();
  const key = createKey();
  const sound = await keep(server, (await mintUnder(server, secret, { key })).envelope);
  await keep(server, (await mintContradicting(server, secret, { key })).envelope);
  const files = { "pool.json": fileOf(secret), "key.json": toJwk(key) };
  await withFiles(files, async (folder) => {
    const args = ["publish", `${folder}/pool.json`, "--server", `${server.url}/`];
    const plan = await pool(args);
    assert.equal(plan.status, 0, plan.err);
    assert.match(plan.out, /upgraded +1\nexposed +1\n/);
    assert.match(plan.out, /Nothing was kept.*permanent and public/);
    assert.equal((await resultOf(server, sound.id)).report.outcome, "issuer-claimed");

    const done = await pool([...args, "--confirm", "--key", `${folder}/key.json`]);
    assert.equal(done.status, 0, done.err);
    assert.match(done.out, /from now on: .*\nupgraded +1\nexposed +1\nunchanged +0\n$/);
    const after = await resultOf(server, sound.id);
    assert.equal(after.report.outcome, "verified");
    assert.equal(after.pools[0]?.statement?.publicKey, key.publicKey.text);
    assert.match((await pool(args)).out, /already/);
    assert.match((await pool([...args, "--confirm"])).out, /already/);
  });
}, { file: true });

Deno.test("pool publish: what can't be used", async () => {
  const good = fileOf(newPool());
  const files = {
    "pool.json": good,
    "wrong.json": { ...good, poolKey: "0".repeat(64) },
    "none.json": "{",
    "key.json": { kty: "OKP" },
  };
  await withFiles(files, async (folder) => {
    const path = (name: string) => `${folder}/${name}`;
    const wrong = await pool(["publish", path("wrong.json")]);
    assert.equal(wrong.status, 3);
    assert.match(wrong.err, /pool-key-mismatch/);
    const key = await pool(["publish", path("pool.json"), "--key", path("key.json")]);
    assert.equal(key.status, 3);
    assert.match(key.err, /key-malformed/);
    const away = await pool(["publish", path("pool.json"), "--server", "http://127.0.0.1:1"]);
    assert.equal(away.status, 3);
    assert.match(away.err, /server-unusable/);
    assert.ok(!away.err.includes(good.cells[0]!.label));
    for (
      const args of [
        [],
        ["publish"],
        ["unpublish", path("pool.json")],
        ["publish", path("none.json")],
        ["publish", path("missing.json")],
        ["publish", path("pool.json"), "--server", "ftp://x"],
        ["publish", path("pool.json"), "x"],
      ]
    ) await assert.rejects(pool(args), UsageError, args.join(" "));
  });
  assert.match((await pool(["--help"])).out, /Usage: deno task pool publish/);
});

Deno.test("issuer pool disclose signs the statement", async () => {
  const secret = newPool();
  const key = createKey();
  const files = { "pool.json": fileOf(secret), "key.json": toJwk(key) };
  await withFiles(files, async (folder) => {
    const args = ["pool", "disclose", `${folder}/pool.json`, "--key", `${folder}/key.json`];
    const io = memoryIo();
    assert.equal(await runIssuer(args, io), 0);
    const { pool, disclosure } = JSON.parse(io.written);
    assert.deepEqual(pool, fileOf(secret));
    assert.deepEqual(disclosure, await createDisclosure(key, secret.poolKey));
    assert.ok(await verifyDisclosure(secret.poolKey, disclosure));
    assert.equal(await verifyDisclosure(newPool().poolKey, disclosure), null);
    const written = memoryIo();
    assert.equal(await runIssuer([...args, "--out", `${folder}/out.json`], written), 0);
    assert.ok(!written.written.includes(secret.cells[0]!.label));
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${folder}/out.json`)), {
      pool,
      disclosure,
    });
    await assert.rejects(runIssuer(["pool", "disclose", `${folder}/pool.json`], memoryIo()));
  });
});
