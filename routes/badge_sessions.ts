/** The admission of a session, for its badge. */
import { LRUCache } from "lru-cache";
import { upTo } from "../lib/lru.ts";
import { MAX_PAGE, type Store } from "../lib/store/store.ts";
import { SESSION_ID } from "../lib/protocol/challenge.ts";

/** What is stored of a session. */
export type SessionFound =
  | { state: "found"; id: string }
  | { state: "unknown" }
  /** Something of it is being checked again. */
  | { state: "checking" }
  /** Several issuers have a session of this id, and none was named. */
  | { state: "ambiguous" }
  /** One key signed different admissions of the session. */
  | { state: "conflicting" };

/** Sessions whose answer is remembered, and for how long: an admission is there to be found soon. */
const SESSIONS = 5000;
const REMEMBERED_MS = 5000;

/** Pages of results that are looked through: a session may have very many lone receipts. */
const PAGES = 10;

/**
 * Finds sessions.
 *
 * @param now milliseconds since 1970.
 * @returns a function of a session's id and the whole public keys of issuers, null: any.
 */
export function createSessions(
  store: Pick<Store, "results">,
  now: () => number,
): (sessionId: string, issuers: readonly string[] | null) => Promise<SessionFound> {
  const remembered = new LRUCache<string, { at: number; finding: Promise<SessionFound> }>(
    upTo(SESSIONS),
  );

  async function find(
    sessionId: string,
    issuers: readonly string[] | null,
  ): Promise<SessionFound> {
    if (!SESSION_ID.test(sessionId)) return { state: "unknown" };
    const found = new Map<string, string>();
    let pages = 0;
    for (const publicKey of issuers ?? [undefined]) {
      let cursor: string | null | undefined;
      do {
        if (pages++ === PAGES) return { state: "ambiguous" };
        const filter = { by: "session", sessionId, publicKey } as const;
        const page = await store.results(filter, { limit: MAX_PAGE, cursor: cursor ?? undefined });
        for (const listed of page.items) {
          if (listed.state === "checking") return { state: "checking" };
          const { id, kind, issuer } = listed.result;
          if (kind !== "admission" || issuer === null) continue;
          const other = found.get(issuer.publicKey);
          if (other !== undefined && other !== id) return { state: "conflicting" };
          found.set(issuer.publicKey, id);
        }
        if (found.size > 1) return { state: "ambiguous" };
        cursor = page.cursor;
      } while (cursor !== null);
    }
    const [id] = found.values();
    return id === undefined ? { state: "unknown" } : { state: "found", id };
  }

  return (sessionId, issuers) => {
    const key = JSON.stringify([sessionId, issuers]);
    const known = remembered.get(key);
    const at = now();
    if (known !== undefined && Math.abs(at - known.at) < REMEMBERED_MS) return known.finding;
    const finding = find(sessionId, issuers);
    remembered.set(key, { at, finding });
    finding.catch(() => remembered.delete(key));
    return finding;
  };
}
