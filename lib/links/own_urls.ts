/** URLs of this service: what they are about is read from the store, and nothing is fetched. */
import { FetchError } from "../fetch/error.ts";

const DOCUMENT =
  /^(?:\/api\/results\/([0-9a-f]{64})(?:\/document)?|\/r\/([0-9a-f]{64})|\/badge\/([0-9a-f]{64})\.(?:svg|png|json))$/;

/**
 * The id of the stored document that a URL of this service is about, or null: then it is about none,
 * and most of all it isn't asked for, since a URL that verifies a URL could lead in a circle.
 *
 * @param path the service's own, put before all of its addresses; mostly empty.
 */
export function ownDocument(url: URL, path: string): string | null {
  const within = url.pathname.startsWith(`${path}/`) ? url.pathname.slice(path.length) : null;
  const match = within === null ? null : DOCUMENT.exec(within);
  return match === null ? null : match[1] ?? match[2] ?? match[3]!;
}

/** The error for a URL of this service that names no document which is stored here. */
export function ownHostError(): FetchError {
  return new FetchError(
    "fetch-own-host",
    "the URL is one of this service, and names no document that is stored here; give the " +
      "document's own URL",
  );
}
