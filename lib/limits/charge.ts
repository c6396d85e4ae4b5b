/** What comes of charging a client. */
import { msUntil, msUntilFull, type Part, tokensIn } from "./bucket.ts";

export interface Charge {
  /** False: there were too few tokens, and none was taken. */
  admitted: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until the client's bucket is full, should nothing more be taken. */
  fullIn: number;
  /** Seconds until there is a token; 0: there is one. */
  nextIn: number;
  /** Seconds until the same request may be admitted; null: it is, or it costs more than ever fits. */
  retryAfter: number | null;
}

/** Makes the answer; the parts are filled up to now. */
export function chargeOf(admitted: boolean, parts: readonly Part[], whole: number): Charge {
  const wait = admitted ? Infinity : msUntil(whole, parts);
  const remaining = tokensIn(parts);
  return {
    admitted,
    remaining,
    fullIn: toSeconds(msUntilFull(parts)),
    nextIn: remaining > 0 ? 0 : Math.max(1, toSeconds(msUntil(1, parts))),
    retryAfter: wait === Infinity ? null : Math.max(1, toSeconds(wait)),
  };
}

/** Whole seconds, rounded up but for what adding fractions leaves behind the point. */
function toSeconds(ms: number): number {
  return Math.max(0, Math.ceil((ms - 0.001) / 1000));
}

/** Clients that a process knows the buckets of; whoever asked longest ago is forgotten first. */
export const CLIENTS = 20_000;
