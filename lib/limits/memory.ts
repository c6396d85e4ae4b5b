/** Buckets in the memory of one process: no database, no waiting. For badges. */
import { LRUCache } from "lru-cache";
import { upTo } from "../async/lru.ts";
import { type Bucket, draw, fullBucket, owe, type Rate } from "./bucket.ts";
import { type Charge, chargeOf, CLIENTS } from "./charge.ts";
import type { Policy } from "./policy.ts";

interface MemoryLimiter {
  /** Takes `cost` tokens of a client, or none. */
  charge(client: string, cost: number): Charge;
  /** Takes `cost` tokens for what is done already, into debt if need be. */
  owe(client: string, cost: number): Charge;
}

/**
 * In any t seconds, each process admits at most quota · (1 + t / window) tokens of one client.
 *
 * @param now monotonic milliseconds.
 */
export function createMemoryLimiter(
  { quota, window }: Pick<Policy, "quota" | "window">,
  now = () => performance.now(),
): MemoryLimiter {
  const rate: Rate = { capacity: quota, fillMs: window * 1000 };
  const buckets = new LRUCache<string, Bucket>(upTo(CLIENTS));

  function bucketOf(client: string, at: number): Bucket {
    let bucket = buckets.get(client);
    if (bucket === undefined) {
      bucket = fullBucket(rate, at);
      buckets.set(client, bucket);
    }
    return bucket;
  }

  return {
    charge(client, cost) {
      const at = now();
      const bucket = bucketOf(client, at);
      const admitted = draw([bucket, rate], cost, cost, at) > 0;
      return chargeOf(admitted, [[bucket, rate]], cost);
    },
    owe(client, cost) {
      const at = now();
      const bucket = bucketOf(client, at);
      owe(bucket, rate, cost, at);
      return chargeOf(true, [[bucket, rate]], cost);
    },
  };
}
