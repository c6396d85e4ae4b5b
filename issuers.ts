/**
 * Issuers known by their whole public key. A name here says that the key was published by that
 * issuer, nothing about its results. Source: protocols spec 12.
 */
export const KNOWN_ISSUERS: ReadonlyMap<string, string> = new Map([
  ["4_1Qbm1y84b4ZAYJtFt7bhLL1WHv7vPsOXHP0XRUW2g", "Clankdar staging"],
]);
