/**
 * For whom work is done. Work is asked for in one place and done far from it, through a store or a
 * link; who asked follows along by itself, so that nothing between has to hand it on.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** What work took. */
export interface Spent {
  documents?: number;
  /** After unpacking. */
  bytes?: number;
  milliseconds?: number;
}

/** Whoever work is done for. */
export interface Asker {
  /** Takes a turn; null: nobody in particular. */
  readonly client: string | null;
  /** Charges for work that is done; never rejects. */
  readonly pay: (spent: Spent) => Promise<void>;
  /** Charges the least that a further piece of work costs; false: it can't be paid for now. */
  readonly admits: () => boolean;
  /** Others who wait for the same work: it is done as soon as it is the turn of any of them. */
  readonly joined: Asker[];
}

const current = new AsyncLocalStorage<Asker>();

/** @param account who pays, and what for; default: nobody does. */
export function createAsker(
  client: string,
  account: Partial<Pick<Asker, "pay" | "admits">> = {},
): Asker {
  return { ...NOBODY, ...account, client, joined: [] };
}

const NOBODY: Asker = {
  client: null,
  pay: () => Promise.resolve(),
  admits: () => true,
  joined: [],
};

/** Does work for somebody. */
export function workFor<T>(asker: Asker, work: () => T): T {
  return current.run(asker, work);
}

/** Does work for nobody in particular, whoever set it off. */
export function workForNobody<T>(work: () => T): T {
  return current.run(NOBODY, work);
}

/** Whom the work under way is for. */
export function currentAsker(): Asker {
  return current.getStore() ?? NOBODY;
}

/** The names of all who wait for the work. */
export function* clientsOf({ client, joined }: Asker): Generator<string | null> {
  yield client;
  for (const other of joined) yield* clientsOf(other);
}

/** Work that several may wait for. */
export interface Shared<T> {
  readonly promise: Promise<T>;
  readonly asker: Asker;
}

/** Starts work that others may join. Whoever starts it pays for it. */
export function share<T>(work: () => Promise<T>): Shared<T> {
  const starting = currentAsker();
  // Whoever joins the work that this is part of joins this, too.
  const asker: Asker = { ...starting, joined: [starting] };
  return { promise: workFor(asker, work), asker };
}

/** Waits for work that is under way; it needn't wait for the turn of whoever started it. */
export function join<T>({ promise, asker }: Shared<T>): Promise<T> {
  const joining = currentAsker();
  // Work can't wait for itself, and there is no use in waiting twice.
  if (joining !== asker && !asker.joined.includes(joining)) asker.joined.push(joining);
  return promise;
}
