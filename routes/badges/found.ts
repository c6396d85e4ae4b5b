/** What was found for a badge to say. */
import type { BadgeSubject, Standing } from "../../lib/badge/model.ts";
import type { StoredResult } from "../../lib/store/store.ts";
import type { AcceptanceSubject } from "../../lib/trust/acceptance.ts";

export type Found = NoResult | ResultFound;

/** There is no result to show. */
export interface NoResult {
  standing: Standing;
  /** What went wrong, by the code that the API has for it. */
  code?: string;
  /** Further sentences for the title. */
  notes?: readonly string[];
  /** The next request may get another answer, though what stands there usually lasts. */
  transient?: true;
}

interface ResultFound {
  subject: BadgeSubject;
  /** The one stored result that it is; null: several documents, or one that isn't stored. */
  result: StoredResult | null;
  /** What requirements are held against: all documents of it. */
  results: readonly AcceptanceSubject[];
  /** The next request may get another answer. */
  transient: boolean;
  /** Issuers who aren't known here have a session of the same id. */
  othersHaveSession?: boolean;
  /** Where the host is in trouble: how old this is. */
  seen?: Seen;
}

export interface Seen {
  /** `seen 3 h ago`. */
  text: string;
  /** Milliseconds after which it has to say something else. */
  turnsIn: number;
}
