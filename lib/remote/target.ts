/** Reads the URL that somebody wants fetched. */
import type { RemoteRules } from "./rules.ts";

export type TargetRules = Pick<RemoteRules, "allowHosts" | "ports" | "ownHosts">;

/**
 * The URL to fetch: normalised, without fragment and final dot. Nothing is resolved.
 *
 * A URL of this service's own is given whatever its scheme, port and address: see `isOwn`.
 *
 * @throws {FetchError} `fetch-url-malformed`, `fetch-scheme`, `fetch-credentials`, `fetch-port`,
 * `fetch-blocked-address`.
 */
export function readTarget(_text: string, _rules: TargetRules): URL {
  throw new Error("not built yet");
}

/** Whether a URL is this service's own, and must be answered without connecting. */
export function isOwn(_url: URL, _rules: TargetRules): boolean {
  throw new Error("not built yet");
}
