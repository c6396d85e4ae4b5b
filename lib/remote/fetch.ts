/** Fetches a stranger's URL without trusting it, its host, or its host's name server. */
import type { RemoteRules } from "./rules.ts";

/** What a URL gave before; sent only to the URL that gave it. */
export interface Validators {
  etag: string | null;
  /** As the host wrote it. */
  lastModified: string | null;
  /** Final URL of the fetch that gave them. */
  url: string;
}

export type Fetched =
  /** `url`: where the bytes came from, after redirects; it may hold a secret query string. */
  | {
    kind: "content";
    bytes: Uint8Array;
    url: string;
    /** The header's value, quotes included; null also where it isn't well-formed. */
    etag: string | null;
    lastModified: string | null;
  }
  /** What the validators stand for is still what `url` has. */
  | { kind: "not-modified"; url: string }
  /** A URL of this service; nothing was connected to. */
  | { kind: "own"; url: string };

export interface FetchOptions {
  rules: RemoteRules;
  validators?: Validators;
  signal?: AbortSignal;
}

/**
 * Fetches `url`, which `readTarget` has read, and follows its redirects.
 *
 * @throws {FetchError}
 * @throws the signal's reason when `signal` aborts.
 */
export function fetchRemote(_url: URL, _options: FetchOptions): Promise<Fetched> {
  throw new Error("not built yet");
}
