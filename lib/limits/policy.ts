/** What a client may use of the service, in tokens. */

/**
 * Buckets that requests are charged to: `verify` for checking and storing documents, `publish` for
 * pools, `read` for everything that is only read, `badge` for badges, which image proxies fetch for
 * everybody, `draw` for drawing those that aren't remembered, `look` for what a badge of a URL sets
 * off: fetching and checking what the URL gives.
 */
export const BUCKETS = ["verify", "publish", "read", "badge", "draw", "look"] as const;

export type BucketName = (typeof BUCKETS)[number];

/** A limit: `quota` tokens at once, and `quota` more in every `window` seconds. */
export interface Policy {
  name: BucketName;
  quota: number;
  window: number;
}

export type Policies = Readonly<Record<BucketName, Policy>>;

/** Seconds of the units that a limit is written in. */
const UNITS = { s: 1, min: 60, h: 3600, day: 86_400 } as const;

const RATE = /^([1-9][0-9]{0,8})\/(s|min|h|day)$/;

/** Reads a limit as an operator writes it, `60/min`; null: it isn't one. */
export function readRate(text: string): Pick<Policy, "quota" | "window"> | null {
  const [, quota, unit] = RATE.exec(text) ?? [];
  if (quota === undefined || unit === undefined) return null;
  return { quota: Number(quota), window: UNITS[unit as keyof typeof UNITS] };
}

/** Bytes that come with a token. */
const TOKEN_BYTES = 64 * 1024;

/**
 * Milliseconds of work that come with a token of each bucket: a run that takes the 3 s that one may
 * take costs what a hundred samples cost. A dry run of a pool takes 1.5 s and more by itself.
 */
export const TOKEN_MS: Readonly<Record<Exclude<BucketName, "badge" | "draw">, number>> = {
  verify: 30,
  publish: 1500,
  read: 30,
  look: 30,
};

/** What somebody makes us do. */
export interface Work {
  documents: number;
  bytes: number;
  /** Of checking. */
  milliseconds: number;
}

/**
 * What work costs: a token a document (one at least, whatever it is), or what the time comes to where
 * that is more; and one more for every whole 64 KiB.
 *
 * @param tokenMs milliseconds that come with a token.
 */
export function costOf({ documents, bytes, milliseconds }: Work, tokenMs: number): number {
  return Math.max(1, documents, Math.floor(milliseconds / tokenMs)) +
    Math.floor(bytes / TOKEN_BYTES);
}
