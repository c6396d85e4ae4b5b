/** Receiving documents: content types, sizes, and what of them could be read. */
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { LIMITS } from "../lib/protocol/limits.ts";
import type { InputLimits } from "../lib/verify/input.ts";
import type { Refused } from "../lib/verify/jobs.ts";
import { isProblemCode, type ProblemCode, ProblemError } from "./problems.ts";

/** Bytes of a body, packed and unpacked. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** What one request may hold. */
export const INPUT_LIMITS: InputLimits = { bytes: MAX_BODY_BYTES, documents: 100 };

const CONTENT_TYPES = new Set([
  "application/json",
  "application/jsonl",
  "application/x-jsonlines",
  "application/x-ndjson",
  "application/gzip",
  "application/x-gzip",
  "application/octet-stream",
  "text/plain",
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

/** Refuses content types that can't hold documents; a missing one is fine. */
export const acceptDocuments: MiddlewareHandler = async (c, next) => {
  const header = c.req.header("content-type") ?? "";
  const type = header.split(";")[0]!.trim().toLowerCase();
  if (type !== "" && !CONTENT_TYPES.has(type) && !/^application\/[a-z0-9.+-]+\+json$/.test(type)) {
    throw new ProblemError(
      "content-type-unsupported",
      "documents are sent as application/json, application/x-ndjson, application/gzip or text/plain",
    );
  }
  await next();
};

/** Refuses content types other than JSON; a missing one is fine. */
export const acceptJson: MiddlewareHandler = async (c, next) => {
  const type = (c.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type !== "" && !/^application\/([a-z0-9.+-]+\+)?json$/.test(type)) {
    throw new ProblemError("content-type-unsupported", "a pool is sent as application/json");
  }
  await next();
};

/** Refuses bodies larger than a pool can be. */
export const limitPool: MiddlewareHandler = bodyLimit({
  maxSize: LIMITS.poolBytes,
  onError: () => {
    throw new ProblemError("pool-too-large", `a pool has at most ${LIMITS.poolBytes} bytes`);
  },
});

/** The bytes of a body. @throws {ProblemError} `body-unreadable`. */
export async function receive(c: Context): Promise<Uint8Array> {
  try {
    return new Uint8Array(await c.req.arrayBuffer());
  } catch {
    throw new ProblemError("body-unreadable", "the body could not be received");
  }
}

/** The problem with an input, or one of its pools, that could not be read. */
export function inputRefusal({ pool, reason }: Refused): ProblemError {
  const { code, message, path } = reason;
  if (isProblemCode(code)) return new ProblemError(code, message);
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
