/**
 * The envelope that receipts, admissions and dossiers share, and the first three checks of each.
 * Source: protocols spec 1.2, 5.1 no. 1 to 3.
 */
import { z } from "zod";
import { isCanonicalJson } from "../encoding/canonical.ts";
import { sha256HexLarge } from "../encoding/digest.ts";
import { MAX_MEMBERS, parseJson } from "../encoding/json.ts";
import { exceedsBytes, LIMITS } from "./limits.ts";
import { pathOf, type Reason, reason } from "./reason.ts";

/** What the `protocol` member of an envelope may say, and the kind of document it stands for. */
export const PROTOCOLS = {
  "clankdar-attest-v1": "receipt",
  "clankdar-gate-v1": "admission",
  "clankdar-badge-v1": "dossier",
} as const;

type EnvelopeKind = (typeof PROTOCOLS)[keyof typeof PROTOCOLS];

/** The three members of an envelope. */
export const envelopeSchema = z.object({
  protocol: z.string(),
  payload: z.string(),
  signature: z.string(),
});

/** An envelope: the signature covers exactly the UTF-8 bytes of `payload`. */
export type Envelope = z.infer<typeof envelopeSchema>;

/** Reads the three members of an envelope; others are ignored. Null if one is missing or no string. */
export function readEnvelope(document: unknown): Envelope | null {
  const parsed = envelopeSchema.safeParse(document);
  return parsed.success ? parsed.data : null;
}

/**
 * The id of an enveloped document: SHA-256 (hex) of the canonical JSON of
 * `{payload, protocol, signature}` (docs/architecture.md, "The report").
 */
export function documentId(envelope: Envelope): Promise<string> {
  return sha256HexLarge(canonicalEnvelope(envelope));
}

/** The canonical JSON text of an envelope's three members, whose UTF-8 bytes the id is the hash of. */
export function canonicalEnvelope({ payload, protocol, signature }: Envelope): string {
  // The members stand in canonical order, so plain serialising gives the canonical text.
  return JSON.stringify({ payload, protocol, signature });
}

/** The results of the checks `envelope` and `payload`; null where a check holds. */
interface Opened {
  envelope: Reason | null;
  /** Undefined when the envelope already failed. */
  payload?: Reason | null;
  /** Present when both hold. */
  content?: { envelope: Envelope; body: unknown };
}

/**
 * Opens an envelope that should be of `protocol`: shape, size, payload parses, is not too deep and is
 * canonical. Says nothing about the signature.
 */
export function openEnvelope(
  document: unknown,
  protocol: keyof typeof PROTOCOLS,
  maxBytes: number,
  path: string,
): Opened {
  const envelope = readEnvelope(document);
  if (envelope === null) {
    const message = "a signed document has the strings protocol, payload and signature";
    return { envelope: reason("envelope-malformed", message, path) };
  }
  if (envelope.protocol !== protocol) {
    const message = `the envelope's protocol should be ${protocol}`;
    return { envelope: reason("protocol-unknown", message, pathOf(path, "protocol")) };
  }
  const at = pathOf(path, "payload");
  if (exceedsBytes(envelope.payload, maxBytes)) {
    const message = `the payload is larger than ${maxBytes} bytes`;
    return { envelope: reason("document-too-large", message, at) };
  }
  const parsed = parseJson(envelope.payload, LIMITS.depth);
  if (!parsed.ok) return { envelope: null, payload: parseReason(parsed.code, "payload", at) };
  if (!isCanonicalJson(envelope.payload, parsed.value)) {
    const message = "the payload is not canonical JSON: issuers sign the canonical form only";
    return { envelope: null, payload: reason("payload-not-canonical", message, at) };
  }
  return { envelope: null, payload: null, content: { envelope, body: parsed.value } };
}

/** Why a text could not be parsed; `what` is `payload` or `document`. */
export function parseReason<What extends "payload" | "document">(
  code: "not-json" | "too-deep" | "too-many-members",
  what: What,
  path: string,
): Reason<`${What}-not-json` | "document-too-deep" | "document-too-large"> {
  switch (code) {
    case "too-deep":
      return reason(
        "document-too-deep",
        `the ${what} nests deeper than ${LIMITS.depth} levels`,
        path,
      );
    case "too-many-members":
      return reason("document-too-large", `the ${what} has more than ${MAX_MEMBERS} members`, path);
    case "not-json":
      return reason(`${what}-not-json`, `the ${what} is not JSON`, path);
  }
}
