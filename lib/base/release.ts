/**
 * The version of the release (semver), as people read it: on pages, in the terminal, at `/healthz`,
 * and in the name under which hosts are asked for files. What a stored result depends on is another
 * number: `REVISION` in lib/verify/version.ts.
 */
export const VERSION = "0.3.0";
