/** Fetching from hosts that behave: what is taken, what is sent, and what is told. */
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { createHosts } from "../../lib/fetch/hosts.ts";
import { createRules, userAgent } from "../../lib/fetch/rules.ts";
import { FetchError } from "../../lib/fetch/error.ts";
import { rawServer } from "../support/raw_server.ts";
import { codeOf, contentOf, errorOf, fetchText, testRules } from "../support/remote.ts";
import { gzip } from "../support/server.ts";

/** Sockets and timers that a fetch leaves behind fail its test. */
const CLEAN = { sanitizeOps: true, sanitizeResources: true };

interface Site extends AsyncDisposable {
  /** `127.0.0.1:port` */
  host: string;
  url: string;
  /** What was asked for, in order. */
  requests: { url: string; method: string; headers: Headers }[];
}

function site(answer: (request: Request) => Response | Promise<Response>): Site {
  const requests: Site["requests"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { url, method } = request;
    requests.push({ url, method, headers: new Headers(request.headers) });
    return answer(request);
  });
  const host = `127.0.0.1:${server.addr.port}`;
  return {
    host,
    url: `http://${host}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("a document comes with its final URL and validators", CLEAN, async () => {
  await using server = site(() =>
    new Response('{"a":1}', {
      headers: { etag: 'W/"abc"', "last-modified": "Wed, 21 Oct 2015 07:28:00 GMT" },
    })
  );
  assert.deepEqual(await fetchText(`${server.url}/a?token=1#x`, testRules([server.host])), {
    kind: "content",
    bytes: new TextEncoder().encode('{"a":1}'),
    url: `${server.url}/a?token=1`,
    etag: 'W/"abc"',
    lastModified: "Wed, 21 Oct 2015 07:28:00 GMT",
  });
});

Deno.test("a request says who asks and what for, and nothing else", CLEAN, async () => {
  await using server = site(() => {
    const headers = { "set-cookie": "a=1", "content-type": "application/json" };
    return new Response("{}", { headers });
  });
  const rules = testRules([server.host], {
    userAgent: userAgent("https://touchstone.example/about"),
  });
  await fetchText(`${server.url}/a%20b/?c=d%20e`, rules);
  await fetchText(server.url, rules);
  const [request] = server.requests;
  assert.equal(request!.url, `${server.url}/a%20b/?c=d%20e`);
  assert.equal(request!.method, "GET");
  for (const { headers } of server.requests) {
    assert.match(
      headers.get("user-agent")!,
      /^Touchstone\/[0-9.]+ \(\+https:\/\/touchstone\.example\/about\)$/,
    );
    const names = ["accept", "accept-encoding", "connection", "host", "user-agent"];
    assert.deepEqual([...headers.keys()].sort(), names);
    assert.equal(headers.get("accept-encoding"), "identity");
    assert.equal(headers.get("host"), server.host);
  }
});

Deno.test(
  "content types that can hold a document are taken, others are told apart",
  CLEAN,
  async () => {
    let type: string | null = null;
    await using server = site(() => {
      const response = new Response(new TextEncoder().encode("{}"));
      if (type !== null) response.headers.set("content-type", type);
      return response;
    });
    const rules = testRules([server.host]);
    for (
      type of [
        null,
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/problem+json",
        "application/vnd.github.raw+json",
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-ndjson",
        "application/octet-stream",
        "binary/octet-stream",
        "application/gzip",
        "application/x-gzip",
      ]
    ) {
      assert.equal(await contentOf(server.url, rules), "{}", String(type));
    }
    for (type of ["text/html", "text/html; charset=utf-8", "application/xhtml+xml"]) {
      const error = await errorOf(server.url, rules);
      assert.equal(error.code, "fetch-not-json");
      assert.equal(error.message, "this is a web page; link the raw file");
    }
    for (
      type of [
        "image/png",
        "image/svg+xml",
        "application/zip",
        "text/css",
        "application/jsonp",
        "application/javascript",
        "multipart/mixed; boundary=application/json",
        "json",
        "*/*",
      ]
    ) {
      assert.equal(await codeOf(server.url, rules), "fetch-content-type", type);
    }
  },
);

Deno.test("a gzip coding is undone; a gzip file stays as it is", CLEAN, async () => {
  const packed = await gzip('{"a":1}');
  const headers: Record<string, string> = {};
  await using server = site(() => {
    return new Response(packed, { headers });
  });
  const rules = testRules([server.host]);
  const fetched = async () => {
    const result = await fetchText(server.url, rules);
    return result.kind === "content" ? result.bytes : null;
  };

  headers["content-type"] = "application/gzip";
  assert.deepEqual(await fetched(), packed);
  headers["content-type"] = "application/octet-stream";
  assert.deepEqual(await fetched(), packed);
  headers["content-type"] = "application/json";
  for (const coding of ["gzip", "GZIP", "x-gzip"]) {
    headers["content-encoding"] = coding;
    assert.equal(await contentOf(server.url, rules), '{"a":1}', coding);
  }
  headers["content-encoding"] = "identity";
  assert.deepEqual(await fetched(), packed);
  for (const coding of ["br", "deflate", "zstd", "gzip, gzip", "compress", "aws-chunked"]) {
    headers["content-encoding"] = coding;
    assert.equal(await codeOf(server.url, rules), "fetch-encoding", coding);
  }
});

Deno.test("up to three redirects are followed, of every kind", CLEAN, async () => {
  await using server = site(({ url }) => {
    const { pathname, search } = new URL(url);
    const left = Number(pathname.slice(1));
    if (left === 0) return Response.json({ search });
    const status = [301, 302, 303, 307, 308][left - 1];
    return new Response(null, { status, headers: { location: `/${left - 1}?left=${left}#end` } });
  });
  const rules = testRules([server.host]);
  assert.equal(await contentOf(`${server.url}/1`, rules), '{"search":"?left=1"}');
  assert.equal(await contentOf(`${server.url}/3`, rules), '{"search":"?left=1"}');
  const error = await errorOf(`${server.url}/4`, rules);
  assert.equal(error.code, "fetch-redirects");
  assert.equal(
    error.message,
    "the host redirects too often; give the final URL of the file",
  );
  assert.equal(server.requests.length, 2 + 4 + 4);
  assert.equal(await codeOf(`${server.url}/5`, rules), "fetch-redirects");
  const patient = testRules([server.host], { limits: { redirects: 4 } });
  assert.equal(await contentOf(`${server.url}/4`, patient), '{"search":"?left=1"}');
});

Deno.test("a redirect's bytes beyond ASCII are UTF-8, as browsers take them", CLEAN, async () => {
  await using server = rawServer(({ request, send }) =>
    send(
      request.startsWith("GET /%C3%BC?%E2%82%AC ")
        ? "HTTP/1.1 200 OK\r\n\r\nfound"
        : "HTTP/1.1 302 Found\r\nLocation: /ü?€\r\n\r\n",
    )
  );
  assert.equal(await contentOf(`http://${server.host}/`, testRules([server.host])), "found");
});

Deno.test("a redirect that names no target, or leads back, is an error", CLEAN, async () => {
  let location: string | null = null;
  await using server = site(({ url }) => {
    const headers = new Headers();
    if (location !== null) headers.set("location", location);
    if (new URL(url).pathname === "/b") headers.set("location", "/a");
    return new Response(null, { status: 302, headers });
  });
  const rules = testRules([server.host]);
  assert.equal(await codeOf(`${server.url}/a`, rules), "fetch-redirects");
  for (location of ["", "/a", "/a#other", "/b", `${server.url}/a`]) {
    server.requests.length = 0;
    const error = await errorOf(`${server.url}/a`, rules);
    assert.equal(error.code, "fetch-redirects");
    assert.match(error.message, /in a circle/);
    assert.equal(server.requests.length, location === "/b" ? 2 : 1, location);
  }
});

Deno.test("validators go to the URL that gave them, and to no other", CLEAN, async () => {
  await using server = site((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/old") return Response.redirect(new URL("/new", request.url));
    return request.headers.has("if-none-match") || request.headers.has("if-modified-since")
      ? new Response(null, { status: 304 })
      : new Response("{}", { headers: { etag: '"1"' } });
  });
  const rules = testRules([server.host]);
  const validators = {
    etag: '"1"',
    lastModified: "Wed, 21 Oct 2015 07:28:00 GMT",
    url: `${server.url}/new`,
  };
  assert.deepEqual(await fetchText(`${server.url}/old`, rules, { validators }), {
    kind: "not-modified",
    url: `${server.url}/new`,
  });
  const [first, second] = server.requests;
  assert.equal(first!.headers.has("if-none-match"), false);
  assert.equal(first!.headers.has("if-modified-since"), false);
  assert.equal(second!.headers.get("if-none-match"), '"1"');
  assert.equal(second!.headers.get("if-modified-since"), validators.lastModified);

  const elsewhere = { ...validators, url: `${server.url}/old` };
  assert.equal(
    (await fetchText(`${server.url}/new`, rules, { validators: elsewhere })).kind,
    "content",
  );
  // What isn't well-formed isn't sent, so that a stored value can't add a header.
  const odd = { ...validators, etag: '"1"\r\nx: y', lastModified: "today\n" };
  assert.equal((await fetchText(`${server.url}/new`, rules, { validators: odd })).kind, "content");
});

Deno.test("validators that aren't well-formed aren't kept", CLEAN, async () => {
  const headers: Record<string, string> = {};
  await using server = site(() => new Response("{}", { headers }));
  const rules = testRules([server.host]);
  for (const etag of ["abc", '"a b"', '"a"b"', 'w/"a"', `"${"a".repeat(257)}"`, '"ü"']) {
    Object.assign(headers, { etag, "last-modified": "yesterday" });
    const fetched = await fetchText(server.url, rules);
    assert.equal(fetched.kind, "content");
    assert.deepEqual(
      fetched.kind === "content" && [fetched.etag, fetched.lastModified],
      [null, null],
      etag,
    );
  }
});

Deno.test("a status other than 200 is told, with the host's wish to wait", CLEAN, async () => {
  let status = 200;
  let retryAfter: string | null = null;
  await using server = site(() => {
    const headers = new Headers();
    if (retryAfter !== null) headers.set("retry-after", retryAfter);
    return new Response([204, 205, 304].includes(status) ? null : "secret", { status, headers });
  });
  const rules = testRules([server.host]);
  for (status of [201, 203, 204, 206, 300, 304, 305, 400, 401, 403, 404, 410, 418, 429, 500, 503]) {
    const error = await errorOf(server.url, rules);
    assert.deepEqual([error.code, error.status], ["fetch-status", status]);
    assert.match(error.message, new RegExp(`\\(status ${status}\\)$`));
    assert.equal(error.retryAfter, null);
  }
  status = 503;
  for (
    const [text, seconds] of [["120", 120], ["0", 1], ["99999999999", 86_400], [
      "soon",
      null,
    ]] as const
  ) {
    retryAfter = text;
    assert.equal((await errorOf(server.url, rules)).retryAfter, seconds, text);
  }
  retryAfter = new Date(Date.now() + 3_600_000).toUTCString();
  const wait = (await errorOf(server.url, rules)).retryAfter!;
  assert.ok(wait > 3_000 && wait <= 3_600);
});

Deno.test("a file of the largest size is taken, one byte more isn't", CLEAN, async () => {
  let size = 0;
  let chunked = false;
  await using server = site(() => {
    const bytes = new Uint8Array(size).fill(0x20);
    return new Response(chunked ? new Blob([bytes]).stream() : bytes);
  });
  const rules = testRules([server.host], { limits: { bytes: 100_000 } });
  for (chunked of [false, true]) {
    for (size of [0, 1, 99_999, 100_000]) {
      assert.equal((await contentOf(server.url, rules)).length, size);
    }
    for (size of [100_001, 1_000_000]) {
      const error = await errorOf(server.url, rules);
      assert.equal(error.code, "fetch-too-large");
      assert.match(error.message, /larger than 100000 bytes/);
    }
  }
});

Deno.test("by default, 4 MiB arrive whole", CLEAN, async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(65_536));
  const whole = new Uint8Array(4 * 1024 * 1024);
  for (let at = 0; at < whole.length; at += bytes.length) whole.set(bytes, at);
  await using server = site(() => new Response(new Blob([whole]).stream()));
  const fetched = await fetchText(server.url, testRules([server.host]));
  assert.ok(fetched.kind === "content" && Buffer.compare(fetched.bytes, whole) === 0);
});

Deno.test("each hop counts for its host, and gives its place back", CLEAN, async () => {
  await using server = site(({ url }) =>
    new URL(url).pathname === "/r" ? Response.redirect(new URL("/", url)) : new Response("{}")
  );
  const limits = { concurrent: 1, perMinute: 60, burst: 4, clock: () => 0 };
  const rules = testRules([server.host], { hosts: createHosts(limits) });
  await fetchText(`${server.url}/r`, rules);
  await fetchText(`${server.url}/r`, rules);
  const error = await errorOf(server.url, rules);
  assert.deepEqual([error.code, error.retryAfter], ["fetch-host-busy", 1]);
  assert.equal(server.requests.length, 4);
});

Deno.test("many names for one address count together", CLEAN, async () => {
  await using server = site(() => new Response("{}"));
  const port = server.host.split(":")[1];
  const names = ["a", "b", "c", "d"].map((name) => `${name}.example:${port}`);
  const rules = testRules(names, {
    resolve: () => Promise.resolve(["127.0.0.1"]),
    addresses: createHosts({ concurrent: 1, perMinute: 1, burst: 3, clock: () => 0 }),
  });
  for (const name of names.slice(0, 3)) await fetchText(`http://${name}/`, rules);
  const error = await errorOf(`http://${names[3]}/`, rules);
  assert.deepEqual([error.code, error.retryAfter], ["fetch-host-busy", 60]);
  assert.equal(server.requests.length, 3);
});

Deno.test("a caller can call a fetch off, before and while it runs", CLEAN, async () => {
  const arrived = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await using server = site(async () => {
    arrived.resolve();
    await finish.promise;
    return new Response("{}");
  });
  const rules = testRules([server.host]);
  const gone = new Error("gone");
  await assert.rejects(fetchText(server.url, rules, { signal: AbortSignal.abort(gone) }), gone);
  const controller = new AbortController();
  const running = fetchText(server.url, rules, { signal: controller.signal });
  await arrived.promise;
  controller.abort(gone);
  await assert.rejects(running, gone);
  finish.resolve();
});

Deno.test("the defaults: https on two ports, 4 MiB, 5 s, 10 s, 3 redirects", () => {
  const rules = createRules();
  assert.deepEqual([...rules.ports], [443, 8443]);
  assert.deepEqual(rules.limits, {
    firstByteMs: 5_000,
    totalMs: 10_000,
    resolveMs: 3_000,
    attemptMs: 1_500,
    bytes: 4_194_304,
    redirects: 3,
  });
  assert.equal(rules.allowHosts.size, 0);
  assert.equal(rules.ca, undefined);
});

Deno.test("no message repeats the URL, the host or what it sent", CLEAN, async () => {
  await using server = site(() =>
    new Response("leaked-body", {
      status: 500,
      statusText: "leaked-status",
      headers: { "x-leaked": "1", "content-type": "leaked/type", location: "leaked-location" },
    })
  );
  const rules = testRules([server.host]);
  const error = await errorOf(`${server.url}/leaked-path?leaked-query`, rules);
  assert.ok(error instanceof FetchError);
  assert.doesNotMatch(error.message, /leaked|127/);
});
