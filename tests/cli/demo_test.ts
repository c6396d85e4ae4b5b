import { inLineChecker } from "../../service/checker.ts";
import assert from "node:assert/strict";
import { run } from "../../cli/demo.ts";
import type { Io } from "../../cli/io.ts";
import { UsageError } from "../../cli/usage.ts";
import { readPool } from "../../lib/protocol/pool.ts";
import { verifyDocument } from "../../lib/verify/verify.ts";
import { createApp } from "../../routes/app.ts";
import { createServices } from "../../service/services.ts";
import { createVerifyContext } from "../../service/verify_context.ts";

async function demo(args: string[]): Promise<{ status: number; out: string; err: string }> {
  const ran = { status: -1, out: "", err: "" };
  const io: Io = {
    out: (text) => ran.out += text,
    err: (text) => ran.err += text,
    stdin: () => Promise.resolve(new Uint8Array()),
    terminal: false,
  };
  ran.status = await run(args, io);
  return ran;
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Serves `handler` on a free port while `test` runs. */
async function serving(
  handler: (request: Request) => Response | Promise<Response>,
  test: (url: string) => Promise<void>,
): Promise<void> {
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, handler);
  try {
    await test(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

async function checkFiles(folder: string): Promise<void> {
  const read = (name: string) => Deno.readTextFile(`${folder}/demo-${name}`);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
    "demo-admission.json",
    "demo-after.svg",
    "demo-before.svg",
    "demo-pool.json",
  ]);
  const before = await read("before.svg");
  const after = await read("after.svg");
  assert(before.startsWith("<svg") && before.includes("3/4 passed · 2 unreplayed"));
  assert(after.startsWith("<svg") && after.includes("3/4 passed"));
  assert(!after.includes("unreplayed"));

  const verifier = createVerifyContext("auto");
  const admission = JSON.parse(await read("admission.json"));
  const pool = readPool(JSON.parse(await read("pool.json")));
  assert(pool.ok);
  const without = await verifyDocument(admission, verifier);
  assert.equal(without.outcome, "issuer-claimed");
  assert.equal(without.counts?.unreplayed, 2);
  assert.equal((await verifyDocument(admission, verifier, [pool.pool])).outcome, "verified");
}

Deno.test("the demo tells its story against a server of its own", async () => {
  await inFolder(async (folder) => {
    const started = performance.now();
    const { status, out, err } = await demo(["--out", `${folder}/new/demo`]);
    assert.equal(status, 0, err);
    assert(performance.now() - started < 20_000);
    const claimed = out.indexOf("3/4 passed · 2 unreplayed · unknown issuer");
    assert(claimed > 0);
    assert(out.indexOf("3/4 passed · unknown issuer") > claimed);
    await checkFiles(`${folder}/new/demo`);
    // A second time, over the first one's files.
    assert.equal((await demo(["--out", `${folder}/new/demo`])).status, 0);
  });
});

Deno.test("the demo tells its story against a running server", async () => {
  const kv = await Deno.openKv(":memory:");
  try {
    const verifier = createVerifyContext("auto");
    const app = createApp(createServices({
      kv,
      checker: inLineChecker(verifier),
      references: verifier.references,
      publicUrl: null,
    }));
    await serving((request) => app.fetch(request), (url) =>
      inFolder(async (folder) => {
        const { status, out, err } = await demo(["--server", `${url}/`, "--out", folder]);
        assert.equal(status, 0, err);
        assert(out.includes(`POST ${url}/api/results\n`));
        await checkFiles(folder);
      }));
  } finally {
    kv.close();
  }
});

Deno.test("a server that is none, or answers otherwise, is told of and not believed", async () => {
  const answers: [() => Response, RegExp][] = [
    [() => new Response("hello"), /something else/],
    [() => Response.json({}), /something else/],
    [() => new Response("no", { status: 500 }), /answered 500/],
    [
      () =>
        Response.json({ type: "/problems/x", title: "x", status: 503, detail: "why", code: "x" }, {
          status: 503,
        }),
      /answered 503: x: why/,
    ],
  ];
  for (const [answer, pattern] of answers) {
    await serving(answer, (url) =>
      inFolder(async (folder) => {
        const { status, err } = await demo(["--server", url, "--out", folder]);
        assert.equal(status, 3);
        assert.match(err, pattern);
        assert.match(err, /server-unusable/);
      }));
  }
  await inFolder(async (folder) => {
    const { status } = await demo(["--server", "http://127.0.0.1:1", "--out", folder]);
    assert.equal(status, 3);
  });
});

Deno.test("the demo's arguments", async () => {
  assert.equal((await demo(["--help"])).status, 0);
  for (const args of [["x"], ["--server"], ["--server", "ftp://x"], ["--nope"]]) {
    await assert.rejects(demo(args), UsageError);
  }
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    await assert.rejects(demo(["--out", `${folder}/file`]), UsageError);
  });
});
