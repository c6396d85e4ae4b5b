/**
 * A KV server for tests: as much of the KV Connect protocol (version 3) as a client needs that gets,
 * lists and commits, in memory. `Deno.openKv(server.url)` speaks to it, given the access token in
 * `DENO_KV_ACCESS_TOKEN`. Not there: watching, queues, several regions.
 *
 * A client first posts to the URL itself and is told an endpoint and a token for a while; reads go
 * to `snapshot_read` below that endpoint and commits to `atomic_write`, as protobuf messages.
 */
import { fromHex, toHex } from "../../lib/encoding/hex.ts";
import {
  bytesOf,
  type Fields,
  messagesOf,
  numberOf,
  ProtobufError,
  readFields,
  writeFields,
} from "./protobuf.ts";

/** What a client may ask for. */
export type KvRequest = "metadata" | "read" | "write";

export interface KvServer extends AsyncDisposable {
  /** What `Deno.openKv` takes. */
  url: string;
  port: number;
  database: KvDatabase;
  /** Requests so far, refused ones included. */
  requests: Record<KvRequest, number>;
  stop(): Promise<void>;
}

export interface KvServerOptions {
  /** What clients must have in `DENO_KV_ACCESS_TOKEN`. */
  token: string;
  /** 0, the default, lets the system choose. */
  port?: number;
  /** What an earlier server kept; default: an empty one. */
  database?: KvDatabase;
  /** A response given here goes out in place of the server's own: for servers that misbehave. */
  intercept?: (kind: KvRequest) => Response | undefined;
  /** Whether the answer to a request that was carried out is lost: the client gets a 503. */
  lose?: (kind: KvRequest) => boolean;
}

interface Entry {
  value: Uint8Array;
  /** As the client says; 2: an unsigned 64-bit number, little-endian. */
  encoding: number;
  /** Hex. */
  versionstamp: string;
  /** Milliseconds since 1970; 0: never. */
  expiresAt: number;
}

/** What a server keeps. Keys are in hex, which sorts as their bytes do. */
export interface KvDatabase {
  entries: Map<string, Entry>;
  /** The keys in order; null when they have to be sorted anew. */
  sorted: string[] | null;
  /** Number of the last commit. */
  version: number;
}

const DATABASE_ID = "5b1f7c1e-0d9a-4f06-9c37-6a1c9a0e2a11";
const SESSION_TOKEN = "of-this-run";
const SESSION_MS = 3_600_000;

const SET = 1;
const DELETE = 2;
const ARITHMETIC: Readonly<Record<number, (stored: bigint, given: bigint) => bigint>> = {
  3: (stored, given) => BigInt.asUintN(64, stored + given),
  4: (stored, given) => stored > given ? stored : given,
  5: (stored, given) => stored < given ? stored : given,
};
const LITTLE_ENDIAN_64 = 2;
const SUCCESS = 1;
const CHECK_FAILURE = 2;

/** An empty database. */
export function createKvDatabase(): KvDatabase {
  return { entries: new Map(), sorted: null, version: 0 };
}

/** Starts a server on loopback. */
export function startKvServer(options: KvServerOptions): KvServer {
  const { token, port = 0, database = createKvDatabase(), intercept, lose } = options;
  const requests = { metadata: 0, read: 0, write: 0 };
  const shows = (request: Request, expected: string) =>
    request.headers.get("authorization") === `Bearer ${expected}`;

  async function handle(request: Request): Promise<Response> {
    const kind = kindOf(new URL(request.url).pathname);
    if (request.method !== "POST" || kind === undefined) return new Response(null, { status: 404 });
    requests[kind]++;
    const body = new Uint8Array(await request.arrayBuffer());
    const other = intercept?.(kind);
    if (other !== undefined) return other;
    if (!shows(request, kind === "metadata" ? token : SESSION_TOKEN)) {
      return new Response("no such token", { status: 401 });
    }
    if (kind === "metadata") return Response.json(metadata());
    try {
      const fields = readFields(body);
      const answer = kind === "read" ? read(database, fields) : write(database, fields);
      if (lose?.(kind)) return new Response("the answer is lost", { status: 503 });
      return new Response(answer, { headers: { "content-type": "application/x-protobuf" } });
    } catch (error) {
      if (error instanceof ProtobufError) return new Response(error.message, { status: 400 });
      throw error;
    }
  }

  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, handle);
  const stop = () => server.shutdown();
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    port: server.addr.port,
    database,
    requests,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function kindOf(path: string): KvRequest | undefined {
  switch (path) {
    case "/":
      return "metadata";
    case "/v3/snapshot_read":
      return "read";
    case "/v3/atomic_write":
      return "write";
  }
}

function metadata() {
  return {
    version: 3,
    databaseId: DATABASE_ID,
    endpoints: [{ url: "/v3", consistency: "strong" }],
    token: SESSION_TOKEN,
    expiresAt: new Date(Date.now() + SESSION_MS).toISOString(),
  };
}

/** `SnapshotRead` to `SnapshotReadOutput`. */
function read(database: KvDatabase, request: Fields): Uint8Array<ArrayBuffer> {
  const ranges = messagesOf(request, 1).map((range): [number, Uint8Array] => {
    const [start, end] = [toHex(bytesOf(range, 1)), toHex(bytesOf(range, 2))];
    const found = entriesBetween(database, start, end);
    if (numberOf(range, 4) !== 0) found.reverse();
    const entries = found.slice(0, numberOf(range, 3)).map(([key, entry]): [number, Uint8Array] => [
      1,
      writeFields([
        [1, fromHex(key)],
        [2, entry.value],
        [3, entry.encoding],
        [4, fromHex(entry.versionstamp)],
      ]),
    ]);
    return [1, writeFields(entries)];
  });
  return writeFields([...ranges, [4, 1], [8, SUCCESS]]);
}

function entriesBetween(database: KvDatabase, start: string, end: string): [string, Entry][] {
  const sorted = database.sorted ??= [...database.entries.keys()].sort();
  const found: [string, Entry][] = [];
  for (let at = firstFrom(sorted, start); at < sorted.length && sorted[at]! < end; at++) {
    const entry = entryOf(database, sorted[at]!);
    if (entry !== undefined) found.push([sorted[at]!, entry]);
  }
  return found;
}

/** Index of the first key that isn't before `start`. */
function firstFrom(sorted: readonly string[], start: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function entryOf(database: KvDatabase, key: string): Entry | undefined {
  const entry = database.entries.get(key);
  const expired = entry !== undefined && entry.expiresAt !== 0 && entry.expiresAt <= Date.now();
  return expired ? undefined : entry;
}

/** `AtomicWrite` to `AtomicWriteOutput`. Nothing in here waits, so commits don't overlap. */
function write(database: KvDatabase, request: Fields): Uint8Array<ArrayBuffer> {
  const failed = messagesOf(request, 1).flatMap((check, index) => {
    const entry = entryOf(database, toHex(bytesOf(check, 1)));
    return (entry?.versionstamp ?? "") === toHex(bytesOf(check, 2)) ? [] : [index];
  });
  if (failed.length > 0) {
    const indexes = failed.map((index): [number, number] => [4, index]);
    return writeFields([[1, CHECK_FAILURE], ...indexes]);
  }
  const versionstamp = (++database.version).toString(16).padStart(20, "0");
  for (const mutation of messagesOf(request, 2)) mutate(database, mutation, versionstamp);
  return writeFields([[1, SUCCESS], [2, fromHex(versionstamp)]]);
}

function mutate(database: KvDatabase, mutation: Fields, versionstamp: string): void {
  const key = toHex(bytesOf(mutation, 1));
  const kind = numberOf(mutation, 3);
  if (kind === DELETE) {
    if (database.entries.delete(key)) database.sorted = null;
    return;
  }
  const given = readFields(bytesOf(mutation, 2));
  const encoding = numberOf(given, 2);
  let value = bytesOf(given, 1).slice();
  const calculate = ARITHMETIC[kind];
  if (calculate !== undefined) {
    const stored = entryOf(database, key);
    if (encoding !== LITTLE_ENDIAN_64 || (stored?.encoding ?? encoding) !== encoding) {
      throw new ProtobufError("only 64-bit numbers are added and compared");
    }
    if (stored !== undefined) value = toBytes(calculate(toNumber(stored.value), toNumber(value)));
  } else if (kind !== SET) {
    throw new ProtobufError(`mutation ${kind} is not known here`);
  }
  if (!database.entries.has(key)) database.sorted = null;
  database.entries.set(key, {
    value,
    encoding,
    versionstamp,
    expiresAt: numberOf(mutation, 4),
  });
}

function toNumber(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
}

function toBytes(value: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}
