/**
 * The admissions of a session, by an index of their own: anyone may store thousands of receipts that
 * name a session, and its badge must not read them all.
 *
 * An admission is in the index from the commit that stores it to the one that removes it. Those that
 * an older version stored are entered when their session is first asked for; how far that went is in
 * the database, so that one request has an end and the next one goes on.
 */
import type { Database } from "../kv/database.ts";
import type { StoreContext } from "./context.ts";
import { admissionKey, admissionPrefix, indexPrefix, resultKey, sessionFilledKey } from "./keys.ts";
import type { Row } from "./row.ts";
import type { SessionAdmission, SessionAdmissions } from "./store.ts";

/** Admissions of one issuer that are told: two are enough to contradict each other. */
const OF_ISSUER = 2;

/** The most results that one request enters, in parts that one commit takes. */
const FILLED_AT_ONCE = 1000;
const PART = 48;

/** How far a session is entered. `after`: behind that key of its older index; null: to its end. */
interface Filled {
  after: Deno.KvKey | null;
}

/** See `Store.sessionAdmissions`. */
export async function sessionAdmissions(
  { db }: StoreContext,
  sessionId: string,
  publicKeys: readonly string[] | null,
): Promise<SessionAdmissions> {
  const filling = await fill(db, sessionId);
  if (!filling.done) return { complete: false, admissions: [], rows: filling.rows };
  const admissions = publicKeys === null
    ? await ofFirstIssuers(db, sessionId)
    : (await Promise.all(publicKeys.map((key) => ofIssuer(db, sessionId, key)))).flat();
  return { complete: true, admissions, rows: filling.rows + admissions.length };
}

async function ofIssuer(
  db: Database,
  sessionId: string,
  publicKey: string,
): Promise<SessionAdmission[]> {
  const prefix = admissionPrefix(sessionId, publicKey);
  return (await db.list<true>({ prefix }, { limit: OF_ISSUER })).map(admissionOf);
}

/** Of the first two issuers in the order of their keys: with a second one, a session is ambiguous. */
async function ofFirstIssuers(db: Database, sessionId: string): Promise<SessionAdmission[]> {
  const prefix = admissionPrefix(sessionId);
  const admissions: SessionAdmission[] = [];
  let selector: Deno.KvListSelector = { prefix };
  for (let issuers = 0; issuers < 2; issuers++) {
    const entries: Deno.KvEntry<true>[] = await db.list<true>(selector, { limit: OF_ISSUER });
    const found = entries.map(admissionOf);
    const issuer = found[0]?.publicKey;
    if (issuer === undefined) break;
    admissions.push(...found.filter(({ publicKey }) => publicKey === issuer));
    // The next key: all have the same length, so none lies between.
    selector = { prefix, start: [...prefix, `${issuer}\0`] };
  }
  return admissions;
}

function admissionOf({ key }: Deno.KvEntry<true>): SessionAdmission {
  const [, , publicKey, , id] = key;
  return { publicKey: String(publicKey), id: String(id) };
}

/** Enters what an older version stored. */
async function fill(db: Database, sessionId: string): Promise<{ done: boolean; rows: number }> {
  const marker = await db.get<Filled>(sessionFilledKey(sessionId));
  if (marker.value?.after === null) return { done: true, rows: 0 };
  let last: Deno.AtomicCheck = marker;
  let after = marker.value?.after ?? undefined;
  const prefix = indexPrefix({ by: "session", sessionId });
  for (let rows = 0; rows < FILLED_AT_ONCE;) {
    const selector = after === undefined ? { prefix } : { prefix, start: [...after, 0] };
    const part = await db.list<unknown>(selector, { limit: PART });
    const done = part.length < PART;
    // Nothing is noted of sessions that nobody has stored anything of.
    if (done && part.length === 0 && after === undefined) return { done, rows };
    rows += part.length;
    const ids = part.map(({ key }) => String(key.at(-1)));
    const found = await db.getAll<Row>(ids.map(resultKey));
    after = part.at(-1)?.key ?? after;
    const committed = await db.commit((operation) => {
      operation.check(last);
      for (const { key, value: row, versionstamp } of found) {
        const entered = row === null ? null : admissionKey(String(key[1]), row);
        // A document that goes meanwhile takes its entry along only if that was there.
        if (entered !== null) operation.check({ key, versionstamp }).set(entered, true);
      }
      const filled: Filled = { after: done ? null : after! };
      operation.set(sessionFilledKey(sessionId), filled);
    });
    // Another process enters them too, or a result changed: the next request goes on.
    if (!committed.ok) return { done: false, rows };
    if (done) return { done, rows };
    last = { key: sessionFilledKey(sessionId), versionstamp: committed.versionstamp };
  }
  return { done: false, rows: FILLED_AT_ONCE };
}
