/** Pins of the evaluator modules: what a module must hash to before it is compiled. */

/** Our own module, `algal_expr.wasm` beside this file. Rewritten by `deno task wasm:build`. */
export const OWN = {
  sha256: "7f60d854d375dd4eb355c0a44ce0d52f9a0a3d5ad0dacec77507ed5c39d12a73",
  bytes: 40051,
} as const;

/**
 * ALGAL's official module. The hash decides; the address is only where a copy is expected, and
 * `evaluator:install` takes another address or a file on its command line.
 */
export const OFFICIAL = {
  sha256: "7a8a821f80388a3ba257ac46c7e3d9668e25f77323b22603974d713df1a39fff",
  revision: "723c35d3c60d1ef7b88437a9ddeaf6588a1814cf",
  url:
    "https://raw.githubusercontent.com/hraness/algal/723c35d3c60d1ef7b88437a9ddeaf6588a1814cf/wasm/algal_expr.wasm",
} as const;
