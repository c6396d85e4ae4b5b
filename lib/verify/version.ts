/**
 * Version of the verifier, stamped on every stored result (semver, compared by number). A release
 * that may decide a document otherwise, or keeps more of a report in a row, raises it: results of
 * older versions are made again when they are next read, those of newer ones never.
 */
export const VERSION = "0.2.0";
