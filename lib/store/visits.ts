/**
 * Documents that are here because a badge of their URL was looked at. Nobody asked to have them kept:
 * they go when nobody has asked for them for a week. Whoever stores such a document keeps it for good.
 */
import type { Database } from "../kv/database.ts";
import { readRow } from "./results.ts";
import { askedKey, visitKey } from "./keys.ts";
import { StoreError } from "./store.ts";
import { dayOf, remove } from "./upkeep.ts";

/** Days after which a visiting document goes that nobody asked for. */
export const VISIT_DAYS = 7;

/** Somebody wants the document kept. */
export async function keepForGood(db: Database, id: string): Promise<void> {
  const visit = await db.get<number>(visitKey(id));
  if (visit.value === null) return;
  await db.commit((operation) => {
    operation.delete(visitKey(id));
  });
}

/** See `Store.sweepVisits`. */
export async function sweepVisits(db: Database, now: number): Promise<{ removed: number }> {
  const today = dayOf(now);
  const isRecent = (day: number) => Math.abs(today - day) <= VISIT_DAYS;
  let removed = 0;
  for await (const visit of db.scan<number>(["visit"])) {
    if (isRecent(visit.value)) continue;
    const id = String(visit.key[1]);
    const asked = await db.get<number>(askedKey(id));
    if (asked.value !== null && isRecent(asked.value)) continue;
    // What is damaged is left to the operator.
    const entry = await readRow(db, id).catch((error) => {
      if (error instanceof StoreError) return null;
      throw error;
    });
    // Whoever stores it, or asks for it, at this very moment keeps it.
    const unless = [visit, asked];
    if (entry !== null && await remove(db, entry, { why: "retention", at: now, unless })) removed++;
  }
  return { removed };
}
