import assert from "node:assert/strict";
import { Hono } from "hono";
import { type Network, readNetwork } from "../../../lib/limits/address.ts";
import { createClientOf } from "../../../routes/http/client.ts";

/** What a server with these proxies takes for the client. */
function clients(...proxies: string[]) {
  const trusted = proxies.map((text): Network => {
    const network = readNetwork(text);
    assert.ok(network, text);
    return network;
  });
  const clientOf = createClientOf(trusted);
  const app = new Hono();
  app.get("/", (c) => c.json(clientOf(c)));
  return async (info: unknown, headers: HeadersInit = {}): Promise<unknown> => {
    const request = new Request("http://x/", { headers });
    return await (await app.fetch(request, info as Record<string, unknown>)).json();
  };
}

const peer = (hostname: string) => ({ remoteAddr: { transport: "tcp", hostname, port: 1 } });

const ADDRESSES: Record<string, string> = {
  "192.0.2.7": "192.0.2.7",
  "::ffff:192.0.2.7": "192.0.2.7",
  "::ffff:c000:207": "192.0.2.7",
  "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
  "2001:db8:1:2::1": "2001:db8:1:2::/64",
  "2001:0DB8:0001:2::1": "2001:db8:1:2::/64",
  "2001:db8::1": "2001:db8:0:0::/64",
  "::1": "0:0:0:0::/64",
  "fe80::1%eth0": "fe80:0:0:0::/64",
};

Deno.test("a client is its address, an IPv6 one its /64; headers are not believed", async () => {
  const spoofed = { "x-forwarded-for": "203.0.113.9", "forwarded": "for=203.0.113.9" };
  // Nobody is trusted, or not this peer.
  for (const client of [clients(), clients("10.0.0.0/8", "fd00::/8")]) {
    for (const [hostname, expected] of Object.entries(ADDRESSES)) {
      assert.equal(await client(peer(hostname), spoofed), expected, hostname);
    }
    for (const info of [undefined, {}, { remoteAddr: null }, { remoteAddr: { path: "/x" } }]) {
      assert.equal(await client(info, spoofed), null);
    }
  }
});

Deno.test("a trusted proxy is believed about the address that it heard from", async () => {
  const client = clients("10.0.0.0/8", "fd00::/8");
  for (const proxy of ["10.0.0.1", "::ffff:10.255.0.1", "fd00::5"]) {
    for (const [address, expected] of Object.entries(ADDRESSES)) {
      if (address.includes("%")) continue;
      const v6 = address.includes(":");
      const values = [address, ` ${address} `, v6 ? `[${address}]:4711` : `${address}:4711`];
      if (v6) values.push(`[${address}]`);
      for (const value of values) {
        const headers = { "x-forwarded-for": value };
        assert.equal(await client(peer(proxy), headers), expected, `X-Forwarded-For: ${value}`);
      }
      const node = v6 ? `"[${address}]` : `"${address}`;
      const elements = [
        `for=${node}"`,
        `For=${node}:4711"`,
        `proto=https;for=${node}";by=_edge`,
        `proto=https ; host="a.example" ; FOR=${node}:80";`,
        ...v6 ? [] : [`for=${address}`, `by=10.0.0.1;for=${address};proto=http`],
      ];
      for (const element of elements) {
        const headers = { "forwarded": element };
        assert.equal(await client(peer(proxy), headers), expected, `Forwarded: ${element}`);
      }
    }
  }
});

Deno.test("of several addresses, the rightmost that is no trusted proxy's counts", async () => {
  const client = clients("10.0.0.0/8", "192.0.2.1");
  const chains: [header: string, expected: string][] = [
    ["203.0.113.9", "203.0.113.9"],
    // What stands before it may be invented.
    ["198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["10.0.0.9, 203.0.113.9", "203.0.113.9"],
    ["198.51.100.1,203.0.113.9,10.1.1.1", "203.0.113.9"],
    ["203.0.113.9, 192.0.2.1, 10.1.1.1", "203.0.113.9"],
    ["203.0.113.9, 192.0.2.2, 10.1.1.1", "192.0.2.2"],
    // Sent from within.
    ["10.2.2.2", "10.2.2.2"],
    ["10.3.3.3, 10.2.2.2", "10.3.3.3"],
  ];
  for (const [header, expected] of chains) {
    const info = peer("10.0.0.1");
    assert.equal(await client(info, { "x-forwarded-for": header }), expected, header);
    const elements = header.split(",").map((address) => `for=${address.trim()};proto=https`);
    assert.equal(await client(info, { forwarded: elements.join(", ") }), expected, header);
    // One header a hop is the same as one with all of them.
    const lines = header.split(",").map((part): [string, string] => ["x-forwarded-for", part]);
    assert.equal(await client(info, lines), expected, header);
  }
});

Deno.test("what is no address ends the walk: the proxy that added it counts", async () => {
  const client = clients("10.0.0.0/8");
  const malformed = [
    "",
    " ",
    "unknown",
    "_hidden",
    "localhost",
    "999.1.1.1",
    "1.2.3",
    "0x7f.0.0.1",
    "010.0.0.1",
    "2130706433",
    "1.2.3.4:",
    "1.2.3.4:123456",
    "1.2.3.4:80:80",
    "[1.2.3.4]",
    "[2001:db8::1",
    "2001:db8::1]",
    "[2001:db8::1]:x",
    "fe80::1%eth0",
    "[fe80::1%25eth0]",
    "2001:db8:::1",
    "::ffff:1.2.3.999",
    '"203.0.113.9"',
    "203.0.113.9;",
    "203.0.113.9 198.51.100.1",
    "<script>",
    "x".repeat(300),
    "1".repeat(100_000),
  ];
  for (const entry of malformed) {
    const info = peer("10.0.0.1");
    for (const header of [entry, `203.0.113.9, ${entry}`]) {
      const said = await client(info, { "x-forwarded-for": header });
      assert.equal(said, "10.0.0.1", entry.slice(0, 40));
    }
    const further = { "x-forwarded-for": `203.0.113.9, ${entry}, 10.7.7.7` };
    assert.equal(await client(info, further), "10.7.7.7", entry.slice(0, 40));
  }
  const elements = [
    "for=",
    "for",
    "for=unknown",
    "for=_gazonk",
    'for="_gazonk:80"',
    "by=203.0.113.9",
    "for=203.0.113.9;for=203.0.113.9",
    "for=203.0.113.9:80",
    "for=[2001:db8::1]",
    'for="203.0.113.9',
    'for=203.0.113.9"',
    'for="203\\.0.113.9"',
    "for = 203.0.113.9",
    "for=203.0.113.9 proto=http",
    "203.0.113.9",
    ";".repeat(300),
    `for=203.0.113.9;a="${"x".repeat(300)}"`,
  ];
  for (const element of elements) {
    assert.equal(await client(peer("10.0.0.1"), { forwarded: element }), "10.0.0.1", element);
  }
  // A quote that somebody opened swallows nothing that the proxy added.
  const opened = { forwarded: 'for="198.51.100.1, for=203.0.113.9' };
  assert.equal(await client(peer("10.0.0.1"), opened), "203.0.113.9");
});

Deno.test("where both headers stand, they must agree", async () => {
  const client = clients("10.0.0.0/8");
  const both = (custom: string, standard: string) =>
    client(peer("10.0.0.1"), { "x-forwarded-for": custom, forwarded: standard });
  assert.equal(await both("203.0.113.9", "for=203.0.113.9"), "203.0.113.9");
  assert.equal(await both("203.0.113.9", 'for="[2001:db8::1]"'), "10.0.0.1");
  assert.equal(await both("203.0.113.9", "for=unknown"), "10.0.0.1");
});

Deno.test("very long headers and very many proxies are looked at from the right end only", async () => {
  const client = clients("10.0.0.0/8");
  const far = `203.0.113.9, ${"10.0.0.2, ".repeat(20_000)}10.0.0.3`;
  assert.equal(await client(peer("10.0.0.1"), { "x-forwarded-for": far }), "10.0.0.2");
  const long = `${"198.51.100.1, ".repeat(20_000)}203.0.113.9`;
  assert.equal(await client(peer("10.0.0.1"), { "x-forwarded-for": long }), "203.0.113.9");
  assert.equal(
    await client(peer("10.0.0.1"), { "x-forwarded-for": ",".repeat(99_999) }),
    "10.0.0.1",
  );
});

Deno.test("networks of proxies are read strictly", () => {
  for (
    const text of ["10.0.0.0/8", "192.0.2.1", "192.0.2.1/32", "fd00::/8", "::1", "2001:db8::/128"]
  ) {
    assert.ok(readNetwork(text), text);
  }
  const refused = [
    "",
    "x",
    "localhost",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.0/33",
    "::1/129",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10/8",
    "010.0.0.1",
    "0x0a.0.0.1",
    "fe80::1%eth0",
    "::ffff:10.0.0.0/104",
    "::ffff:10.0.0.0/8",
    "[::1]",
    "10.0.0.1:80",
    " 10.0.0.1",
  ];
  for (const text of refused) assert.equal(readNetwork(text), null, text);
});
