/**
 * Private keys of issuers and subjects, as JSON Web Keys (RFC 8037). Source: protocols spec 1.4.
 */
import { z } from "zod";
import { type PublicKey, publicKeyOf } from "../crypto/ed25519.ts";
import { decodeBase64url, encodeBase64url } from "../encoding/base64url.ts";
import { IssuerError } from "./error.ts";
import { type Random, systemRandom } from "./random.ts";

/** Both halves of an Ed25519 key; `privateKey` is the 32-byte seed of RFC 8032. */
export interface KeyPair {
  publicKey: PublicKey;
  privateKey: Uint8Array;
}

/** The JSON of a private key file: `x` is the public key, `d` the secret. */
interface PrivateJwk {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  d: string;
  keyId: string;
}

const jwkSchema = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  d: z.string(),
});

/** A new key. */
export function createKey(random: Random = systemRandom): KeyPair {
  const privateKey = random(32);
  return { publicKey: publicKeyOf(privateKey), privateKey };
}

/** The JSON of a private key. */
export function toJwk({ publicKey, privateKey }: KeyPair): PrivateJwk {
  const { text: x, keyId } = publicKey;
  return { kty: "OKP", crv: "Ed25519", x, d: encodeBase64url(privateKey), keyId };
}

/**
 * Reads the JSON of a private key; `x` must be the public half of `d`.
 *
 * @throws {IssuerError} `key-malformed`. The message repeats nothing of the key.
 */
export function readKeyPair(value: unknown): KeyPair {
  const parsed = jwkSchema.safeParse(value);
  const privateKey = parsed.success ? decodeBase64url(parsed.data.d, 32) : null;
  if (!parsed.success || privateKey === null) {
    throw new IssuerError("key-malformed", "this is no private Ed25519 JSON Web Key");
  }
  const publicKey = publicKeyOf(privateKey);
  if (publicKey.text !== parsed.data.x) {
    throw new IssuerError("key-malformed", "the key's two halves do not belong together");
  }
  return { publicKey, privateKey };
}
