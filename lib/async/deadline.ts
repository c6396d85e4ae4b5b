/** Time limits as signals. */

interface Deadline extends Disposable {
  /** Aborts when time is up, or when the parent does. */
  signal: AbortSignal;
  /** Takes the time limit away; the parent still counts. */
  stop(): void;
}

/** A signal for `ms` milliseconds. @param reason made when time is up. */
export function deadline(ms: number, reason: () => unknown, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onAbort = () => controller.abort(parent?.reason);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(reason()), ms);
  const stop = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    stop,
    [Symbol.dispose]() {
      stop();
      parent?.removeEventListener("abort", onAbort);
    },
  };
}

/** What a promise gives, unless the signal aborts first: for work that may not heed it. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
