import assert from "node:assert/strict";
import { connect, type Limited, type Scaled, startLimited } from "./process.ts";

/** A hundredth to a tenth of the real ones, so that a test sees their end. */
const SHORT = {
  headMs: 1000,
  idleMs: 1500,
  firstByteMs: 1000,
  rateAfterMs: 500,
  bodyMs: 4000,
  pauseMs: 50,
};
const KINDS = ["bounded", "plain"] as const;
const GET = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
const head = (path: string, type: string, length: string) =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://127.0.0.1\r\n` +
  `content-type: ${type}\r\n${length}\r\n\r\n`;
const JSON_BODY = head("/api/verify", "application/json", "content-length: 10");

function withServer(
  name: string,
  scaled: Scaled,
  test: (server: Limited) => Promise<void>,
  descriptors: number | null = null,
  environment: Record<string, string> = {},
): void {
  Deno.test(name, async () => {
    const server = await startLimited(scaled, descriptors, environment);
    try {
      await test(server);
      assert.ok(server.runs(), server.errors());
    } catch (error) {
      // What the server wrote says why.
      throw new Error(`the server wrote: ${server.errors()}`, { cause: error });
    } finally {
      await server.stop();
    }
  });
}

const healthy = async (server: Limited) => {
  const answer = await fetch(`${server.url}/healthz`, {
    headers: { connection: "close" },
    signal: AbortSignal.timeout(30_000),
  });
  assert.equal((await answer.json()).status, "ok");
};
/** Tries until it succeeds, for ten seconds at most. */
async function until(succeeds: () => Promise<void>): Promise<void> {
  for (let left = 100; left > 0; left--) {
    try {
      return await succeeds();
    } catch {
      await pause(100);
    }
  }
  await succeeds();
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const kind of KINDS) {
  withServer(
    `${kind}: more idle connections than descriptors, and a request under way`,
    // Nothing but descriptors closes a connection here, however slow the machine is.
    { kind, bounds: { pauseMs: 50 } },
    async (server) => {
      const underWay = await connect(
        server.port,
        head("/api/verify", "application/json", "content-length: 2\r\nexpect: 100-continue"),
      );
      // Said as soon as the body is waited for.
      await underWay.until("100 Continue\r\n\r\n");
      const idle = [];
      for (let n = 0; n < 200; n++) {
        try {
          idle.push(await connect(server.port));
        } catch { /* refused: that is its right */ }
      }
      await underWay.send("{}");
      assert.match(await underWay.until('"outcome"'), /\nHTTP\/1\.1 (?:200|422) /);
      assert.ok(server.runs(), server.errors());
      for (const one of idle) one.close();
      // Deno.serve stops listening when it can't accept: until it listens again, the system refuses
      // for it. The bounded server's listener stays.
      if (kind === "plain") await until(() => healthy(server));
      else await healthy(server);
      underWay.close();
      const said = server.errors().split("\n").filter((line) => line.includes("accepted"));
      assert.equal(said.length, 1, server.errors());
      assert.doesNotMatch(server.errors(), /^ {4}at /m);
    },
    64,
    { MAX_CONNECTIONS: "4000" },
  );

  withServer(
    `${kind}: a slow phone gets through, a slow body doesn't`,
    // A seventh of the rate that it sends with, as the machine may be slow as well.
    { kind, bounds: { ...SHORT, leastRate: 1000, bodyMs: 30_000 } },
    async (server) => {
      const slow = await connect(
        server.port,
        head("/api/verify", "application/json", "content-length: 12000"),
      );
      const still = await connect(server.port, JSON_BODY + "[");
      for (let n = 0; n < 6; n++) {
        await slow.send(n === 5 ? `${" ".repeat(1998)}[]` : " ".repeat(2000));
        await pause(300);
      }
      assert.match(await slow.until("\r\n\r\n"), /^HTTP\/1\.1 (?:200|422) /);
      assert.match(await still.until("\r\n\r\n"), /^HTTP\/1\.1 408 /);
      slow.close();
      still.close();
    },
  );

  Deno.test(`${kind}: SIGTERM lets a request end, and waits for nobody else`, async () => {
    const server = await startLimited({ kind, bounds: SHORT });
    const half = await connect(server.port, "GET / HTTP/1.1\r\nhost");
    const kept = await connect(server.port, GET);
    await kept.until("ok");
    const { code, ms } = await server.stop();
    assert.equal(code, 0, server.errors());
    assert.ok(ms < 4000, `${ms} ms`);
    half.close();
    kept.close();
  });
}

const FORM = "application/x-www-form-urlencoded";
const HALF_OPEN: Record<string, string> = {
  "nothing sent": "",
  "half a head": "GET /healthz HTTP/1.1\r\nhost: 127",
  "no body": JSON_BODY,
  "a body's first byte": JSON_BODY + "1",
  "an unfinished chunk": head("/api/verify", "application/json", "transfer-encoding: chunked") +
    "5\r\n[",
  "half a form": head("/verify", FORM, "content-length: 50") + "document=",
  "half a pool": head("/api/pools", "application/json", "content-length: 50") + "{",
  "half a pool's form": head("/pools", FORM, "content-length: 50") + "pool=",
  "idle after an answer": GET,
  "half a head after an answer": GET + "GET /he",
  "a body that nobody reads": head("/nowhere", "text/plain", "content-length: 50") + "x",
  "a body of a GET": GET.replace("\r\n\r\n", "\r\ncontent-length: 10\r\n\r\n") + "x",
};

/** What of these waits for a body; without the bounded server, all that can be told its client. */
const BODIES = [
  "no body",
  "a body's first byte",
  "an unfinished chunk",
  "half a form",
  "half a pool",
  "half a pool's form",
];

withServer(
  "plain: an unfinished body of each kind is answered in time",
  { kind: "plain", bounds: SHORT },
  async (server) => {
    for (const name of BODIES) {
      const one = await connect(server.port, HALF_OPEN[name]);
      const answer = await one.until("\r\n\r\n");
      assert.match(answer, /^HTTP\/1\.1 408 /, name);
      one.close();
    }
    await healthy(server);
    assert.equal(server.errors(), "");
  },
);

withServer(
  "bounded: a hundred half-open connections of each kind are closed",
  { kind: "bounded", bounds: { ...SHORT, clientPart: 1 } },
  async (server) => {
    for (const [name, say] of Object.entries(HALF_OPEN)) {
      const all = await Promise.all(
        Array.from({ length: 100 }, () => connect(server.port, say)),
      );
      const ends = await Promise.race([
        Promise.all(all.map((one) => one.rest())),
        pause(10_000).then(() => null),
      ]);
      for (const one of all) one.close();
      assert.ok(ends !== null, `${name}: still open`);
    }
    await healthy(server);
    assert.equal(server.errors(), "");
  },
);

withServer(
  "bounded: a client has its share of connections, and its oldest idle one goes first",
  { kind: "bounded", bounds: { clientPart: 1 / 4 } },
  async (server) => {
    const all = [];
    for (let n = 0; n < 5; n++) {
      all.push(await connect(server.port, GET));
      await all[n]!.until("ok");
    }
    // Of 16 connections 4 are one client's: the first one is closed, the last one lives.
    await all[0]!.rest();
    await all[4]!.send(GET);
    const other = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    other.close();
    for (const one of all) one.close();
  },
  null,
  { MAX_CONNECTIONS: "16" },
);

withServer(
  "bounded: unfinished uploads are bounded in bytes, and others go on",
  { kind: "bounded", bounds: { receivingClient: 1024 * 1024, clientPart: 1 } },
  async (server) => {
    const piece = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
    const all = await Promise.all(Array.from({ length: 40 }, async () => {
      const one = await connect(
        server.port,
        head("/api/verify", "application/json", "transfer-encoding: chunked"),
      );
      try {
        for (let n = 0; n < 4; n++) await one.send(piece);
      } catch { /* refused meanwhile */ }
      return one;
    }));
    const refused = await Promise.all(all.map((one) =>
      Promise.race([
        one.until("\r\n\r\n").then((text) => text.startsWith("HTTP/1.1 503 "), () => true),
        pause(3000).then(() => false),
      ])
    ));
    // Four of 256 KiB fill the share of 1 MiB; some may have been refused with less.
    const open = refused.filter((one) => !one).length;
    assert.ok(open <= 16 && open >= 1, `${open} are still being received`);
    await healthy(server);
    for (const one of all) one.close();
  },
);

withServer(
  "aborted uploads leave no stack in the log",
  { kind: "bounded" },
  async (server) => {
    for (let n = 0; n < 20; n++) {
      const one = await connect(server.port, HALF_OPEN["half a form"]);
      await pause(10);
      one.close();
    }
    await pause(300);
    await healthy(server);
    assert.ok(server.errors().split("\n").length <= 2, server.errors());
  },
);
