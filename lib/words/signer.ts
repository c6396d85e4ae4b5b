/**
 * Who says so: the signer of a result, in words. A signature shows that a document is whole; whose it
 * is, only the operator's registry tells. Source: docs/architecture.md, "Badge wording".
 */
import type { IssuerStatus, KnownIssuer, Registry } from "../trust/registry.ts";
import type { Issuer } from "../verify/report.ts";
import type { ResultSubject } from "./subject.ts";

/** What the operator knows beforehand, by what documents show of it. */
export interface Trust {
  /** Known issuers by whole public key. */
  issuers: ReadonlyMap<string, KnownIssuer>;
  /** Names of published policies by hash (`policyHash`). */
  policies: ReadonlyMap<string, string>;
}

/** The registry, by whole keys and by hashes. */
export function trustOf({ issuers, policies }: Registry): Trust {
  return {
    issuers: new Map(issuers.map((issuer) => [issuer.publicKey, issuer])),
    policies: new Map(policies.map(({ hash, name }) => [hash, name])),
  };
}

/** Nobody and nothing is known. */
export const NO_TRUST: Trust = { issuers: new Map(), policies: new Map() };

/** One key that signed, and what the registry says of it. */
export type Signer =
  | { standing: "known"; name: string; status: IssuerStatus; keyId: string }
  | {
    standing: "unknown";
    keyId: string;
    /** Whether the reader's `issuer=` names this very key. */
    asked: boolean;
  };

/** The signers of a sound result; empty for one that nobody signed. */
export function signersOf(
  { issuer, issuers = issuer === null ? [] : [issuer] }: Pick<ResultSubject, "issuer" | "issuers">,
  trust: Trust,
  asked: boolean,
): Signer[] {
  return issuers.map((one) => signerOf(one, trust, asked));
}

function signerOf({ publicKey, keyId }: Issuer, trust: Trust, asked: boolean): Signer {
  const known = trust.issuers.get(publicKey);
  if (known === undefined) return { standing: "unknown", keyId, asked };
  return { standing: "known", name: known.name, status: known.status, keyId };
}

/** Whether the signature of a signer counts as that of somebody whom the operator knows. */
export function isVouched(signer: Signer): boolean {
  return signer.standing === "known" &&
    (signer.status === "active" || signer.status === "rotated");
}

/** Whether a signer's key may be in other hands. */
export function isRevoked(signer: Signer): boolean {
  return signer.standing === "known" && signer.status === "revoked";
}

/** The parts of a badge's message about signers, each once; none where all are known and sound. */
export function signerParts(signers: readonly Signer[]): string[] {
  const has = (holds: (signer: Signer) => boolean, part: string) =>
    signers.some(holds) ? [part] : [];
  return [
    ...has(({ standing }) => standing === "unknown", "unknown issuer"),
    ...has(isRevoked, "issuer revoked"),
    ...has((signer) => signer.standing === "known" && signer.status === "public", "sample key"),
  ];
}

/** Whose word `issuer=` is: that of whoever wrote a link, or of the reader at a command line. */
export type Asker = "link" | "reader";

const ASKED: Readonly<Record<Asker, string>> = {
  link: "the key this link asks for",
  reader: "the issuer you asked for",
};

/** Characters of a key id in a headline. */
const SHORT_KEY = 8;

/** A few words for a headline: `signed by Clankdar staging`. */
export function signerHeadline(signers: readonly Signer[], asker: Asker): string | null {
  const [only] = signers;
  if (only === undefined) return null;
  if (signers.length > 1) return severalHeadline(signers);
  const key = `key ${only.keyId.slice(0, SHORT_KEY)}…`;
  if (only.standing === "unknown") {
    return `signed by an unknown issuer, ${key}${only.asked ? `, ${ASKED[asker]}` : ""}`;
  }
  switch (only.status) {
    case "revoked":
      return `signed with a revoked key of ${only.name}`;
    case "public":
      return `signed with a public sample key (${only.name})`;
    default:
      return `signed by ${only.name}`;
  }
}

function severalHeadline(signers: readonly Signer[]): string {
  const unvouched = signers.filter((signer) => !isVouched(signer)).length;
  const keys = `signed with ${signers.length} keys`;
  if (unvouched === 0) return `${keys}, all of known issuers`;
  return `${keys}, ${unvouched === signers.length ? "none" : signers.length - unvouched} ` +
    "of a known issuer";
}

/** The signer in a title of a page: a name, or what is to be known instead of one. */
export function signerShort(signers: readonly Signer[]): string | null {
  if (signers.length === 0) return null;
  const [part] = signerParts(signers);
  if (part !== undefined) return part;
  const [only] = signers;
  return only?.standing === "known" && signers.length === 1 ? only.name : "known issuers";
}

/** Keys that a sentence names; of more, the number is told. */
const NAMED_KEYS = 3;

/** The sentences of a badge's title about signers; none where nobody signed. */
export function signerSentences(signers: readonly Signer[], asker: Asker): string[] {
  const [only] = signers;
  if (only === undefined) return [];
  if (signers.length === 1) return [sentenceOf(only, asker)];
  const keys = signers.slice(0, NAMED_KEYS).map(({ keyId }) => keyId).join(", ");
  const more = signers.length - NAMED_KEYS;
  const unknown = signers.filter(({ standing }) => standing === "unknown").length;
  return [
    `Signed with the keys ${keys}${more > 0 ? ` and ${more} more` : ""}.`,
    ...(unknown === 0
      ? []
      : [`${unknown === 1 ? "One of them is" : `${unknown} of them are`} of an unknown issuer.`]),
    ...signers.filter((signer) => signer.standing === "known" && !isVouched(signer))
      .slice(0, NAMED_KEYS).map((signer) => sentenceOf(signer, asker)),
  ];
}

function sentenceOf(signer: Signer, asker: Asker): string {
  const key = `key ${signer.keyId}`;
  if (signer.standing === "unknown") {
    return `Signed by an unknown issuer (${key})${signer.asked ? `, ${ASKED[asker]}` : ""}.`;
  }
  switch (signer.status) {
    case "revoked":
      return `Signed with a revoked key of ${signer.name} (${key}): ` +
        "somebody else may hold it, so the signature counts for nothing.";
    case "public":
      return `Signed with the public sample key ${signer.name} (${key}): anybody can sign with it.`;
    default:
      return `Signed by ${signer.name} (${key}).`;
  }
}
