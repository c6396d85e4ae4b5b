/** Which responses can hold a document, and their bytes. */
import type { IncomingHttpHeaders } from "node:http";
import { gunzip } from "../encoding/gunzip.ts";
import { FetchError } from "./error.ts";

/** Besides everything that ends in `+json`. Files of releases and buckets come as plain bytes. */
const DOCUMENT_TYPES = new Set([
  "application/json",
  "text/json",
  "text/plain",
  "application/jsonl",
  "application/jsonlines",
  "application/json-lines",
  "application/x-jsonlines",
  "application/x-ndjson",
  "application/ndjson",
  "application/octet-stream",
  "binary/octet-stream",
  "application/gzip",
  "application/x-gzip",
]);

const PAGE_TYPES = new Set(["text/html", "application/xhtml+xml"]);

/** Checks the type and coding of a response before its body is read. @throws {FetchError} */
export function checkContent(headers: IncomingHttpHeaders): void {
  const type = mediaType(headers);
  if (PAGE_TYPES.has(type)) {
    throw new FetchError("fetch-not-json", "this is a web page; link the raw file");
  }
  if (type !== "" && !DOCUMENT_TYPES.has(type) && !type.endsWith("+json")) {
    throw new FetchError(
      "fetch-content-type",
      "the file isn't sent as JSON, text, bytes or gzip; link the raw file",
    );
  }
  const coding = codingOf(headers);
  if (coding !== "identity" && coding !== "gzip") {
    throw new FetchError(
      "fetch-encoding",
      "the host packs its answer in another way than gzip, which wasn't asked for",
    );
  }
}

/**
 * The bytes of a document as its host has them. Only the content coding is undone: a file that is
 * itself gzip stays as it is.
 *
 * @throws {FetchError} `fetch-encoding`, `fetch-too-large`
 */
export async function decodeContent(
  body: Uint8Array,
  headers: IncomingHttpHeaders,
  limit: number,
): Promise<Uint8Array> {
  if (codingOf(headers) !== "gzip") return body;
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const unpacked = isGzip ? await gunzip(body, limit) : "malformed";
  if (unpacked === "malformed") {
    throw new FetchError("fetch-encoding", "the host's gzip data is damaged; try again later");
  }
  if (unpacked === "too-large") {
    const message = `the file is larger than ${limit} bytes, unpacked; give a smaller one`;
    throw new FetchError("fetch-too-large", message);
  }
  return unpacked;
}

/** Without parameters, lower-case; empty when there is none. */
function mediaType(headers: IncomingHttpHeaders): string {
  return (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
}

function codingOf(headers: IncomingHttpHeaders): string {
  const coding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (coding === "") return "identity";
  return coding === "x-gzip" ? "gzip" : coding;
}
