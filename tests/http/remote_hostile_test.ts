/**
 * Hosts that misbehave, on loopback. Each ends in its code; sockets are closed on both sides, and no
 * timer stays. Where a code other than `fetch-timeout` is expected, time limits are the generous
 * defaults, so that a slow machine changes nothing.
 */
import assert from "node:assert/strict";
import net from "node:net";
import { gzipSync } from "node:zlib";
import type { FetchErrorCode } from "../../lib/fetch/error.ts";
import { type Peer, rawServer } from "../support/raw_server.ts";
import { codeOf, contentOf, errorOf, fetchText, testRules } from "../support/remote.ts";

const CLEAN = { sanitizeOps: true, sanitizeResources: true };

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

type Limits = NonNullable<NonNullable<Parameters<typeof testRules>[1]>["limits"]>;

/** The code that fetching from such a host ends with. */
async function hostile(
  answer: (peer: Peer) => Promise<unknown>,
  limits: Limits = {},
): Promise<FetchErrorCode> {
  await using server = rawServer(answer);
  const code = await codeOf(`http://${server.host}/`, testRules([server.host], { limits }));
  // Floods end, and waits do: the client has hung up.
  await server.idle();
  return code;
}

function test(
  name: string,
  code: FetchErrorCode,
  answers: Record<string, (peer: Peer) => Promise<unknown>>,
  limits: Limits = {},
): void {
  Deno.test(`${code}: ${name}`, CLEAN, async () => {
    for (const [what, answer] of Object.entries(answers)) {
      assert.equal(await hostile(answer, limits), code, what);
    }
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a text in small pieces with pauses, for ever. */
async function dribble({ send }: Peer, piece: string): Promise<void> {
  while (await send(piece)) await pause(10);
}

test("a host that never begins", "fetch-timeout", {
  "says nothing": ({ hang }) => hang(),
  "a slow status line": async (peer) => {
    await peer.send("HTTP/1.1 200 ");
    await dribble(peer, "O");
  },
  "slow headers": async (peer) => {
    await peer.send(OK);
    await dribble(peer, "X-A: b\r\n");
  },
  "a header without end": async (peer) => {
    await peer.send(`${OK}X-A: `);
    await dribble(peer, "b");
  },
  "interim answers, then silence": async ({ send, hang }) => {
    await send("HTTP/1.1 102 Processing\r\n\r\n".repeat(3));
    await hang();
  },
  "empty lines": (peer) => dribble(peer, "\r\n"),
}, { firstByteMs: 80 });

test("a body that doesn't end in time", "fetch-timeout", {
  "slow": async (peer) => {
    await peer.send(`${OK}\r\n`);
    await dribble(peer, " ");
  },
  "slow, of a known length": async (peer) => {
    await peer.send(`${OK}Content-Length: 1000000\r\n\r\n`);
    await dribble(peer, " ");
  },
  "slow chunks": async (peer) => {
    await peer.send(CHUNKED);
    await dribble(peer, "1\r\n \r\n");
  },
  "a slow chunk size": async (peer) => {
    await peer.send(CHUNKED);
    await dribble(peer, "0");
  },
  "stops in the middle": async ({ send, hang }) => {
    await send(`${OK}Content-Length: 10\r\n\r\n{`);
    await hang();
  },
  "shorter than its length": async ({ send, hang }) => {
    await send(`${OK}Content-Length: 3\r\nConnection: keep-alive\r\n\r\n{}`);
    await hang();
  },
}, { totalMs: 250 });

test("redirects that use up the time", "fetch-timeout", {
  "each within its own limit": async ({ request, send }) => {
    const hop = Number(/^GET \/([0-9]*)/.exec(request)![1]);
    await pause(100);
    await send(`HTTP/1.1 302 Found\r\nLocation: /${hop + 1}\r\n\r\n`);
  },
}, { firstByteMs: 5_000, totalMs: 250, redirects: 100 });

test("a body that is too large", "fetch-too-large", {
  "without end": async ({ send, flood }) => {
    await send(`${OK}\r\n`);
    await flood(" ".repeat(65_536));
  },
  "chunks without end": async ({ send, flood }) => {
    await send(CHUNKED);
    await flood(`1000\r\n${" ".repeat(4096)}\r\n`);
  },
  "one chunk without end": async ({ send, flood }) => {
    await send(`${CHUNKED}7fffffff\r\n`);
    await flood(" ".repeat(65_536));
  },
  "a length above the limit, of which nothing is waited for": async ({ send, hang }) => {
    await send(`${OK}Content-Length: 4194305\r\n\r\n`);
    await hang();
  },
});

test("gzip that unpacks to too much", "fetch-too-large", {
  "spaces, 1000 times as many": async ({ send }) => {
    const bomb = gzipOf(64 * 1024 * 1024);
    await send(
      `${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`,
    );
    await send(bomb);
  },
  "a byte too many": async ({ send }) => {
    await send(`${OK}Content-Encoding: gzip\r\n\r\n`);
    await send(gzipOf(4 * 1024 * 1024 + 1));
  },
});

test("gzip that isn't whole", "fetch-encoding", {
  "not gzip": ({ send }) => send(`${OK}Content-Encoding: gzip\r\n\r\n{"a":1}`),
  "empty": ({ send }) => send(`${OK}Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n`),
  "cut off": async ({ send }) => {
    const whole = gzipOf(1000);
    await send(`${OK}Content-Encoding: gzip\r\n\r\n`);
    await send(whole.subarray(0, whole.length - 4));
  },
  "damaged": async ({ send }) => {
    const whole = gzipOf(1000);
    await send(`${OK}Content-Encoding: gzip\r\n\r\n`);
    await send(whole.map((byte, index) => index === whole.length - 6 ? byte ^ 1 : byte));
  },
});

test("floods of anything but content", "fetch-headers", {
  "header after header": async ({ send, flood }) => {
    await send(OK);
    await flood("X-A: b\r\n".repeat(1000));
  },
  "one header": async ({ send, flood }) => {
    await send(`${OK}X-A: `);
    await flood("b".repeat(8192));
  },
  "a status line": async ({ send, flood }) => {
    await send("HTTP/1.1 200 ");
    await flood("O".repeat(8192));
  },
  "a redirect to a very long URL": async ({ send, flood }) => {
    await send("HTTP/1.1 302 Found\r\nLocation: https://example.com/");
    await flood("a".repeat(8192));
  },
  "interim answers": ({ flood }) => flood("HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
  "early hints": ({ flood }) =>
    flood("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n".repeat(100)),
  "one interim answer too many": async ({ send }) => {
    await send("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(9) + `${OK}\r\n{}`);
  },
  "empty lines": ({ flood }) => flood("\r\n".repeat(4096)),
  "chunks of a byte": async ({ send, flood }) => {
    await send(CHUNKED);
    await flood("1\r\n \r\n".repeat(1000));
  },
  "a chunk extension": async ({ send, flood }) => {
    await send(`${CHUNKED}1;a=`);
    await flood("b".repeat(8192));
  },
  "trailers": async ({ send, flood }) => {
    await send(`${CHUNKED}2\r\n{}\r\n0\r\n`);
    await flood("X-A: b\r\n".repeat(1000));
  },
});

const notHttp = (text: string) => ({ send }: Peer) => send(text);
test("what isn't proper HTTP", "fetch-headers", {
  "a greeting": notHttp("SSH-2.0-OpenSSH_9.6\r\n"),
  "a mail server": notHttp("220 mail.example ESMTP\r\n"),
  "a database": notHttp("-ERR unknown command\r\n"),
  "HTTP/2": ({ send }) => send(Uint8Array.of(0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100)),
  "TLS": ({ send }) => send(Uint8Array.of(0x15, 3, 1, 0, 2, 2, 22)),
  "HTTP/0.9": notHttp("{}"),
  "another version": notHttp("HTTP/9.9 200 OK\r\n\r\n{}"),
  "a status of two digits": notHttp("HTTP/1.1 20 OK\r\n\r\n{}"),
  "a status of four digits": notHttp("HTTP/1.1 2000 OK\r\n\r\n{}"),
  "a status of letters": notHttp("HTTP/1.1 ABC OK\r\n\r\n{}"),
  "a negative status": notHttp("HTTP/1.1 -200 OK\r\n\r\n{}"),
  "another protocol": notHttp(
    "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
  ),
  "two lengths": notHttp(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
  "a length and chunks": notHttp(
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ),
  "a negative length": notHttp(`${OK}Content-Length: -2\r\n\r\n{}`),
  "a length in hex": notHttp(`${OK}Content-Length: 0x2\r\n\r\n{}`),
  "a length beyond all numbers": notHttp(`${OK}Content-Length: ${"9".repeat(30)}\r\n\r\n{}`),
  "a bad chunk size": notHttp(`${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`),
  "a negative chunk size": notHttp(`${CHUNKED}-2\r\n{}\r\n0\r\n\r\n`),
  "a chunk longer than it says": notHttp(`${CHUNKED}1\r\n{}\r\n0\r\n\r\n`),
  "a NUL in a header": notHttp(`${OK}X-A: a\0b\r\n\r\n{}`),
  "a header without a name": notHttp(`${OK}: a\r\n\r\n{}`),
  "a header without a colon": notHttp(`${OK}hello there\r\n\r\n{}`),
  "line feeds alone": notHttp("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}"),
});

test("a host that breaks off", "fetch-unreachable", {
  "at once": () => Promise.resolve(),
  "in the status line": notHttp("HTTP/1.1 20"),
  "in a header": notHttp(`${OK}Content-Le`),
  "after the headers": notHttp(`${OK}Content-Length: 5\r\n\r\n`),
  "in the body": notHttp(`${OK}Content-Length: 5\r\n\r\n{}`),
  "in a chunk": notHttp(`${CHUNKED}5\r\n{}`),
  "before the last chunk": notHttp(`${CHUNKED}2\r\n{}\r\n`),
  "in the trailers": notHttp(`${CHUNKED}2\r\n{}\r\n0\r\nX-A: b\r\n`),
});

Deno.test("fetch-unreachable: a connection reset in a body of unknown length", CLEAN, async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(`${OK}\r\n{}`);
      setTimeout(() => socket.resetAndDestroy(), 30);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  assert.equal(await codeOf(`http://${host}/`, testRules([host])), "fetch-unreachable");
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("fetch-unreachable: nobody listens", CLEAN, async () => {
  const server = rawServer(() => Promise.resolve());
  await server[Symbol.asyncDispose]();
  const error = await errorOf(`http://${server.host}/`, testRules([server.host]));
  assert.equal(error.code, "fetch-unreachable");
  assert.equal(
    error.message,
    "the host can't be reached, or its certificate isn't valid for it; check the URL in a browser",
  );
});

test("redirects that lead nowhere", "fetch-redirects", {
  "to itself": notHttp("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n"),
  "on and on": ({ request, send }) => {
    const hop = request.split(" ")[1];
    return send(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${hop}a\r\n\r\n`);
  },
  "without a target": notHttp("HTTP/1.1 301 Moved\r\n\r\n"),
  "to what isn't a URL": notHttp("HTTP/1.1 301 Moved\r\nLocation: https://[::\r\n\r\n"),
  "to a URL of 15,000 characters": notHttp(
    `HTTP/1.1 301 Moved\r\nLocation: /${"a".repeat(15_000)}\r\n\r\n`,
  ),
});

Deno.test("the body of an answer that isn't the document is never waited for", CLEAN, async () => {
  const cases: [string, FetchErrorCode][] = [
    ["HTTP/1.1 500 No\r\n\r\n", "fetch-status"],
    [`${OK}Content-Type: text/html\r\n\r\n`, "fetch-not-json"],
    [`${OK}Content-Type: image/png\r\n\r\n`, "fetch-content-type"],
    [`${OK}Content-Encoding: br\r\n\r\n`, "fetch-encoding"],
    ["HTTP/1.1 302 Found\r\nLocation: ftp://a/\r\n\r\n", "fetch-scheme"],
  ];
  for (const [head, code] of cases) {
    const answer = async ({ send, flood }: Peer) => {
      await send(head);
      await flood(" ".repeat(65_536));
    };
    assert.equal(await hostile(answer), code);
  }
});

Deno.test(
  "a few interim answers are fine, and what follows the answer is ignored",
  CLEAN,
  async () => {
    await using server = rawServer(async ({ send, flood }) => {
      await send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(8));
      await send(`${OK}Content-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\nmore`);
      await flood("more");
    });
    assert.equal(await contentOf(`http://${server.host}/`, testRules([server.host])), "{}");
    await server.idle();
  },
);

Deno.test("a host that speaks before it is asked is read all the same", CLEAN, async () => {
  await using server = rawServer(async ({ send, hang }) => {
    await send(`${OK}Content-Length: 2\r\n\r\n{}`);
    await hang();
  }, { eager: true });
  const rules = testRules([server.host]);
  const outcome = await fetchText(`http://${server.host}/`, rules).catch((error) => error.code);
  // Whether the request or the answer is faster decides; both are an end.
  assert.ok(outcome === "fetch-headers" || outcome.kind === "content");
});

Deno.test("a slow name server counts, and doesn't tell names of inside", CLEAN, async () => {
  const never = { resolve: () => new Promise<string[]>(() => {}) };
  const slow = testRules([], { ...never, limits: { resolveMs: 50 } });
  assert.equal(await codeOf("https://slow.example/", slow), "fetch-blocked-address");
  const slower = testRules([], { ...never, limits: { firstByteMs: 50 } });
  assert.equal(await codeOf("https://slow.example/", slower), "fetch-timeout");
});

Deno.test(
  "a slow body has the time of the whole fetch, not that of the first byte",
  CLEAN,
  async () => {
    await using server = rawServer(async ({ send }) => {
      await send(`${OK}Content-Length: 2\r\n\r\n{`);
      await pause(1_700);
      await send("}");
    });
    const rules = testRules([server.host], { limits: { firstByteMs: 1_500 } });
    assert.equal(await contentOf(`http://${server.host}/`, rules), "{}");
  },
);

Deno.test("a request that can't be written closes its connection too", CLEAN, async () => {
  await using server = rawServer(({ hang }) => hang());
  const rules = testRules([server.host], { userAgent: "two\nlines" });
  await assert.rejects(fetchText(`http://${server.host}/`, rules), TypeError);
  await server.idle();
});

Deno.test(
  "after a hundred failures of all kinds at once, nobody is left waiting",
  CLEAN,
  async () => {
    const answers = [
      notHttp("SSH-2.0\r\n"),
      notHttp(`${OK}Content-Length: 5\r\n\r\n{}`),
      notHttp("HTTP/1.1 500 No\r\n\r\n"),
      ({ flood }: Peer) => flood("HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
      ({ hang }: Peer) => hang(),
    ];
    let turn = 0;
    await using server = rawServer((peer) => answers[turn++ % answers.length]!(peer));
    const rules = testRules([server.host], { limits: { firstByteMs: 200 } });
    await Promise.all(Array.from({ length: 100 }, () => errorOf(`http://${server.host}/`, rules)));
    await server.idle();
  },
);

function gzipOf(spaces: number): Uint8Array {
  return new Uint8Array(gzipSync(new Uint8Array(spaces).fill(0x20)));
}
