/**
 * Remembers the last `limit` results of `make` by key, the least recently used going first.
 * Concurrent calls for one key share one computation; a failed one is forgotten.
 */
export function memo<T>(limit: number): (key: string, make: () => Promise<T>) => Promise<T> {
  // A Map iterates in insertion order, so re-inserting on use keeps the oldest first.
  const entries = new Map<string, Promise<T>>();
  return (key, make) => {
    const known = entries.get(key);
    if (known !== undefined) {
      entries.delete(key);
      entries.set(key, known);
      return known;
    }
    const made = make();
    entries.set(key, made);
    made.catch(() => {
      if (entries.get(key) === made) entries.delete(key);
    });
    for (const oldest of entries.keys()) {
      if (entries.size <= limit) break;
      entries.delete(oldest);
    }
    return made;
  };
}
