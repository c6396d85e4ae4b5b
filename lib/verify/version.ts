/**
 * The revision of the verifier, stamped on every stored result. It is raised with every change that
 * may decide a document otherwise, or that reads more of a report into a row: results of an older
 * revision are made again when they are next read, those of a newer one never.
 */
export const REVISION = 1;

/**
 * The revision that a stored row or a history entry names. Before there were revisions, the release
 * was stamped as text; every such stamp is older than all revisions: 0.
 */
export function revisionOf(stamp: unknown): number {
  return typeof stamp === "number" && Number.isInteger(stamp) && stamp > 0 ? stamp : 0;
}
