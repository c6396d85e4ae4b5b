/**
 * Results: stored documents with the report on them. Only documents are stored; a report is derived
 * and made again whenever it isn't in memory. Source: design.md, "Storage".
 */
import { parseJson } from "../encoding/json.ts";
import { canonicalEnvelope, documentId, readEnvelope } from "../protocol/envelope.ts";
import { LIMITS } from "../protocol/limits.ts";
import { recognise } from "../verify/recognise.ts";
import type { Report } from "../verify/report.ts";
import { type Verifier, verifyDocument } from "../verify/verify.ts";
import { Cache } from "./cache.ts";
import type { Documents } from "./documents.ts";

/** What became of a document that should be kept. */
export type Kept =
  /** `created`: false when it was stored already. */
  | { ok: true; id: string; report: Report; created: boolean }
  /**
   * Nothing was stored. `unrecognised`: not a document that has an id; `too-large`: above the size
   * of its kind; `unfinished`: the check came to no outcome (never stored, protocols spec 19).
   */
  | { ok: false; why: "unrecognised" | "too-large" | "unfinished"; report: Report };

export interface Results {
  /**
   * Checks a receipt or an admission, bare or in a wrapper, and stores it unless it is stored
   * already. Invalid ones are stored as well: exposing them is the point.
   */
  keep(value: unknown): Promise<Kept>;
  /** The report on a stored document, or null. */
  report(id: string): Promise<Report | null>;
  /** The canonical bytes whose SHA-256 is the id, or null. */
  document(id: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** Reports kept in memory, as the summed length of the documents they are about. */
const CACHED_BYTES = 24 * 1024 * 1024;

/**
 * Largest document stored. Canonical payloads grow at most twofold inside an envelope; what is larger
 * has a payload that is refused anyway, or a signature that is none.
 */
const MAX_BYTES = 2 * LIMITS.admissionBytes + 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Results over stored documents. Methods reject as those of Documents do. */
export function createResults(documents: Documents, verifier: Verifier): Results {
  const reports = new Cache<Report>(CACHED_BYTES);
  const running = new Map<string, Promise<Report | null>>();

  async function verifyStored(id: string): Promise<Report | null> {
    const bytes = await documents.get(id);
    if (bytes === null) return null;
    const parsed = parseJson(decoder.decode(bytes), LIMITS.depth);
    if (!parsed.ok) throw new Error(`stored document ${id} is damaged`);
    const report = await verifyDocument(parsed.value, verifier);
    remember(id, report, bytes.length);
    return report;
  }

  function remember(id: string, report: Report, bytes: number): void {
    if (report.outcome !== null) reports.set(id, report, bytes);
  }

  return {
    async keep(value) {
      const recognised = recognise(value);
      const envelope = recognised.kind === "unknown" ? null : readEnvelope(recognised.document);
      const report = await verifyDocument(envelope ?? value, verifier);
      if (envelope === null) return { ok: false, why: "unrecognised", report };
      if (report.outcome === null) return { ok: false, why: "unfinished", report };
      const bytes = encoder.encode(canonicalEnvelope(envelope));
      if (report.reason?.code === "document-too-large" || bytes.length > MAX_BYTES) {
        return { ok: false, why: "too-large", report };
      }
      const id = await documentId(envelope);
      const created = await documents.put(id, bytes);
      remember(id, report, bytes.length);
      // Said to whoever sent the wrapper; what is stored has none.
      const unwrapped = recognised.kind !== "unknown" && recognised.unwrapped;
      return {
        ok: true,
        id,
        report: unwrapped
          ? { ...report, observations: [...report.observations, "unwrapped"] }
          : report,
        created,
      };
    },

    async report(id) {
      const known = reports.get(id);
      if (known !== undefined) return known;
      // Many readers of one result share its check.
      let started = running.get(id);
      if (started === undefined) {
        started = verifyStored(id).finally(() => running.delete(id));
        running.set(id, started);
      }
      return await started;
    },

    document: (id) => documents.get(id),
  };
}
