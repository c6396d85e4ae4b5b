/** Hosts that an operator allows, as they are written down. */

/**
 * A host as URLs have it: `files.example`, `127.0.0.1:8000`, `[::1]:8000`. Null for what is none;
 * a wildcard would match nothing.
 */
export function readHost(text: string): string | null {
  const host = text.toLowerCase();
  const url = URL.parse(`http://${host}`);
  if (url === null || host.includes("*") || url.pathname !== "/") return null;
  return [url.host, `${url.hostname}:80`].includes(host) ? host : null;
}
