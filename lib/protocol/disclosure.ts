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

/** Whether the key is sound and signed the statement about that pool. */
export async function isDisclosure(
  poolKey: string,
  { publicKey, signature }: { publicKey: string; signature: string },
): Promise<boolean> {
  const parsed = parsePublicKey(publicKey);
  if (!parsed.ok) return false;
  return await verifySignature(parsed.key, disclosureText(poolKey, publicKey), signature) === "ok";
}
