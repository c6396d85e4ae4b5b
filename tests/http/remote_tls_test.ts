/**
 * https to servers on loopback, with certificates that live as long as this file: the certificate has
 * to be right for the URL's host, and the connection goes to the address that was checked.
 */
import assert from "node:assert/strict";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { createAuthority, type Issued } from "../support/certificate.ts";
import { watchDials } from "../support/dials.ts";
import { rawServer } from "../support/raw_server.ts";
import { codeOf, contentOf, errorOf, fetchText, testRules } from "../support/remote.ts";

const CLEAN = { sanitizeOps: true, sanitizeResources: true };

const authority = await createAuthority();
const ca = [authority.ca];
const files = await authority.issue({ dns: ["files.example"] });

/** Public by their look; `watchDials` sees to it that nothing goes there. */
const PUBLIC = "93.184.216.34";
const OTHER_PUBLIC = "93.184.216.35";

interface TlsServer extends AsyncDisposable {
  port: number;
  /** Requests so far: server name of the handshake, `Host` header and path. */
  seen: { sni: string; host: string; path: string }[];
}

async function tlsServer(
  { cert, key }: Issued,
  answer: (path: string) => { status?: number; location?: string } = () => ({}),
): Promise<TlsServer> {
  const seen: TlsServer["seen"] = [];
  const server = https.createServer({ cert, key }, (request, response) => {
    const { servername } = request.socket as TLSSocket & { servername?: string | false };
    const path = request.url!;
    seen.push({ sni: servername || "", host: request.headers.host!, path });
    const { status = 200, location } = answer(path);
    response.writeHead(status, { ...(location && { location }) }).end("{}");
  });
  // A client that doesn't trust the certificate says so and leaves.
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

Deno.test("a name is fetched from the address that was checked, by its name", CLEAN, async () => {
  await using server = await tlsServer(files);
  using dials = watchDials({ [`${PUBLIC}:443`]: server.port, [`${PUBLIC}:8443`]: server.port });
  const rules = testRules([], { ca, resolve: () => Promise.resolve([PUBLIC]) });
  assert.equal(await contentOf("https://files.example/a?b", rules), "{}");
  assert.equal(await contentOf("https://FILES.example.:8443/c", rules), "{}");
  assert.deepEqual(dials.tried, [`${PUBLIC}:443`, `${PUBLIC}:8443`]);
  assert.deepEqual(server.seen, [
    { sni: "files.example", host: "files.example", path: "/a?b" },
    { sni: "files.example", host: "files.example:8443", path: "/c" },
  ]);
});

Deno.test(
  "rebinding: a name is resolved once a request, and checked each time",
  CLEAN,
  async () => {
    await using canary = rawServer(() => Promise.resolve());
    await using server = await tlsServer(
      files,
      (path) => path === "/r" ? { status: 302, location: "/a" } : {},
    );
    const route = { [`${PUBLIC}:8443`]: server.port, [`127.0.0.1:8443`]: canary.port };
    using dials = watchDials(route);
    const asked: string[] = [];
    const rules = testRules([], {
      ca,
      // A name server's answer that lives for one question.
      resolve: (host) => Promise.resolve([asked.push(host) % 2 === 1 ? PUBLIC : "127.0.0.1"]),
    });
    assert.equal(await contentOf("https://files.example:8443/a", rules), "{}");
    assert.deepEqual(asked, ["files.example"]);
    assert.deepEqual(dials.tried, [`${PUBLIC}:8443`]);
    assert.equal(await codeOf("https://files.example:8443/a", rules), "fetch-blocked-address");
    assert.deepEqual(dials.tried, [`${PUBLIC}:8443`]);
    // A redirect to the same name is a new question.
    assert.equal(await codeOf("https://files.example:8443/r", rules), "fetch-blocked-address");
    assert.deepEqual(asked.length, 4);
    assert.deepEqual(dials.tried, [`${PUBLIC}:8443`, `${PUBLIC}:8443`]);
    assert.equal(canary.connections, 0);
  },
);

Deno.test("the next address is tried where one doesn't answer, four at most", CLEAN, async () => {
  await using server = await tlsServer(files);
  await using silent = rawServer(({ hang }) => hang());
  const addresses = [1, 2, 3, 4, 5].map((n) => `93.184.216.${n}`);
  const rules = testRules([], {
    ca,
    resolve: () => Promise.resolve(addresses),
    limits: { attemptMs: 100 },
  });
  {
    // The first refuses, the second is silent.
    using dials = watchDials({
      "93.184.216.2:443": silent.port,
      "93.184.216.3:443": server.port,
    });
    assert.equal(await contentOf("https://files.example/", rules), "{}");
    assert.deepEqual(dials.tried, ["93.184.216.1:443", "93.184.216.2:443", "93.184.216.3:443"]);
  }
  using dials = watchDials({ "93.184.216.5:443": server.port });
  assert.equal(await codeOf("https://files.example/", rules), "fetch-unreachable");
  assert.deepEqual(dials.tried, addresses.slice(0, 4).map((address) => `${address}:443`));
});

Deno.test("IPv4 and IPv6 are tried by turns", CLEAN, async () => {
  const [a, b, c] = ["2606:2800::1", "2606:2800::2", "2606:2800::3"];
  const cases: [string[], string[]][] = [
    [[PUBLIC, OTHER_PUBLIC, "93.184.216.36", a!, b!], [PUBLIC, a!, OTHER_PUBLIC, b!]],
    [[a!, b!, c!, PUBLIC], [PUBLIC, a!, b!, c!]],
    [[b!, a!, b!], [b!, a!]],
  ];
  for (const [found, tried] of cases) {
    using dials = watchDials();
    const rules = testRules([], { ca, resolve: () => Promise.resolve(found) });
    assert.equal(await codeOf("https://files.example/", rules), "fetch-unreachable");
    const names = tried.map((address) => address.includes(":") ? `[${address}]` : address);
    assert.deepEqual(dials.tried, names.map((name) => `${name}:443`));
  }
});

Deno.test("a certificate nobody vouches for is no certificate", CLEAN, async () => {
  const selfMade = await createAuthority();
  await using server = await tlsServer(files);
  await using strange = await tlsServer(await selfMade.issue({ dns: ["files.example"] }));
  const resolve = () => Promise.resolve([PUBLIC]);
  {
    using _dials = watchDials({ [`${PUBLIC}:443`]: server.port });
    // Without the authority among the trusted ones.
    assert.equal(
      await codeOf("https://files.example/", testRules([], { resolve })),
      "fetch-unreachable",
    );
  }
  using _dials = watchDials({ [`${PUBLIC}:443`]: strange.port });
  const rules = testRules([], { ca, resolve });
  assert.equal(await codeOf("https://files.example/", rules), "fetch-unreachable");
  assert.deepEqual([...server.seen, ...strange.seen], [], "the URL was told to a stranger");
});

Deno.test("a certificate for another name or time isn't valid", CLEAN, async () => {
  const hour = 3_600_000;
  const now = Date.now();
  const certificates = {
    "another name": await authority.issue({ dns: ["other.example"] }),
    "a name above": await authority.issue({ dns: ["example"] }),
    "a name below": await authority.issue({ dns: ["a.files.example"] }),
    "an address only": await authority.issue({ ip: [PUBLIC, "127.0.0.1"] }),
    "expired": await authority.issue(
      { dns: ["files.example"] },
      { from: new Date(now - 2 * hour), until: new Date(now - hour) },
    ),
    "not yet valid": await authority.issue(
      { dns: ["files.example"] },
      { from: new Date(now + hour), until: new Date(now + 2 * hour) },
    ),
  };
  const rules = testRules([], { ca, resolve: () => Promise.resolve([PUBLIC]) });
  for (const [what, certificate] of Object.entries(certificates)) {
    await using server = await tlsServer(certificate);
    using _dials = watchDials({ [`${PUBLIC}:443`]: server.port });
    assert.equal(await codeOf("https://files.example/?secret", rules), "fetch-unreachable", what);
    assert.deepEqual(server.seen, [], what);
  }
});

Deno.test("an address in a URL needs a certificate for that address", CLEAN, async () => {
  await using right = await tlsServer(await authority.issue({ ip: [PUBLIC] }));
  await using wrong = await tlsServer(
    await authority.issue({ dns: ["files.example", PUBLIC], ip: ["127.0.0.1"] }),
  );
  const rules = testRules([], { ca });
  {
    using _dials = watchDials({ [`${OTHER_PUBLIC}:443`]: right.port });
    assert.equal(await codeOf(`https://${OTHER_PUBLIC}/`, rules), "fetch-unreachable");
  }
  {
    using _dials = watchDials({ [`${PUBLIC}:443`]: wrong.port });
    assert.equal(await codeOf(`https://${PUBLIC}/`, rules), "fetch-unreachable");
  }
  assert.deepEqual([...right.seen, ...wrong.seen], []);
  using dials = watchDials({ [`${PUBLIC}:443`]: right.port });
  assert.equal(await contentOf(`https://${PUBLIC}/a`, rules), "{}");
  assert.deepEqual(right.seen, [{ sni: "", host: PUBLIC, path: "/a" }]);
  assert.deepEqual(dials.tried, [`${PUBLIC}:443`]);
});

Deno.test("redirects go from https to https, to an allow-listed host too", CLEAN, async () => {
  await using plain = rawServer(({ send }) => send("HTTP/1.1 200 OK\r\n\r\n{}"));
  let location = "";
  await using server = await tlsServer(
    files,
    (path) => path === "/r" ? { status: 301, location } : {},
  );
  using _dials = watchDials({ [`${PUBLIC}:443`]: server.port });
  const rules = testRules([plain.host], {
    ca,
    ownHosts: new Set(["touchstone.example"]),
    resolve: () => Promise.resolve([PUBLIC]),
  });
  for (
    location of [`http://${plain.host}/`, "http://files.example/a", "http://touchstone.example/"]
  ) {
    const error = await errorOf("https://files.example/r", rules);
    assert.equal(error.code, "fetch-redirects", location);
    assert.match(error.message, /from https to http/);
  }
  assert.equal(plain.connections, 0);
  location = "/a?b#c";
  assert.equal(
    (await fetchText("https://files.example/r", rules)).url,
    "https://files.example/a?b",
  );
});

Deno.test("a host that begins no TLS, or never ends its handshake", CLEAN, async () => {
  await using plain = rawServer(({ send }) => send("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await using silent = rawServer(({ hang }) => hang());
  await using flooding = rawServer(({ flood }) => flood(new Uint8Array(65_536).fill(0x16)));
  await using trickling = rawServer(async ({ send }) => {
    // A handshake record of 16 KiB, a byte at a time.
    await send(Uint8Array.of(0x16, 3, 3, 0x40, 0));
    while (await send(Uint8Array.of(2))) await new Promise((done) => setTimeout(done, 10));
  });
  const rules = (host: string, limits = {}) => testRules([host], { ca, limits });
  for (const { host } of [plain, flooding]) {
    assert.equal(await codeOf(`https://${host}/`, rules(host)), "fetch-unreachable");
  }
  for (const { host } of [silent, trickling]) {
    const impatient = rules(host, { firstByteMs: 100 });
    assert.equal(await codeOf(`https://${host}/`, impatient), "fetch-timeout");
  }
  for (const server of [plain, silent, flooding, trickling]) await server.idle();
});
