/**
 * What it takes to keep a document: its canonical bytes, its id, and the pools that it seems to name.
 * Source: docs/architecture.md, "Storage".
 */
import { LIMITS } from "../protocol/limits.ts";
import {
  canonicalEnvelope,
  documentId,
  type Envelope,
  readEnvelope,
} from "../protocol/envelope.ts";
import { reason } from "../protocol/reason.ts";
import { MAX_POOLS } from "./input.ts";
import { recognise } from "./recognise.ts";
import { withoutWrapper } from "./unwrap.ts";
import { emptyReport, type Kind, type Report } from "./report.ts";

/** A document that can be kept if its check comes to an outcome. */
export interface Intake {
  id: string;
  kind: Kind;
  /** It stood in a wrapper, which is not kept. */
  unwrapped: boolean;
  /** Canonical JSON of `{payload, protocol, signature}`, whose SHA-256 is the id. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Keys of pools that its check may need; the check itself decides what it uses. */
  poolKeys: string[];
}

export type IntakeResult =
  | { ok: true; intake: Intake }
  /** `report` says why, as a check would. */
  | { ok: false; why: "unrecognised" | "too-large"; report: Report };

/**
 * Largest document kept. Canonical payloads grow at most twofold inside an envelope; what is larger
 * has a payload that is refused anyway, or a signature that is none.
 */
const MAX_BYTES = 2 * LIMITS.admissionBytes + 4096;

const encoder = new TextEncoder();

/**
 * Takes in a parsed value: an enveloped document, bare or alone in a wrapper.
 *
 * @param check reports on a value of another kind.
 */
export async function takeIn(
  value: unknown,
  check: (value: unknown) => Promise<Report>,
): Promise<IntakeResult> {
  const { document, unwrapped } = withoutWrapper(value);
  const recognised = recognise(document);
  const envelope = recognised.kind === "unknown" ? null : readEnvelope(recognised.document);
  if (recognised.kind === "unknown" || envelope === null) {
    return { ok: false, why: "unrecognised", report: await check(value) };
  }
  const { kind } = recognised;
  const bytes = encoder.encode(canonicalEnvelope(envelope));
  if (bytes.length > MAX_BYTES) {
    const message = `the document is larger than ${MAX_BYTES} bytes`;
    const report = emptyReport(kind, "invalid", reason("document-too-large", message));
    return { ok: false, why: "too-large", report };
  }
  const id = await documentId(envelope);
  return { ok: true, intake: { id, kind, unwrapped, bytes, poolKeys: poolsNamed(envelope) } };
}

/** Pools that a payload seems to name, at whatever depth of documents within documents. */
export function poolsNamed({ payload }: Envelope): string[] {
  const named = new Set<string>();
  for (const [, poolKey] of payload.matchAll(/poolKey\\*":\\*"([0-9a-f]{64})\\*"/g)) {
    named.add(poolKey!);
    if (named.size === MAX_POOLS) break;
  }
  return [...named];
}
