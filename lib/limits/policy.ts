/** What a client may use of the service, in tokens. */

/**
 * Buckets that requests are charged to: `verify` for checking and storing documents, `publish` for
 * pools, `read` for everything that is only read, `badge` for badges, which image proxies fetch for
 * everybody, `draw` for drawing those that aren't remembered.
 */
export const BUCKETS = ["verify", "publish", "read", "badge", "draw"] as const;

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
 * What a request costs: a token a document (one at least, whatever the request is), and one more for
 * every whole 64 KiB.
 */
export function costOf({ documents, bytes }: { documents: number; bytes: number }): number {
  return Math.max(1, documents) + Math.floor(bytes / TOKEN_BYTES);
}
