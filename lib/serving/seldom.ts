/** Lines of a log that anybody could have written a thousand times. */

/**
 * Logs the same thing once in a while, and how often it happened since.
 *
 * @param everyMs milliseconds between two lines of one key. Keys are few and fixed.
 */
export function createSeldom(
  log: (message: string) => void,
  everyMs: number,
  now: () => number = () => performance.now(),
): (key: string, message: string) => void {
  const seen = new Map<string, { at: number; left: number }>();
  return (key, message) => {
    const last = seen.get(key);
    if (last !== undefined && now() - last.at < everyMs) {
      last.left++;
      return;
    }
    const more = last === undefined || last.left === 0 ? "" : ` (and ${last.left} times before)`;
    seen.set(key, { at: now(), left: 0 });
    log(`${message}${more}`);
  };
}
