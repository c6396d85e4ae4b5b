/**
 * A token bucket, as data and arithmetic: it holds at most its capacity and fills at a steady rate,
 * so that in any t seconds no more can be taken than capacity + rate · t. The clock is the caller's.
 */

/** A bucket's size, and how fast it fills. */
export interface Rate {
  /** Tokens in a full bucket. */
  capacity: number;
  /** Milliseconds in which an empty one fills. */
  fillMs: number;
}

/**
 * How full a bucket was at a time (milliseconds of one clock). Tokens may be fractions; fewer than
 * none are a debt, which is waited off.
 */
export interface Bucket {
  tokens: number;
  at: number;
}

/** Far less than a token, far more than what adding fractions loses. */
const SLACK = 1e-6;

/** A full bucket. */
export function fullBucket({ capacity }: Rate, now: number): Bucket {
  return { tokens: capacity, at: now };
}

/**
 * Fills a bucket up to `now`, in place. A clock that went back fills nothing until it has caught up:
 * no moment counts twice.
 */
export function refill(bucket: Bucket, { capacity, fillMs }: Rate, now: number): void {
  const elapsed = Math.max(0, now - bucket.at);
  bucket.tokens = Math.min(capacity, bucket.tokens + capacity * (elapsed / fillMs));
  bucket.at += elapsed;
}

/** Whether `tokens` are enough for `cost`. */
export function covers(tokens: number, cost: number): boolean {
  return tokens + SLACK >= cost;
}

/**
 * Takes as many tokens as there are, at least `least` and at most `most`, in place. Returns how
 * many: 0 when there are fewer than `least`, which takes none.
 */
export function draw([bucket, rate]: Part, least: number, most: number, now: number): number {
  refill(bucket, rate, now);
  if (!covers(bucket.tokens, least)) return 0;
  const drawn = Math.min(most, Math.max(least, bucket.tokens));
  bucket.tokens = Math.max(0, bucket.tokens - drawn);
  return drawn;
}

/**
 * Takes tokens for what is done already, whether or not there are so many, in place. A debt ends at
 * the bucket's own size, so that nobody waits longer than it takes to fill twice.
 */
export function owe(bucket: Bucket, rate: Rate, cost: number, now: number): void {
  refill(bucket, rate, now);
  bucket.tokens = Math.max(-rate.capacity, bucket.tokens - cost);
}

/** A bucket with its rate. */
export type Part = readonly [bucket: Bucket, rate: Rate];

/** Whole tokens in all of the parts, which are filled up to now; none where there is a debt. */
export function tokensIn(parts: readonly Part[]): number {
  const sum = parts.reduce((sum, [{ tokens }]) => sum + tokens, SLACK);
  return Math.max(0, Math.floor(sum));
}

/** Milliseconds until all of the parts are full. */
export function msUntilFull(parts: readonly Part[]): number {
  return Math.max(...parts.map(msToFill));
}

/** Milliseconds until the parts hold `cost` together; `Infinity`: they never do. */
export function msUntil(cost: number, parts: readonly Part[]): number {
  let deficit = parts.reduce((rest, [{ tokens }]) => rest - tokens, cost);
  let waited = 0;
  // Each part stops filling when it is full: from one such moment to the next, all is linear.
  const filling = parts.toSorted((a, b) => msToFill(a) - msToFill(b));
  for (const [index, part] of filling.entries()) {
    if (deficit <= SLACK) return waited;
    const perMs = filling.slice(index)
      .reduce((sum, [, { capacity, fillMs }]) => sum + capacity / fillMs, 0);
    const span = msToFill(part) - waited;
    if (covers(span * perMs, deficit)) return waited + deficit / perMs;
    deficit -= span * perMs;
    waited += span;
  }
  return deficit <= SLACK ? waited : Infinity;
}

function msToFill([{ tokens }, { capacity, fillMs }]: Part): number {
  return Math.max(0, 1 - tokens / capacity) * fillMs;
}
