/** A TCP server on loopback that says whatever a test wants, HTTP or not. */

/** One connection, as the test's answer sees it. */
export interface Peer {
  /** What the client sent first, as Latin-1; empty when it sent nothing. */
  request: string;
  /** Sends text (as UTF-8) or bytes. False when the client is gone. */
  send(data: string | Uint8Array): Promise<boolean>;
  /** Sends the same again and again, until the client is gone. */
  flood(data: string | Uint8Array): Promise<void>;
  /** Waits until the client is gone. */
  hang(): Promise<void>;
}

export interface RawServer extends AsyncDisposable {
  port: number;
  /** `127.0.0.1:port` */
  host: string;
  /** Connections so far. */
  connections: number;
  /** What clients sent first, one text a connection that sent anything. */
  requests: string[];
  /** Waits until all connections so far are closed on the client's side or ours. */
  idle(): Promise<void>;
}

export interface RawOptions {
  hostname?: string;
  port?: number;
  /** Answers before the client has said anything. */
  eager?: boolean;
}

/** Starts a server. @param answer may return at any time; the connection is closed then. */
export function rawServer(
  answer: (peer: Peer) => Promise<unknown>,
  { hostname = "127.0.0.1", port = 0, eager = false }: RawOptions = {},
): RawServer {
  const listener = Deno.listen({ hostname, port });
  const open = new Set<Promise<void>>();
  const connections = new Set<Deno.TcpConn>();
  const bound = (listener.addr as Deno.NetAddr).port;
  const server: RawServer = {
    port: bound,
    host: `${hostname.includes(":") ? `[${hostname}]` : hostname}:${bound}`,
    connections: 0,
    requests: [],
    async idle() {
      await Promise.all(open);
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) close(connection);
      await accepting;
      await Promise.all(open);
    },
  };
  const accepting = accept();
  return server;

  async function accept(): Promise<void> {
    for await (const connection of listener) {
      server.connections++;
      connections.add(connection);
      const served = serve(connection).finally(() => {
        close(connection);
        connections.delete(connection);
        open.delete(served);
      });
      open.add(served);
    }
  }

  async function serve(connection: Deno.TcpConn): Promise<void> {
    const request = eager ? "" : await readSome(connection);
    if (request !== "") server.requests.push(request);
    const send = async (data: string | Uint8Array) => {
      let rest = typeof data === "string" ? new TextEncoder().encode(data) : data;
      try {
        while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
        return true;
      } catch {
        return false;
      }
    };
    await answer({
      request,
      send,
      async flood(data) {
        while (await send(data)) { /* again */ }
      },
      async hang() {
        while (await readSome(connection) !== "") { /* whatever it says */ }
      },
    });
  }
}

async function readSome(connection: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(16 * 1024);
  try {
    const count = await connection.read(buffer) ?? 0;
    return Array.from(buffer.subarray(0, count), (byte) => String.fromCharCode(byte)).join("");
  } catch {
    return "";
  }
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch { /* closed before */ }
}
