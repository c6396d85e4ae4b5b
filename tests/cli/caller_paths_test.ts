/** Every path that a command is given is the caller's, wherever the task itself runs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run as installEvaluator } from "../../cli/evaluator_install.ts";
import { run as issuer } from "../../cli/issuer.ts";
import { run as verify } from "../../cli/verify.ts";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { memoryIo } from "../support/io.ts";
import { standIn } from "../support/evaluator_standin.ts";

/** Runs in a folder as if a task had been called there; the process itself stays where it is. */
async function calledFrom(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const before = Deno.env.get("INIT_CWD");
  Deno.env.set("INIT_CWD", folder);
  try {
    await use(folder);
  } finally {
    if (before === undefined) Deno.env.delete("INIT_CWD");
    else Deno.env.set("INIT_CWD", before);
    await Deno.remove(folder, { recursive: true });
  }
}

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("a session from key to admission, with relative paths only", async () => {
  await calledFrom(async (folder) => {
    const ask = async (...args: string[]) => {
      const io = memoryIo();
      assert.equal(await issuer(args, io), 0, io.written);
      return io.written;
    };
    await ask("keys", "new", "--out", "key.json");
    await ask("pool", "new", "--cells", "algal:t1", "--out", "pool.json");
    const opened = await ask(
      ...["session", "new", "--out", "s", "--key", "key.json", "--pool", "pool.json"],
      ...["--cells", "h:algal:t1", "--challenges", "1", "--min-pass", "1"],
    );
    assert.match(opened, /^session {2}gs_/);
    // The key is found again from wherever the session is closed.
    const state = JSON.parse(Deno.readTextFileSync(join(folder, "s", "session.json")));
    assert.equal(state.keyFile, join(folder, "key.json"));
    await ask("session", "close", "s", "--out", "a.json");
    assert.deepEqual(namesIn(folder), ["a.json", "key.json", "pool.json", "s"]);

    const io = memoryIo();
    assert.equal(await verify(["--json", "a.json", "--pool", "pool.json"], io), 1);
    const [report] = JSON.parse(io.written);
    assert.equal(report.source, join(folder, "a.json"));
    assert.deepEqual(report.pools.map(({ disclosed }: { disclosed: boolean }) => disclosed), [
      true,
    ]);
  });
});

Deno.test("evaluator:install FILE is looked for in the caller's folder", async () => {
  await calledFrom(async (folder) => {
    const module = standIn();
    Deno.writeFileSync(join(folder, "copy.wasm"), module);
    const target = join(folder, "data", "official.wasm");
    const io = memoryIo();
    const status = await installEvaluator(["copy.wasm"], io, { pin: sha256Hex(module), target });
    assert.equal(status, 0, io.written);
    assert.deepEqual(Deno.readFileSync(target), Uint8Array.from(module));
    const missing = memoryIo();
    const other = { pin: "0".repeat(64), target: join(folder, "other.wasm") };
    assert.equal(await installEvaluator(["nosuch.wasm"], missing, other), 3);
  });
});
