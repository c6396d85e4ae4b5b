/** Loading something once, by whoever needs it first. */

/**
 * A function that calls `load` when it is called for the first time, and gives every caller the same
 * result. A load that failed is forgotten: the next call tries again, so that it helps to repair what
 * was broken.
 *
 * @example
 * const font = once(() => Deno.readFile("sans.woff"));
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    if (loading !== null) return loading;
    const attempt = load();
    loading = attempt;
    attempt.catch(() => {
      if (loading === attempt) loading = null;
    });
    return attempt;
  };
}
