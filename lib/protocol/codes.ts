/**
 * Every code that a reason can have. A code is part of the public interface: programs branch on it,
 * stored results hold it, and people look it up in the specification. So the set is closed, and a
 * misspelt code doesn't compile.
 */

/**
 * What makes a document invalid, or a pool unusable, under the headings of the specification. The
 * specification has codes of dossiers and logs too; this version has no checker for those.
 * Source: protocols spec 16.
 */
export const PROTOCOL_CODES = {
  Document: [
    "document-too-large",
    "document-not-utf8",
    "document-not-json",
    "document-too-deep",
    "document-unrecognised",
  ],
  Envelope: [
    "envelope-malformed",
    "protocol-unknown",
    "payload-not-json",
    "payload-not-canonical",
    "payload-malformed",
  ],
  "Keys and signatures": [
    "issuer-key-malformed",
    "issuer-key-weak",
    "issuer-key-id-mismatch",
    "issuer-key-mixed",
    "subject-key-malformed",
    "subject-key-weak",
    "signature-malformed",
    "signature-invalid",
  ],
  Receipt: [
    "seed-out-of-range",
    "seed-commitment-mismatch",
    "heldout-malformed",
    "suite-unknown",
    "cell-unknown",
    "pool-suite-mismatch",
    "cell-not-in-pool",
    "generation-failed",
    "format-mismatch",
    "response-not-canonical",
    "expected-not-canonical",
    "prompt-mismatch",
    "answer-mismatch",
    "score-mismatch",
    "timestamp-malformed",
    "answered-late",
    "subject-proof-malformed",
    "subject-proof-invalid",
  ],
  Admission: [
    "session-id-malformed",
    "policy-malformed",
    "policy-cell-unknown",
    "policy-cell-not-in-pool",
    "challenge-count-mismatch",
    "challenge-malformed",
    "challenge-session-mismatch",
    "challenge-suite-mismatch",
    "challenge-cell-outside-policy",
    "challenge-binding-mismatch",
    "challenge-id-duplicate",
    "pools-mixed",
    "deadline-mixed",
    "too-many-receipts",
    "receipt-invalid",
    "receipt-not-listed",
    "receipt-duplicate",
    "subject-keys-mixed",
    "verdict-mismatch",
    "decided-late",
  ],
  Pool: [
    "pool-malformed",
    "pool-suite-unknown",
    "label-malformed",
    "pool-cell-duplicate",
    "pool-key-mismatch",
    "too-many-pools",
  ],
} as const;

/**
 * What makes a recorded run invalid (`parsing`, `replay`), and why a run without a manifest rests on
 * its reporter's word (`no-manifest`). Source: runs spec 2 and 3.
 */
export const RUN_CODES = {
  parsing: [
    "too-large",
    "line-count",
    "json",
    "not-object",
    "manifest",
    "summary-position",
    "record-type",
    "result-binding",
    "result-schema",
    "result-without-manifest",
    "result-field",
    "adapter-label",
    "instance-id",
    "verdict",
    "error-field",
    "ground-truth",
    "flag",
    "transcript",
    "episode-field",
    "duplicate",
    "mixed-adapters",
    "summary-mismatch",
    "unsupported-version",
    "manifest-coverage",
    "manifest-selection",
    "suite-hash",
  ],
  replay: [
    "no-manifest",
    "instance-mismatch",
    "transcript-missing",
    "transcript-unexpected",
    "transcript-mismatch",
    "verdict-mismatch",
  ],
} as const;

/** Why an input as a whole holds no document. */
export const INPUT_CODES = [
  "document-too-large",
  "document-not-utf8",
  "document-not-json",
  "document-too-deep",
  "documents-empty",
  "gzip-malformed",
  "too-many-documents",
] as const;

export type InputCode = (typeof INPUT_CODES)[number];

/** What is wrong with several documents or pools together, or with where they should come from. */
export const SET_CODES = [
  /** The member `pools` beside the documents is no list. */
  "pools-malformed",
  /** A pool beside the documents was refused. */
  "pool-invalid",
  /** A file that the command line was given can't be read. */
  "file-unreadable",
  /** Several documents under one badge contradict each other. */
  "conflicting",
] as const;

/**
 * Why a URL could not be fetched.
 * `fetch-url-malformed`: no usable URL.
 * `fetch-scheme`: neither https nor an allow-listed http host.
 * `fetch-credentials`: user name or password in the URL.
 * `fetch-port`: a port that isn't open to us.
 * `fetch-blocked-address`: an address that isn't public, or a name without a public address. A name
 * that doesn't resolve looks the same, so that nobody can probe for internal names.
 * `fetch-unreachable`: refused, reset, or TLS failed.
 * `fetch-timeout`: too slow, to the first byte or in all.
 * `fetch-too-large`: more bytes than we take, as sent or unpacked.
 * `fetch-status`: a status other than 200; `status` says which.
 * `fetch-redirects`: too many, a loop, a bad target, or from https to http.
 * `fetch-content-type`: something that can't be a document.
 * `fetch-encoding`: a content coding we don't take, or damaged data.
 * `fetch-headers`: too many headers or interim answers, or no HTTP at all.
 * `fetch-not-json`: a web page, or something else that holds no document.
 * `fetch-host-busy`: the limit of fetches from one host is used up; `retryAfter` says how long.
 * `fetch-own-host`: a URL of this service that names no document.
 */
export const FETCH_CODES = [
  "fetch-url-malformed",
  "fetch-scheme",
  "fetch-credentials",
  "fetch-port",
  "fetch-blocked-address",
  "fetch-unreachable",
  "fetch-timeout",
  "fetch-too-large",
  "fetch-status",
  "fetch-redirects",
  "fetch-content-type",
  "fetch-encoding",
  "fetch-headers",
  "fetch-not-json",
  "fetch-host-busy",
  "fetch-own-host",
] as const;

export type FetchErrorCode = (typeof FETCH_CODES)[number];

/** Why a URL gave no document the last time: `pool-invalid` stands for all that can be wrong with one. */
export type LinkFailureCode =
  | FetchErrorCode
  | InputCode
  | "pools-malformed"
  | "too-many-pools"
  | "pool-invalid";

/**
 * Why a check isn't finished, or a receipt is unreplayed: these say nothing against a document.
 * Source: protocols spec 19.
 */
export const OPEN_CODES = [
  "pool-undisclosed",
  "budget-exceeded",
  "generator-missing",
  "evaluator-missing",
  "evaluator-disagreement",
  "evaluator-unknown",
  "evaluator-unreadable",
  "evaluator-hash-mismatch",
  "evaluator-compile",
  "evaluator-imports",
  "evaluator-exports",
  "evaluator-fuel-invalid",
  "evaluator-request-invalid",
  "evaluator-request-too-large",
  "evaluator-response-too-large",
  "evaluator-response-invalid",
  "evaluator-memory",
  "evaluator-trap",
  "evaluator-failed",
  /** The kind of document is known, and this version can't check it. */
  "checker-missing",
  /** A fault of the verifier's own. */
  "internal-error",
  /** A stored result is being made again. */
  "checking",
] as const;

type CodesOf<Groups extends Readonly<Record<string, readonly string[]>>> =
  Groups[keyof Groups][number];

/** The code of a reason. */
export type ReasonCode =
  | CodesOf<typeof PROTOCOL_CODES>
  | CodesOf<typeof RUN_CODES>
  | InputCode
  | (typeof SET_CODES)[number]
  | FetchErrorCode
  | (typeof OPEN_CODES)[number];
