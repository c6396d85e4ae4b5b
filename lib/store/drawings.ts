/**
 * Badges that were drawn, for processes that start: drawing the first one takes some tenths of a
 * second, most of it for loading what draws. Source: design.md, "Where it runs".
 */
import { sha256Hex } from "../encoding/digest.ts";
import { VERSION } from "../verify/version.ts";
import type { Database } from "./database.ts";
import { drawingKey } from "./keys.ts";
import { StoreUnavailable } from "./retry.ts";
import type { RenderedBadge } from "../badge/render.ts";

export interface Drawings {
  /** What was drawn for a key; null: nothing, or the database doesn't say in time. */
  get(key: string): Promise<RenderedBadge | null>;
  /** Keeps a drawing in the background, if it isn't too large and the database is there. */
  put(key: string, drawing: RenderedBadge): void;
  /** Resolves when nothing is being kept any more. */
  idle(): Promise<void>;
}

/**
 * What badges look like. To be counted up whenever that changes, or old drawings stay around; a test
 * compares the golden pictures.
 */
export const LOOK = 1;

/** A drawing is kept for so long; whoever still wants it then draws it again. */
const KEPT_MS = 30 * 86_400_000;

/** A value of the database has 65,536 bytes (facts.md). */
const LARGEST = 60_000;

/**
 * Drawings in `db`. A key says everything that a drawing depends on.
 *
 * @param onFault told of what should never happen.
 */
export function createDrawings(db: Database, onFault: (error: unknown) => void): Drawings {
  const keeping = new Set<Promise<unknown>>();
  const keyOf = (key: string) => drawingKey(sha256Hex(`${VERSION} ${LOOK} ${key}`));
  return {
    async get(key) {
      try {
        return (await db.get<RenderedBadge>(keyOf(key))).value;
      } catch (error) {
        if (error instanceof StoreUnavailable) return null;
        throw error;
      }
    },
    put(key, drawing) {
      if (drawing.body.length > LARGEST) return;
      const options = { expireIn: KEPT_MS };
      const kept = db.commit((operation) => operation.set(keyOf(key), drawing, options))
        .catch((error) => {
          if (!(error instanceof StoreUnavailable)) onFault(error);
        })
        .finally(() => keeping.delete(kept));
      keeping.add(kept);
    },
    async idle() {
      await Promise.all(keeping);
    },
  };
}
