/** The row of a stored document: its result, and where its bytes are. */
import { sha256Hex } from "../encoding/digest.ts";
import type { Report } from "../verify/report.ts";
import { revisionOf } from "../verify/version.ts";
import type { Content } from "./content.ts";
import { ENTRY_BYTES } from "./quota.ts";
import type { StoredResult } from "./store.ts";

/** As it lies in the database. */
export interface Row extends Omit<StoredResult, "id" | "revision" | "verifierVersion"> {
  /** A text in rows of before there were revisions; see `revisionOf`. */
  verifierVersion: number | string;
  content: Content;
  /** SHA-256 of all the rest, see {@link isWhole}; absent in rows of 0.2.0. */
  seal?: string;
}

/** A row as it was read. */
export interface RowEntry {
  id: string;
  row: Row;
  versionstamp: string;
}

/**
 * What is stored under an id, with every pool that is public. `unfinished`: the result is out of
 * date, and the check that would make a new one came to no outcome; `report` is of that check.
 */
export type UpToDate =
  | { state: "current"; entry: RowEntry }
  | { state: "unfinished"; report: Report | null }
  | { state: "absent" };

/** What a row holds besides the report. */
type Stamp = Pick<
  Row,
  "storedAt" | "checkedAt" | "verifierVersion" | "changes" | "imported" | "content"
>;

/** The row of a report that came to an outcome. */
export function rowOf(report: Report, stamp: Stamp): Row {
  const { kind, outcome, verdict, counts, reason, observations, issuer, suite, pools } = report;
  if (outcome === null) throw new Error("a check that came to no outcome is never stored");
  const { sessionId = null, context = null, subjectKey = null } = report;
  const { policy = null, decidedAt = null } = report;
  const row: Row = {
    kind,
    outcome,
    verdict,
    counts,
    reason,
    observations,
    issuer,
    suite,
    sessionId,
    context,
    subjectKey,
    policy,
    decidedAt,
    pools: pools.map(({ poolKey, disclosed }) => ({ poolKey, disclosed })),
    ...stamp,
  };
  return { ...row, seal: sealOf(row) };
}

/**
 * Whether a value is a row as it was written. Bits that flipped on a disk must not make another
 * result of it; whoever writes to the database on purpose could seal what they like.
 */
export function isWhole(value: unknown): value is Row {
  if (typeof value !== "object" || value === null) return false;
  const { seal, ...rest } = value as Row;
  if (seal !== undefined) return seal === sealOf(rest);
  const { outcome, pools, observations, content } = rest;
  return typeof outcome === "string" && Array.isArray(pools) && Array.isArray(observations) &&
    typeof content?.packed === "string" && Number.isInteger(content.chunks);
}

function sealOf({ seal: _, ...rest }: Row): string {
  return sha256Hex(JSON.stringify(rest));
}

/**
 * Counted for what is filed for a document besides its own bytes: row, indexes, and what changes add to
 * histories and feed; and for each pool that it names. The same whatever became of the document.
 */
const FILED_BYTES = 3072;
const POOL_BYTES = 320;

/** Bytes that a document counts for. */
export function bytesFor({ content, pools, policy, context }: Row): number {
  const named = JSON.stringify([policy, context]).length;
  return content.packedBytes + FILED_BYTES + POOL_BYTES * pools.length + named;
}

/** What was counted when a document was stored. */
export function countedFor({ packedBytes, counted }: Content): number {
  return counted ?? packedBytes + ENTRY_BYTES;
}

/** What readers see of a row. */
export function resultOf({ id, row, versionstamp }: RowEntry): StoredResult {
  const { content: _, seal: __, verifierVersion, ...result } = row;
  return {
    id,
    ...result,
    verifierVersion: revisionOf(verifierVersion),
    revision: versionstamp,
  };
}

/** Keys of the pools that the result was made without. */
export function lackedBy({ pools }: Pick<Row, "pools">): string[] {
  return pools.flatMap(({ poolKey, disclosed }) => disclosed ? [] : [poolKey]);
}

/** Whether the disclosed pools contradict the document. */
export function isExposed({ observations }: Pick<Row, "observations">): boolean {
  return observations.includes("exposed");
}
