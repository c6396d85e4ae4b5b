/** URLs of this service that are given to it as if they were somebody else's. */
import { FetchError } from "../fetch/error.ts";

/** The error for a URL of this service that names no document which is stored here. */
export function ownHostError(): FetchError {
  return new FetchError(
    "fetch-own-host",
    "the URL is one of this service, and names no document that is stored here; give the " +
      "document's own URL",
  );
}
