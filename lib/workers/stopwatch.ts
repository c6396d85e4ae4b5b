/** How long a job takes, without what it waits for others. */
interface Stopwatch {
  /** Since it was made. */
  milliseconds(): number;
  /** Waits for something that isn't the job's own work. */
  without<T>(wait: () => Promise<T>): Promise<T>;
}

export function stopwatch(): Stopwatch {
  let start = performance.now();
  return {
    milliseconds: () => performance.now() - start,
    async without(wait) {
      const from = performance.now();
      try {
        return await wait();
      } finally {
        start += performance.now() - from;
      }
    },
  };
}
