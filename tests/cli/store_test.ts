import { inLineChecker } from "../../service/checker.ts";
import assert from "node:assert/strict";
import { run } from "../../cli/store.ts";
import { UsageError } from "../../cli/usage.ts";
import { ConfigError } from "../../service/config.ts";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { mintAdmission } from "../../lib/issuer/mint.ts";
import { createPool } from "../../lib/issuer/pool.ts";
import { createStore } from "../../lib/store/create.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { memoryIo } from "../support/io.ts";

const verifier = createVerifyContext("auto");

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the command on a database file. */
async function store(path: string, args: string[], stdin = "", more: Record<string, string> = {}) {
  const io = memoryIo(stdin);
  const environment: Record<string, string> = { KV_PATH: path, ...more };
  const status = await run(args, io, (name) => environment[name]);
  return { status, out: io.written, err: io.errors };
}

/** A database with an upgraded result, an exposed one, a claimed one; ids in this order. */
async function fill(path: string): Promise<string[]> {
  const kv = await Deno.openKv(path);
  try {
    const stored = createStore(kv, inLineChecker(verifier));
    const pool = createPool("touchstone", ["algal:t2"]);
    const other = createPool("touchstone", ["algal:t2"]);
    const ids: string[] = [];
    for (const used of [pool, { ...other, poolKey: pool.poolKey }, other]) {
      const { envelope } = await mintAdmission({
        references: verifier.references,
        cells: ["h:algal:t2"],
        answers: ["right"],
        minPass: 1,
        pool: used,
      });
      const kept = await stored.keep(envelope);
      assert.ok(kept.ok);
      ids.push(kept.id);
    }
    await stored.publishPool(pool);
    assert.equal((await stored.runUpgrade(pool.poolKey)).ended, "done");
    return ids;
  } finally {
    kv.close();
  }
}

async function outcomesOf(path: string, ids: readonly string[]): Promise<(string | null)[]> {
  const kv = await Deno.openKv(path);
  try {
    const stored = createStore(kv, inLineChecker(verifier));
    return await Promise.all(ids.map(async (id) => {
      const read = await stored.result(id);
      return read.state === "current" ? read.result.outcome : null;
    }));
  } finally {
    kv.close();
  }
}

/** Records of a complete export, without the cursors, which belong to one store. */
function records(text: string): Record<string, unknown>[] {
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.pop(), { end: true, lines: lines.length });
  return lines.map(({ record }) => record);
}

Deno.test("export and import: nothing is lost, histories say that they are imported", async () => {
  await inFolder(async (folder) => {
    const [from, to] = [`${folder}/from.kv`, `${folder}/to.kv`];
    const ids = await fill(from);
    const exported = await store(from, ["export"]);
    assert.equal(exported.status, 0, exported.err);
    await Deno.writeTextFile(`${folder}/all.jsonl`, exported.out);

    const imported = await store(to, ["import", `${folder}/all.jsonl`]);
    assert.equal(imported.status, 0, imported.err);
    const sums = JSON.parse(imported.out);
    assert.equal(sums.refused, 0);
    assert.equal(sums.lines, records(exported.out).length, "the end isn't counted");
    assert.equal(sums.created + sums.known, sums.lines);
    assert.deepEqual(await outcomesOf(to, ids), ["verified", "invalid", "issuer-claimed"]);
    const again = await store(to, ["import", "-"], exported.out);
    assert.equal(JSON.parse(again.out).created, 0);

    const back = await store(to, ["export"]);
    assert.equal(records(back.out).length, records(exported.out).length);
    const history = (text: string) =>
      records(text).flatMap((record) =>
        record.type === "document" ? record.history as { to: string; imported: boolean }[] : []
      );
    assert.deepEqual(
      history(back.out).map(({ to }) => to).toSorted(),
      history(exported.out).map(({ to }) => to).toSorted(),
    );
    assert.ok(history(back.out).every(({ imported }) => imported));
  });
});

Deno.test("an export that was cut short goes on where it stopped", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/a.kv`;
    await fill(path);
    const whole = (await store(path, ["export"])).out;
    const lines = whole.trimEnd().split("\n");
    assert.ok(lines.length >= 4);
    const file = `${folder}/out.jsonl`;
    const end = lines.at(-1)!.length + 1;
    const behind = lines[0]!.length + 1;
    // The last two: all records without the end, and a piece of the end.
    for (const cut of [0, 10, behind, behind + 20, whole.length - end, whole.length - end + 5]) {
      await Deno.writeTextFile(file, whole.slice(0, cut));
      const { status, err } = await store(path, ["export", "--out", file]);
      assert.equal(status, 0, err);
      assert.equal(await Deno.readTextFile(file), whole, `cut at ${cut}`);
    }
    const { after } = JSON.parse(lines[1]!);
    const rest = await store(path, ["export", "--after", after]);
    const left = lines.slice(2, -1);
    const marker = JSON.stringify({ end: true, lines: left.length });
    assert.equal(rest.out, `${[...left, marker].join("\n")}\n`);
    const bad = await store(path, ["export", "--after", "nonsense"]);
    assert.equal(bad.status, 3);
    assert.match(bad.err, /cursor-malformed/);
    await Deno.writeTextFile(file, "something else\n");
    await assert.rejects(store(path, ["export", "--out", file]), UsageError);
    assert.equal(await Deno.readTextFile(file), "something else\n");
  });
});

Deno.test("a complete export isn't gone on with: what is new would be missed", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/a.kv`;
    await fill(path);
    const file = `${folder}/out.jsonl`;
    assert.equal((await store(path, ["export", "--out", file])).status, 0);
    const before = await Deno.readTextFile(file);
    await fill(path);
    for (const text of [before, before.trimEnd()]) {
      await Deno.writeTextFile(file, text);
      await assert.rejects(
        store(path, ["export", "--out", file]),
        (error) =>
          error instanceof UsageError &&
          /complete export, and --out only goes on with an interrupted/.test(error.message),
      );
      assert.equal(await Deno.readTextFile(file), text);
    }
    const help = await store("x", ["export", "--help"]);
    assert.match(help.out, /interrupted/);
  });
});

Deno.test("a folder can't be imported, a line too long is refused as such", async () => {
  await inFolder(async (folder) => {
    await assert.rejects(
      store(":memory:", ["import", folder]),
      (error) => error instanceof UsageError && /is a folder/.test(error.message),
    );
    const ids = await fill(`${folder}/from.kv`);
    const { out: whole } = await store(`${folder}/from.kv`, ["export"]);
    const long = "x".repeat(8 * 1024 * 1024 + 1);
    const text = `${long}\n${whole}${long}${long}`;
    const file = `${folder}/all.jsonl`;
    await Deno.writeTextFile(file, text);
    const lines = records(whole).length;
    for (const [path, stdin] of [[file, ""], ["-", text]] as const) {
      const to = `${folder}/${path === "-" ? "stdin" : "file"}.kv`;
      const { status, out, err } = await store(to, ["import", path], stdin);
      assert.equal(status, 1);
      const numbers = [...err.matchAll(/^line (\d+): line-too-long: /gm)].map(([, n]) => Number(n));
      assert.deepEqual(numbers, [1, lines + 3]);
      const sums = JSON.parse(out);
      assert.deepEqual([sums.lines, sums.created, sums.refused], [lines + 2, lines, 2]);
      assert.deepEqual(await outcomesOf(to, ids), ["verified", "invalid", "issuer-claimed"]);
    }
    // Nor is it taken for an export that was cut short.
    await Deno.writeTextFile(file, long);
    await assert.rejects(store(`${folder}/from.kv`, ["export", "--out", file]), UsageError);
    assert.equal((await Deno.stat(file)).size, long.length);
  });
});

Deno.test("lines that don't hold are refused one by one, with their numbers", async () => {
  await inFolder(async (folder) => {
    const ids = await fill(`${folder}/from.kv`);
    const lines = (await store(`${folder}/from.kv`, ["export"])).out.trimEnd().split("\n");
    const forged = lines.map((line) => {
      const { record, after } = JSON.parse(line);
      if (record?.id !== ids[0]) return line;
      return JSON.stringify({ after, record: { ...record, id: "0".repeat(64) } });
    });
    const text = ["{", ...forged, "[]", '{"record":{"type":"nosuch"}}', ""].join("\n");
    const { status, err, out } = await store(`${folder}/to.kv`, ["import", "-"], text);
    assert.equal(status, 1);
    assert.match(err, /^line 1: record-malformed: /m);
    assert.match(err, /: hash-mismatch: /);
    assert.equal(JSON.parse(out).refused, 4);
    assert.deepEqual((await outcomesOf(`${folder}/to.kv`, ids)).slice(1), [
      "invalid",
      "issuer-claimed",
    ]);
    assert.deepEqual((await outcomesOf(`${folder}/to.kv`, ids)).slice(0, 1), [null]);

    const skipped = await store(`${folder}/to.kv`, ["import", "-", "--from", "2"], text);
    assert.ok(!skipped.err.includes("line 1:"));
    const full = await store(`${folder}/full.kv`, ["import", "-"], text, { QUOTA_BYTES: "1" });
    assert.equal(full.status, 1);
    assert.match(full.err, /quota-bytes.*\nGo on with --from \d+\n/);
  });
});

Deno.test("stats, gc and delete", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/a.kv`;
    const ids = await fill(path);
    const stats = JSON.parse((await store(path, ["stats", "--json"])).out);
    assert.equal(stats.documents, 3);
    assert.deepEqual(stats.outcomes, { verified: 1, "issuer-claimed": 1, invalid: 1 });
    const shown = (await store(path, ["stats"])).out;
    assert.match(shown, /^documents +3$/m);
    assert.match(shown, /^pending upgrades +0$/m);

    const removed = await store(path, ["delete", ids[0]!]);
    assert.deepEqual([removed.status, removed.out], [0, `${ids[0]} removed\n`]);
    assert.equal((await store(path, ["delete", ids[0]!])).status, 1);
    assert.deepEqual(await outcomesOf(path, ids), [null, "invalid", "issuer-claimed"]);

    const collected = JSON.parse((await store(path, ["gc"])).out);
    assert.equal(collected.documents, 0);
    const swept = await store(path, ["gc"], "", { RETENTION_DAYS: "3" });
    assert.equal(JSON.parse(swept.out).documents, 0, "they were asked for today");
    assert.deepEqual(await outcomesOf(path, ids), [null, "invalid", "issuer-claimed"]);
  });
});

Deno.test("arguments, help, and a database that can't be used", async () => {
  const help = await store("x", ["--help"]);
  assert.match(help.out, /Usage: deno task store /);
  for (const name of ["export", "import", "stats", "gc", "delete"]) {
    assert.ok(help.out.includes(`store ${name}`));
    assert.match((await store("x", [name, "--help"])).out, new RegExp(`deno task store ${name}`));
  }
  const bad = [
    [],
    ["nosuch"],
    ["__proto__"],
    ["stats", "x"],
    ["import"],
    ["import", "a", "b"],
    ["import", "-", "--from", "0"],
    ["delete"],
    ["delete", "x"],
    ["export", "--out", "a", "--after", "b"],
  ];
  for (const args of bad) {
    await assert.rejects(store(":memory:", args), UsageError, args.join(" "));
  }
  await inFolder(async (folder) => {
    await assert.rejects(store(folder, ["stats"]), ConfigError);
    await assert.rejects(store(":memory:", ["import", `${folder}/none`]), UsageError);
  });
  await assert.rejects(
    store("", ["stats"], "", { KV_URL: "http://127.0.0.1:9/", DENO_KV_ACCESS_TOKEN: "t" }),
    (error) => error instanceof ConfigError && /KV_URL/.test(error.message),
  );
});

Deno.test("delete-pool takes what no document names, delete-link what is known of a URL", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/x.kv`;
    await fill(path);
    const unused = createPool("touchstone", ["algal:t2"]);
    const kv = await Deno.openKv(path);
    const url = "https://files.example/receipt.json?token=secret";
    let named: string | undefined;
    try {
      const stored = createStore(kv, inLineChecker(verifier));
      named = (await stored.pools()).items[0]!.poolKey;
      await stored.publishPool(unused);
      await kv.set(["link", sha256Hex(url)], { url: "", lookedAt: 0 });
    } finally {
      kv.close();
    }
    // Other processes would have to notice first, which takes some seconds; here there are none.
    const gone = await store(path, ["delete-pool", "--unused"]);
    assert.deepEqual([gone.status, gone.out], [0, `${unused.poolKey} removed\n`]);
    const stays = await store(path, ["delete-pool", named, unused.poolKey]);
    assert.equal(stays.status, 1);
    assert.equal(
      stays.out,
      `${named} stays: a document names it\n${unused.poolKey} is not here\n`,
    );
    const link = await store(path, ["delete-link", url]);
    assert.deepEqual([link.status, link.out], [
      0,
      "https://files.example/receipt.json?… removed\n",
    ]);
    assert.equal((await store(path, ["delete-link", url])).status, 1);
    for (
      const args of [["delete-pool"], ["delete-pool", "x"], ["delete-pool", "--unused", named]]
    ) {
      await assert.rejects(store(path, args), UsageError);
    }
    for (const bad of [[], ["x"], ["https://localhost/"]]) {
      await assert.rejects(store(path, ["delete-link", ...bad]), UsageError);
    }
    const { out } = await store(path, ["stats"]);
    for (const part of ["documents", "pools", "links", "drawings"]) {
      assert.match(out, new RegExp(`^${part} +[0-9]+$`, "m"));
      assert.match(out, new RegExp(`^bytes: ${part} +[0-9]+$`, "m"));
    }
  });
});
