/**
 * Badges that were drawn, for processes that start: drawing the first one takes some tenths of a
 * second, most of it for loading what draws. Source: docs/architecture.md, "Where it runs".
 */
import { sha256Hex } from "../encoding/digest.ts";
import { VERSION } from "../base/release.ts";
import type { Database } from "../kv/database.ts";
import { drawingKey } from "./keys.ts";
import { countBytes, makeRoom, NO_QUOTAS } from "./quota.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import type { Quotas } from "./store.ts";
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
export const LOOK = 2;

/** A drawing as it is kept. */
type Kept = RenderedBadge & {
  /** Bytes that it counts for. */
  bytes: number;
};

/** Counted for a drawing's key and what stands beside its bytes. */
const OVERHEAD = 512;

/** A value of the database has 65,536 bytes (docs/platform.md). */
const LARGEST = 60_000;

/**
 * Drawings in `db`. A key says everything that a drawing depends on. They have a share of the bytes
 * that may be stored; when that is full, others go.
 *
 * @param onFault told of what should never happen.
 */
export function createDrawings(
  db: Database,
  onFault: (error: unknown) => void,
  quotas: Quotas = NO_QUOTAS,
): Drawings {
  const keeping = new Set<Promise<unknown>>();
  const keyOf = (key: string) => drawingKey(sha256Hex(`${VERSION} ${LOOK} ${key}`));

  async function keep(key: Deno.KvKey, drawing: RenderedBadge): Promise<void> {
    const bytes = drawing.body.length + OVERHEAD;
    if (!await makeRoom(db, quotas, "drawing", bytes)) return;
    await db.commit((operation) => {
      // Whoever was first has counted it.
      operation.check({ key, versionstamp: null })
        .set(key, { ...drawing, bytes } satisfies Kept);
      countBytes(operation, bytes, "drawing");
    });
  }

  return {
    async get(key) {
      try {
        const { value } = await db.get<Kept>(keyOf(key));
        if (value === null) return null;
        const { bytes: _, ...drawing } = value;
        return drawing;
      } catch (error) {
        if (error instanceof StoreUnavailable) return null;
        throw error;
      }
    },
    put(key, drawing) {
      if (drawing.body.length > LARGEST) return;
      const kept = keep(keyOf(key), drawing)
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
