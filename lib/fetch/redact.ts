/** URLs for logs and pages. */

/**
 * A URL without what may be secret: the query string becomes `?…`, credentials `…@`, a fragment is
 * dropped. What isn't an http or https URL becomes `…`.
 */
export function redactUrl(url: URL | string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return "…";
  const { protocol, username, password, host, pathname, search } = parsed;
  const credentials = username === "" && password === "" ? "" : "…@";
  return `${protocol}//${credentials}${host}${pathname}${search === "" ? "" : "?…"}`;
}
