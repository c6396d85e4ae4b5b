/**
 * Visiting documents: they are stored because somebody loaded a badge of their URL, and nobody asked
 * to have them stored. A visiting document is removed when nobody has asked for it in a week. Once
 * somebody stores it, it is an ordinary document.
 */
import type { Database } from "../kv/database.ts";
import type { StoreContext } from "./context.ts";
import { readRow } from "./results.ts";
import { forgetEpoch } from "./row_cache.ts";
import { askedKey, visitKey } from "./keys.ts";
import { StoreError } from "./store.ts";
import { dayOf, remove } from "./upkeep.ts";

/** Days after which a visiting document goes that nobody asked for. */
const VISIT_DAYS = 7;

/** Somebody wants the document stored: it is no visit any more, and stays. */
export async function endVisit(db: Database, id: string): Promise<void> {
  const visit = await db.get<number>(visitKey(id));
  if (visit.value === null) return;
  await db.commit((operation) => {
    operation.delete(visitKey(id));
  });
}

/** See `Store.sweepVisits`. */
export async function sweepVisits(
  { db, rows }: StoreContext,
  now: number,
): Promise<{ removed: number }> {
  const today = dayOf(now);
  const isRecent = (day: number) => Math.abs(today - day) <= VISIT_DAYS;
  let removed = 0;
  for await (const visit of db.scan<number>(["visit"])) {
    if (isRecent(visit.value)) continue;
    const id = String(visit.key[1]);
    const asked = await db.get<number>(askedKey(id));
    if (asked.value !== null && isRecent(asked.value)) continue;
    // A damaged document is left to the operator.
    const entry = await readRow(db, id).catch((error) => {
      if (error instanceof StoreError) return null;
      throw error;
    });
    // The document stays if somebody stores it or asks for it at this very moment.
    const unless = [visit, asked];
    if (entry !== null && await remove(db, entry, { why: "retention", at: now, unless })) removed++;
  }
  forgetEpoch(rows);
  return { removed };
}
