/** The URLs that links are about. */
import { LRUCache } from "lru-cache";
import { sha256Hex } from "../encoding/digest.ts";
import { rawUrl } from "../fetch/raw_urls.ts";
import { redactUrl } from "../fetch/redact.ts";
import type { RemoteRules } from "../fetch/rules.ts";
import { isOwn, readTarget } from "../fetch/target.ts";

/** A URL that was read. */
export interface LinkedUrl {
  /** Normalised, and of the file itself. */
  url: URL;
  /** SHA-256 of the URL, which may hold a secret. */
  hash: string;
  /** Redacted. */
  shown: string;
  /** Of this service. */
  isOwn: boolean;
  /** With the asker's name for this service among its own. */
  rules: RemoteRules;
  /**
   * What is in flight under the same key gives the same. Whoever asks decides what they call us,
   * which must not decide what others are told.
   */
  key: string;
}

/** @throws {FetchError} when the text isn't a URL that may be fetched. */
export type ReadUrl = (text: string, own: string | null) => LinkedUrl;

/** URLs in memory, in characters. */
const CAPACITY = 4 * 1024 * 1024;

/** Besides its text, roughly. */
const OVERHEAD = 1024;

/** Reads URLs under the rules; those read lately are remembered, since badges ask for few. */
export function createReadUrl(rules: RemoteRules): ReadUrl {
  const known = new LRUCache<string, LinkedUrl>({
    maxSize: CAPACITY,
    sizeCalculation: (_, name) => name.length + OVERHEAD,
  });
  return (text, own) => {
    const name = `${own ?? ""} ${text}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const extra = own === null || rules.ownHosts.has(own) ? null : own;
    const given = extra === null
      ? rules
      : { ...rules, ownHosts: new Set([...rules.ownHosts, extra]) };
    const url = rawUrl(readTarget(text, given));
    const hash = sha256Hex(url.href);
    const read: LinkedUrl = {
      url,
      hash,
      shown: redactUrl(url),
      isOwn: isOwn(url, given),
      rules: given,
      key: `${hash} ${extra ?? ""}`,
    };
    known.set(name, read);
    return read;
  };
}
