/**
 * Every way known to make a fetcher connect where it shouldn't, by URL, by name and by redirect: each
 * has its code, and nothing is connected to. The canary listens on loopback, on a port that the rules
 * allow, so that only the address stands in the way.
 */
import assert from "node:assert/strict";
import type { FetchErrorCode } from "../../../lib/fetch/error.ts";
import { readTarget } from "../../../lib/fetch/target.ts";
import { watchDials } from "../../support/dials.ts";
import { rawServer } from "../../support/raw_server.ts";
import { codeOf, errorOf, fetchText, testRules } from "../../support/remote.ts";

/** `PORT` stands for the canary's. */
const REFUSED: Record<string, string[]> = {
  "fetch-blocked-address": [
    // Loopback in every spelling that some reader of URLs takes for an address.
    "https://127.0.0.1:PORT/",
    "https://127.1:PORT/",
    "https://127.0.1:PORT/",
    "https://127.255.255.254:PORT/",
    "https://127.0.0.1.:PORT/",
    "https://2130706433:PORT/",
    "https://0x7f000001:PORT/",
    "https://0X7F.0x00.0x00.0x01:PORT/",
    "https://0x7f.1:PORT/",
    "https://0177.0.0.1:PORT/",
    "https://017700000001:PORT/",
    "https://0000177.0.0.01:PORT/",
    "https://127.0x0.00.1:PORT/",
    "https://①②⑦.⓪.⓪.①:PORT/",
    "https://１２７．０．０．１:PORT/",
    "https://127。0。0。1:PORT/",
    "https://127｡0｡0｡1:PORT/",
    "https://𝟙𝟚𝟟.𝟘.𝟘.𝟙:PORT/",
    "https://%31%32%37.0.0.1:PORT/",
    "https://127%2e0%2e0%2e1:PORT/",
    "https://127.0.0.1\u00ad:PORT/",
    "https://127.0.0.1:PORT#.example.com/",
    "https://127.0.0.1:PORT?.example.com/",
    "https://127.0.0.1:PORT/@example.com",
    // This host.
    "https://0:PORT/",
    "https://0.0.0.0:PORT/",
    "https://0x:PORT/",
    "https://0.1.2.3:PORT/",
    // IPv6, and IPv4 within it.
    "https://[::1]:PORT/",
    "https://[0:0:0:0:0:0:0:1]:PORT/",
    "https://[0000::0001]:PORT/",
    "https://[::]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
    "https://[::ffff:7f00:1]:PORT/",
    "https://[0:0:0:0:0:FFFF:7F00:0001]:PORT/",
    "https://[::127.0.0.1]:PORT/",
    "https://[::ffff:0:127.0.0.1]:PORT/",
    "https://[::ffff:8.8.8.8]:PORT/",
    "https://[64:ff9b::127.0.0.1]:PORT/",
    "https://[64:ff9b::8.8.8.8]:PORT/",
    "https://[64:ff9b:1::7f00:1]:PORT/",
    "https://[2002:7f00:1::]:PORT/",
    "https://[2002:808:808::1]:PORT/",
    "https://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/",
    "https://[2a00:1450::5efe:127.0.0.1]:PORT/",
    "https://[2a00:1450::200:5efe:10.0.0.1]:PORT/",
    "https://[fe80::1]:PORT/",
    "https://[febf::1]:PORT/",
    "https://[fec0::1]:PORT/",
    "https://[fc00::1]:PORT/",
    "https://[fdff:ffff::1]:PORT/",
    "https://[fd00:ec2::254]/",
    "https://[fd20:ce::254]/",
    "https://[ff02::1]:PORT/",
    "https://[ff0e::1]:PORT/",
    "https://[100::1]:PORT/",
    "https://[2001:db8::1]:PORT/",
    "https://[3fff::1]:PORT/",
    "https://[2001:2::1]:PORT/",
    "https://[2001:10::1]:PORT/",
    "https://[2001:20::1]:PORT/",
    "https://[5f00::1]:PORT/",
    "https://[4000::1]:PORT/",
    "https://[1fff::1]:PORT/",
    // Private, shared and special IPv4.
    "https://10.0.0.1/",
    "https://012.0.0.1/",
    "https://167772161/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://192.168.257/",
    "https://100.64.0.1/",
    "https://100.127.255.255/",
    "https://192.0.0.1/",
    "https://192.0.2.1/",
    "https://192.88.99.1/",
    "https://198.18.0.1/",
    "https://198.19.255.255/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://239.255.255.255/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    // Where clouds answer questions about themselves.
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/latest/meta-data/",
    "https://0xa9fea9fe/latest/meta-data/",
    "https://0251.0376.0251.0376/latest/meta-data/",
    "https://169.254.43518/latest/meta-data/",
    "https://[::ffff:a9fe:a9fe]/latest/meta-data/",
    "https://169.254.170.2/",
    "https://168.63.129.16/",
    "https://0xa83f8110/",
    "https://100.100.100.200/",
    "https://192.0.0.192/",
    "https://metadata.google.internal/",
    "https://metadata.goog/",
    "https://instance-data/",
    // Names that mean something inside only.
    "https://localhost:PORT/",
    "https://LOCALHOST:PORT/",
    "https://localhost.:PORT/",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
    "https://local%68ost:PORT/",
    "https://loc\u00adalhost:PORT/",
    "https://api.localhost:PORT/",
    "https://localhost.localdomain:PORT/",
    "https://printer.local/",
    "https://db.internal/",
    "https://wiki.intranet/",
    "https://db.corp/",
    "https://nas.home/",
    "https://nas.home.arpa/",
    "https://router.lan/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://hidden.onion/",
    "https://kubernetes/",
    "https://kubernetes.default.svc.cluster.local/",
    // No name resolves under these rules: nobody can tell one that doesn't from one that may not.
    "https://nothing.example:PORT/",
    "https://127.0.0.1.nip.io:PORT/",
    "https://localtest.me:PORT/",
    "https://localhost.example.com:PORT/",
  ],
  "fetch-scheme": [
    "http://example.com/",
    "HTTP://EXAMPLE.COM/",
    "http://127.0.0.1:PORT/",
    "http://[::1]:PORT/",
    "http://example.com:443/",
    "ftp://127.0.0.1:PORT/",
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "gopher://127.0.0.1:PORT/_GET",
    "dict://127.0.0.1:PORT/",
    "ldap://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "wss://127.0.0.1:PORT/",
    "data:application/json,{}",
    "javascript:alert(1)",
    "blob:https://example.com/1",
    "view-source:https://127.0.0.1:PORT/",
    "jar:https://127.0.0.1:PORT!/",
    "about:blank",
  ],
  "fetch-credentials": [
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://:secret@example.com/",
    "https://example.com@127.0.0.1:PORT/",
    "https://example.com:443@127.0.0.1:PORT/",
    "https://example.com%2f@127.0.0.1:PORT/",
    "https://example.com%23@127.0.0.1:PORT/",
    "https://a@b@127.0.0.1:PORT/",
    "https://127.0.0.1:PORT@example.com/",
  ],
  "fetch-url-malformed": [
    "",
    " ",
    "example.com",
    "example.com/receipt.json",
    "//127.0.0.1:PORT/",
    "/etc/passwd",
    "https:127.0.0.1:PORT",
    "https:/127.0.0.1:PORT/",
    "https:///127.0.0.1:PORT/",
    "https:////127.0.0.1:PORT/",
    "https://",
    "https://?x",
    "https://#x",
    "https://:443/",
    "https://[::1",
    "https://[::1]]/",
    "https://[fe80::1%25lo]:PORT/",
    "https://[::1%lo]:PORT/",
    "https://[::1%251]:PORT/",
    "https://[127.0.0.1]:PORT/",
    "https:\\\\127.0.0.1:PORT\\",
    "https://127.0.0.1:PORT\\@example.com/",
    "https://example.com\\@127.0.0.1:PORT/",
    "https://example.com/\\..\\127.0.0.1",
    "https://127.0\t.0.1:PORT/",
    "https://127.0\n.0.1:PORT/",
    "ht\ntps://127.0.0.1:PORT/",
    "https://127.0.0.1:PORT\r\nHost: example.com/",
    "https://example.com/\r\n\r\nGET /admin",
    "https://127.0.0.1 .example.com:PORT/",
    "https://exa mple.com/",
    "https://example.com/a b",
    "https://127.0.0.1\u0000.example.com/",
    "https://127.0.0.1%00.example.com/",
    "https://127.0.0.1%0a.example.com/",
    "https://256.256.256.256/",
    "https://1.2.3.4.5/",
    "https://4294967296/",
    "https://0x100000000/",
    "https://127.0.0.08/",
    "https://١٢٧.٠.٠.١:PORT/",
    "https://.example.com/",
    "https://example..com/",
    "https://example.com../",
    "https://./",
    "https://ex*mple.com/",
    "https://ex$mple.com/",
    `https://${"a".repeat(64)}.example/`,
    `https://${"a.".repeat(127)}example/`,
    "https://example.com:99999/",
    "https://example.com:-1/",
    "https://example.com:443:PORT/",
    "https://example.com:0x1bb/",
    "https://xn--/",
    `https://example.com/${"a".repeat(2029)}`,
    `https://example.com/${"ü".repeat(1000)}`,
    `https://example.com/${"a/../".repeat(1000)}`,
  ],
  "fetch-port": [
    "https://example.com:80/",
    "https://example.com:22/",
    "https://example.com:6379/",
    "https://example.com:8080/",
    "https://example.com:0/",
    "https://example.com:65535/",
    "https://[2606:4700:4700::1111]:25/",
    "https://127.0.0.1:22/",
  ],
};

/** Fine as they are, and what they become. */
const ACCEPTED: [string, string][] = [
  ["https://example.com", "https://example.com/"],
  ["HTTPS://EXAMPLE.COM:443/A", "https://example.com/A"],
  ["  https://example.com/a\n", "https://example.com/a"],
  ["https://example.com.:8443/x", "https://example.com:8443/x"],
  ["https://example.com/#@127.0.0.1/", "https://example.com/"],
  ["https://example.com#@127.0.0.1/", "https://example.com/"],
  ["https://example.com?@127.0.0.1/", "https://example.com/?@127.0.0.1/"],
  ["https://example.com/@127.0.0.1:22/", "https://example.com/@127.0.0.1:22/"],
  ["https://example.com/../../a/./b", "https://example.com/a/b"],
  ["https://@example.com/", "https://example.com/"],
  ["https://127.0.0.1.example.com/", "https://127.0.0.1.example.com/"],
  ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
  ["https://sub_domain.example.com/", "https://sub_domain.example.com/"],
  ["https://1.1.1.1/", "https://1.1.1.1/"],
  ["https://0x01010101/", "https://1.1.1.1/"],
  ["https://[2606:4700:4700:0::1111]/", "https://[2606:4700:4700::1111]/"],
  [`https://example.com/${"a".repeat(2028)}`, `https://example.com/${"a".repeat(2028)}`],
];

for (const [code, urls] of Object.entries(REFUSED)) {
  Deno.test(`${code}: ${urls.length} URLs, and nothing is connected to`, async () => {
    await withCanary(async (port, canary) => {
      const rules = testRules([], { ports: new Set([443, 8443, port]) });
      for (const url of urls) {
        const text = url.replaceAll("PORT", String(port));
        assert.equal(await codeOf(text, rules), code, JSON.stringify(url));
        // What a name server has to be asked about isn't known before; all else is.
        const known = !/example|nip\.io|localtest/.test(url) || code !== "fetch-blocked-address";
        if (known) assert.throws(() => readTarget(text, rules), { code }, JSON.stringify(url));
      }
      assert.deepEqual(canary.tried, []);
    });
  });
}

Deno.test("URLs that are fine are only normalised", () => {
  for (const [text, href] of ACCEPTED) assert.equal(readTarget(text, testRules()).href, href, text);
});

Deno.test("ports are those of the rules", () => {
  const rules = testRules([], { ports: new Set([4433]) });
  assert.equal(readTarget("https://example.com:4433/", rules).port, "4433");
  assert.throws(() => readTarget("https://example.com/", rules), { code: "fetch-port" });
});

Deno.test("an allow-listed host is that host and port, and nothing like it", () => {
  const rules = testRules(["127.0.0.1:8000", "files.example", "[::1]:8000", "plain.example:80"]);
  for (
    const [text, href] of [
      ["http://127.0.0.1:8000/a", "http://127.0.0.1:8000/a"],
      ["http://0x7f.1:8000/a", "http://127.0.0.1:8000/a"],
      ["https://127.0.0.1:8000/a", "https://127.0.0.1:8000/a"],
      ["http://[0::1]:8000/", "http://[::1]:8000/"],
      ["http://files.example/", "http://files.example/"],
      ["https://FILES.example./", "https://files.example/"],
      ["http://plain.example/", "http://plain.example/"],
    ] as const
  ) {
    assert.equal(readTarget(text, rules).href, href);
  }
  for (
    const [text, code] of [
      ["http://127.0.0.1:8001/", "fetch-scheme"],
      ["http://127.0.0.1/", "fetch-scheme"],
      ["http://127.0.0.2:8000/", "fetch-scheme"],
      ["http://files.example:8000/", "fetch-scheme"],
      ["https://files.example:8000/", "fetch-port"],
      ["http://a.files.example/", "fetch-scheme"],
      ["http://files.example.evil.example/", "fetch-scheme"],
      ["http://files.example@evil.example/", "fetch-credentials"],
      ["http://127.0.0.1:8000@evil.example/", "fetch-credentials"],
      ["ftp://127.0.0.1:8000/", "fetch-scheme"],
    ] as const
  ) {
    assert.throws(() => readTarget(text, rules), { code }, text);
  }
});

/** What a name server may say about a name; each answer is refused as a whole. */
const ANSWERS: string[][] = [
  [],
  ["127.0.0.1"],
  ["10.1.2.3"],
  ["172.20.0.1"],
  ["192.168.0.10"],
  ["169.254.169.254"],
  ["100.64.1.1"],
  ["168.63.129.16"],
  ["0.0.0.0"],
  ["192.0.2.7"],
  ["198.18.0.1"],
  ["224.0.0.251"],
  ["255.255.255.255"],
  ["::1"],
  ["::"],
  ["::ffff:127.0.0.1"],
  ["::ffff:93.184.216.34"],
  ["::7f00:1"],
  ["64:ff9b::a00:1"],
  ["2002:a00:1::"],
  ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
  ["fe80::1"],
  ["fe80::1%lo"],
  ["fd00:ec2::254"],
  ["ff02::fb"],
  ["2001:db8::1"],
  // One bad address spoils the rest, wherever it stands.
  ["93.184.216.34", "127.0.0.1"],
  ["127.0.0.1", "93.184.216.34"],
  ["93.184.216.34", "93.184.216.35", "93.184.216.36", "93.184.216.37", "10.0.0.1"],
  ["2606:2800:220:1::1", "::1"],
  ["93.184.216.34", "::ffff:10.0.0.1"],
  // Not addresses, or not to every reader the same one.
  ["localhost"],
  ["example.com"],
  [""],
  ["2130706433"],
  ["0x7f.0.0.1"],
  ["010.8.8.8"],
  ["8.8.8.8."],
  ["8.8.8.8%eth0"],
  ["2606:2800:220:1::1%lo"],
  [" 8.8.8.8"],
  ["8.8.8"],
];

Deno.test(`a name with any address that isn't public is refused: ${ANSWERS.length} answers`, async () => {
  await withCanary(async (port, canary) => {
    for (const answer of ANSWERS) {
      const rules = testRules([], {
        ports: new Set([port]),
        resolve: () => Promise.resolve(answer),
      });
      const error = await errorOf(`https://rebind.example:${port}/`, rules);
      assert.equal(error.code, "fetch-blocked-address", answer.join());
      // The same words for all, so that they tell nothing about the network.
      assert.equal(
        error.message,
        "the host has no address on the public internet; check its name",
      );
    }
    assert.deepEqual(canary.tried, []);
  });
});

Deno.test("a resolver that fails in any way is a name without addresses", async () => {
  const answers = [
    () => Promise.reject(new Error("SERVFAIL")),
    () => Promise.reject(undefined),
    () => {
      throw new Deno.errors.NotCapable("no");
    },
  ];
  for (const resolve of answers) {
    assert.equal(
      await codeOf("https://nothing.example/", testRules([], { resolve })),
      "fetch-blocked-address",
    );
  }
});

Deno.test("an allow-listed name's addresses are addresses all the same", async () => {
  await withCanary(async (port, canary) => {
    for (const answer of ["localhost", "0x7f.1", "fe80::1%lo", "", "127.0.0.1.example"]) {
      const rules = testRules([`files.example:${port}`], {
        resolve: () => Promise.resolve([answer]),
      });
      assert.equal(await codeOf(`http://files.example:${port}/`, rules), "fetch-blocked-address");
    }
    assert.deepEqual(canary.tried, []);
  });
});

/** Where an allow-listed host may send us, and what comes of it. */
const REDIRECTS: [string, FetchErrorCode][] = [
  ["https://127.0.0.1:PORT/", "fetch-blocked-address"],
  ["https://2130706433:PORT/", "fetch-blocked-address"],
  ["https://0x7f.1:PORT/", "fetch-blocked-address"],
  ["https://[::1]:PORT/", "fetch-blocked-address"],
  ["https://[::ffff:127.0.0.1]:PORT/", "fetch-blocked-address"],
  ["https://0.0.0.0:PORT/", "fetch-blocked-address"],
  ["https://localhost:PORT/", "fetch-blocked-address"],
  ["https://10.0.0.1/", "fetch-blocked-address"],
  ["https://172.16.0.1/", "fetch-blocked-address"],
  ["https://192.168.0.1/", "fetch-blocked-address"],
  ["https://100.64.0.1/", "fetch-blocked-address"],
  ["https://169.254.169.254/latest/", "fetch-blocked-address"],
  ["https://168.63.129.16/", "fetch-blocked-address"],
  ["https://198.18.0.1/", "fetch-blocked-address"],
  ["https://192.0.2.1/", "fetch-blocked-address"],
  ["https://224.0.0.1/", "fetch-blocked-address"],
  ["https://240.0.0.1/", "fetch-blocked-address"],
  ["https://[fe80::1]/", "fetch-blocked-address"],
  ["https://[fd00::1]/", "fetch-blocked-address"],
  ["https://[64:ff9b::a00:1]/", "fetch-blocked-address"],
  ["https://[2002:a00:1::]/", "fetch-blocked-address"],
  ["https://rebind.example:PORT/", "fetch-blocked-address"],
  ["https://metadata.google.internal/", "fetch-blocked-address"],
  ["//127.0.0.1:PORT/", "fetch-scheme"],
  ["\\\\127.0.0.1:PORT\\", "fetch-scheme"],
  ["http://127.0.0.1:PORT/", "fetch-scheme"],
  ["http://example.com/", "fetch-scheme"],
  ["ftp://127.0.0.1:PORT/", "fetch-scheme"],
  ["file:///etc/passwd", "fetch-scheme"],
  ["gopher://127.0.0.1:PORT/_", "fetch-scheme"],
  ["data:application/json,{}", "fetch-scheme"],
  ["https://user:secret@example.com/", "fetch-credentials"],
  ["https://example.com@127.0.0.1:PORT/", "fetch-credentials"],
  ["https://example.com:22/", "fetch-port"],
  ["https://", "fetch-redirects"],
  ["https://[::1%lo]/", "fetch-redirects"],
  ["https://1.2.3.4.5/", "fetch-redirects"],
  [`https://example.com/${"a".repeat(4000)}`, "fetch-redirects"],
  [`/${"a".repeat(4000)}`, "fetch-redirects"],
];

Deno.test(`a redirect is checked like a first URL: ${REDIRECTS.length} targets`, async () => {
  await withCanary(async (port, canary) => {
    for (const [location, code] of REDIRECTS) {
      const target = location.replaceAll("PORT", String(port));
      await using server = rawServer(({ send }) =>
        send(`HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`)
      );
      const rules = testRules([server.host], {
        ports: new Set([443, 8443, port]),
        resolve: () => Promise.resolve(["93.184.216.34", "127.0.0.1"]),
      });
      canary.tried.length = 0;
      assert.equal(await codeOf(`http://${server.host}/`, rules), code, location);
      assert.deepEqual(canary.tried, [server.host], location);
    }
  });
});

Deno.test("our own host is never connected to, whatever its scheme, port and spelling", async () => {
  await withCanary(async (port, canary) => {
    const rules = testRules([], {
      ownHosts: new Set(["touchstone.example", `127.0.0.1:${port}`]),
    });
    for (
      const [text, url] of [
        ["https://touchstone.example/r/1#x", "https://touchstone.example/r/1"],
        ["https://TOUCHSTONE.example./r/1", "https://touchstone.example/r/1"],
        ["http://touchstone.example/r/1", "http://touchstone.example/r/1"],
        ["https://touchstone.example:8000/r/1", "https://touchstone.example:8000/r/1"],
        [`http://127.0.0.1:${port}/r/1`, `http://127.0.0.1:${port}/r/1`],
        [`http://0x7f.1:${port}/r/1`, `http://127.0.0.1:${port}/r/1`],
      ] as const
    ) {
      assert.deepEqual(await fetchText(text, rules), { kind: "own", url });
    }
    // Names like ours aren't ours.
    assert.equal(await codeOf("https://a.touchstone.example/", rules), "fetch-blocked-address");
    assert.equal(await codeOf(`http://127.0.0.2:${port}/`, rules), "fetch-scheme");
    assert.equal(
      await codeOf("https://me@touchstone.example/", rules),
      "fetch-credentials",
    );
    assert.deepEqual(canary.tried, []);
  });
});

Deno.test("a redirect to our own host ends there", async () => {
  await using server = rawServer(({ send }) =>
    send("HTTP/1.1 302 Found\r\nLocation: https://touchstone.example/r/1?a\r\n\r\n")
  );
  using dials = watchDials();
  const rules = testRules([server.host], { ownHosts: new Set(["touchstone.example"]) });
  assert.deepEqual(await fetchText(`http://${server.host}/`, rules), {
    kind: "own",
    url: "https://touchstone.example/r/1?a",
  });
  assert.deepEqual(dials.tried, [server.host]);
});

/** Listens on IPv4 and IPv6 loopback; fails the test if anybody connects. */
async function withCanary(
  run: (port: number, dials: { tried: string[] }) => Promise<void>,
): Promise<void> {
  await using four = rawServer(() => Promise.resolve());
  await using six = rawServer(() => Promise.resolve(), { hostname: "::1", port: four.port });
  using dials = watchDials();
  await run(four.port, dials);
  assert.equal(four.connections + six.connections, 0, "the canary was connected to");
}
