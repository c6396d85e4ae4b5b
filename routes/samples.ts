/**
 * The sample documents shown on the start page. They are stored like any other result, on the first
 * request that could show one, so that their pages and badges exist on a fresh database as well.
 */
import { documentId, readEnvelope } from "../lib/protocol/envelope.ts";
import type { Results } from "../lib/store/results.ts";

/** One sample, and what it shows. */
export interface Sample {
  id: string;
  title: string;
  text: string;
}

export interface Samples {
  /** All samples, stored by now. */
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

/** The samples over `results`; nothing is read or stored before it is asked for. */
export function createSamples(results: Results): Samples {
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
      const kept = await results.keep(document);
      if (!kept.ok) throw new Error(`the sample "${sample.title}" can't be kept: ${kept.why}`);
    }
  });
  return {
    async list() {
      await store();
      return (await read()).map(({ sample }) => sample);
    },
    async storeIf(id) {
      if (!(await read()).some(({ sample }) => sample.id === id)) return false;
      await store();
      return true;
    },
  };
}

/** Results among which the samples are found too, stored when first asked for. */
export function withSamples(results: Results, samples: Samples): Results {
  return {
    keep: (value) => results.keep(value),
    report: async (id) =>
      await results.report(id) ?? (await samples.storeIf(id) ? await results.report(id) : null),
    document: async (id) =>
      await results.document(id) ?? (await samples.storeIf(id) ? await results.document(id) : null),
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
