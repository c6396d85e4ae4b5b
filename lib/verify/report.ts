/**
 * The report: what every way in (API, page, command line, badge) yields for one document.
 * Its JSON is public API; source: docs/architecture.md, "The report".
 */
import type { Check } from "../protocol/checklist.ts";
import type { Policy } from "../protocol/policy.ts";
import type { Reason } from "../protocol/reason.ts";
import type { RunSummary } from "../protocol/run.ts";
import type { EvaluatorUse } from "../evaluator/reference.ts";

export type { Check, EvaluatorUse, Policy, Reason, RunSummary };

/** The three outcomes of a check; `null` stands for "not finished" (protocols spec 19). */
export type Outcome = "verified" | "issuer-claimed" | "invalid";

/** What a document is. `unknown`: nothing of a known shape. */
export type Kind = "receipt" | "admission" | "dossier" | "tlog" | "run" | "unknown";

/** Sums over the receipts of a document. `passed` includes unreplayed passes. */
export interface Counts {
  challenges: number;
  answered: number;
  passed: number;
  required: number;
  /** Receipts whose instance could not be regenerated: the issuer's word only. */
  unreplayed: number;
  /** Passes that replay alone establishes. */
  replayedPasses: number;
  /** Right answers in the wrong shape; they are no passes. */
  formatOnly: number;
}

/** One challenge of the document, with the receipt that answers it. */
export interface ReceiptReport {
  challengeId: string;
  /** `family:tN`, or `h:family:tN` for a held-out cell. */
  cell: string;
  /** This and the next three are null for a challenge without a readable receipt. */
  seed: number | null;
  response: string | null;
  expected: string | null;
  pass: boolean | null;
  formatOnly: boolean;
  outcome: Outcome | "unanswered" | null;
  reason: Reason | null;
  checks: Check[];
}

export interface Issuer {
  /** base64url of the 32 key bytes: the identity. */
  publicKey: string;
  /** 16 hex characters: a label for people, never an identity. */
  keyId: string;
  name?: string;
}

export interface Report {
  /**
   * SHA-256 hex: of the canonical JSON of `{payload, protocol, signature}`; of a run's unpacked
   * bytes. Null for kind `unknown`, and for what claims a protocol but is no envelope.
   */
  id: string | null;
  kind: Kind;
  outcome: Outcome | null;
  /** null when invalid or not finished, and for a run: it has no floor to pass. */
  verdict: "pass" | "fail" | null;
  counts: Counts | null;
  reason: Reason | null;
  observations: string[];
  issuer: Issuer | null;
  suite: string | null;
  policy?: Policy;
  sessionId?: string;
  context?: string;
  subject?: string;
  subjectKey?: string;
  expiresAt?: string;
  /** The issuer's word; of a lone receipt the time of its answer, the only one that it tells. */
  decidedAt?: string;
  pools: { poolKey: string; disclosed: boolean }[];
  evaluator: EvaluatorUse | null;
  checks: Check[];
  receipts: ReceiptReport[];
  /** Of a thing that is no receipt: what it looks like, with an article (`a pool`). */
  looksLike?: string;
  /** Runs only, when the file keeps the format. */
  run?: RunSummary;
}

/** A report of which nothing is known but what it is and why it came to nothing. */
export function emptyReport(
  kind: Kind,
  outcome: "invalid" | null,
  reason: Reason | null,
  id: string | null = null,
): Report {
  return {
    id,
    kind,
    outcome,
    verdict: null,
    counts: null,
    reason,
    observations: [],
    issuer: null,
    suite: null,
    pools: [],
    evaluator: null,
    checks: [],
    receipts: [],
  };
}
