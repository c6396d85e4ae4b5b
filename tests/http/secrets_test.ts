/**
 * Secrets never reach a log: pool labels that were sent inline, and private keys. Whatever is logged
 * or printed to standard error while all kinds of requests and commands go right and wrong is
 * searched for them, in any spelling.
 */
import assert from "node:assert/strict";
import { run as issuerCommand } from "../../cli/issuer.ts";
import { run as poolCommand } from "../../cli/pool.ts";
import { UsageError } from "../../cli/usage.ts";
import { run as verifyCommand } from "../../cli/verify.ts";
import { EvaluatorUnavailable } from "../../lib/evaluator/reference.ts";
import { createKey, type KeyPair, toJwk } from "../../lib/issuer/keys.ts";
import { createDisclosure } from "../../lib/issuer/disclosure.ts";
import type { Pool } from "../../lib/protocol/pool.ts";
import type { Envelope } from "../../lib/protocol/envelope.ts";
import { memoryIo } from "../support/io.ts";
import { fileOf, mintContradicting, mintUnder, newPool } from "../support/disclosure.ts";
import { gzip, post, serverTest, type TestServer } from "../support/server.ts";

/** A secret as text, and its bytes in the spellings that a dump could have. */
function spellings(secret: string | Uint8Array): string[] {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  const base64 = bytes.toBase64();
  return [
    ...(typeof secret === "string" ? [secret, encodeURIComponent(secret)] : []),
    base64.replaceAll("=", ""),
    base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
    bytes.toHex(),
    bytes.toHex().toUpperCase(),
    bytes.join(","),
    bytes.join(", "),
  ];
}

function secretsOf(pools: readonly Pool[], keys: readonly KeyPair[]): string[] {
  return [
    ...pools.flatMap(({ cells }) => cells.flatMap(({ label }) => spellings(label))),
    ...keys.flatMap(({ privateKey }) => spellings(privateKey)),
  ];
}

function assertSilent(text: string, secrets: readonly string[], where: string): void {
  for (const secret of secrets) assert.ok(!text.includes(secret), `${where}: a secret`);
}

const METHODS = ["log", "info", "warn", "error", "debug", "trace", "dir", "table"] as const;

/** Runs `run` with the console taken away, and gives what was said there. */
async function consoleDuring(run: () => Promise<void>): Promise<string> {
  const said: string[] = [];
  const own = METHODS.map((method) => [method, console[method]] as const);
  for (const method of METHODS) {
    console[method] = (...values: unknown[]) =>
      void said.push(values.map((value) => Deno.inspect(value, { depth: 20 })).join(" "));
  }
  try {
    await run();
  } finally {
    for (const [method, original] of own) console[method] = original;
  }
  return said.join("\n");
}

interface Material {
  pool: Pool;
  /** What the pool's file says of `pool`, and a document that contradicts it. */
  contradicted: Pool;
  key: KeyPair;
  sound: Envelope;
  contradicting: Envelope;
}

async function material(server: Pick<TestServer, "verifier">): Promise<Material> {
  const [pool, contradicted] = [newPool(), newPool()];
  const key = createKey();
  return {
    pool,
    contradicted,
    key,
    sound: (await mintUnder(server, pool, { key })).envelope,
    contradicting: (await mintContradicting(server, contradicted, { key })).envelope,
  };
}

/** Files that aren't quite a pool, though they hold its labels. */
function broken(pool: Pool): unknown[] {
  const file = fileOf(pool);
  const [first] = file.cells;
  return [
    { ...file, poolKey: "0".repeat(64) },
    { ...file, suite: "nosuch" },
    { ...file, suite: first!.label },
    { ...file, protocol: first!.label },
    { ...file, poolKey: first!.label },
    { ...file, cells: [...file.cells, first] },
    { ...file, cells: [{ ...first, tier: 99 }] },
    { ...file, cells: [{ ...first, family: first!.label }] },
    { ...file, cells: [{ ...first, label: `${first!.label} ` }] },
    { ...file, cells: [{ ...first, label: [first!.label] }] },
    { ...file, cells: { [first!.label]: first!.label } },
    { ...file, zz: first!.label.repeat(3000) },
    first!.label,
    [file],
  ];
}

/** Requests that hold secrets, sound and unsound. */
async function requestsOf(
  { pool, contradicted, key, sound, contradicting }: Material,
): Promise<[path: string, init: RequestInit][]> {
  const requests: [string, RequestInit][] = [];
  const label = pool.cells[0]!.label;
  const jwk = toJwk(key);
  const json = (body: unknown): [string, RequestInit][] => [
    ["/api/verify", post(body)],
    ["/api/results", post(body)],
  ];
  for (const file of [fileOf(pool), ...broken(pool)]) {
    requests.push(...json({ documents: [sound], pools: [file] }));
    requests.push(["/api/pools", post(file as object)], ["/api/pools", post({ pool: file })]);
    const form = new FormData();
    form.set("document", JSON.stringify(sound));
    form.set("pool", JSON.stringify(file));
    requests.push(["/verify", { method: "POST", body: form }]);
    const publishing = new FormData();
    publishing.set("poolFile", new File([JSON.stringify(file)], `${label}.json`));
    requests.push(["/pools", { method: "POST", body: publishing }]);
  }
  requests.push(...json({ documents: [contradicting], pools: [fileOf(contradicted)] }));
  requests.push(...json({ documents: [sound, jwk], pools: [fileOf(pool), jwk] }));
  requests.push(...json(fileOf(pool)), ...json(jwk), ...json([jwk, label]));
  const statement = await createDisclosure(key, pool.poolKey);
  requests.push(["/api/pools", post({ pool: fileOf(pool), disclosure: { ...statement, ...jwk } })]);
  requests.push(["/api/pools", post({ pool: fileOf(pool), disclosure: statement, zz: label })]);

  const text = JSON.stringify({ documents: [sound], pools: [fileOf(pool)] });
  const raw = (body: BodyInit, type = "application/json") =>
    requests.push(["/api/verify", { method: "POST", headers: { "content-type": type }, body }]);
  raw(text.slice(0, -1));
  raw(`\ufeff${text}`);
  raw(`${"[".repeat(100)}${text}${"]".repeat(100)}`);
  raw(new Uint8Array([...new TextEncoder().encode(text), 0xff]));
  raw((await gzip(text)).slice(0, -9), "application/gzip");
  raw(text, "image/png");
  raw(`label=${label}&d=${jwk.d}`, "application/x-www-form-urlencoded");
  for (const secret of [label, jwk.d]) {
    for (const path of ["/r/", "/api/results/", "/api/pools/", "/pools/", "/badge/", "/"]) {
      requests.push([`${path}${secret}`, {}], [`${path}?pool=${secret}`, { method: "DELETE" }]);
    }
    requests.push([`/api/results?issuer=${secret}`, { headers: { authorization: secret } }]);
    requests.push([`/api/feed?cursor=${secret}`, {}]);
  }
  return requests;
}

serverTest(
  "requests with pools and keys, right and wrong, leave no trace of them",
  async (server) => {
    const given = await material(server);
    const secrets = secretsOf([given.pool, given.contradicted], [given.key]);
    const said = await consoleDuring(async () => {
      for (const [path, init] of await requestsOf(given)) {
        const answer = await server.fetch(path, init);
        assert.ok(answer.status < 500, `${path} answered ${answer.status}`);
        const text = await answer.text();
        // A dry run gives the pool back for its confirmation, to whoever sent it; a path is its own.
        if (path !== "/pools" && !path.includes(given.pool.cells[0]!.label)) {
          assertSilent(text, secrets, path);
        }
      }
    });
    assert.equal(said, "");
    assert.deepEqual(server.logs, []);
    for await (const { key, value } of server.kv.list({ prefix: [] })) {
      const stored = Deno.inspect([key, value], { depth: 20, strAbbreviateSize: 1e6 });
      assertSilent(stored, secrets, "the database");
    }
  },
);

/** What a fault of ours could carry, told by whoever throws it. */
function faultsWith(secret: string): (() => never)[] {
  const thrower = (make: () => unknown) => () => {
    throw make();
  };
  return [
    thrower(() => new Error(secret)),
    thrower(() => new TypeError(`first\n    at ${secret}\n    at x (${secret}:1:1)`)),
    thrower(() => Object.assign(new Error("x"), { name: secret })),
    thrower(() => new Error("x", { cause: new Error(secret) })),
    thrower(() => new EvaluatorUnavailable("evaluator-missing", "x", { cause: new Error(secret) })),
    thrower(() => new EvaluatorUnavailable("evaluator-missing", secret)),
    thrower(() => secret),
    thrower(() => ({ secret })),
    thrower(() => new Deno.errors.NotFound(secret)),
  ];
}

let fault: (() => never) | null = null;

serverTest("faults of ours are logged, and never what they hold", async (server) => {
  fault = null;
  const given = await material(server);
  const secrets = secretsOf([given.pool, given.contradicted], [given.key]);
  const documents = { documents: [given.sound], pools: [fileOf(given.pool)] };
  let logged = 0;
  const said = await consoleDuring(async () => {
    for (const secret of [given.pool.cells[0]!.label, toJwk(given.key).d]) {
      for (const failing of faultsWith(secret)) {
        fault = failing;
        const verified = await server.fetch("/api/verify", post(documents));
        const { results } = await verified.json();
        assert.equal(results[0].outcome, null);
        const form = new FormData();
        form.set("document", JSON.stringify(documents));
        await (await server.fetch("/verify", { method: "POST", body: form })).body?.cancel();
      }
    }
    logged = server.logs.length;
  });
  fault = null;
  // Seven of nine are faults in earnest; both ways in tell of each.
  assert.equal(logged, 2 * 2 * 7);
  assertSilent(said + server.logs.join("\n"), secrets, "the log");
}, {
  verifier: (verifier) => ({
    ...verifier,
    references: {
      ...verifier.references,
      evaluate: (...args) => {
        fault?.();
        return verifier.references.evaluate(...args);
      },
    },
  }),
});

let broke: (() => never) | null = null;

serverTest("nor when the database fails", async (server) => {
  broke = null;
  const given = await material(server);
  const secrets = secretsOf([given.pool, given.contradicted], [given.key]);
  const said = await consoleDuring(async () => {
    for (const failing of faultsWith(given.pool.cells[0]!.label)) {
      broke = failing;
      for (const path of ["/api/verify", "/api/results", "/api/pools?confirm=publish"]) {
        const body = path.startsWith("/api/pools")
          ? fileOf(given.pool)
          : path === "/api/results"
          ? given.sound
          : { documents: [given.sound], pools: [fileOf(given.contradicted)] };
        const answer = await server.fetch(path, post(body));
        assertSilent(await answer.text(), secrets, path);
      }
    }
    broke = null;
  });
  assert.ok(server.logs.length > 0);
  assertSilent(said + server.logs.join("\n"), secrets, "the log");
}, {
  kv: (kv) =>
    new Proxy(kv, {
      get(target, name) {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          broke?.();
          return member.apply(target, args);
        };
      },
    }),
});

/** Runs a command; what it prints to standard error, or would through `main.ts`. */
async function errorsOf(
  command: (args: string[], io: ReturnType<typeof memoryIo>) => Promise<number>,
  args: string[],
  input = "",
): Promise<{ out: string; err: string }> {
  const io = memoryIo(input);
  let thrown = "";
  const said = await consoleDuring(async () => {
    try {
      await command(args, io);
    } catch (error) {
      // What main.ts prints of it; the message of any other error stays inside.
      if (!(error instanceof UsageError)) throw error;
      thrown = error.message;
    }
  });
  return { out: io.written, err: `${said}\n${io.errors}\n${thrown}` };
}

serverTest("commands with pools and keys keep them to themselves", async (server) => {
  const given = await material(server);
  const secrets = secretsOf([given.pool, given.contradicted], [given.key]);
  const folder = await Deno.makeTempDir();
  let files = 0;
  const file = async (value: unknown) => {
    const path = `${folder}/${files++}.json`;
    await Deno.writeTextFile(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
  };
  try {
    const jwk = toJwk(given.key);
    const sound = await file(given.sound);
    const pool = await file(fileOf(given.pool));
    const key = await file(jwk);
    const keys = [
      key,
      await file({ ...jwk, x: createKey().publicKey.text }),
      await file({ ...jwk, d: jwk.d.slice(1) }),
      await file({ ...jwk, kty: jwk.d }),
      await file(`{"d":"${jwk.d}"`),
      await file(jwk.d),
    ];
    const pools = [
      pool,
      await file(fileOf(given.contradicted)),
      ...await Promise.all(broken(given.pool).map(file)),
      await file(JSON.stringify(fileOf(given.pool)).slice(0, -1)),
    ];
    const quiet = async (...[command, args, input]: Parameters<typeof errorsOf>) => {
      const { out, err } = await errorsOf(command, args, input);
      assertSilent(out + err, secrets, args.join(" "));
    };
    for (const path of pools) {
      await quiet(verifyCommand, [sound, "--pool", path]);
      await quiet(verifyCommand, [path]);
      await quiet(verifyCommand, ["-", "--json"], await Deno.readTextFile(path));
      await quiet(issuerCommand, ["pool", "info", path]);
      await quiet(issuerCommand, ["pool", "disclose", path, "--key", key, "--out", `${path}.out`]);
      await quiet(poolCommand, ["publish", path, "--server", server.url]);
    }
    await quiet(verifyCommand, [await file(given.contradicting), "--pool", pools[1]!]);
    await quiet(verifyCommand, [sound, "--issuer", jwk.d]);
    await quiet(verifyCommand, [sound, "--policy", given.pool.cells[0]!.label]);
    for (const [index, path] of keys.entries()) {
      await quiet(verifyCommand, [path]);
      await quiet(issuerCommand, ["pool", "disclose", pool, "--key", path, "--out", `${path}.d`]);
      await quiet(poolCommand, ["publish", pool, "--key", path, "--server", server.url]);
      await quiet(poolCommand, ["publish", pool, "--key", path, "--server", "http://127.0.0.1:1"]);
      const session = `${folder}/session${index}`;
      const numbers = ["--challenges", "2", "--min-pass", "1", "--out", session];
      const cells = ["--cells", "h:algal:t2", "--pool", pool];
      await quiet(issuerCommand, ["session", "new", "--key", path, ...cells, ...numbers]);
      await quiet(issuerCommand, ["session", "show", session]);
      await quiet(issuerCommand, ["session", "answer", session, "att_none", "1"]);
      await quiet(issuerCommand, [
        "session",
        "answer",
        session,
        "att_none",
        "1",
        "--subject-key",
        path,
      ]);
      await quiet(issuerCommand, [
        "session",
        "close",
        session,
        "--key",
        path,
        "--out",
        `${path}.a`,
      ]);
    }
    // Drawn by the command itself.
    const drawn = `${folder}/drawn.json`;
    const made = await errorsOf(issuerCommand, ["keys", "new", "--out", drawn]);
    const { d } = JSON.parse(await Deno.readTextFile(drawn));
    assertSilent(made.out + made.err, spellings(d), "keys new");
    const secretPool = `${folder}/drawnpool.json`;
    const cells = ["pool", "new", "--cells", "algal:t1", "--out", secretPool];
    const poolMade = await errorsOf(issuerCommand, cells);
    const { cells: [{ label }] } = JSON.parse(await Deno.readTextFile(secretPool));
    assertSilent(poolMade.out + poolMade.err, spellings(label), "pool new");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  assertSilent(server.logs.join("\n"), secrets, "the log");
});

Deno.test("the server's own process prints nothing of them either", async () => {
  const root = new URL("../../", import.meta.url).pathname;
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", `${root}main.ts`, "serve"],
    cwd: root,
    env: { PORT: "0", KV_PATH: ":memory:", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let printed = "";
  const reading = [server.stdout, server.stderr].map(async (stream) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) printed += chunk;
  });
  const deadline = Date.now() + 30_000;
  while (!/http:\S+/.test(printed) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const url = /http:\S+/.exec(printed)?.[0];
  try {
    assert.ok(url, printed);
    const { createVerifyContext } = await import("../../service/verify_context.ts");
    const given = await material({ verifier: createVerifyContext("auto") });
    const secrets = secretsOf([given.pool, given.contradicted], [given.key]);
    for (const [path, init] of await requestsOf(given)) {
      await (await fetch(`${url}${path}`, { redirect: "manual", ...init })).body?.cancel();
    }
    server.kill("SIGTERM");
    await Promise.all([server.status, ...reading]);
    assert.match(printed, /^Touchstone listens on \S+\n$/);
    assertSilent(printed, secrets, "the process");
  } finally {
    try {
      server.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await server.status;
  }
});
