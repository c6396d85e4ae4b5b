/**
 * What a relying party asks of a result beyond that it is whole: whose, under which policy, for what,
 * how much of it replayed, how old. One module for API, pages, command line and badges.
 *
 * Acceptance never changes an outcome, and it doesn't ask for a pass: a verified fail that meets
 * every requirement is accepted as what it is, and its verdict stands beside.
 */
import { parsePublicKey } from "../crypto/ed25519.ts";
import { isHex64 } from "../encoding/hex.ts";
import { parseTimestamp } from "../encoding/timestamp.ts";
import { SESSION_ID } from "../protocol/challenge.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Policy } from "../protocol/policy.ts";
import { type IssuerStatus, policyHash, type Registry } from "./registry.ts";
import type { Report } from "../verify/report.ts";

/** What can fail, in the order in which it is told. */
export const REQUIREMENTS = [
  /** The document is invalid, or its check came to no outcome. Always asked for. */
  "invalid",
  /** It is another document than the one that was asked for, by its id. */
  "sha256",
  "issuer",
  "policy",
  "context",
  "session",
  "replayed",
  /** Decided longer ago than `maxage`, in the future, or at no time that the document tells. */
  "stale",
] as const;

export type Requirement = (typeof REQUIREMENTS)[number];

/** The member of a report for which requirements were given. Its JSON is public API. */
interface Acceptance {
  accepted: boolean;
  /** What isn't met, in the order of {@link REQUIREMENTS}; empty exactly when accepted. */
  failed: Requirement[];
}

/** The names of the parameters that state requirements. */
export const PARAMETERS = [
  "issuer",
  "policy",
  "context",
  "session",
  "replayed",
  "maxage",
  "sha256",
] as const;

export type ParameterName = (typeof PARAMETERS)[number];

/** A key that may have signed. */
export interface AcceptedIssuer {
  publicKey: string;
  /** As the registry has it; null: it doesn't know the key. */
  name: string | null;
  status: IssuerStatus | null;
}

/** Requirements as read; null: not asked for. */
export interface Requirements {
  /** One of these must have signed. A revoked one is kept, and met by nothing. */
  issuers: readonly AcceptedIssuer[] | null;
  /** `name`: as given, or null when the hash was. */
  policy: { hash: string; name: string | null } | null;
  context: string | null;
  sessionId: string | null;
  /** The document's id. */
  sha256: string | null;
  /** Everything in the document must have been replayed. */
  replayed: boolean;
  /** Milliseconds, and as it was given (`30d`). */
  maxAge: { ms: number; text: string } | null;
}

/** What a report is held against, and when. */
export interface Asked {
  requirements: Requirements;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Requirements that can't be read. Codes: `issuer-unknown-name`, `issuer-ambiguous` (a key id that
 * two known keys share), `policy-unknown-name`, `requirement-malformed` (also for one that stands
 * twice). The message doesn't quote what was given.
 */
interface RequirementsError {
  code:
    | "issuer-unknown-name"
    | "issuer-ambiguous"
    | "policy-unknown-name"
    | "requirement-malformed";
  parameter: ParameterName;
  message: string;
}

/** `requirements`: null when none were given. */
export type RequirementsRead =
  | { ok: true; requirements: Requirements | null }
  | { ok: false; error: RequirementsError };

/** Values by the parameter's name, as a query or a command line gives them. */
export type RequirementsQuery = { readonly [name in ParameterName]?: readonly string[] };

/** Issuers that one request may name. */
const MAX_ISSUERS = 64;

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/** Reads requirements. A name that isn't known is an error: it must never just match nothing. */
export function readRequirements(query: RequirementsQuery, registry: Registry): RequirementsRead {
  const given = PARAMETERS.filter((name) => (query[name]?.length ?? 0) > 0);
  if (given.length === 0) return { ok: true, requirements: null };
  const twice = given.find((name) => name !== "issuer" && query[name]!.length > 1);
  if (twice !== undefined) return malformed(twice, `${twice} is given twice`);
  const value = (name: ParameterName): string | undefined => query[name]?.[0];

  const issuers = readIssuerKeys(query.issuer ?? [], registry);
  if ("error" in issuers) return { ok: false, error: issuers.error };
  const policy = readPolicyRequirement(value("policy"), registry);
  if (policy !== null && "error" in policy) return { ok: false, error: policy.error };
  const context = value("context") ?? null;
  if (context !== null && context.length > LIMITS.claim) {
    return malformed("context", `a context has at most ${LIMITS.claim} characters`);
  }
  const sessionId = value("session") ?? null;
  if (sessionId !== null && !SESSION_ID.test(sessionId)) {
    return malformed("session", "a session id is gs_ and 12 base64url characters");
  }
  const replayed = value("replayed");
  if (replayed !== undefined && replayed !== "all") {
    return malformed("replayed", "replayed takes all, or is left out");
  }
  const sha256 = value("sha256") ?? null;
  if (sha256 !== null && !isHex64(sha256)) {
    return malformed("sha256", "a document's id is 64 lower-case hex digits");
  }
  const maxage = value("maxage");
  const maxAge = maxage === undefined ? null : readAge(maxage);
  if (maxage !== undefined && maxAge === null) {
    return malformed("maxage", "maxage takes a whole number above 0 and one of s, m, h, d, w: 30d");
  }
  return {
    ok: true,
    requirements: {
      issuers: issuers.keys,
      policy,
      context,
      sessionId,
      sha256,
      replayed: replayed === "all",
      maxAge,
    },
  };
}

/** What of a report decides; the row of a stored result has it too. */
export interface AcceptanceSubject {
  id: string | null;
  outcome: Report["outcome"];
  issuer: { publicKey: string } | null;
  counts: { answered: number; unreplayed: number } | null;
  policy?: Policy | null;
  context?: string | null;
  sessionId?: string | null;
  decidedAt?: string | null;
}

/**
 * Holds a report against requirements.
 *
 * A document that lacks what is asked about doesn't meet it: a lone receipt has neither policy nor
 * `decidedAt`, a benchmark run has no issuer.
 *
 * @param now milliseconds since 1970.
 */
export function acceptanceOf(
  subject: AcceptanceSubject,
  requirements: Requirements,
  now: number,
): Acceptance {
  const failed = REQUIREMENTS.filter((name) => !MET[name](subject, requirements, now));
  return { accepted: failed.length === 0, failed };
}

/** A report, and what comes of holding it against requirements, where there were any. */
export interface AcceptedReport extends Report {
  acceptance?: Acceptance;
}

/** The report with its acceptance, or as it was without requirements. */
export function withAcceptance(
  report: Report,
  requirements: Requirements | null,
  now: number,
): AcceptedReport {
  if (requirements === null) return report;
  return { ...report, acceptance: acceptanceOf(report, requirements, now) };
}

type Met = (subject: AcceptanceSubject, requirements: Requirements, now: number) => boolean;

const MET: Readonly<Record<Requirement, Met>> = {
  invalid: ({ outcome }) => outcome === "verified" || outcome === "issuer-claimed",
  sha256: ({ id }, { sha256 }) => sha256 === null || id === sha256,
  issuer: ({ issuer }, { issuers }) =>
    issuers === null || issuer !== null && issuers.some(({ publicKey, status }) =>
        // Whole keys, and however the key was asked for: a thief of it signs like its owner.
        publicKey === issuer.publicKey && status !== "revoked"
      ),
  policy: (subject, { policy }) =>
    policy === null || subject.policy != null && policyHash(subject.policy) === policy.hash,
  context: (subject, { context }) => context === null || subject.context === context,
  session: (subject, { sessionId }) => sessionId === null || subject.sessionId === sessionId,
  // Where nothing was answered nothing was replayed, though all of it may be verified.
  replayed: ({ outcome, counts }, { replayed }) =>
    !replayed || outcome === "verified" && counts !== null && counts.unreplayed === 0 &&
      counts.answered > 0,
  stale: ({ decidedAt }, { maxAge }, now) => {
    if (maxAge === null) return true;
    const decided = decidedAt == null ? null : parseTimestamp(decidedAt);
    return decided !== null && decided <= now && now - decided <= maxAge.ms;
  },
};

function malformed(parameter: ParameterName, message: string): { ok: false } & {
  error: RequirementsError;
} {
  return { ok: false, error: { code: "requirement-malformed", parameter, message } };
}

function readIssuerKeys(
  texts: readonly string[],
  registry: Registry,
): { keys: AcceptedIssuer[] | null } | { error: RequirementsError } {
  if (texts.length === 0) return { keys: null };
  if (texts.length > MAX_ISSUERS) {
    return malformed("issuer", `at most ${MAX_ISSUERS} issuers can be named`);
  }
  const keys: AcceptedIssuer[] = [];
  for (const text of texts) {
    const read = readIssuer(text, registry);
    if ("error" in read) return read;
    if (!keys.some(({ publicKey }) => publicKey === read.publicKey)) keys.push(read);
  }
  return { keys };
}

function readIssuer(
  text: string,
  { issuers }: Registry,
): AcceptedIssuer | { error: RequirementsError } {
  const fault = (code: RequirementsError["code"], message: string) => ({
    error: { code, parameter: "issuer" as const, message },
  });
  if (parsePublicKey(text).ok) {
    const known = issuers.find(({ publicKey }) => publicKey === text);
    return { publicKey: text, name: known?.name ?? null, status: known?.status ?? null };
  }
  const meant = issuers.filter(({ name, keyId }) => name === text || keyId === text);
  const [first] = meant;
  if (first === undefined) {
    // Nearly a key, and no name can look like one: it was mistyped or cut.
    return /^[A-Za-z0-9_-]{43}$/.test(text)
      ? fault("requirement-malformed", "this is no sound Ed25519 public key")
      : fault("issuer-unknown-name", "no known issuer has this name or key id");
  }
  if (meant.some(({ publicKey }) => publicKey !== first.publicKey)) {
    return fault("issuer-ambiguous", "several known keys go by it: give the whole public key");
  }
  return { publicKey: first.publicKey, name: first.name, status: first.status };
}

function readPolicyRequirement(
  text: string | undefined,
  { policies }: Registry,
): Requirements["policy"] | { error: RequirementsError } {
  if (text === undefined) return null;
  if (isHex64(text)) return { hash: text, name: null };
  const named = policies.find(({ name }) => name === text);
  if (named !== undefined) return { hash: named.hash, name: named.name };
  const message = "no policy has this name; the SHA-256 of its canonical JSON is taken too";
  return { error: { code: "policy-unknown-name", parameter: "policy", message } };
}

function readAge(text: string): Requirements["maxAge"] {
  const match = /^([1-9][0-9]{0,8})([smhdw])$/.exec(text);
  return match && { ms: Number(match[1]) * UNITS.get(match[2]!)!, text };
}
