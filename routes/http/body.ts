/** Receiving documents: content types, sizes, and what of them could be read. */
import type { Context, MiddlewareHandler } from "hono";
import { ByteSink } from "../../lib/encoding/byte_sink.ts";
import { LIMITS } from "../../lib/protocol/limits.ts";
import type { Reason } from "../../lib/protocol/reason.ts";
import type { InputLimits, InputRefusal } from "../../lib/verify/input.ts";
import { BOUNDS, type Bounds } from "../../lib/serving/bounds.ts";
import { type Deadline, startDeadline } from "../../lib/serving/deadline.ts";
import { createReceiving, type NoRoom, type Share } from "../../lib/serving/receiving.ts";
import { giveUpBody } from "../../lib/serving/unfinished.ts";
import type { ClientOf } from "./client.ts";
import { payFor } from "./limits.ts";
import { isProblemCode, type ProblemCode, ProblemError } from "./problems.ts";

/** Bytes of a body, packed and unpacked. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** What one request may hold. */
export const INPUT_LIMITS: InputLimits = { bytes: MAX_BODY_BYTES, documents: 100 };

/**
 * And `+json`. None of them can be sent by another site's page unless the answer to its browser's
 * question (CORS) allows it: forms, `text/plain` and bodies without a type could.
 */
const CONTENT_TYPES = new Set([
  "application/json",
  "application/jsonl",
  "application/x-jsonlines",
  "application/x-ndjson",
  "application/gzip",
  "application/x-gzip",
  "application/octet-stream",
]);

/** Where a request's {@link Receipt} is found. */
const RECEIPT = "receipt";

interface Receipt {
  bounds: Bounds;
  share: Share;
}

/** Bounds the bytes that are being received, and the time of each body. */
export function boundBodies(clientOf: ClientOf, given: Partial<Bounds> = {}): MiddlewareHandler {
  const bounds = { ...BOUNDS, ...given };
  const receiving = createReceiving(bounds);
  return async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return await next();
    const share = receiving.share(clientOf(c));
    c.set(RECEIPT, { bounds, share } satisfies Receipt);
    try {
      await next();
    } finally {
      share.release();
    }
  };
}

/** Refuses other content types than those of documents, and a missing one. */
export const acceptDocuments: MiddlewareHandler = async (c, next) => {
  const type = contentType(c);
  if (!CONTENT_TYPES.has(type) && !/^application\/[a-z0-9.+-]+\+json$/.test(type)) {
    throw new ProblemError(
      "content-type-unsupported",
      "documents are sent as application/json, application/x-ndjson, application/gzip or " +
        "application/octet-stream",
    );
  }
  await next();
};

/** Refuses other content types than JSON, and a missing one. */
export const acceptJson: MiddlewareHandler = async (c, next) => {
  if (!isJson(c)) {
    throw new ProblemError("content-type-unsupported", "a pool is sent as application/json");
  }
  await next();
};

/** Whether a request says that it sends JSON, which browsers ask about first (CORS). */
export function isJson(c: Context): boolean {
  return /^application\/([a-z0-9.+-]+\+)?json$/.test(contentType(c));
}

function contentType(c: Context): string {
  return (c.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

/**
 * The bytes of a body. Each 64 KiB is charged for, and counted among what is being received, before it
 * is held; the client has the time for it that {@link Bounds} gives.
 *
 * Megabytes that come at once would keep everybody else waiting while they are put together: they go
 * piece by piece to where they belong, and others have their turn between.
 *
 * @param limit in bytes, whether or not the body announces its length.
 * @throws {ProblemError} `body-unreadable`, `body-too-slow`, `rate-limited`, `uploads-busy`, and
 * `tooLarge` when it is larger.
 */
export async function receive(
  c: Context,
  limit: number = MAX_BODY_BYTES,
  tooLarge: () => ProblemError = () => bodyTooLarge(limit),
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(c.req.header("content-length") ?? 0);
  if (announced > limit) throw tooLarge();
  const { bounds, share } = c.get(RECEIPT) as Receipt;
  // Not as an iterable: leaving that early waits for the client to send the rest.
  const reader = c.req.raw.body?.getReader();
  const deadline = startDeadline(bounds, () => void reader?.cancel().catch(() => {}));
  const hold = async (bytes: number, more: number) => {
    await payFor(c, { documents: 1, bytes });
    const full = share.take(more);
    if (full !== null) throw noRoom(full, bounds);
  };
  try {
    return await collect(reader, limit, tooLarge, { deadline, hold });
  } catch (error) {
    giveUpBody(c.req.raw, async () => await reader?.cancel());
    if (error instanceof ProblemError) throw error;
    throw new ProblemError("body-unreadable", "the body could not be received");
  } finally {
    deadline.clear();
  }
}

interface Collecting {
  deadline: Deadline;
  /** Pays for a body of `bytes`, and takes room for `more` of them. */
  hold(bytes: number, more: number): Promise<void>;
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined,
  limit: number,
  tooLarge: () => ProblemError,
  { deadline, hold }: Collecting,
): Promise<Uint8Array<ArrayBuffer>> {
  const sink = new ByteSink(limit, HELD);
  let sincePause = 0;
  for (;;) {
    const { value: piece, done } = await reader?.read() ?? { done: true };
    if (deadline.passed) {
      throw new ProblemError("body-too-slow", "the body did not arrive in the time that it has");
    }
    if (done || piece === undefined) break;
    const needed = sink.length + piece.length;
    if (needed > limit) throw tooLarge();
    deadline.arrived(needed);
    await hold(needed, sink.growth(piece.length));
    sink.append(piece);
    sincePause += piece.length;
    if (sincePause < PIECE) continue;
    sincePause = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return sink.bytes();
}

/** Bytes that a body has room for from its first one. */
const HELD = 64 * 1024;

function noRoom(full: NoRoom, { receiving, receivingClient }: Bounds): ProblemError {
  const detail = full === "client"
    ? `one client sends at most ${receivingClient} bytes at a time`
    : `at most ${receiving} bytes are received at a time`;
  return new ProblemError("uploads-busy", detail, {}, 1);
}

/** The bytes of a pool, with its statement. @throws {ProblemError} as {@link receive}. */
export function receivePool(c: Context): Promise<Uint8Array<ArrayBuffer>> {
  return receive(c, LIMITS.poolBytes, () => {
    const detail = `a pool has at most ${LIMITS.poolBytes} bytes`;
    return new ProblemError("pool-too-large", detail);
  });
}

/** Bytes received between two pauses. */
const PIECE = 128 * 1024;

function bodyTooLarge(limit: number): ProblemError {
  return new ProblemError("document-too-large", `the body is larger than ${limit} bytes`);
}

/** The problem with an input, or one of its pools, that could not be read. */
export function inputRefusal({ pool, reason, looksLike }: InputRefusal): ProblemError {
  const { code, message, path } = reason;
  const looks = looksLike === undefined ? {} : { looksLike };
  if (isProblemCode(code)) return new ProblemError(code, message, looks);
  if (!pool) throw new Error(`no problem is defined for ${code}`);
  return poolRefusal({ code, message, path });
}

/** The problem with a pool, from the reason why it was refused. */
export function poolRefusal({ code, message, path }: Reason): ProblemError {
  const index = Number(/^pools\[(\d+)\]/.exec(path)?.[1] ?? 0);
  const problem: ProblemCode = "pool-invalid";
  return new ProblemError(problem, `pool ${index} was refused (${code}): ${message}`, {
    reason: { code, message, path },
    pool: index,
  });
}
