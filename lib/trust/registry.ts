/**
 * What an operator knows beforehand: issuers by their whole keys, and policies by name. A name says
 * that a key, or a policy, was published under it, and nothing about any result. Source: protocols
 * protocols spec 7.1, 12.
 */
import { z } from "zod";
import { sentenceOf } from "../protocol/shape.ts";
import { parsePublicKey } from "../crypto/ed25519.ts";
import { canonicalJson } from "../encoding/canonical.ts";
import { sha256Hex } from "../encoding/digest.ts";
import { isHex64 } from "../encoding/hex.ts";
import { type Policy, policyMembersSchema, readPolicy } from "../protocol/policy.ts";
import { LIMITS } from "../protocol/limits.ts";

/**
 * `active`: signs. `rotated`: has signed, and another key does now; what it signed stays as good as
 * it was. `revoked`: may be in other hands, so that nothing it signs counts as its issuer's, whatever
 * time a document claims: all times are the signer's word. `public`: the private key is known to
 * everybody, as that of samples is, so a signature shows nothing.
 */
export type IssuerStatus = "active" | "rotated" | "revoked" | "public";

export interface KnownIssuer {
  name: string;
  /** The identity. */
  publicKey: string;
  /** A label: two keys may share one (protocols spec 1.4). */
  keyId: string;
  status: IssuerStatus;
  /** Where the key was published, in a sentence. */
  note?: string | undefined;
}

interface NamedPolicy {
  name: string;
  policy: Policy;
  /** See {@link policyHash}. */
  hash: string;
}

export interface Registry {
  issuers: readonly KnownIssuer[];
  policies: readonly NamedPolicy[];
}

/** A file of the registry can't be used; the message has a line for each fault, naming its entry. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
}

/**
 * SHA-256 (hex) of the canonical JSON of the five members of a policy. Cells count in the order in
 * which they stand, as issuers sign them.
 */
export function policyHash({ suite, cells, challenges, minPass, ttlSeconds }: Policy): string {
  return sha256Hex(canonicalJson({ suite, cells, challenges, minPass, ttlSeconds }));
}

/** Key ids and whole keys are looked up beside names, so no name may look like one. */
const KEY_LIKE = /^(?:[0-9a-f]{16}|[A-Za-z0-9_-]{43})$/;

const issuerSchema = z.strictObject({
  name: z.string().regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{P}\p{S} ]{0,78}[\p{L}\p{N}\p{P}\p{S}])?$/u,
    "a name has 1 to 80 printable characters, and begins with a letter or digit",
  ).refine((name) => !KEY_LIKE.test(name), "a name must not look like a key or a key id"),
  publicKey: z.string(),
  status: z.enum(["active", "rotated", "revoked", "public"]),
  note: z.string().regex(
    /^[\p{L}\p{N}\p{P}\p{S} ]{1,200}$/u,
    "a note has 1 to 200 printable characters",
  ).optional(),
});

const policySchema = z.strictObject({
  name: z.string().regex(
    /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/,
    "a name has 1 to 64 characters out of a-z, 0-9, - and .",
  ).refine((name) => !isHex64(name), "a name must not look like a hash"),
  policy: policyMembersSchema.extend({ cells: z.array(z.string()).max(LIMITS.policyCells) }),
});

/**
 * Reads the content of `issuers.json`: `[{name, publicKey, status, note?}]`.
 *
 * @throws {RegistryError} for members missing or unknown, keys malformed or weak, and for a name or
 * key that stands twice.
 */
export function readIssuers(value: unknown): KnownIssuer[] {
  const faults: string[] = [];
  const issuers = readEntries(value, issuerSchema, faults).map(({ entry, at }): KnownIssuer => {
    const parsed = parsePublicKey(entry.publicKey);
    if (!parsed.ok) {
      const message = parsed.code === "key-weak"
        ? "this key is of small order: anyone could sign with it"
        : "a whole Ed25519 public key has 43 base64url characters, and this is none";
      faults.push(`${at}.publicKey: ${message}`);
    }
    return { ...entry, keyId: parsed.ok ? parsed.key.keyId : "" };
  });
  faultTwice(issuers.map(({ name }) => name), "name", faults);
  faultTwice(issuers.map(({ publicKey }) => publicKey), "publicKey", faults, (text) => text);
  if (faults.length > 0) throw new RegistryError(faults.join("\n"));
  return issuers;
}

/**
 * Reads the content of `policies.json`: `[{name, policy}]`, each policy with its five members.
 *
 * @throws {RegistryError} for members missing or unknown, cells that don't exist, numbers out of
 * bounds, and a name that stands twice.
 */
export function readPolicies(value: unknown): NamedPolicy[] {
  const faults: string[] = [];
  const policies = readEntries(value, policySchema, faults).flatMap(({ entry, at }) => {
    const read = readPolicy(entry.policy, `${at}.policy`);
    if (read.ok) return [{ name: entry.name, policy: read.policy, hash: policyHash(read.policy) }];
    faults.push(`${read.reason.path}: ${read.reason.message}`);
    return [];
  });
  faultTwice(policies.map(({ name }) => name), "name", faults);
  if (faults.length > 0) throw new RegistryError(faults.join("\n"));
  return policies;
}

/** Names of all known issuers by whole public key. */
export function issuerNames({ issuers }: Registry): ReadonlyMap<string, string> {
  return new Map(issuers.map(({ publicKey, name }) => [publicKey, name]));
}

/** The whole public keys that are revoked. */
export function revokedKeys({ issuers }: Registry): ReadonlySet<string> {
  return new Set(issuers.flatMap(({ publicKey, status }) => status === "revoked" ? publicKey : []));
}

/** The entries of the right shape; a line in `faults` for each thing wrong with the others. */
function readEntries<T>(
  value: unknown,
  schema: z.ZodType<T>,
  faults: string[],
): { entry: T; at: string }[] {
  if (!Array.isArray(value)) {
    faults.push("a list of entries is needed");
    return [];
  }
  return value.flatMap((raw, index) => {
    const parsed = schema.safeParse(raw);
    const at = `entry ${index + 1}${nameOf(raw)}`;
    if (parsed.success) return [{ entry: parsed.data, at }];
    for (const issue of parsed.error.issues) {
      faults.push(`${[at, ...issue.path].join(".")}: ${sentenceOf(issue, raw)}`);
    }
    return [];
  });
}

/** ` (Name)` where an entry has one, for whoever looks for it in the file. */
function nameOf(raw: unknown): string {
  const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : undefined;
  return typeof name === "string" ? ` (${JSON.stringify(name.slice(0, 80))})` : "";
}

/** Names that people can't tell apart count as the same. */
function faultTwice(
  texts: readonly string[],
  member: string,
  faults: string[],
  same = (text: string) => text.normalize("NFKC").toLowerCase(),
): void {
  const seen = new Set<string>();
  for (const text of texts) {
    if (seen.has(same(text))) faults.push(`${member} ${JSON.stringify(text)} stands twice`);
    seen.add(same(text));
  }
}
