/**
 * Key and signature rules as reasons. Source: protocols spec 1.4 and 2.
 */
import { parsePublicKey, type PublicKey, verifySignature } from "../crypto/ed25519.ts";
import { type Reason, reason } from "./reason.ts";

/** Whose key it is: the first word of the reason code. */
type KeyOwner = "issuer" | "subject";

/** Reads a public key, or says with `issuer-key-…` or `subject-key-…` what is wrong with it. */
export function readKey(text: string, owner: KeyOwner, path: string): PublicKey | Reason {
  const parsed = parsePublicKey(text);
  if (parsed.ok) return parsed.key;
  const message = parsed.code === "key-weak"
    ? `the ${owner} key is of small order: anyone could sign with it`
    : `the ${owner} key is not a canonical Ed25519 public key`;
  return reason(`${owner}-${parsed.code}`, message, path);
}

/** Whether {@link readKey} gave a reason instead of a key. */
export function isReason(value: PublicKey | Reason): value is Reason {
  return "code" in value;
}

/** Checks a signature over the payload's UTF-8 bytes, verbatim. Never rejects. */
export async function checkSignature(
  key: PublicKey,
  message: string,
  signature: string,
  path: string,
): Promise<Reason | null> {
  switch (await verifySignature(key, message, signature)) {
    case "ok":
      return null;
    case "signature-malformed":
      return reason("signature-malformed", "the signature is not 86 canonical characters", path);
    case "signature-invalid":
      return reason("signature-invalid", "the signature does not fit the key and the text", path);
  }
}
