/** What was found for a badge to say. */
import type { Badge, BadgeSubject } from "../../lib/badge/model.ts";
import type { StoredResult } from "../../lib/store/store.ts";
import type { AcceptanceSubject } from "../../lib/trust/acceptance.ts";

export type Found =
  /** Where there is no result to show. */
  | { badge: Badge; status: 200 | 404 }
  | {
    subject: BadgeSubject;
    /** The one stored result that it is; null: several documents, or one that isn't stored. */
    result: StoredResult | null;
    /** What requirements are held against: all documents of it. */
    results: readonly AcceptanceSubject[];
    /** The next request may get another answer. */
    transient: boolean;
    /** Issuers who aren't known here have a session of the same id. */
    othersHaveSession?: boolean;
  };
