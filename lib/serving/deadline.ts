/** The time that a client has for sending a body. */
import type { Bounds } from "./bounds.ts";

export interface Deadline {
  /** So many bytes have come in all. */
  arrived(bytes: number): void;
  /** Whether the client took too long. */
  readonly passed: boolean;
  /** Nothing is waited for any more. */
  clear(): void;
}

/** @param onPassed called once, when the client took too long. */
export function startDeadline(bounds: Bounds, onPassed: () => void): Deadline {
  const start = performance.now();
  let received = 0;
  let passed = false;
  let timer = setTimeout(look, bounds.firstByteMs);

  /** When the client has taken too long, unless more comes, in milliseconds since the start. */
  function due(): number {
    if (received === 0) return bounds.firstByteMs;
    const byRate = bounds.rateAfterMs + received / bounds.leastRate * 1000;
    return Math.min(bounds.bodyMs, byRate);
  }

  function look(): void {
    const left = due() - (performance.now() - start);
    if (left > 0) {
      timer = setTimeout(look, left);
      return;
    }
    passed = true;
    onPassed();
  }
  return {
    arrived(bytes) {
      const first = received === 0;
      received = bytes;
      if (!first) return;
      clearTimeout(timer);
      look();
    },
    get passed() {
      return passed;
    },
    clear: () => clearTimeout(timer),
  };
}
