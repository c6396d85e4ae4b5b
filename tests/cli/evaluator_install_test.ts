/** `evaluator:install` against a server on loopback, with stand-in pins. */
import assert from "node:assert/strict";
import { run } from "../../cli/evaluator_install.ts";
import { UsageError } from "../../cli/usage.ts";
import { sha256Hex } from "../../lib/encoding/digest.ts";
import { officialModule } from "../../wasm/load.ts";
import { standIn } from "../support/evaluator_standin.ts";

const MODULE = standIn();
const PIN = sha256Hex(MODULE);

interface Bench {
  folder: string;
  target: string;
  address: string;
  /** Runs the command; gives status and everything it wrote. */
  install(args: string[], timeoutMs?: number): Promise<{ status: number; text: string }>;
}

async function withBench(use: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const target = `${folder}/data/evaluator/official.wasm`;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    switch (new URL(request.url).pathname) {
      case "/good.wasm":
        return new Response(MODULE);
      case "/moved":
        return Response.redirect(new URL("/good.wasm", request.url));
      case "/wrong.wasm":
        return new Response(standIn({ pages: 9 }));
      case "/endless": {
        const chunk = new Uint8Array(65_536);
        return new Response(
          new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }),
        );
      }
      case "/slow":
        return new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(8)) }));
      default:
        return new Response("no", { status: 404 });
    }
  });
  const address = `http://127.0.0.1:${server.addr.port}`;
  try {
    await use({
      folder,
      target,
      address,
      async install(args, timeoutMs = 5_000) {
        let text = "";
        const write = (part: string) => void (text += part);
        const io = {
          out: write,
          err: write,
          stdin: () => Promise.resolve(new Uint8Array()),
          terminal: false,
        };
        const options = { pin: PIN, defaultUrl: `${address}/good.wasm`, target, timeoutMs };
        return { status: await run(args, io, options), text };
      },
    });
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (entry.isDirectory) names.push(...await filesBelow(`${folder}/${entry.name}`));
    else names.push(entry.name);
  }
  return names;
}

Deno.test("installs from the default address, and knows that it has", async () => {
  await withBench(async ({ folder, target, install }) => {
    assert.equal(await officialModule(target), null);
    const first = await install([]);
    assert.equal(first.status, 0, first.text);
    assert.deepEqual(await officialModule(target), MODULE);
    const second = await install([]);
    assert.equal(second.status, 0);
    assert.match(second.text, /already installed/);
    assert.deepEqual(await filesBelow(folder), ["official.wasm"]);
  });
});

Deno.test("installs from a given address, over redirects, and from a file", async () => {
  await withBench(async ({ address, target, install }) => {
    assert.equal((await install([`${address}/moved`])).status, 0);
    assert.deepEqual(await officialModule(target), MODULE);
  });
  await withBench(async ({ folder, target, install }) => {
    await Deno.writeFile(`${folder}/copy.wasm`, MODULE);
    assert.equal((await install([`${folder}/copy.wasm`])).status, 0);
    assert.deepEqual(await officialModule(target), MODULE);
  });
});

Deno.test("a module with another hash is refused and nothing is written", async () => {
  await withBench(async ({ folder, address, install }) => {
    const { status, text } = await install([`${address}/wrong.wasm`]);
    assert.equal(status, 2);
    assert.ok(text.includes(PIN) && text.includes(sha256Hex(standIn({ pages: 9 }))), text);
    assert.deepEqual(await filesBelow(folder), []);
  });
});

Deno.test("a corrupt installed module is replaced, and kept when the new one is wrong", async () => {
  await withBench(async ({ address, target, install }) => {
    await Deno.mkdir(target.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(target, "junk");
    assert.equal((await install([`${address}/wrong.wasm`])).status, 2);
    assert.equal(await Deno.readTextFile(target), "junk");
    assert.equal((await install([])).status, 0);
    assert.deepEqual(await officialModule(target), MODULE);
  });
});

Deno.test("sources that fail, are too large or too slow leave nothing behind", async () => {
  await withBench(async ({ folder, address, install }) => {
    for (const path of ["/absent", "/endless"]) {
      const { status, text } = await install([address + path]);
      assert.equal(status, 3, text);
    }
    const slow = await install([`${address}/slow`], 200);
    assert.equal(slow.status, 3);
    assert.match(slow.text, /longer than 200 ms/);
    assert.equal((await install(["http://127.0.0.1:1/x"])).status, 3);
    assert.equal((await install([`${folder}/absent.wasm`])).status, 3);
    assert.deepEqual(await filesBelow(folder), []);
  });
});

Deno.test("arguments that can't be used are usage errors; help is help", async () => {
  await withBench(async ({ install }) => {
    for (const args of [["ftp://127.0.0.1/x"], ["file:///x"], ["a", "b"], ["--force"]]) {
      await assert.rejects(install(args), UsageError, args.join(" "));
    }
    const help = await install(["--help"]);
    assert.equal(help.status, 0);
    assert.match(help.text, /evaluator:install/);
  });
});
