/** A worker that attacks a service, so that whoever measures has a thread of their own. */

export type Attack =
  | { kind: "idle"; connections: number }
  | { kind: "uploads"; uploads: number; bytes: number }
  | {
    kind: "requests";
    /** `atOnce` of them first, then one more each time. */
    everyMs: number;
    atOnce: number;
    method?: "POST";
    /** Default: where documents are verified. A number is put behind it, another one each time. */
    path?: string;
    body?: string;
  };

export interface AttackRequest {
  url: string;
  attack: Attack;
}

/** How often which answer came: a status, or `closed`. */
export type Answers = Record<string, number>;

interface Scope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: Answers): void;
}

const scope = globalThis as unknown as Scope;
const stopping = new AbortController();
const { signal } = stopping;
const answers: Answers = {};
const open = new Set<Deno.TcpConn>();

/** From the closing of an idle connection to the next one in its place, in milliseconds. */
const RECONNECT_MS = 10_000;

const count = (what: string) => answers[what] = (answers[what] ?? 0) + 1;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

scope.onmessage = ({ data }: MessageEvent<AttackRequest>) => {
  const under = run(data);
  scope.onmessage = async () => {
    stopping.abort();
    for (const connection of open) close(connection);
    await under;
    scope.postMessage(answers);
  };
};

async function run({ url, attack }: AttackRequest): Promise<void> {
  const port = Number(new URL(url).port);
  switch (attack.kind) {
    case "idle":
      return await many(attack.connections, () => idle(port));
    case "uploads":
      return await many(attack.uploads, () => upload(port, attack.bytes));
    case "requests":
      return await requests(url, attack);
  }
}

async function many(times: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: times }, work));
}

/** Holds a connection, and takes another one as soon as that is closed. */
async function idle(port: number): Promise<void> {
  while (!signal.aborted) {
    await withConnection(port, async (connection) => {
      while (await connection.read(new Uint8Array(1024)) !== null) { /* nothing comes */ }
    });
    await pause(RECONNECT_MS);
  }
}

/** Sends all but the end of a body, and holds the connection. */
async function upload(port: number, bytes: number): Promise<void> {
  await withConnection(port, async (connection) => {
    const head = "POST /api/verify HTTP/1.1\r\nhost: 127.0.0.1\r\n" +
      "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n" +
      `${(bytes + 1).toString(16)}\r\n`;
    const reading = readStatus(connection);
    await write(connection, new TextEncoder().encode(head));
    const piece = new Uint8Array(64 * 1024).fill(0x20);
    for (let left = bytes; left > 0; left -= piece.length) {
      await write(connection, piece.subarray(0, left));
    }
    await reading;
  });
}

async function readStatus(connection: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(1024);
  try {
    const length = await connection.read(buffer);
    if (length !== null) count(new TextDecoder().decode(buffer.subarray(9, 12)));
  } catch {
    // Closed; whoever sends sees the same.
  }
}

async function write(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let left = bytes; left.length > 0;) left = left.subarray(await connection.write(left));
}

async function withConnection(
  port: number,
  work: (connection: Deno.TcpConn) => Promise<void>,
): Promise<void> {
  let connection: Deno.TcpConn | null = null;
  try {
    connection = await Deno.connect({ hostname: "127.0.0.1", port });
    open.add(connection);
    await work(connection);
  } catch {
    // Refused, or closed: that is the service's right.
  }
  if (!signal.aborted) count("closed");
  if (connection !== null) close(connection);
}

function close(connection: Deno.TcpConn): void {
  open.delete(connection);
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}

async function requests(
  url: string,
  { everyMs, atOnce, method, path, body }: Extract<Attack, { kind: "requests" }>,
): Promise<void> {
  const under = new Set<Promise<void>>();
  let sent = 0;
  const ask = () => {
    const at = path === undefined ? "/api/verify" : `${path}${sent}`;
    sent++;
    const asking: Promise<void> = fetch(`${url}${at}`, {
      ...(method && { method, body: body!, headers: { "content-type": "application/json" } }),
      signal,
    }).then(async (answer) => {
      await answer.arrayBuffer();
      count(String(answer.status));
    }).catch(() => {
      if (!signal.aborted) count("closed");
    }).finally(() => under.delete(asking));
    under.add(asking);
  };
  for (let n = 0; n < atOnce; n++) ask();
  const start = performance.now();
  for (let n = 1; !signal.aborted; n++) {
    await pause(Math.max(0, start + n * everyMs - performance.now()));
    if (!signal.aborted) ask();
  }
  await Promise.all(under);
}
