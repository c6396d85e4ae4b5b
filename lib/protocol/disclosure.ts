/** Statements by which an issuer owns up to a pool. Source: docs/architecture.md, "What it is for" no. 3. */
import { parsePublicKey, verifySignature } from "../crypto/ed25519.ts";
import { canonicalJson } from "../encoding/canonical.ts";

/**
 * The text whose UTF-8 bytes an issuer signs, with the key that minted under the pool. The pool's
 * content proves itself; the statement only says whose it is.
 */
export function disclosureText(poolKey: string, publicKey: string): string {
  return canonicalJson(["touchstone/disclosure/v1", poolKey, publicKey]);
}

declare const VERIFIED: unique symbol;

/** An issuer's statement about a pool whose signature holds; only {@link verifyDisclosure} makes one. */
export interface VerifiedDisclosure {
  readonly poolKey: string;
  /** The issuer's key, base64url. */
  readonly publicKey: string;
  readonly signature: string;
  readonly [VERIFIED]: true;
}

/** The statement, if its key is sound and signed it about that pool; null: it isn't so. */
export async function verifyDisclosure(
  poolKey: string,
  { publicKey, signature }: { publicKey: string; signature: string },
): Promise<VerifiedDisclosure | null> {
  const parsed = parsePublicKey(publicKey);
  if (!parsed.ok) return null;
  const text = disclosureText(poolKey, publicKey);
  if (await verifySignature(parsed.key, text, signature) !== "ok") return null;
  return { poolKey, publicKey, signature } as VerifiedDisclosure;
}
