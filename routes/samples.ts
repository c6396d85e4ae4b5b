/**
 * The sample documents shown on the start page. They are stored like any other result, on the first
 * request that could show one, so that their pages and badges exist on a fresh database as well.
 */
import { documentId, readEnvelope } from "../lib/protocol/envelope.ts";
import { type Store, StoreError } from "../lib/store/store.ts";

/** One sample, and what it shows. */
export interface Sample {
  id: string;
  title: string;
  text: string;
}

export interface Samples {
  /** All samples, stored by now; none when the store is full. */
  list(): Promise<Sample[]>;
  /** Stores the samples if `id` is one of theirs. */
  storeIf(id: string): Promise<boolean>;
}

const SOURCES = [
  {
    load: () => import("../samples/verified.json", { with: { type: "json" } }),
    title: "Verified",
    text: "Every puzzle was generated again from its seed, and every answer scored again.",
  },
  {
    load: () => import("../samples/unreplayed.json", { with: { type: "json" } }),
    title: "With unreplayed receipts",
    text:
      "Some puzzles came from a pool that is still secret: for those, the issuer's word is all " +
      "there is. The badge says so.",
  },
  {
    load: () => import("../samples/failed.json", { with: { type: "json" } }),
    title: "Failed",
    text: "A sound document about a session that did not reach its floor. Verified, and a fail.",
  },
  {
    load: () => import("../samples/invalid.json", { with: { type: "json" } }),
    title: "Invalid",
    text: "One answer was edited after the issuer had signed.",
  },
];

/** The samples over `store`; nothing is read or stored before it is asked for. */
export function createSamples(stored: Store): Samples {
  const read = once(() =>
    Promise.all(SOURCES.map(async ({ load, title, text }) => {
      const { default: document } = await load();
      const envelope = readEnvelope(document);
      if (envelope === null) throw new Error(`the sample "${title}" is no envelope`);
      return { sample: { id: await documentId(envelope), title, text }, document };
    }))
  );
  const store = once(async () => {
    for (const { sample, document } of await read()) {
      const kept = await stored.keep(document);
      if (!kept.ok) throw new Error(`the sample "${sample.title}" can't be kept: ${kept.why}`);
    }
  });
  return {
    async list() {
      try {
        await store();
      } catch (error) {
        if (error instanceof StoreError) return [];
        throw error;
      }
      return (await read()).map(({ sample }) => sample);
    },
    async storeIf(id) {
      if (!(await read()).some(({ sample }) => sample.id === id)) return false;
      try {
        await store();
      } catch (error) {
        if (error instanceof StoreError) return false;
        throw error;
      }
      return true;
    },
  };
}

/** A store among whose documents the samples are found too, stored when first asked for. */
export function withSamples(stored: Store, samples: Samples): Store {
  const orSample =
    <R extends { state: string }>(find: (id: string) => Promise<R>) => async (id: string) => {
      const read = await find(id);
      return read.state === "unknown" && await samples.storeIf(id) ? await find(id) : read;
    };
  return {
    ...stored,
    result: orSample(stored.result),
    report: orSample(stored.report),
    badgeRow: orSample(stored.badgeRow),
    document: async (id) =>
      await stored.document(id) ??
        (await samples.storeIf(id) ? await stored.document(id) : null),
  };
}

/** Runs `make` once; a failure is forgotten, so that the next caller tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    if (made === null) {
      const attempt = make();
      made = attempt;
      attempt.catch(() => {
        if (made === attempt) made = null;
      });
    }
    return made;
  };
}
