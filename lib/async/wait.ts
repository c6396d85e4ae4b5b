/** Waiting for something, but not for ever. */

/** A time that passes; `cancel` when nobody waits for it any more. */
export type Wait = (ms: number) => { over: Promise<void>; cancel(): void };

export const realWait: Wait = (ms) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
};

/** What a promise gives, or `late` when that takes longer; the promise goes on all the same. */
export async function within<T, L>(
  promise: Promise<T>,
  ms: number,
  late: L,
  wait: Wait,
): Promise<T | L> {
  const { over, cancel } = wait(ms);
  try {
    return await Promise.race([promise, over.then(() => late)]);
  } finally {
    cancel();
  }
}
