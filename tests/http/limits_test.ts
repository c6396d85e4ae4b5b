/**
 * Limits for each client over HTTP. Windows of days keep time out of it: the seconds of a test fill
 * no token.
 */
import { inLineChecker } from "../../service/checker.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createAsker, workFor } from "../../lib/async/asker.ts";
import { type Network, readNetwork } from "../../lib/limits/address.ts";
import { type BucketName, BUCKETS, type Policies } from "../../lib/limits/policy.ts";
import type { Checker } from "../../lib/verify/checker.ts";
import { createApp } from "../../routes/app.ts";
import { createServices } from "../../service/services.ts";
import { bucketOf } from "../../routes/table.ts";
import { problemSchema } from "../../routes/schemas/index.ts";
import { createVerifyContext } from "../../service/verify_context.ts";
import { startServer } from "../store/process.ts";
import { watchKv } from "../support/kv_watch.ts";
import { fileOf, newPool } from "../support/disclosure.ts";
import { gzip, mint, post, serverTest, type TestServer, upload } from "../support/server.ts";

/** In seconds. */
const WINDOW = 1_000_000;

const PLENTY = 10_000;

/** Policies with the given tokens a bucket; buckets that aren't named never run out in a test. */
function tokens(quotas: Partial<Record<BucketName, number>>): Policies {
  const policies = BUCKETS.map((name) => [
    name,
    { name, quota: quotas[name] ?? PLENTY, window: WINDOW },
  ]);
  return Object.fromEntries(policies) as Policies;
}

/** Whether about so many seconds are asked for, given that a test may have taken some. */
function assertAbout(seconds: number | null, expected: number): void {
  assert.ok(seconds !== null && seconds <= expected && seconds > expected - 100, `${seconds}`);
}

const proxies = (...texts: string[]): Network[] => texts.map((text) => readNetwork(text)!);

const HTML = { headers: { accept: "text/html,application/xhtml+xml" } };

/** Tokens left, as the answer says. */
function left(answer: Response, name: BucketName): number {
  const header = answer.headers.get("ratelimit") ?? "";
  const [, bucket, remaining] = /^"(\w+)";r=(\d+);t=\d+$/.exec(header) ?? [];
  assert.equal(bucket, name, header);
  return Number(remaining);
}

/** A refusal, and the seconds that it asks to wait. */
async function overLimit(answer: Response): Promise<number | null> {
  assert.equal(answer.status, 429);
  assert.equal(answer.headers.get("content-type"), "application/problem+json");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const problem = problemSchema.parse(await answer.json());
  assert.equal(problem.code, "rate-limited");
  assert.equal(problem.type, "/problems/rate-limited");
  assert.equal(problem.status, 429);
  const header = answer.headers.get("retry-after");
  return header === null ? null : Number(header);
}

/** `t` of the header RateLimit. */
function timeOf(answer: Response): number {
  return Number(/;t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
}

serverTest(
  "the request after the last token is refused, and says when to come back",
  async (server) => {
    for (const remaining of [3, 2, 1, 0]) {
      const answer = await server.fetch("/api/pools");
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("ratelimit-policy"), '"read";q=4;w=1000000');
      assert.equal(left(answer, "read"), remaining);
      // With the last token gone, the next one is waited for.
      if (remaining === 0) assertAbout(timeOf(answer), WINDOW / 4);
      assert.equal(answer.headers.get("retry-after"), null);
      await answer.body?.cancel();
    }
    const answer = await server.fetch("/api/pools");
    assert.equal(answer.headers.get("ratelimit-policy"), '"read";q=4;w=1000000');
    // A token of four in a million seconds.
    assertAbout(timeOf(answer), WINDOW / 4);
    assert.equal(`${timeOf(answer)}`, answer.headers.get("retry-after"));
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.match(
      answer.headers.get("access-control-expose-headers") ?? "",
      /ratelimit,.*retry-after/,
    );
    assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    // A quarter of the window fills one of four.
    assertAbout(await overLimit(answer), 250_000);

    // A person gets a page.
    const page = await server.fetch("/verify", HTML);
    assert.equal(page.status, 429);
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    assertAbout(Number(page.headers.get("retry-after")), 250_000);
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src/,
    );
    assert.match(await page.text(), /Too many requests/);

    // Everything that is read is one bucket; what is missing costs as well.
    for (const path of ["/", "/r/x", "/nowhere", "/api/feed", "/api/openapi.json", "/problems/x"]) {
      await overLimit(await server.fetch(path));
    }
    const head = await server.fetch("/api/pools", { method: "HEAD" });
    assert.equal(head.status, 429);
    // Other buckets go on, and so does what costs nothing.
    const verified = await server.fetch("/api/verify", post((await mint(server)).envelope));
    assert.equal(verified.status, 200);
    await verified.body?.cancel();
    for (const path of ["/healthz", "/style.css", "/favicon.svg", "/robots.txt"]) {
      const free = await server.fetch(path);
      assert.equal(free.status, 200, path);
      assert.equal(free.headers.get("ratelimit"), null);
      await free.body?.cancel();
    }
    const preflight = await server.fetch("/api/pools", {
      method: "OPTIONS",
      headers: { "access-control-request-method": "GET" },
    });
    assert.equal(preflight.status, 204);
    assert.deepEqual(server.logs, []);
  },
  { limits: tokens({ read: 4 }) },
);

/** The same checker, whose time nobody pays for: on a busy machine time is a matter of luck. */
function untimed(checker: Checker): Checker {
  const free = <T>(work: () => T): T => workFor(createAsker("a client"), work);
  return {
    ...checker,
    input: (...args) => free(() => checker.input(...args)),
    intake: (...args) => free(() => checker.intake(...args)),
    documents: (...args) => free(() => checker.documents(...args)),
  };
}

serverTest("documents and bytes cost, packed and unpacked", async (server) => {
  const { envelope } = await mint(server);
  const document = JSON.stringify(envelope);
  const KIB64 = 64 * 1024;
  const bytes = new TextEncoder().encode(document);
  const padded = new Uint8Array(3 * KIB64).fill(0x20);
  padded.set(bytes);
  const streamed = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(padded);
        controller.close();
      },
    });
  const requests: [what: string, body: () => BodyInit, cost: number][] = [
    ["one document", () => document, 1],
    ["three in an array", () => `[${document},${document},${document}]`, 3],
    ["an empty list", () => "[]", 1],
    ["two lines", () => `${document}\n${document}\n`, 2],
    ["three times 64 KiB", () => padded, 1 + 3],
    ["one byte less", () => padded.slice(0, -1), 1 + 2],
    ["the same without a length", streamed, 1 + 3],
    ["two documents in 128 KiB", () => `[${document},${document}]` + " ".repeat(2 * KIB64), 4],
    ["what is no document", () => "{", 1],
  ];
  const packed = await gzip(padded);
  assert.ok(packed.length < KIB64);
  requests.push(["gzip", () => packed, 1 + 3]);
  let before = PLENTY;
  for (const [what, body, cost] of requests) {
    const answer = await server.fetch("/api/verify", upload(body()));
    await answer.body?.cancel();
    const after = left(answer, "verify");
    assert.equal(before - after, cost, what);
    before = after;
  }
  const stored = await server.fetch("/api/results", post(document));
  assert.equal(stored.status, 201);
  assert.equal(left(stored, "verify"), before - 1);
  await stored.body?.cancel();
  const form = new FormData();
  form.set("document", `[${document},${document}]`);
  const page = await server.fetch("/verify", { method: "POST", body: form });
  assert.equal(page.status, 200);
  assert.equal(left(page, "verify"), before - 3);
  await page.body?.cancel();
  const pool = await server.fetch("/api/pools", post(fileOf(newPool())));
  assert.equal(left(pool, "publish"), PLENTY - 1);
  await pool.body?.cancel();
}, { limits: tokens({}), checker: untimed });

serverTest(
  "what costs more than is left isn't begun, and what never fits has to be split",
  async (server) => {
    const send = (documents: number) => server.fetch("/api/verify", post(Array(documents).fill(0)));
    const eight = await send(8);
    assert.equal(eight.status, 200);
    assert.equal(left(eight, "verify"), 12);
    await eight.body?.cancel();
    // One token is gone for having read the request.
    const thirteen = await send(13);
    assert.equal(left(thirteen, "verify"), 11);
    // All thirteen are asked for again: two of twenty are missing.
    assertAbout(await overLimit(thirteen), 100_000);
    const never = await send(21);
    assert.equal(left(never, "verify"), 10);
    assert.equal(await overLimit(never), null);
    // Told by its length alone.
    const long = await server.fetch("/api/verify", upload(" ".repeat(21 * 64 * 1024)));
    assert.equal(left(long, "verify"), 10);
    const problem = problemSchema.parse(await long.json());
    assert.match(problem.detail, /costs 22.*20 in 1000000 s.*less at a time/);
    assert.equal(long.headers.get("retry-after"), null);
    const ten = await send(10);
    assert.equal(ten.status, 200);
    await ten.body?.cancel();
    await overLimit(await send(1));
  },
  { limits: tokens({ verify: 20 }) },
);

serverTest("a form over the limit comes back with what was pasted", async (server) => {
  await (await server.fetch("/api/verify", post([]))).body?.cancel();
  const form = new FormData();
  form.set("document", "[1,2,3]");
  const answer = await server.fetch("/verify", { method: "POST", body: form });
  assert.equal(answer.status, 429);
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  const text = await answer.text();
  assert.ok(text.includes("[1,2,3]") && text.includes("Too many requests"));
}, { limits: tokens({ verify: 3 }) });

serverTest("publishing and its dry runs have a bucket of their own", async (server) => {
  const file = fileOf(newPool());
  const first = await server.fetch("/api/pools", post(file));
  assert.equal(first.status, 200);
  assert.equal(left(first, "publish"), 1);
  await first.body?.cancel();
  const form = new FormData();
  form.set("pool", JSON.stringify(file));
  const preview = await server.fetch("/pools", { method: "POST", body: form });
  assert.equal(preview.status, 200);
  assert.equal(left(preview, "publish"), 0);
  await preview.body?.cancel();
  await overLimit(await server.fetch("/api/pools?confirm=publish", post(file)));
  assert.equal((await server.fetch(`/api/pools/${file.poolKey}`)).status, 404);
}, { limits: tokens({ publish: 2 }) });

serverTest("a pool that is too large is told so, and not to come back", async (server) => {
  const large = "x".repeat(5_000_000);
  const form = new FormData();
  form.set("pool", large);
  for (let round = 0; round < 3; round++) {
    for (
      const [path, init] of [
        ["/api/pools", post(`"${large}"`)],
        ["/api/pools", post(`"${"x".repeat(65_536)}"`)],
        ["/pools", { method: "POST", body: form }],
      ] as const
    ) {
      const answer = await server.fetch(path, init);
      assert.equal(answer.status, 413, path);
      assert.equal(answer.headers.get("retry-after"), null);
      assert.equal((await answer.json()).code, "pool-too-large");
    }
  }
  // And it cost nothing.
  const sound = await server.fetch("/api/pools", post(fileOf(newPool())));
  assert.equal(left(sound, "publish"), 1);
  await sound.body?.cancel();
}, { limits: tokens({ publish: 2 }) });

serverTest(
  "over the limit, a badge is an image all the same, and nobody keeps it",
  async (server) => {
    const kept = await server.fetch("/api/results", post((await mint(server)).envelope));
    const { id } = await kept.json();
    const types = { svg: "image/svg+xml", png: "image/png", json: "application/json" };
    for (const format of Object.keys(types)) {
      const answer = await server.fetch(`/badge/${id}.${format}`);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get("cache-control") ?? "", /^public, max-age=300/);
      // Proxies keep it for everybody: it says nothing about whoever fetched it.
      assert.equal(answer.headers.get("ratelimit"), null);
      await answer.body?.cancel();
    }
    for (const name of [id, "0".repeat(64)]) {
      for (const [format, type] of Object.entries(types)) {
        const path = `/badge/${name}.${format}`;
        const plain = { headers: { "accept-encoding": "identity" } };
        const answer = await server.fetch(path, plain);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get("content-type"), type);
        assert.equal(answer.headers.get("cache-control"), "no-store");
        assert.equal(answer.headers.get("etag"), null);
        assert.equal(answer.headers.get("access-control-allow-origin"), "*");
        assert.equal(answer.headers.get("ratelimit-policy"), '"badge";q=3;w=1000000');
        assert.match(answer.headers.get("ratelimit") ?? "", /^"badge";r=0;t=\d+$/);
        assertAbout(Number(answer.headers.get("retry-after")), Math.ceil(WINDOW / 3));
        assert.equal(`${timeOf(answer)}`, answer.headers.get("retry-after"));
        const bytes = new Uint8Array(await answer.arrayBuffer());
        assert.equal(answer.headers.get("content-length"), `${bytes.length}`);
        const text = new TextDecoder().decode(bytes);
        if (format === "png") assert.deepEqual([...bytes.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
        else assert.ok(text.includes("checking") && !text.includes("passed"));
        const head = await server.fetch(path, { method: "HEAD", ...plain });
        assert.equal(head.headers.get("content-length"), `${bytes.length}`);
        assert.equal(await head.text(), "");
      }
    }
    // What is no badge at all costs nothing.
    assert.equal((await server.fetch("/badge/x.gif")).status, 200);
    assert.equal((await server.fetch(`/api/results/${id}`)).status, 200);
  },
  { limits: tokens({ badge: 3 }) },
);

serverTest("the API description says which routes are limited", async (server) => {
  const { paths } = await (await server.fetch("/api/openapi.json")).json();
  let limited = 0;
  for (const [path, operations] of Object.entries<Record<string, unknown>>(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { responses } = operation as { responses: Record<string, { description: string }> };
      const said = responses["429"]?.description.includes("`rate-limited`") ?? false;
      assert.equal(said, bucketOf(method.toUpperCase(), path) !== null, `${method} ${path}`);
      if (said) limited++;
    }
  }
  assert.ok(limited > 10);
});

/** Reads as somebody at `address`, by the word of a proxy. */
async function readAs(server: TestServer, address: string, path = "/api/pools"): Promise<number> {
  const answer = await server.fetch(path, { headers: { "x-forwarded-for": address } });
  await answer.body?.cancel();
  return answer.status;
}

serverTest("what a client says about its address is not believed", async (server) => {
  for (let n = 0; n < 2; n++) assert.equal(await readAs(server, `192.0.2.${n}`), 200);
  for (let n = 0; n < 20; n++) assert.equal(await readAs(server, `192.0.2.${n}`), 429);
  const forwarded = await server.fetch("/api/pools", { headers: { forwarded: "for=192.0.2.9" } });
  await overLimit(forwarded);
}, { limits: tokens({ read: 2 }) });

serverTest("not even where another proxy is trusted", async (server) => {
  for (let n = 0; n < 2; n++) assert.equal(await readAs(server, `192.0.2.${n}`), 200);
  assert.equal(await readAs(server, "192.0.2.9"), 429);
}, { limits: tokens({ read: 2 }), trustedProxies: proxies("10.0.0.0/8", "192.0.2.0/24", "::1") });

serverTest("behind a trusted proxy each client has limits of its own", async (server) => {
  const chains = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "[2001:db8:0:1::1]:80"];
  for (const chain of chains) {
    for (const status of [200, 200, 429]) assert.equal(await readAs(server, chain), status, chain);
  }
  // The same clients under other spellings, and with something invented in front.
  const same = [
    "192.0.2.1:4711",
    "::ffff:192.0.2.1",
    "203.0.113.77, 192.0.2.1",
    "203.0.113.78, 192.0.2.2, 10.3.2.1",
    "2001:db8::ffff:1",
    "2001:db8:0:0:1:2:3:4",
  ];
  for (const chain of same) assert.equal(await readAs(server, chain), 429, chain);
  // Whoever can't be told is the proxy itself.
  assert.equal(await readAs(server, "unknown"), 200);
  assert.equal(await readAs(server, "<script>"), 200);
  assert.equal(await readAs(server, "192.0.2.9, x"), 429);
  assert.equal((await server.fetch("/api/pools")).status, 429);
}, { limits: tokens({ read: 2 }), trustedProxies: proxies("127.0.0.0/8", "10.0.0.0/8") });

serverTest("badges and the hourly quota go by the same client", async (server) => {
  const storeAs = async (address: string) => {
    const { envelope } = await mint(server);
    const answer = await server.fetch(
      "/api/results",
      post(envelope, { "x-forwarded-for": address }),
    );
    return { status: answer.status, id: (await answer.json()).id as string };
  };
  const { status, id } = await storeAs("192.0.2.1");
  assert.equal(status, 201);
  assert.equal((await storeAs("192.0.2.1")).status, 429);
  assert.equal((await storeAs("192.0.2.2")).status, 201);
  const badgeAs = async (address: string) => {
    const headers = { "x-forwarded-for": address };
    return (await (await server.fetch(`/badge/${id}.json`, { headers })).json()).message;
  };
  assert.equal(await badgeAs("192.0.2.1"), "2/2 passed · unknown issuer");
  assert.equal(await badgeAs("192.0.2.1"), "checking");
  assert.equal(await badgeAs("192.0.2.2"), "2/2 passed · unknown issuer");
}, {
  limits: tokens({ badge: 1 }),
  trustedProxies: proxies("127.0.0.1"),
  store: { quotas: { bytes: null, documentsPerHour: 1 } },
});

Deno.test("badges from memory ask the database nothing, whatever their number", async () => {
  const watched = watchKv(await Deno.openKv(":memory:"));
  let gets = 0;
  const get = watched.kv.get;
  const kv = new Proxy(watched.kv, {
    get(target, name) {
      if (name !== "get") return Reflect.get(target, name, target);
      return (...args: Parameters<typeof get>) => (gets++, get(...args));
    },
  });
  const verifier = createVerifyContext("auto");
  const app = createApp(createServices({
    onLoopback: false,
    kv,
    checker: inLineChecker(verifier),
    references: verifier.references,
    publicUrl: null,
    limits: tokens({ badge: 5000 }),
  }));
  const info = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 } };
  const ask = (path: string, init?: RequestInit) =>
    app.fetch(new Request(`http://stone.example${path}`, init), info);
  try {
    const { envelope } = await mint({ verifier });
    const { id } = await (await ask("/api/results", post(envelope))).json();
    await (await ask(`/badge/${id}.json`)).body?.cancel();
    // The pools' epoch may be read again every 20 ms, and the row every 5 s; limits read nothing.
    const [readsBefore, commitsBefore] = [watched.reads, watched.commits];
    for (let n = 1; n < 5000; n++) {
      const answer = await ask(`/badge/${id}.json`);
      assert.match(answer.headers.get("cache-control") ?? "", /^public/, `${n}`);
    }
    const over = await ask(`/badge/${id}.json`);
    assert.equal(over.headers.get("cache-control"), "no-store");
    assert.ok(watched.reads - readsBefore < 10);
    assert.equal(watched.commits, commitsBefore);
    assert.ok(gets < 1000);
    for await (const { key } of kv.list({ prefix: ["limit"] })) assert.fail(String(key));
  } finally {
    await app.close();
    watched.kv.close();
  }
});

serverTest("addresses are neither stored nor logged", async (server) => {
  const address = "192.0.2.77";
  for (let n = 0; n < 12; n++) await readAs(server, address);
  let entries = 0;
  const names = [address, createHash("sha256").update(address).digest("hex")];
  for await (const entry of server.kv.list({ prefix: [] })) {
    if (entry.key[0] === "limit") entries++;
    const text = Deno.inspect(entry, { depth: 20 });
    for (const name of names) assert.ok(!text.includes(name), text);
  }
  assert.ok(entries > 0);
  assert.deepEqual(server.logs, []);
}, { limits: tokens({ read: 10 }), trustedProxies: proxies("127.0.0.1") });

Deno.test("two processes on one database admit five quarters of the limit at most", async () => {
  const folder = await Deno.makeTempDir();
  const environment = {
    KV_PATH: `${folder}/shared.kv`,
    RATE_LIMITS: "on",
    RATE_READ: "20/h",
    TRUSTED_PROXIES: "127.0.0.1",
  };
  const servers = [await startServer(environment)];
  try {
    servers.push(await startServer(environment));
    const clients = ["192.0.2.1", "2001:db8::1", "192.0.2.3"];
    await Promise.all(clients.map(async (client) => {
      const statuses = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const headers = { "x-forwarded-for": client };
          const answer = await fetch(`${servers[n % 2]!.url}/api/pools`, { headers });
          await answer.body?.cancel();
          assert.ok(answer.status === 200 || answer.status === 429, `${answer.status}`);
          return answer.status;
        }),
      );
      const count = statuses.filter((status) => status === 200).length;
      assert.ok(count >= 20 && count <= 25, `${client}: ${count}`);
    }));
    for (const server of servers) assert.equal(server.errors(), "");
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await Deno.remove(folder, { recursive: true });
  }
});
