/** Links as people copy them, turned into links to the file itself. */

/** The raw file of a file page on GitHub, GitLab, gists or Hugging Face; other URLs unchanged. */
export function rawUrl(_url: URL): URL {
  throw new Error("not built yet");
}

/**
 * Whether a URL is a Clankdar check's, whose ETag is the document id. Source: protocols spec 12.
 */
export function isClankdarCheck(_url: URL): boolean {
  throw new Error("not built yet");
}
