/**
 * What can go wrong with a request, as RFC 9457 problem details: one entry a code, from which both
 * the answers and the pages at `/problems/:code` are made.
 */

import { CodedError } from "../../lib/base/coded_error.ts";
import type { InputCode, LinkFailureCode, ReasonCode } from "../../lib/protocol/codes.ts";
import type { StoreErrorCode } from "../../lib/store/store.ts";
import type { Kind, Outcome } from "../../lib/verify/report.ts";
import type { LastGiven } from "../schemas/problem.ts";
import type { Change } from "../schemas/result.ts";

interface Problem {
  status: 400 | 403 | 404 | 405 | 408 | 410 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504 | 507;
  title: string;
  /** For the page: what it means and what to do. */
  explanation: string;
}

/** All problems by their stable code. */
export const PROBLEMS = {
  "document-not-utf8": {
    status: 400,
    title: "Not UTF-8",
    explanation: "A byte of the body is not valid UTF-8. Documents are text; send the file as it " +
      "was issued, uncompressed or as gzip.",
  },
  "document-not-json": {
    status: 400,
    title: "Not JSON",
    explanation:
      "What was sent, or what a URL gave, is neither one JSON value nor JSON lines. The detail says " +
      "where it stops being JSON, and what it looks like where that can be told.",
  },
  "documents-empty": {
    status: 422,
    title: "Nothing to verify",
    explanation:
      "There is no document in what was sent, or in what a URL gave: an empty list, or an empty " +
      "file. That nothing failed would say nothing, so this is no success.",
  },
  "document-too-deep": {
    status: 400,
    title: "Nested too deeply",
    explanation:
      "A document may nest objects and arrays 64 levels deep. No genuine one comes near.",
  },
  "gzip-malformed": {
    status: 400,
    title: "Damaged gzip data",
    explanation: "The body begins like gzip, but can't be unpacked.",
  },
  "body-unreadable": {
    status: 400,
    title: "Body could not be received",
    explanation: "The connection broke off, or the body is not what its headers announce.",
  },
  "body-too-slow": {
    status: 408,
    title: "Body too slow",
    explanation: "The first byte of a body comes within 15 seconds; from the fifth second on, it " +
      "arrives with at least 4 KiB a second on average, and whole within 5 minutes. The connection " +
      "is closed. Send gzip: a receipt then has some 3 KiB.",
  },
  "form-malformed": {
    status: 400,
    title: "Form could not be read",
    explanation:
      "The form needs a document or a pool: either pasted text or an uploaded file, and " +
      "not both. No field of it may stand twice.",
  },
  "host-malformed": {
    status: 400,
    title: "Malformed Host header",
    explanation:
      "A request has a Host header with the name or address of a host and nothing else: name, " +
      "name:port, [IPv6]:port.",
  },
  "host-refused": {
    status: 403,
    title: "Not under this name",
    explanation:
      "Nothing is stored or published under a Host header that may not be this service's own: a page " +
      "of another site could give its own name the address of this service. Whoever runs the service " +
      "says in PUBLIC_URL where it is reached; a service on this machine alone also goes by " +
      "localhost and by its address.",
  },
  "query-malformed": {
    status: 400,
    title: "Query not understood",
    explanation:
      "A parameter of the address is unknown, stands twice, or has a value that it can't have. " +
      "Lists take limit (1 to 100) and cursor beside their own; results are listed by one of " +
      "issuer, session, subject and recent.",
  },
  "issuer-unknown-name": {
    status: 400,
    title: "No such issuer",
    explanation:
      "The parameter issuer takes a whole public key (43 base64url characters), or a name or key " +
      "id out of this service's list of issuers. A name that isn't on it is refused, since a " +
      "misspelt one would match nothing for ever.",
  },
  "issuer-ambiguous": {
    status: 400,
    title: "Several issuers go by it",
    explanation:
      "A key id has 64 bits and is a label, never an identity: several known keys go by the one " +
      "given. Give the whole public key.",
  },
  "policy-unknown-name": {
    status: 400,
    title: "No such policy",
    explanation:
      "The parameter policy takes the name of a policy that this service knows, or the SHA-256 " +
      "(64 lower-case hexadecimal characters) of a policy's canonical JSON.",
  },
  "requirement-malformed": {
    status: 400,
    title: "Requirement not understood",
    explanation:
      "A requirement has a value that it can't have, or stands twice. issuer (which may stand " +
      "several times) takes a whole key, a name or a key id; policy a name or a hash; context at " +
      "most 256 characters; session a session id; replayed the word all; maxage a whole number " +
      "and one of s, m, h, d, w, such as 30d.",
  },
  "cursor-malformed": {
    status: 400,
    title: "Not a cursor of this list",
    explanation: "A cursor is opaque: it is taken from a page of the same list, unchanged.",
  },
  "origin-refused": {
    status: 403,
    title: "Form of another site",
    explanation:
      "What changes something is refused where a page of another site asks for it. Forms are taken from this service's own pages only, so that no other site can send them in " +
      "a visitor's name. Open the page here and send the form again; programs use the API. Behind a " +
      "proxy, whoever runs the service has to say in PUBLIC_URL where it is reached.",
  },
  "result-unknown": {
    status: 404,
    title: "No such result",
    explanation:
      "No document with this id is stored here. An id is the SHA-256 of the document: 64 " +
      "lower-case hexadecimal characters.",
  },
  "pool-unknown": {
    status: 404,
    title: "No such pool",
    explanation:
      "No pool with this key is public here. Its issuer has not disclosed it, or not to this service.",
  },
  "route-unknown": {
    status: 404,
    title: "Nothing here",
    explanation: "This service has no such address.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    explanation:
      "The address exists, but not for this method. The Allow header names those it knows.",
  },
  "result-removed": {
    status: 410,
    title: "Result removed",
    explanation:
      "The document was stored here once, and was removed: by the operator, or because nobody had " +
      "asked for it in a long time. Its history is kept.",
  },
  "document-too-large": {
    status: 413,
    title: "Too large",
    explanation:
      "A body may have 4 MiB, packed and unpacked. A receipt's payload may have 256 KiB, " +
      "an admission's 1 MiB.",
  },
  "pool-too-large": {
    status: 413,
    title: "Pool too large",
    explanation: "A pool file may have 64 KiB, with its statement.",
  },
  "too-many-documents": {
    status: 413,
    title: "Too many documents",
    explanation: "One request may hold 100 documents. Send several requests.",
  },
  "content-type-unsupported": {
    status: 415,
    title: "Content type not supported",
    explanation:
      "Send application/json (or another +json type), application/x-ndjson, application/gzip or " +
      "application/octet-stream. Other types, and none at all, are what another site's page could " +
      "send in a visitor's name; a form type usually means that a client's default was left in " +
      "place.",
  },
  "document-unrecognised": {
    status: 422,
    title: "Not a document that can be kept",
    explanation: "Only receipts and admissions are kept, bare or in the wrapper that the hosted " +
      "service or the command line puts around them.",
  },
  "not-one-document": {
    status: 422,
    title: "Not exactly one document",
    explanation:
      "One result is stored a request. Lists belong to /api/verify, which stores nothing.",
  },
  "pools-not-kept": {
    status: 422,
    title: "Pools are not kept",
    explanation:
      "A stored result is never checked with a pool that came along with it, and a pool " +
      "holds secrets until its issuer discloses it. Use /api/verify for a check with a pool.",
  },
  "pools-malformed": {
    status: 422,
    title: "Not a list of pools",
    explanation: "The member pools must be a list of pool files.",
  },
  "too-many-pools": {
    status: 422,
    title: "Too many pools",
    explanation: "At most 64 pools can be used for one check.",
  },
  "pool-invalid": {
    status: 422,
    title: "Pool refused",
    explanation:
      "A pool is not what it should be, so nothing was checked with it. The members pool " +
      "and reason say which one and why: for instance pool-key-mismatch, when the poolKey is not " +
      "the hash of the cells.",
  },
  "disclosure-invalid": {
    status: 422,
    title: "Statement refused",
    explanation:
      "The statement that came along with a pool is not signed by the key that it names, or is " +
      "malformed. Nothing was published. The pool can be published without a statement.",
  },
  "uploads-busy": {
    status: 503,
    title: "Too much is being sent",
    explanation: "The bytes of bodies that are being received at the same time are bounded, for " +
      "each client (16 MiB) and for all together (64 MiB). Send one body after the other, and again " +
      "after the time in Retry-After.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    explanation:
      "Each address may use so much of the service at once and so much in every span of time, as " +
      "the headers RateLimit-Policy and RateLimit say: a request costs one a document, and one more " +
      "for every 64 KiB. The header Retry-After says when the same request may come again; without " +
      "it, the request costs more than is ever allowed at once, and has to be split.",
  },
  "quota-rate": {
    status: 429,
    title: "Too many documents this hour",
    explanation:
      "Whoever runs this service limits how many documents one address may store an hour. The " +
      "header Retry-After says when the next one is taken. Checking without storing goes on.",
  },
  "fetch-url-malformed": {
    status: 400,
    title: "Not a URL",
    explanation:
      "The parameter url takes a whole URL of at most 2,048 characters, beginning with https:// and " +
      "percent-encoded as query parameters are. Spaces, control characters and backslashes are " +
      "refused, since not everybody reads them alike.",
  },
  "fetch-off": {
    status: 403,
    title: "URLs are not fetched here",
    explanation:
      "Whoever runs this service has switched the fetching of URLs off. Send the document itself.",
  },
  "fetch-scheme": {
    status: 422,
    title: "Only https",
    explanation:
      "Only https URLs are fetched: anybody on the way could change what plain http sends.",
  },
  "fetch-credentials": {
    status: 422,
    title: "User name or password in the URL",
    explanation:
      "A URL with a user name or password in it is not fetched. Give one that works without.",
  },
  "fetch-port": {
    status: 422,
    title: "Port not open",
    explanation:
      "URLs are fetched from the usual ports of https alone: 443 and 8443, unless whoever runs this " +
      "service has allowed others.",
  },
  "fetch-blocked-address": {
    status: 422,
    title: "Not a public address",
    explanation:
      "The URL's host has no address on the public internet, or one that is not public. What this " +
      "service could reach from inside its own network is nobody else's business. Check the name.",
  },
  "fetch-own-host": {
    status: 422,
    title: "A URL of this service itself",
    explanation:
      "URLs of this service stand for the stored document that they are about: /r/ID, /badge/ID.svg, " +
      "/api/results/ID. Others name no document, and a URL that verifies a URL could lead in a " +
      "circle. Give the document's own URL.",
  },
  "fetch-too-large": {
    status: 422,
    title: "File too large",
    explanation: "A file may have 4 MiB, as its host sends it and unpacked.",
  },
  "fetch-content-type": {
    status: 422,
    title: "Not a document by its type",
    explanation:
      "The host says that the file is something else than JSON, text, plain bytes or gzip. Link the " +
      "raw file.",
  },
  "fetch-not-json": {
    status: 422,
    title: "No document at this URL",
    explanation:
      "What the host sends holds no document: it is a web page (then link the raw file), or nothing " +
      "that can be read. The member reason, where there is one, says why.",
  },
  "fetch-gone": {
    status: 410,
    title: "Gone",
    explanation:
      "The host says that the file is not there, and has said so for five minutes and more. The " +
      "member last says what it gave before. When the file comes back, so does its result.",
  },
  "fetch-host-busy": {
    status: 429,
    title: "The host has been asked often enough",
    explanation:
      "This service asks no host more often than is fair, whoever wants it. The header Retry-After " +
      "says when to try again.",
  },
  "fetch-status": {
    status: 502,
    title: "The host does not give the file",
    explanation:
      "The host answered with another status than 200; the member remoteStatus says which. 404 and " +
      "410: check the URL; 401 and 403: the file is not for everybody; 429 and 5xx: try again later.",
  },
  "fetch-redirects": {
    status: 502,
    title: "Redirects that lead nowhere",
    explanation:
      "At most three redirects are followed, none in a circle, and none from https to http. Give the " +
      "file's final URL.",
  },
  "fetch-encoding": {
    status: 502,
    title: "Content coding not understood",
    explanation:
      "The host packed its answer in a way that was not asked for, or the data is damaged.",
  },
  "fetch-headers": {
    status: 502,
    title: "No proper HTTP answer",
    explanation: "The host's answer is not HTTP, or has far more headers than an answer needs.",
  },
  "fetch-unreachable": {
    status: 502,
    title: "Host not reachable",
    explanation:
      "The host refused or broke the connection, or its certificate is not valid for its name. Check " +
      "the URL in a browser, or try again later.",
  },
  "fetch-timeout": {
    status: 504,
    title: "The host took too long",
    explanation:
      "A host has five seconds to begin its answer, and ten for all of it, redirects included. Try " +
      "again later.",
  },
  "internal-error": {
    status: 500,
    title: "Fault in the service",
    explanation:
      "Something failed that should not, and was logged. It says nothing about your document.",
  },
  "document-damaged": {
    status: 500,
    title: "Stored document damaged",
    explanation:
      "What the database holds of this document isn't what was stored, so nothing can be said of it. " +
      "Whoever runs the service can delete it; then it can be stored anew.",
  },
  "check-unfinished": {
    status: 503,
    title: "Check not finished",
    explanation:
      "The check came to no outcome: what it needs is missing here, or the service can't " +
      "check this kind of document. Nothing was stored, and it says nothing about the document.",
  },
  "verifier-busy": {
    status: 503,
    title: "Too many checks wait",
    explanation: "More documents wait to be checked than the service keeps waiting. The header " +
      "Retry-After says when to try again. Nothing was checked or stored.",
  },
  "storage-unavailable": {
    status: 503,
    title: "Storage not available",
    explanation: "The database does not answer at the moment. Try again.",
  },
  "quota-bytes": {
    status: 507,
    title: "Storage is full",
    explanation:
      "The service stores as much as whoever runs it allows. What is stored stays, and checking " +
      "without storing goes on.",
  },
} as const satisfies
  & Record<string, Problem>
  & Record<
    InputCode | LinkFailureCode | StoreErrorCode,
    Problem
  >;

export type ProblemCode = keyof typeof PROBLEMS;

/** The body of an answer that reports a problem (`application/problem+json`). */
export interface ProblemDetails extends ProblemExtra {
  /** A reference relative to the service: the page that explains the problem. */
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
}

/** What some problems say beside. */
interface ProblemExtra {
  /** Why a document or pool was refused. */
  reason?: { code: ReasonCode; message: string; path: string };
  /** What an input looks like that is no document. */
  looksLike?: string;
  /** Index of the pool at fault. */
  pool?: number;
  /** Name of the query parameter at fault. */
  parameter?: string;
  /** What the host of a URL answered. */
  remoteStatus?: number;
  /** What a URL gave when it last gave something. */
  last?: LastGiven;
  /** What is left of a removed document, and the changes of its outcome. */
  removed?: Removed;
}

/** What is left of a removed document. */
export interface Removed {
  id: string;
  kind: Kind;
  /** The last one. */
  outcome: Outcome;
  why: "retention" | "deleted";
  /** ISO 8601. */
  removedAt: string;
  storedAt: string;
  history: Change[];
}

/** Ends a request with a problem. `detail` is for people and must not quote what was sent. */
export class ProblemError extends CodedError<ProblemCode> {
  readonly extra: ProblemExtra;
  /** Seconds after which the same request may succeed, or null. */
  readonly retryAfter: number | null;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: ProblemExtra = {},
    retryAfter: number | null = null,
  ) {
    super(code, detail);
    this.extra = extra;
    this.retryAfter = retryAfter;
  }
}

/** Whether a text is the code of a problem. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}

/** The details to send for a problem; `path` is the service's own path. */
export function problemDetails(error: ProblemError, path: string): ProblemDetails {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: `${path}/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...error.extra,
  };
}
