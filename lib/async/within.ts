/** Waiting for something, but not for ever. */

/** Starts a time of `ms` milliseconds; `cancel` is called when nobody waits for its end any more. */
export type Wait = (ms: number) => { over: Promise<void>; cancel(): void };

/** Waits by a timer; tests put their own clock in its place. */
export const realWait: Wait = (ms) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
};

/**
 * What a promise gives, or `late` when that takes longer than `ms` milliseconds. The work behind the
 * promise goes on all the same, and nobody hears of it should it fail after that.
 *
 * @example
 * const report = await within(makeReport(id), 1500, null);
 */
export async function within<T, L>(
  promise: Promise<T>,
  ms: number,
  late: L,
  wait: Wait = realWait,
): Promise<T | L> {
  const { over, cancel } = wait(ms);
  try {
    return await Promise.race([promise, over.then(() => late)]);
  } finally {
    cancel();
  }
}
