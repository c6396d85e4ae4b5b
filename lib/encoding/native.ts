/**
 * The runtime's own synchronous cryptography (`node:crypto` of Deno and Node), for processes that do
 * much of it.
 *
 * Web Crypto answers from another thread, and handing the work over costs more than the work. Here a
 * signature costs half as much, but loading the module costs about as much as a hundred documents,
 * on the thread that serves badges. So a short process never loads it, and a busy one soon does.
 * A browser has no such module. Its acceptance rule is tested before it decides anything
 * (`crypto/ed25519.ts`). This file is the core's only way to what a browser doesn't have.
 */

/** A public key as `node:crypto` holds it; nothing here looks inside. */
export type NativeKey = object;

/**
 * What is used of `node:crypto`. Written out instead of imported, since the types of Node declare its
 * globals everywhere, and then nothing would tell that the core uses none of them.
 */
export interface NativeCrypto {
  createHash(algorithm: "sha256"): {
    update(data: string | Uint8Array): { digest(encoding: "hex"): string };
  };
  createPublicKey(key: {
    key: { kty: "OKP"; crv: "Ed25519"; x: string };
    format: "jwk";
  }): NativeKey;
  /** Whether an Ed25519 signature holds. */
  verify(algorithm: null, data: Uint8Array, key: NativeKey, signature: Uint8Array): boolean;
}

/** Signatures after which the module is loaded: those of some twenty admissions. */
const WORTH_LOADING = 128;

let uses = 0;
let loaded: NativeCrypto | null = null;

/** The module, once this has been asked for often enough and where there is one; otherwise null. */
export function nativeCrypto(): NativeCrypto | null {
  if (uses < WORTH_LOADING && ++uses === WORTH_LOADING) loaded = loadNativeCrypto();
  return loaded;
}

/** The module if it has been loaded; asking does not count as a use. */
export function nativeCryptoIfLoaded(): NativeCrypto | null {
  return loaded;
}

/** The module where there is one, otherwise null. */
export function loadNativeCrypto(): NativeCrypto | null {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): unknown } };
  try {
    return (process?.getBuiltinModule?.("node:crypto") as NativeCrypto | undefined) ?? null;
  } catch {
    return null;
  }
}
