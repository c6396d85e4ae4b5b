/** Reading a pool that is to be published. Source: protocols spec 8.2, 13. */
import type { ReasonCode } from "../../lib/protocol/codes.ts";
import { decodeUtf8, parseJson } from "../../lib/encoding/json.ts";
import { LIMITS } from "../../lib/protocol/limits.ts";
import { type Pool, readPool } from "../../lib/protocol/pool.ts";
import { type VerifiedDisclosure, verifyDisclosure } from "../../lib/protocol/disclosure.ts";
import { ProblemError } from "../http/problems.ts";
import { disclosureSchema } from "../schemas/pool.ts";

/** Bytes of a body, or of a pasted text. */
export const MAX_POOL_BYTES = LIMITS.poolBytes;

export interface PoolRequest {
  pool: Pool;
  disclosure?: VerifiedDisclosure;
}

/**
 * Reads a pool file, or `{pool, disclosure}`, and checks the statement.
 * @throws {ProblemError} which never quotes what was sent: it may be a secret still.
 */
export async function readPoolRequest(bytes: Uint8Array): Promise<PoolRequest> {
  if (bytes.length > MAX_POOL_BYTES) {
    throw new ProblemError("pool-too-large", `a pool has at most ${MAX_POOL_BYTES} bytes`);
  }
  const text = decodeUtf8(bytes);
  if (text === null) throw new ProblemError("document-not-utf8", "the pool is not UTF-8");
  const parsed = parseJson(text, LIMITS.depth);
  if (!parsed.ok) {
    throw parsed.code === "too-deep"
      ? new ProblemError("document-too-deep", `the pool nests deeper than ${LIMITS.depth} levels`)
      : new ProblemError("document-not-json", "the pool is not JSON");
  }
  if (!isWrapped(parsed.value)) {
    // Else it would be dropped like any member that a pool doesn't have.
    if (hasMember(parsed.value, "disclosure")) {
      throw refusal("a statement goes beside the pool: put the pool into {pool, disclosure}");
    }
    return { pool: requirePool(parsed.value, "") };
  }
  if (Object.keys(parsed.value).some((name) => name !== "pool" && name !== "disclosure")) {
    throw refusal("{pool, disclosure} has no other members: one may be misspelt");
  }
  const pool = requirePool(parsed.value.pool, "pool");
  if (parsed.value.disclosure === undefined) return { pool };
  return { pool, disclosure: await requireDisclosure(pool, parsed.value.disclosure) };
}

/** Checks a statement about a pool. @throws {ProblemError} `disclosure-invalid`. */
export async function requireDisclosure(
  pool: Pool,
  value: unknown,
): Promise<VerifiedDisclosure> {
  const parsed = disclosureSchema.safeParse(value);
  if (!parsed.success) {
    throw new ProblemError("disclosure-invalid", "a statement is {publicKey, signature}");
  }
  const verified = await verifyDisclosure(pool.poolKey, parsed.data);
  if (verified === null) {
    const detail = "the statement's key did not sign that it disclosed this pool";
    throw new ProblemError("disclosure-invalid", detail);
  }
  return verified;
}

function requirePool(value: unknown, path: string): Pool {
  const read = readPool(value, path);
  if (read.ok) return read.pool;
  const { code, message, path: at } = read.reason;
  throw refusal(message, code, at);
}

function refusal(
  message: string,
  code: ReasonCode = "pool-malformed",
  path = "",
): ProblemError {
  return new ProblemError("pool-invalid", `the pool was refused (${code}): ${message}`, {
    reason: { code, message, path },
  });
}

/** A pool file has a protocol and no member `pool`. */
function isWrapped(value: unknown): value is { pool: unknown; disclosure?: unknown } {
  return hasMember(value, "pool") && !hasMember(value, "protocol");
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.hasOwn(value, name);
}
