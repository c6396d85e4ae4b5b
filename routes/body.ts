/** Receiving documents: content types, sizes, and what of them could be read. */
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { LIMITS } from "../lib/protocol/limits.ts";
import type { InputLimits, InputRefusal } from "../lib/verify/input.ts";
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

/** Refuses bodies above `bytes`, whether or not they announce their length. */
export function limitBody(bytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw new ProblemError("document-too-large", `the body is larger than ${bytes} bytes`);
    },
  });
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
 * The bytes of a body, charged for.
 *
 * Megabytes that come at once would keep everybody else waiting while they are put together: they go
 * piece by piece to where they belong, and others have their turn between.
 *
 * @param limit in bytes, whether or not the body announces its length.
 * @throws {ProblemError} `body-unreadable`, `rate-limited`, and `tooLarge` when it is larger.
 */
export async function receive(
  c: Context,
  limit: number = MAX_BODY_BYTES,
  tooLarge: () => ProblemError = bodyTooLarge,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(c.req.header("content-length") ?? 0);
  if (announced > limit) throw tooLarge();
  let bytes = new Uint8Array(announced > 0 ? announced : PIECE);
  let filled = 0;
  let sincePause = 0;
  try {
    // Not as an iterable: leaving that early waits for the client to send the rest.
    const reader = c.req.raw.body?.getReader();
    for (;;) {
      const { value: piece, done } = await reader?.read() ?? { done: true };
      if (done || piece === undefined) break;
      const needed = filled + piece.length;
      if (needed > limit) throw tooLarge();
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.min(limit, 2 * needed));
        larger.set(bytes.subarray(0, filled));
        bytes = larger;
      }
      bytes.set(piece, filled);
      filled = needed;
      sincePause += piece.length;
      if (sincePause < PIECE) continue;
      sincePause = 0;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError("body-unreadable", "the body could not be received");
  }
  await payFor(c, { documents: 1, bytes: filled });
  return filled === bytes.length ? bytes : bytes.slice(0, filled);
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

function bodyTooLarge(): ProblemError {
  return new ProblemError("document-too-large", `the body is larger than ${MAX_BODY_BYTES} bytes`);
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
export function poolRefusal(reason: { code: string; message: string; path: string }): ProblemError {
  const { code, message, path } = reason;
  const index = Number(/^pools\[(\d+)\]/.exec(path)?.[1] ?? 0);
  const problem: ProblemCode = "pool-invalid";
  return new ProblemError(problem, `pool ${index} was refused (${code}): ${message}`, {
    reason: { code, message, path },
    pool: index,
  });
}
