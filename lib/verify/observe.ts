/**
 * Observations: worth knowing, but they never change an outcome. Source: protocols spec 16; beyond it
 * `issuer-revoked`, which only the operator's registry can tell.
 */
import { parsePublicKey } from "../crypto/ed25519.ts";
import { parseTimestamp } from "../encoding/timestamp.ts";
import type { AdmissionBody } from "../protocol/admission.ts";
import type { Challenge } from "../protocol/challenge.ts";
import { isMixZero, type Pool, poolCell } from "../protocol/pool.ts";
import { type ReceiptBody, receiptCell } from "../protocol/receipt.ts";
import type { Counts } from "./report.ts";

/** What was checked, once its signature has verified. */
interface Checked {
  issuerKey: string;
  knownIssuer: boolean;
  revokedIssuer: boolean;
  /** The session's body; null for a lone receipt. */
  admission: AdmissionBody | null;
  receipts: readonly ReceiptBody[];
  pool: Pool | null;
  counts: Counts;
}

/** The observations on a document, in a fixed order. */
export function observe(checked: Checked): string[] {
  const { issuerKey, admission, receipts, counts } = checked;
  const subjectKeys = new Set(receipts.flatMap((r) => r.subjectProof?.publicKey ?? []));
  const challenges: readonly Challenge[] = admission?.challenges ??
    receipts.map((r) => r.challenge);
  const found: [string, boolean][] = [
    ["issuer-unknown", !checked.knownIssuer],
    ["issuer-revoked", checked.revokedIssuer],
    ["self-issued", subjectKeys.has(issuerKey)],
    ["label-mix-zero", usesMixZero(challenges, checked.pool)],
    ["repeated-instance", hasRepeatedInstance(receipts)],
    ["answered-after-decision", admission !== null && answeredLate(receipts, admission)],
    ["subject-claim-unproven", claimsUnprovenKey(challenges, admission, subjectKeys)],
    ["pass-rests-on-issuer", restsOnIssuer(counts)],
  ];
  return found.flatMap(([name, holds]) => holds ? [name] : []);
}

function usesMixZero(challenges: readonly Challenge[], pool: Pool | null): boolean {
  return pool !== null && challenges.some(({ poolKey, family, tier }) => {
    const cell = poolKey === pool.poolKey ? poolCell(pool, family, tier) : undefined;
    return cell !== undefined && isMixZero(cell);
  });
}

/** Same cell and same seed: one puzzle asked more than once. Only answered challenges show a seed. */
function hasRepeatedInstance(receipts: readonly ReceiptBody[]): boolean {
  const instances = receipts.map((body) => `${receiptCell(body)} ${body.seed}`);
  return new Set(instances).size < instances.length;
}

function answeredLate(receipts: readonly ReceiptBody[], admission: AdmissionBody): boolean {
  const decided = parseTimestamp(admission.verdict.decidedAt);
  return decided !== null && receipts.some((body) => body.answeredMs > decided);
}

/** A `subject` that looks like a key claims to be one, and needs that key's proof. */
function claimsUnprovenKey(
  challenges: readonly Challenge[],
  admission: AdmissionBody | null,
  proven: ReadonlySet<string>,
): boolean {
  const subject = admission === null ? challenges[0]?.subject : admission.subject;
  return subject !== undefined && parsePublicKey(subject).ok && !proven.has(subject);
}

function restsOnIssuer(counts: Counts): boolean {
  return counts.passed >= counts.required && counts.replayedPasses < counts.required;
}
