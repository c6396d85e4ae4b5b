/** The tasks as a user runs them, with the permissions that deno.json names and no others. */
import assert from "node:assert/strict";

async function task(name: string, args: string[], stdin = "") {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["task", name, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1", EVALUATOR: "" },
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  const { code, stdout, stderr } = await process.output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: decode(stdout), err: decode(stderr) };
}

Deno.test("verify: the samples' outcomes and exit statuses", async () => {
  for (
    const [sample, code, text] of [
      ["verified", 0, "verified"],
      ["unreplayed", 1, "issuer-claimed"],
      ["failed", 1, "Failed: "],
      ["invalid", 2, "invalid"],
    ] as const
  ) {
    const result = await task("verify", [`samples/${sample}.json`]);
    assert.equal(result.code, code, sample + result.err);
    assert.ok(result.out.includes(text), sample);
    assert.ok(!result.out.includes("\x1b"), "no colours when it is piped");
  }
  const json = await task(
    "verify",
    ["--json", "-"],
    await Deno.readTextFile("samples/failed.json"),
  );
  assert.equal(JSON.parse(json.out)[0].verdict, "fail");
});

Deno.test("verify: a URL, with the task's own permissions", async () => {
  const text = await Deno.readTextFile("samples/failed.json");
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(text, { headers: { "content-type": "application/json" } }),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const { code, out, err } = await task("verify", [`http://${host}/`, "--allow-host", host]);
  assert.equal(code, 1, err);
  assert.match(out, /Failed: 1 of 4, 3 required {2}admission/);
  assert.match(out, /outcome +verified/);
  await server.shutdown();
});

Deno.test("every task answers --help, and needs no more than its permissions for it", async () => {
  const commands = [
    "verify",
    "instances",
    "instance",
    "example",
    "issuer",
    "pool",
    "store",
    "demo",
    "samples",
    "evaluator:install",
  ];
  const results = await Promise.all(commands.map((name) => task(name, ["--help"])));
  for (const [index, { code, out, err }] of results.entries()) {
    assert.equal(code, 0, `${commands[index]}: ${err}`);
    assert.match(out, /Usage: deno task /, commands[index]);
  }
});

Deno.test("bad usage: status 3, a message and no stack", async () => {
  for (
    const [name, args] of [["verify", []], ["verify", ["--nosuch"]], ["instance", ["x"]]] as const
  ) {
    const { code, err } = await task(name, [...args]);
    assert.equal(code, 3, name);
    assert.match(err, /--help/);
    assert.ok(!err.includes("    at "), err);
  }
});

Deno.test("a malformed variable stops a command with its name", async () => {
  for (const [name, args] of [["verify", ["samples/verified.json"]], ["start", []]] as const) {
    const process = new Deno.Command(Deno.execPath(), {
      args: ["task", name, ...args],
      env: { EVALUATOR: "sometimes", PORT: "http" },
    });
    const { code, stderr } = await process.output();
    const text = new TextDecoder().decode(stderr);
    assert.equal(code, name === "start" ? 1 : 3, text);
    assert.match(text, /EVALUATOR/);
    if (name === "start") assert.match(text, /PORT/);
  }
});

Deno.test("example: the worked example of the language", async () => {
  const { code, out } = await task("example", []);
  assert.equal(code, 0);
  assert.match(out, /34/);
  assert.match(out, /87/);
});
