/** Bounds for `LRUCache`. */

/**
 * Options of a cache that holds at most `entries`, and takes memory as it fills: with `max`, lru-cache
 * sets all of it aside at once, which a large cache pays for with milliseconds of every start.
 */
export function upTo(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
