/**
 * Pauses in long checks: a check runs on the event loop that also serves badges, and those have their
 * turn in the pauses.
 */

/** How long work may go on without a pause, in milliseconds. */
const STRETCH = 12;

/** A function to await between steps of a long piece of work; it pauses when it has been a while. */
export function breather(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < STRETCH) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    since = performance.now();
  };
}
