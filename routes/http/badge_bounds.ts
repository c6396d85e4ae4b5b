/** What the numbers in a badge's address may be. The API description says the same. */

/** Seconds that a good badge may be cached, as it may change when a pool is disclosed. */
export const CACHE_SECONDS = { least: 300, most: 86_400 } as const;

/** Device pixels a pixel. */
export const SCALES = { least: 1, most: 3 } as const;
