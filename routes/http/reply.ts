/**
 * Answers with their length and, where wanted, a strong ETag: HEAD and conditional requests come out
 * right for every resource in the same way.
 */
import { sha256Hex } from "../../lib/encoding/digest.ts";

const encoder = new TextEncoder();

/** A complete answer that can be sent many times. */
export interface Rendered {
  status: number;
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

interface ReplyOptions {
  type: string;
  status?: number;
  cache?: string;
  /** A strong ETag is made from the bytes; `id` names it when they are hashed already. */
  etag?: boolean | { id: string };
  headers?: Record<string, string>;
}

/** Makes an answer out of a body. */
export function render(
  content: string | Uint8Array<ArrayBuffer>,
  options: ReplyOptions,
): Rendered {
  const body = typeof content === "string" ? encoder.encode(content) : content;
  const { etag = false } = options;
  const headers: Record<string, string> = {
    "content-type": options.type,
    "content-length": `${body.length}`,
    "cache-control": options.cache ?? "no-store",
    ...options.headers,
  };
  if (etag !== false) headers["etag"] = `"${etag === true ? sha256Hex(body) : etag.id}"`;
  return { status: options.status ?? 200, body, headers };
}

/** Sends an answer: 304 when the client has these bytes, the headers alone for HEAD. */
export function send(request: Request, { status, body, headers }: Rendered): Response {
  const etag = headers["etag"];
  if (status === 200 && etag !== undefined && hasCurrent(request, etag)) {
    const { "content-length": _, ...rest } = headers;
    return new Response(null, { status: 304, headers: rest });
  }
  return new Response(request.method === "HEAD" ? null : body, { status, headers });
}

/** Makes and sends an answer. */
export function reply(
  request: Request,
  content: string | Uint8Array<ArrayBuffer>,
  options: ReplyOptions,
): Response {
  return send(request, render(content, options));
}

/** Makes and sends JSON. */
export function replyJson(
  request: Request,
  value: unknown,
  options: Omit<ReplyOptions, "type"> & { type?: string } = {},
): Response {
  return reply(request, JSON.stringify(value), { type: "application/json", ...options });
}

/** The header that says when to come back, in seconds; none for null. */
export function retryHeaders(retryAfter: number | null): Record<string, string> {
  return retryAfter === null ? {} : { "retry-after": `${retryAfter}` };
}

/** RFC 9110, 13.1.2: weak comparison; caches between may have weakened the tag. */
function hasCurrent(request: Request, etag: string): boolean {
  const header = request.headers.get("if-none-match");
  if (header === null) return false;
  return header.trim() === "*" ||
    header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
