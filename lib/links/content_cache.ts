/**
 * What URLs gave, in memory, with the reports on it: a content can be checked again without being
 * fetched again.
 */
import { LRUCache } from "lru-cache";
import { type SingleFlight, singleFlight } from "../async/single_flight.ts";
import { checkInput, type CheckParts, isOutdated } from "../store/check.ts";
import type { InputLimits } from "../verify/input.ts";
import type { CheckedInput } from "../verify/jobs.ts";

/** Documents that could be read, and their reports. */
export type Checked = CheckedInput;

/** The bytes that a URL gave. */
export interface Content {
  /** SHA-256 of the bytes as they came, which these bytes may stand for. */
  sha: string;
  bytes: Uint8Array;
}

/** What contents are checked with. */
interface ContentChecks extends CheckParts {
  limits: InputLimits;
  signal: AbortSignal;
}

export interface ContentCache {
  checks: ContentChecks;
  /** Contents by the hash of their URL. */
  contents: LRUCache<string, Content>;
  /** The hash of the URL that gave a content. */
  hashes: WeakMap<Content, string>;
  /** The reports on a content, unless the check of one of its documents came to no outcome. */
  reports: WeakMap<Content, Checked>;
  /** Checks under way. */
  checking: SingleFlight<Content, Checked>;
}

/** Bytes of contents in memory, with the reports on them. */
const CAPACITY = 64 * 1024 * 1024;

/** What a content takes besides its bytes and reports. */
const OVERHEAD = 1024;

/** An empty cache. @param capacity in bytes. */
export function createContentCache(checks: ContentChecks, capacity = CAPACITY): ContentCache {
  return {
    checks,
    contents: new LRUCache({ maxSize: capacity }),
    hashes: new WeakMap(),
    reports: new WeakMap(),
    checking: singleFlight(),
  };
}

/** What is in memory under the hash of a URL, if its SHA-256 is `sha`. */
export function cachedContent(
  { contents }: ContentCache,
  hash: string,
  sha: string,
): Content | null {
  const content = contents.get(hash);
  return content?.sha === sha ? content : null;
}

/** Remembers a content; gives the one that is in memory already, if it is the same. */
export function cacheContent(cache: ContentCache, hash: string, content: Content): Content {
  const known = cache.contents.get(hash);
  if (known?.sha === content.sha) return known;
  cache.hashes.set(content, hash);
  remember(cache, hash, content);
  return content;
}

/**
 * The reports on a content that could be read before. None lacks a pool that is public by now.
 * Callers at the same time share one check.
 *
 * @throws {CheckerBusy}
 * @throws {StoreUnavailable}
 */
export async function checkContent(cache: ContentCache, content: Content): Promise<Checked> {
  const { checks: { store }, reports, checking } = cache;
  for (;;) {
    const known = reports.get(content);
    if (known !== undefined && !await isOutdated(known.checked, store)) return known;
    const { result, joined } = checking.run(content, () => check(cache, content));
    const checked = await result;
    // A check that somebody else started may have begun before a pool became public.
    if (!joined || !await isOutdated(checked.checked, store)) return checked;
  }
}

async function check(cache: ContentCache, content: Content): Promise<Checked> {
  const { checks, contents, hashes, reports } = cache;
  const { limits, signal } = checks;
  const checked = await checkInput(content.bytes, checks, { limits, signal });
  if (!checked.ok) throw new Error(`what could be read can't be any more: ${checked.reason.code}`);
  // A document that there was no time for is worth another check.
  if (checked.checked.every(({ outcome }) => outcome !== null)) {
    reports.set(content, checked);
    const hash = hashes.get(content);
    // The content takes more memory now, by its reports.
    if (hash !== undefined && contents.peek(hash) === content) remember(cache, hash, content);
  }
  return checked;
}

function remember({ contents, reports }: ContentCache, hash: string, content: Content): void {
  const checked = reports.get(content)?.checked ?? [];
  const size = checked.reduce((sum, { json }) => sum + json.length, content.bytes.length);
  contents.set(hash, content, { size: size + OVERHEAD });
}
