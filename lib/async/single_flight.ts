/** One piece of work a key at a time, which everybody waits for who wants the same meanwhile. */
import { join, share, type Shared } from "./asker.ts";

/** Work under way. */
export interface Flight<T> {
  result: Promise<T>;
  /** Whether the work had been started by somebody else. */
  joined: boolean;
}

export interface SingleFlight<K, T> {
  /**
   * Starts work, or joins the work that is under way for the key. Whoever starts the work pays for
   * it, and it is done as soon as it is the turn of anybody who waits for it (see asker.ts). Nothing
   * is remembered once the work has ended, whether or not it failed.
   */
  run(key: K, work: () => Promise<T>): Flight<T>;
  /** Whether work for the key is under way. */
  has(key: K): boolean;
}

/**
 * A place where work is done once at a time for each key.
 *
 * @example
 * const reports = singleFlight<string, Report>();
 * const { result } = reports.run(id, () => check(id));
 */
export function singleFlight<K, T>(): SingleFlight<K, T> {
  const flights = new Map<K, Shared<T>>();
  return {
    run(key, work) {
      const underWay = flights.get(key);
      if (underWay !== undefined) return { result: join(underWay), joined: true };
      const flight = share(() => work().finally(() => flights.delete(key)));
      flights.set(key, flight);
      return { result: flight.promise, joined: false };
    },
    has: (key) => flights.has(key),
  };
}
