/** The admission of a session, for its badge. */
import { LRUCache } from "lru-cache";
import { upTo } from "../../lib/async/lru.ts";
import { SESSION_ID } from "../../lib/protocol/challenge.ts";
import type { SessionAdmission, Store } from "../../lib/store/store.ts";
import type { Registry } from "../../lib/trust/registry.ts";

/** What is stored of a session. */
export type SessionFound =
  /** `others`: issuers who aren't known here have a session of this id, too. */
  | { state: "found"; id: string; others: boolean }
  | { state: "unknown" }
  /** Its admissions are still being looked for. */
  | { state: "checking" }
  /** Several issuers have a session of this id, and none was named. */
  | { state: "ambiguous" }
  /** One key signed different admissions of the session. */
  | { state: "conflicting" };

/** Sessions whose answer is remembered, and for how long: an admission is there to be found soon. */
const SESSIONS = 5000;
const REMEMBERED_MS = 5000;

/**
 * Finds sessions. Where no issuer is named, the known ones go before all others: a session's id is
 * of its issuer's choice, and anyone may sign another one of the same id.
 *
 * @param now milliseconds since 1970.
 * @returns a function of a session's id, the whole public keys of issuers (null: any), and what is
 * told how many entries were read.
 */
export function createSessions(
  store: Pick<Store, "sessionAdmissions">,
  registry: Pick<Registry, "issuers">,
  now: () => number,
): (
  sessionId: string,
  issuers: readonly string[] | null,
  onRead: (rows: number) => void,
) => Promise<SessionFound> {
  const remembered = new LRUCache<string, { at: number; finding: Promise<SessionFound> }>(
    upTo(SESSIONS),
  );
  // What a revoked key signs doesn't count as its issuer's.
  const known = registry.issuers.flatMap(({ publicKey, status }) =>
    status === "revoked" ? [] : [publicKey]
  );

  async function find(
    sessionId: string,
    issuers: readonly string[] | null,
    onRead: (rows: number) => void,
  ): Promise<SessionFound> {
    if (!SESSION_ID.test(sessionId)) return { state: "unknown" };
    const found = await store.sessionAdmissions(sessionId, issuers);
    onRead(found.rows);
    if (!found.complete) return { state: "checking" };
    const nothingElse = issuers !== null || found.admissions.length === 0 || known.length === 0;
    if (nothingElse) return decide(found.admissions, false);
    const ofKnown = await store.sessionAdmissions(sessionId, known);
    onRead(ofKnown.rows);
    if (!ofKnown.complete) return { state: "checking" };
    if (ofKnown.admissions.length === 0) return decide(found.admissions, false);
    const others = found.admissions.some(({ publicKey }) => !known.includes(publicKey));
    return decide(ofKnown.admissions, others);
  }

  return (sessionId, issuers, onRead) => {
    const key = JSON.stringify([sessionId, issuers]);
    const known = remembered.get(key);
    const at = now();
    if (known !== undefined && Math.abs(at - known.at) < REMEMBERED_MS) return known.finding;
    const finding = find(sessionId, issuers, onRead);
    remembered.set(key, { at, finding });
    // What is being looked for goes on with the next look.
    finding.then(
      ({ state }) => state === "checking" && remembered.delete(key),
      () => remembered.delete(key),
    );
    return finding;
  };
}

function decide(admissions: readonly SessionAdmission[], others: boolean): SessionFound {
  const found = new Map<string, string>();
  for (const { publicKey, id } of admissions) {
    const other = found.get(publicKey);
    if (other !== undefined && other !== id) return { state: "conflicting" };
    found.set(publicKey, id);
  }
  if (found.size > 1) return { state: "ambiguous" };
  const [id] = found.values();
  return id === undefined ? { state: "unknown" } : { state: "found", id, others };
}
