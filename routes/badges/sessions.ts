/** The admission of a session, for its badge. */
import { LRUCache } from "lru-cache";
import { upTo } from "../../lib/async/lru.ts";
import { SESSION_ID } from "../../lib/protocol/challenge.ts";
import type { SessionAdmission, Store } from "../../lib/store/store.ts";
import type { Registry } from "../../lib/trust/registry.ts";

/** What is stored of a session. */
type SessionFound =
  /** `others`: issuers who aren't known here have a session of this id, too. */
  | { state: "found"; id: string; others: boolean }
  | { state: "unknown" }
  /** Its admissions are still being looked for. */
  | { state: "checking" }
  /** Several issuers have a session of this id, and none was named. */
  | { state: "ambiguous" }
  /** One key signed different admissions of the session. */
  | { state: "conflicting" };

/** Sessions that are remembered, and for how long: an admission is there to be found soon. */
const SESSIONS = 5000;
const REMEMBERED_MS = 5000;

/** What finding sessions needs. */
export interface Sessions {
  store: Pick<Store, "sessionAdmissions">;
  /** Whole public keys of known issuers; what a revoked key signs doesn't count as its issuer's. */
  known: readonly string[];
  /** Milliseconds since 1970. */
  now: () => number;
  remembered: LRUCache<string, { at: number; finding: Promise<SessionFound> }>;
}

export function createSessions(
  store: Sessions["store"],
  { issuers }: Pick<Registry, "issuers">,
  now: () => number,
): Sessions {
  const known = issuers.flatMap(({ publicKey, status }) => status === "revoked" ? [] : [publicKey]);
  return { store, known, now, remembered: new LRUCache(upTo(SESSIONS)) };
}

/**
 * The admission of a session. Where no issuer is named, the known ones go before all others: a
 * session's id is of its issuer's choice, and anyone may sign another session of the same id.
 *
 * @param issuers whole public keys; null: any.
 * @param onRead told how many entries were read.
 */
export function findSession(
  sessions: Sessions,
  sessionId: string,
  issuers: readonly string[] | null,
  onRead: (rows: number) => void,
): Promise<SessionFound> {
  const { remembered, now } = sessions;
  const key = JSON.stringify([sessionId, issuers]);
  const known = remembered.get(key);
  const at = now();
  if (known !== undefined && Math.abs(at - known.at) < REMEMBERED_MS) return known.finding;
  const finding = readSession(sessions, sessionId, issuers, onRead);
  remembered.set(key, { at, finding });
  // A search that isn't over yet goes on when somebody asks again.
  finding.then(
    ({ state }) => state === "checking" && remembered.delete(key),
    () => remembered.delete(key),
  );
  return finding;
}

async function readSession(
  { store, known }: Sessions,
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
