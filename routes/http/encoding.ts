/** Content codings: which one a client wants, and a body in it. Source: RFC 9110, 8.4.1, 12.5.3. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const CODINGS = ["br", "gzip", "identity"] as const;
export type Coding = typeof CODINGS[number];

/**
 * The coding to answer in: the one with the highest weight, of equal ones the first of
 * {@link CODINGS}. A client that refuses all of them gets `identity` all the same.
 */
export function codingFor(acceptEncoding: string | null): Coding {
  if (acceptEncoding === null) return "identity";
  const known = chosen.get(acceptEncoding);
  if (known !== undefined) return known;
  const coding = choose(acceptEncoding);
  if (acceptEncoding.length <= LONGEST) {
    if (chosen.size === HEADERS) chosen.clear();
    chosen.set(acceptEncoding, coding);
  }
  return coding;
}

/** Headers met lately; browsers and proxies send few different ones. */
const chosen = new Map<string, Coding>();
const HEADERS = 200;
const LONGEST = 100;

function choose(acceptEncoding: string): Coding {
  const weights = weightsOf(acceptEncoding);
  const rest = weights.get("*");
  let best: Coding = "identity";
  let highest = 0;
  for (const coding of CODINGS) {
    // Not named, the identity is acceptable, but less than anything that is named.
    const weight = weights.get(coding) ?? rest ?? (coding === "identity" ? Number.MIN_VALUE : 0);
    if (weight > highest) {
      best = coding;
      highest = weight;
    }
  }
  return best;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const coding = name === "x-gzip" ? "gzip" : name;
    if (coding === "") continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    // A weight that is none is taken for a refusal: identity is never wrong.
    weights.set(coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0);
  }
  return weights;
}

/**
 * The best quality of brotli by far for what it costs: 1 ms for a badge, where the highest takes 20
 * and saves 8 %.
 */
const BROTLI_QUALITY = 5;

/** `body` in a coding. */
export function encode(body: Uint8Array<ArrayBuffer>, coding: Coding): Uint8Array<ArrayBuffer> {
  switch (coding) {
    case "identity":
      return body;
    case "gzip":
      return new Uint8Array(gzipSync(body, { level: 9 }));
    case "br":
      return new Uint8Array(brotliCompressSync(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      }));
  }
}
