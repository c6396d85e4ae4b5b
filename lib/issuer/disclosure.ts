/** Stating that one disclosed a pool. Source: docs/architecture.md, "What it is for" no. 3. */
import { sign } from "../crypto/ed25519.ts";
import { disclosureText } from "../protocol/disclosure.ts";
import type { KeyPair } from "./keys.ts";

/** The statement, with the key that minted under the pool. */
export async function createDisclosure(
  key: KeyPair,
  poolKey: string,
): Promise<{ publicKey: string; signature: string }> {
  const publicKey = key.publicKey.text;
  return { publicKey, signature: await sign(key.privateKey, disclosureText(poolKey, publicKey)) };
}
