/**
 * Version of the verifier, stamped on every stored result (semver, compared by number). A release
 * that may decide a document otherwise raises it: results of older versions are made again when they
 * are next read, those of newer ones never.
 */
export const VERSION = "0.1.0";
