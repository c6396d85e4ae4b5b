/**
 * The sample documents shown on the start page. They are stored like any other result, on the first
 * request that could show one, so that their pages and badges exist on a fresh database as well.
 */
import { documentId, readEnvelope } from "../lib/protocol/envelope.ts";
import { type Store, StoreError, StoreUnavailable } from "../lib/store/store.ts";
import { CheckerBusy } from "../lib/verify/checker.ts";
import { workForNobody } from "../lib/async/asker.ts";
import { once } from "../lib/async/once.ts";
import { within } from "../lib/async/within.ts";
import type { Samples } from "../routes/http/services.ts";
import { JobLost } from "../lib/workers/workers.ts";

interface StoredSamples extends Samples {
  /** Stores the samples if `id` is one of theirs. */
  storeIf(id: string): Promise<"stored" | "late" | "no">;
  /** Resolves when none is being stored any more. */
  idle(): Promise<void>;
}

/** How long somebody who asks for a sample waits until it is stored, in milliseconds. */
const PATIENCE_MS = 1500;

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

/**
 * The samples over `store`; nothing is read or stored before it is asked for.
 *
 * @param onFault told of what should never happen.
 */
export function createSamples(stored: Store, onFault: (error: unknown) => void): StoredSamples {
  let isFull = false;
  let storing: Promise<unknown> = Promise.resolve();
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

  /** Whether they are stored in the end. Whoever came by first neither takes a turn for it nor pays. */
  function start(): Promise<boolean> {
    const started = workForNobody(store).then(() => {
      isFull = false;
      return true;
    }, (error) => {
      isFull = error instanceof StoreError;
      const passes = isFull || error instanceof StoreUnavailable || error instanceof CheckerBusy ||
        error instanceof JobLost;
      if (!passes) onFault(error);
      return false;
    });
    storing = started;
    return started;
  }

  return {
    async list() {
      // Nobody who opens the page waits for a check.
      start();
      return isFull ? [] : (await read()).map(({ sample }) => sample);
    },
    async storeIf(id) {
      if (!(await read()).some(({ sample }) => sample.id === id)) return "no";
      const ended = await within(start(), PATIENCE_MS, "late");
      if (ended === "late") return "late";
      return ended ? "stored" : "no";
    },
    async idle() {
      await storing;
    },
  };
}

/** A store among whose documents the samples are found too, stored when first asked for. */
export function withSamples(stored: Store, samples: StoredSamples): Store {
  /** What was found, or is found once the samples are stored. */
  const orSample = async <R extends { state: string }>(
    id: string,
    find: (id: string) => R | Promise<R>,
    { found = find(id), late }: { found?: R | Promise<R>; late: R },
  ): Promise<R> => {
    const read = await found;
    if (read.state !== "unknown") return read;
    const stored = await samples.storeIf(id);
    if (stored === "late") return late;
    return stored === "stored" ? await find(id) : read;
  };
  const checking = (id: string) => ({ state: "checking", id }) as const;
  return {
    ...stored,
    result: (id) => orSample(id, stored.result, { late: checking(id) }),
    report: (id) => orSample(id, stored.report, { late: { ...checking(id), report: null } }),
    badgeRow(id) {
      const found = stored.badgeRow(id);
      const isAtHand = !(found instanceof Promise) && found.state !== "unknown";
      return isAtHand ? found : orSample(id, stored.badgeRow, { found, late: checking(id) });
    },
    document: async (id) =>
      await stored.document(id) ??
        (await samples.storeIf(id) === "stored" ? await stored.document(id) : null),
  };
}
