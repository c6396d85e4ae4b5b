/**
 * Requests at a fixed rate over plain connections, timed in microseconds: an HTTP client's own
 * machinery would be most of what is measured.
 */

export interface LoopOptions {
  /** A second. */
  rate: number;
  requests: number;
}

/** Times in milliseconds. */
export interface Measured {
  median: number;
  p99: number;
  longest: number;
  /** Answers other than 200, and connections that broke. */
  errors: number;
}

/** What a timer may be late by without that counting, in milliseconds: its own resolution. */
const TIMER_MS = 1.5;

/** Connections at most; each has one request under way. */
const CONNECTIONS = 128;

/** Bytes of an answer, and of its head. */
const LARGEST = 64 * 1024;
const LARGEST_HEAD = 1024;

interface Connection {
  socket: Deno.TcpConn;
  buffer: Uint8Array;
}

const decoder = new TextDecoder("latin1");

/** Asks for `url` as the options say; ends when all is answered. */
export async function openLoop(url: string, { rate, requests }: LoopOptions): Promise<Measured> {
  const { hostname, port, host, pathname } = new URL(url);
  const request = new TextEncoder().encode(
    `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\naccept: image/svg+xml\r\n\r\n`,
  );
  const times: number[] = [];
  let errors = 0;
  const idle: Connection[] = [];
  const all: Connection[] = [];
  const under = new Set<Promise<void>>();

  const ask = async (due: number) => {
    try {
      let connection = idle.pop();
      if (connection === undefined) {
        if (all.length === CONNECTIONS) throw new Error("no connection is free");
        const socket = await Deno.connect({ hostname, port: Number(port) });
        socket.setNoDelay(true);
        connection = { socket, buffer: new Uint8Array(LARGEST) };
        all.push(connection);
      }
      const sent = performance.now();
      await connection.socket.write(request);
      if (await readAnswer(connection) !== 200) errors++;
      const from = sent - due > TIMER_MS ? due : sent;
      times.push(performance.now() - from);
      idle.push(connection);
    } catch {
      errors++;
    }
  };

  const start = performance.now();
  for (let n = 0; n < requests;) {
    const now = performance.now();
    for (; n < requests && start + n * 1000 / rate <= now; n++) {
      const asking: Promise<void> = ask(start + n * 1000 / rate).finally(() =>
        under.delete(asking)
      );
      under.add(asking);
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await Promise.all(under);
  for (const { socket } of all) socket.close();
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { median: at(0.5), p99: at(0.99), longest: at(1), errors };
}

/** Reads one answer to its end; its status. Makes no garbage worth collecting meanwhile. */
async function readAnswer({ socket, buffer }: Connection): Promise<number> {
  let filled = 0;
  let needed = Infinity;
  let status = 0;
  while (filled < needed) {
    const count = await socket.read(buffer.subarray(filled));
    if (count === null) throw new Error("the connection was closed");
    filled += count;
    if (needed < Infinity) continue;
    const head = decoder.decode(buffer.subarray(0, Math.min(filled, LARGEST_HEAD)));
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (Number.isNaN(length)) throw new Error("the answer has no length");
    needed = end + 4 + length;
    status = Number(head.slice(9, 12));
  }
  return status;
}
