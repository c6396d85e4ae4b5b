/** Writing to a Deno KV that other processes write to as well. Source: docs/platform.md, "Deno KV". */

/** The store can't answer right now. The message never holds stored content. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

const ATTEMPTS = 10;
const FIRST_DELAY_MS = 4;
const LONGEST_DELAY_MS = 400;

/** SQLite's words for "another process is writing": nothing was done, so doing it again is safe. */
const BUSY = /database (?:table )?is (?:locked|busy)/i;

/**
 * Runs one KV operation, again while the database is locked: up to ten times, some 2 s in all, with
 * growing and randomised pauses. The operation must be safe to repeat.
 *
 * @throws {StoreUnavailable} when it stays locked. Other errors pass through.
 */
export async function retrying<T>(
  operation: () => Promise<T>,
  pause: (ms: number) => Promise<void> = sleep,
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof Error) || !BUSY.test(error.message)) throw error;
      if (attempt === ATTEMPTS) {
        throw new StoreUnavailable("the database stays locked", { cause: error });
      }
      const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
      await pause(longest / 2 + Math.random() * (longest / 2));
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
