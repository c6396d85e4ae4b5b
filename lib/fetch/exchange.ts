/** One request and its response on a connected socket, whatever the other side sends. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { ByteSink } from "../encoding/byte_sink.ts";
import { FetchError } from "./error.ts";

/** The most bytes of a response's head. */
const MAX_HEAD = 16 * 1024;

/** The most interim responses (1xx): a flood of them costs memory (docs/platform.md). */
const MAX_INTERIM = 8;

/**
 * Bytes that aren't content (head, chunk sizes, trailers), besides half as many as there is content:
 * chunks of a byte each cost more time than they bring.
 */
const MAX_OVERHEAD = 128 * 1024;

export interface Head {
  status: number;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
}

/** `body` is null where it wasn't wanted. */
export type Response = Head & { body: Uint8Array | null };

interface ExchangeOptions {
  /** Names as they are sent; `Host` among them. */
  headers: Record<string, string>;
  /** Most bytes of a body, as sent. */
  bytes: number;
  /** Told the head, says whether the body is worth reading. What it throws ends the exchange. */
  onHead(head: Head): boolean;
  signal: AbortSignal;
}

/** An exchange under way. */
interface Exchange {
  options: ExchangeOptions;
  /** The body so far. */
  content: ByteSink;
  /** Whether the exchange has come to its end. */
  readonly ended: boolean;
  /** Ends the exchange with what was received. */
  succeed(response: Response): void;
  /** Ends the exchange with an error. */
  fail(error: unknown): void;
}

/**
 * Sends a GET request and reads the response. The socket is closed in every case.
 *
 * @param path with its query, as a request line has it.
 * @throws {FetchError} `fetch-headers`, `fetch-too-large`, `fetch-unreachable`
 * @throws the signal's reason, or what `onHead` throws.
 */
export function exchange(
  socket: Socket,
  path: string,
  options: ExchangeOptions,
): Promise<Response> {
  const { headers, bytes, signal } = options;
  return new Promise<Response>((resolve, reject) => {
    signal.throwIfAborted();
    const sent = request({
      path,
      headers: { ...headers, Connection: "close" },
      setHost: false,
      maxHeaderSize: MAX_HEAD,
      agent: agentOf(socket),
    });
    const onAbort = () => under.fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    let ended = false;

    /** Only the first end counts: destroying a socket can look like the end of a body. */
    function end(how: () => void): void {
      if (ended) return;
      ended = true;
      signal.removeEventListener("abort", onAbort);
      sent.destroy();
      socket.destroy();
      how();
    }
    const under: Exchange = {
      options,
      content: new ByteSink(bytes),
      get ended() {
        return ended;
      },
      succeed: (response) => end(() => resolve(response)),
      fail: (error) => end(() => reject(error)),
    };
    sent.on("socket", () => socket.on("data", framingBound(under)));
    sent.on("information", interimBound(under));
    sent.on("upgrade", () => under.fail(headersError("the host wants another protocol than HTTP")));
    // The listener stays for good, like the others: an error that nobody listens to would end the
    // process.
    sent.on("error", (error) => under.fail(errorOf(error)));
    // Nothing else tells of a response that was cut off between two packets.
    sent.on("close", () => under.fail(cutOff(undefined)));
    sent.on("response", (response) => readResponse(under, response));
    sent.end();
  });
}

/** Counts the bytes that come, and ends an exchange that is mostly framing. */
function framingBound(under: Exchange): (chunk: Uint8Array) => void {
  let raw = 0;
  return (chunk) => {
    const before = raw;
    raw += chunk.length;
    const { length } = under.content;
    // The chunk that has just come is counted as content only later.
    if (before - length > MAX_OVERHEAD + length / 2) {
      under.fail(headersError("the host's answer is mostly framing"));
    }
  };
}

/** Counts interim responses, and ends an exchange that has too many. */
function interimBound(under: Exchange): () => void {
  let interim = 0;
  return () => {
    if (++interim <= MAX_INTERIM) return;
    under.fail(headersError("the host sends too many interim answers"));
  };
}

function readResponse(under: Exchange, response: IncomingMessage): void {
  const { options: { bytes, onHead }, content } = under;
  const tooLarge = () =>
    under.fail(
      new FetchError(
        "fetch-too-large",
        `the file is larger than ${bytes} bytes; give a smaller one`,
      ),
    );
  response.on("error", (error) => under.fail(errorOf(error)));
  if (under.ended) return;
  const head: Head = { status: response.statusCode ?? 0, headers: response.headers };
  let wanted: boolean;
  try {
    wanted = onHead(head);
  } catch (error) {
    return under.fail(error);
  }
  if (!wanted) return under.succeed({ ...head, body: null });
  if (Number(head.headers["content-length"] ?? 0) > bytes) return tooLarge();
  response.on("data", (chunk: Uint8Array) => {
    if (under.ended) return;
    if (content.length + chunk.length > bytes) return tooLarge();
    content.append(chunk);
  });
  response.on("end", () => {
    if (!response.complete) return under.fail(cutOff(undefined));
    under.succeed({ ...head, body: content.bytes() });
  });
}

function headersError(message: string): FetchError {
  return new FetchError("fetch-headers", message);
}

function errorOf(error: Error & { code?: unknown }): FetchError {
  return String(error.code).startsWith("HPE_") ? noHttp(error) : cutOff(error);
}

/** Gives the request this socket; with settings of its own, so that no environment names a proxy. */
function agentOf(socket: Socket): Agent {
  const settings = { keepAlive: false, proxyEnv: {} };
  return Object.assign(new Agent(settings), { createConnection: () => socket });
}

function noHttp(cause: unknown): FetchError {
  return new FetchError(
    "fetch-headers",
    "the host's answer isn't proper HTTP, or its headers are too large",
    { cause },
  );
}

function cutOff(cause: unknown): FetchError {
  return new FetchError(
    "fetch-unreachable",
    "the host broke off before its answer was complete; try again later",
    { cause },
  );
}
