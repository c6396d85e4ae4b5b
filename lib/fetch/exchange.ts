/** One request and its answer on a connected socket, whatever the other side sends. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { ByteSink } from "../encoding/byte_sink.ts";
import { FetchError } from "./error.ts";

/** Bytes of an answer's head. */
const MAX_HEAD = 16 * 1024;

/** Interim answers (1xx): a flood of them costs memory (docs/platform.md). */
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
export type Answer = Head & { body: Uint8Array | null };

export interface ExchangeOptions {
  /** Names as they are sent; `Host` among them. */
  headers: Record<string, string>;
  /** Most bytes of a body, as sent. */
  bytes: number;
  /** Told the head, says whether the body is worth reading. What it throws ends the exchange. */
  onHead(head: Head): boolean;
  signal: AbortSignal;
}

/**
 * Sends a GET request and reads the answer. The socket is closed in every case.
 *
 * @param path with its query, as a request line has it.
 * @throws {FetchError} `fetch-headers`, `fetch-too-large`, `fetch-unreachable`
 * @throws the signal's reason, or what `onHead` throws.
 */
export function exchange(socket: Socket, path: string, options: ExchangeOptions): Promise<Answer> {
  const { headers, bytes, onHead, signal } = options;
  return new Promise<Answer>((resolve, reject) => {
    signal.throwIfAborted();
    const sent = request({
      path,
      headers: { ...headers, Connection: "close" },
      setHost: false,
      maxHeaderSize: MAX_HEAD,
      agent: agentOf(socket),
    });
    const onAbort = () => settle(() => reject(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });

    const content = new ByteSink(bytes);
    let raw = 0;
    let interim = 0;
    let settled = false;

    sent.on("socket", () => socket.on("data", onRaw));
    sent.on("information", () => {
      if (++interim > MAX_INTERIM) fail("fetch-headers", "the host sends too many interim answers");
    });
    sent.on("upgrade", () => fail("fetch-headers", "the host wants another protocol than HTTP"));
    // Stays for good, like the others: an error that nobody listens to would end the process.
    sent.on("error", onError);
    // The only word of an answer that was cut off between two packets.
    sent.on("close", onCut);
    sent.on("response", onResponse);
    sent.end();

    /** Only the first end counts: destroying a socket can look like the end of a body. */
    function settle(how: () => void): void {
      if (settled) return;
      settled = true;
      signal.removeEventListener("abort", onAbort);
      sent.destroy();
      socket.destroy();
      how();
    }
    function fail(code: "fetch-headers" | "fetch-too-large", message: string): void {
      settle(() => reject(new FetchError(code, message)));
    }
    function onRaw(chunk: Uint8Array): void {
      raw += chunk.length;
      // What has just come is counted as content only later.
      if (raw - chunk.length - content.length > MAX_OVERHEAD + content.length / 2) {
        fail("fetch-headers", "the host's answer is mostly framing");
      }
    }
    function onError(error: Error & { code?: unknown }): void {
      const cause = error;
      settle(() => reject(String(error.code).startsWith("HPE_") ? noHttp(cause) : cutOff(cause)));
    }
    function onCut(): void {
      settle(() => reject(cutOff(undefined)));
    }

    function onResponse(response: IncomingMessage): void {
      response.on("error", onError);
      if (settled) return;
      const head: Head = { status: response.statusCode ?? 0, headers: response.headers };
      let wanted: boolean;
      try {
        wanted = onHead(head);
      } catch (error) {
        return settle(() => reject(error));
      }
      if (!wanted) return settle(() => resolve({ ...head, body: null }));
      if (Number(head.headers["content-length"] ?? 0) > bytes) return tooLarge();
      response.on("data", (chunk: Uint8Array) => {
        if (settled) return;
        if (content.length + chunk.length > bytes) return tooLarge();
        content.append(chunk);
      });
      response.on("end", () => {
        if (!response.complete) return onCut();
        settle(() => resolve({ ...head, body: content.bytes() }));
      });
    }
    function tooLarge(): void {
      fail("fetch-too-large", `the file is larger than ${bytes} bytes; give a smaller one`);
    }
  });
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
