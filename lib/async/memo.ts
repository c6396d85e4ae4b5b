import { LRUCache } from "lru-cache";

/**
 * Remembers the last `limit` results of `make` by key, the least recently used going first.
 * Concurrent calls for one key share one computation; a failed one is forgotten.
 */
export function memo<T>(limit: number): (key: string, make: () => Promise<T>) => Promise<T> {
  const entries = new LRUCache<string, Promise<T>>({ max: limit });
  return (key, make) => {
    const known = entries.get(key);
    if (known !== undefined) return known;
    const made = make();
    entries.set(key, made);
    made.catch(() => {
      if (entries.peek(key) === made) entries.delete(key);
    });
    return made;
  };
}
