import assert from "node:assert/strict";
import { run } from "../../cli/serve.ts";
import { VARIABLES } from "../../service/config.ts";
import { UsageError } from "../../cli/usage.ts";

function capture() {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out,
    err,
    io: {
      out: (text: string) => void out.push(text),
      err: (text: string) => void err.push(text),
      stdin: () => Promise.resolve(new Uint8Array()),
      terminal: false,
    },
  };
}

const root = new URL("../../", import.meta.url).pathname;
const ENVIRONMENT = [...VARIABLES, "NODE_ENV", "JEST_WORKER_ID"].join(",");

/** Starts the server in a process of its own, with the permissions of the task. */
async function start(environment: Record<string, string>) {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-net=127.0.0.1",
      `--allow-env=${ENVIRONMENT}`,
      "--allow-read=data",
      "--allow-write=data",
      `${root}main.ts`,
      "serve",
    ],
    env: { ...environment, NO_COLOR: "1" },
    cwd: root,
    stdin: "null",
  }).output();
  return { code, text: new TextDecoder().decode(stderr) };
}

Deno.test("the server starts, answers, makes its folder, and stops", async () => {
  const folder = await Deno.makeTempDir();
  const environment = { PORT: "0", KV_PATH: `${folder}/new/deep/x.kv` } as Record<string, string>;
  const { io, out, err } = capture();
  const stop = new AbortController();
  const running = run([], io, { signal: stop.signal, environment: (name) => environment[name] });
  while (out.length === 0 && err.length === 0) await new Promise((done) => setTimeout(done, 5));
  const url = /http:\S+/.exec(out.join(""))?.[0];
  assert.ok(url, err.join(""));
  const answer = await fetch(`${url}/healthz`);
  assert.equal((await answer.json()).status, "ok");
  stop.abort();
  assert.equal(await running, 0);
  assert.ok((await Deno.stat(`${folder}/new/deep/x.kv`)).isFile);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a database outside of what may be read is refused at start, naming the flags", async () => {
  const folder = await Deno.makeTempDir();
  const { code, text } = await start({ PORT: "0", KV_PATH: `${folder}/x.kv` });
  assert.equal(code, 1);
  assert.ok(text.includes("KV_PATH"), text);
  assert.ok(text.includes(`--allow-read=data,${folder} --allow-write=data,${folder}`), text);
  await assert.rejects(Deno.stat(`${folder}/x.kv`));
  await Deno.remove(folder, { recursive: true });
});

Deno.test("an address that may not be listened on is refused, naming the flag", async () => {
  const { code, text } = await start({ PORT: "8911", HOST: "127.0.0.9", KV_PATH: ":memory:" });
  assert.equal(code, 1);
  assert.ok(text.includes("--allow-net=127.0.0.9:8911"), text);
});

Deno.test("what keeps the server from starting is said in a line", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const busy = capture();
  const environment: Record<string, string> = {
    PORT: `${taken.addr.port}`,
    KV_PATH: ":memory:",
  };
  assert.equal(await run([], busy.io, { environment: (name) => environment[name] }), 1);
  assert.match(busy.err.join(""), /^can't listen on 127\.0\.0\.1:\d+: .*\n$/);
  taken.close();

  const malformed = capture();
  assert.equal(await run([], malformed.io, { environment: () => "x" }), 1);
  assert.match(malformed.err.join(""), /PORT: a port is a number/);

  const folder = await Deno.makeTempDir();
  const noFile = capture();
  const blocked: Record<string, string> = { PORT: "0", KV_PATH: folder };
  assert.equal(await run([], noFile.io, { environment: (name) => blocked[name] }), 1);
  assert.match(noFile.err.join(""), /^the database .* can't be opened: .*\n$/);
  await Deno.remove(folder);
});

Deno.test("a KV server that is away, or that may not be reached, is named", async () => {
  const away = { PORT: "0", KV_URL: "http://127.0.0.1:9/", DENO_KV_ACCESS_TOKEN: "secret-token" };
  const refused = await start(away);
  assert.equal(refused.code, 1);
  assert.match(refused.text, /^the KV server http:\/\/127\.0\.0\.1:9\/ \(KV_URL\) can't be opened/);
  assert.ok(!refused.text.includes("secret-token") && !refused.text.includes("    at "));
  const outside = await start({ ...away, KV_URL: "https://kv.example:4512/" });
  assert.equal(outside.code, 1);
  assert.ok(outside.text.includes("--allow-net=kv.example:4512"), outside.text);
  const without = await start({
    PORT: "0",
    KV_URL: "http://127.0.0.1:9/",
    DENO_KV_ACCESS_TOKEN: "",
  });
  assert.equal(without.code, 1);
  assert.match(without.text, /DENO_KV_ACCESS_TOKEN/);
});

Deno.test("help and arguments", async () => {
  const { io, out } = capture();
  assert.equal(await run(["--help"], io), 0);
  for (const name of VARIABLES) {
    // Deno Deploy sets this one.
    if (name !== "DENO_DEPLOYMENT_ID") assert.ok(out.join("").includes(name), name);
  }
  await assert.rejects(run(["x"], io), UsageError);
});
