import assert from "node:assert/strict";
import { BOUNDS, type Bounds } from "../../lib/serving/bounds.ts";
import { startDeadline } from "../../lib/serving/deadline.ts";
import { createReceiving } from "../../lib/serving/receiving.ts";
import { findServeConnection, type Handler } from "../../lib/serving/runtime.ts";
import { createSeldom } from "../../lib/serving/seldom.ts";
import { serve } from "../../lib/serving/serve.ts";
import { replyEvents, type ServerEvent, UNREAD_BYTES } from "../../routes/http/events.ts";
import { connect } from "./process.ts";

const SHORT: Partial<Bounds> = { headMs: 300, idleMs: 300, lingerMs: 50, stopMs: 500 };
const GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Both kinds of server give the same to the same requests. */
function bothKinds(
  name: string,
  handler: Handler,
  test: (port: number, stop: () => Promise<void>) => Promise<void>,
  bounds: Partial<Bounds> = {},
): void {
  for (const kind of ["bounded", "plain"] as const) {
    Deno.test(`${kind}: ${name}`, async () => {
      const stop = new AbortController();
      const logs: string[] = [];
      const server = serve(handler, {
        hostname: "127.0.0.1",
        port: 0,
        signal: stop.signal,
        log: (text) => void logs.push(text),
        maxConnections: 100,
        kind,
        bounds: { ...SHORT, ...bounds },
      });
      const end = async () => {
        stop.abort();
        await server.finished;
      };
      try {
        await test(server.addr.port, end);
      } finally {
        await end();
      }
      assert.deepEqual(logs, []);
    });
  }
}

bothKinds(
  "the client's address is beside the request",
  (_, info) => new Response(info.remoteAddr.hostname),
  async (port) => {
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "127.0.0.1");
  },
);

bothKinds(
  "an event stream outlives the time of an idle connection",
  () => {
    let beat = 0;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = () => controller.enqueue(new TextEncoder().encode(`: ${++beat}\n\n`));
        const timer = setInterval(() => {
          send();
          if (beat === 10) {
            clearInterval(timer);
            controller.close();
          }
        }, 100);
      },
    });
    const answer = new Response(body, { headers: { "content-type": "text/event-stream" } });
    return Promise.resolve(answer);
  },
  async (port) => {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    assert.ok((await answer.text()).endsWith(": 10\n\n"));
  },
);

{
  /** What the system's own buffers on both sides hold, with much room. */
  const SYSTEM_BYTES = 32 * 1024 * 1024;
  const data = "x".repeat(10_000);
  let sent = 0;
  let ended: PromiseWithResolvers<void>;
  const events = async function* (signal: AbortSignal): AsyncGenerator<ServerEvent> {
    while (!signal.aborted) {
      yield { event: "progress", id: "1", data };
      sent += data.length;
      // Longer than a client that reads needs for one.
      await pause(1);
    }
    ended.resolve();
  };
  bothKinds(
    "an event stream leaves whoever doesn't read, and nobody who does",
    (request) => Promise.resolve(replyEvents(request, events, () => {})),
    async (port) => {
      ended = Promise.withResolvers();
      const reader = (await fetch(`http://127.0.0.1:${port}/`)).body!.getReader();
      let read = 0;
      while (read < 4 * UNREAD_BYTES) read += (await reader.read()).value!.length;
      await reader.cancel();
      await ended.promise;
      ended = Promise.withResolvers();
      sent = 0;
      const deaf = await connect(port, GET);
      await ended.promise;
      assert.ok(sent >= UNREAD_BYTES && sent < SYSTEM_BYTES, `${sent} bytes were made`);
      deaf.close();
    },
  );
}

bothKinds(
  "a request that takes longer than an idle connection may is answered",
  async () => {
    await pause(900);
    return new Response("late");
  },
  async (port) => {
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "late");
  },
);

bothKinds(
  "a request under way is answered when the server stops",
  async () => {
    await pause(200);
    return new Response("late");
  },
  async (port, stop) => {
    const client = await connect(port, GET);
    await pause(50);
    const stopped = stop();
    assert.match(await client.until("late"), /^HTTP\/1\.1 200 /);
    client.close();
    await stopped;
  },
);

bothKinds(
  "several requests on one connection, and one that throws",
  (request) => {
    if (request.url.endsWith("/throws")) throw new Error("secret");
    if (request.url.endsWith("/rejects")) return Promise.reject(new Error("secret"));
    return new Response(new URL(request.url).pathname);
  },
  async (port) => {
    for (const path of ["/a", "/throws", "/b", "/rejects", "/c"]) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      const fails = path.length > 2;
      assert.equal(answer.status, fails ? 500 : 200);
      assert.equal(await answer.text(), fails ? "" : path);
    }
  },
);

Deno.test("bounded: a reader that doesn't read is left, one that reads slowly isn't", async () => {
  const size = 8_000_000;
  const stop = new AbortController();
  const server = serve(
    () => {
      const headers = { "content-length": `${size}` };
      return Promise.resolve(new Response(new Uint8Array(size), { headers }));
    },
    {
      hostname: "127.0.0.1",
      port: 0,
      signal: stop.signal,
      log() {},
      maxConnections: 10,
      bounds: { ...SHORT, leastRate: size },
    },
  );
  const { port } = server.addr;
  const deaf = await connect(port, GET);
  await pause(2000);
  const { text } = await deaf.rest();
  assert.ok(text.length < size, `${text.length} bytes came`);
  deaf.close();
  const slow = await connect(port, GET);
  await pause(600);
  assert.ok((await slow.rest()).text.length > size);
  slow.close();
  stop.abort();
  await server.finished;
});

Deno.test("the runtime's server for one connection is there", () => {
  assert.ok(findServeConnection() !== null);
});

Deno.test("a body's time: its first byte, its rate, and the whole", async () => {
  const bounds = {
    ...BOUNDS,
    firstByteMs: 100,
    rateAfterMs: 100,
    leastRate: 1000,
    bodyMs: 600,
  };
  const end = async (bytes: number[]) => {
    const start = performance.now();
    const passed = Promise.withResolvers<void>();
    const deadline = startDeadline(bounds, passed.resolve);
    for (const count of bytes) deadline.arrived(count);
    await passed.promise;
    assert.ok(deadline.passed);
    return performance.now() - start;
  };
  const [none, slow, fast] = await Promise.all([end([]), end([1, 300]), end([1, 1e6])]);
  // Never earlier than written; how much later depends on the machine.
  assert.ok(none! >= 99, `${none}`);
  assert.ok(slow! >= 399, `${slow}`);
  assert.ok(fast! >= 599, `${fast}`);
});

Deno.test("bytes being received: a client's share, everybody's, and given back", () => {
  const receiving = createReceiving({ receiving: 100, receivingClient: 60 });
  const [a, b, c] = ["a", "a", "b"].map((client) => receiving.share(client));
  assert.equal(a!.take(40), null);
  assert.equal(b!.take(21), "client");
  assert.equal(b!.take(20), null);
  assert.equal(c!.take(41), "all");
  assert.equal(c!.take(40), null);
  a!.release();
  a!.release();
  assert.equal(b!.take(41), "client");
  assert.equal(b!.take(40), null);
  assert.equal(c!.take(1), "all");
});

Deno.test("a line of the log that anybody could cause comes once in a while, with a count", () => {
  const lines: string[] = [];
  let now = 0;
  const seldom = createSeldom((line) => void lines.push(line), 1000, () => now);
  for (let n = 0; n < 5; n++) seldom("a", "gone");
  seldom("b", "full");
  now = 1000;
  seldom("a", "gone");
  assert.deepEqual(lines, ["gone", "full", "gone (and 4 times before)"]);
});
