/**
 * The runtime's own synchronous cryptography (`node:crypto` of Deno and Node), for processes that do
 * much of it.
 *
 * Web Crypto answers from another thread, and handing the work over costs more than the work. Here a
 * signature costs half as much, but loading the module costs about as much as a hundred documents,
 * on the thread that serves badges. So a short process never loads it, and a busy one soon does.
 * In a browser there is none. Acceptance rules are tested before it decides anything
 * (`crypto/ed25519.ts`).
 */
import type * as NodeCrypto from "node:crypto";

export type NativeCrypto = Pick<typeof NodeCrypto, "createHash" | "createPublicKey" | "verify">;

/** Uses after which the module is loaded: some twenty admissions. */
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
