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

/** A badge as it was drawn. */
interface Drawing {
  /** The bytes are shared between callers: don't write to them. */
  body: string | Uint8Array<ArrayBuffer>;
  /** Media type. */
  type: string;
}

export interface Drawings {
  /** What was drawn for a key; null: nothing, or the database doesn't say in time. */
  get(key: string): Promise<Drawing | null>;
  /** Stores a drawing in the background, if it isn't too large and the database is there. */
  put(key: string, drawing: Drawing): void;
  /** Resolves when no drawing is being stored any more. */
  idle(): Promise<void>;
}

/**
 * The version of what badges look like. Whoever changes that counts it up, or old drawings stay
 * around; a test compares the golden pictures.
 */
export const LOOK = 2;

/** A drawing as it is stored. */
type StoredDrawing = Drawing & {
  /** Bytes that the drawing counts for. */
  bytes: number;
};

/** Counted for a drawing's key and what is stored beside its bytes. */
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
  const storing = new Set<Promise<unknown>>();
  const keyOf = (key: string) => drawingKey(sha256Hex(`${VERSION} ${LOOK} ${key}`));

  async function store(key: Deno.KvKey, drawing: Drawing): Promise<void> {
    const bytes = drawing.body.length + OVERHEAD;
    if (!await makeRoom(db, quotas, "drawing", bytes)) return;
    await db.commit((operation) => {
      // A drawing that is there already has been counted.
      operation.check({ key, versionstamp: null })
        .set(key, { ...drawing, bytes } satisfies StoredDrawing);
      countBytes(operation, bytes, "drawing");
    });
  }

  return {
    async get(key) {
      try {
        const { value } = await db.get<StoredDrawing>(keyOf(key));
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
      const task = store(keyOf(key), drawing)
        .catch((error) => {
          if (!(error instanceof StoreUnavailable)) onFault(error);
        })
        .finally(() => storing.delete(task));
      storing.add(task);
    },
    async idle() {
      await Promise.all(storing);
    },
  };
}
