/** URLs for logs and pages. */

/**
 * A URL without what may be secret: the query string becomes `?…`, credentials `…@`, a fragment is
 * dropped. What isn't a URL becomes `…`.
 */
export function redactUrl(_url: URL | string): string {
  throw new Error("not built yet");
}
