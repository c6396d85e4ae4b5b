/**
 * Observations on how a document came: worth knowing, but they never change an outcome. They
 * follow the observations on the document itself in its report.
 */
import { isClankdarCheck } from "../fetch/raw_urls.ts";

/**
 * `etag-mismatch`: the URL is a Clankdar check's, and its ETag isn't the document's id (protocols
 * spec 12).
 *
 * @param id of the document that came, or of one of several.
 * @param etag as the host sent it.
 */
export function observeFetch(url: URL, id: string | null, etag: string | null): string[] {
  return etag === null || !isClankdarCheck(url) || tagOf(etag) === id ? [] : ["etag-mismatch"];
}

/** What an entity tag says; caches between may have weakened it. */
function tagOf(etag: string): string {
  return etag.replace(/^W\//, "").slice(1, -1);
}
