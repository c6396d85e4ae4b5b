/**
 * Buckets in the database, which the processes that share it lease tokens from. Source: docs/architecture.md,
 * "Storage"; docs/platform.md, "Deno KV".
 */
import { sha256Hex } from "../encoding/digest.ts";
import type { Database } from "../kv/database.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import { type Bucket, draw, fullBucket, owe, type Rate } from "./bucket.ts";

/** Clients go by another name in each hour: addresses aren't stored, nor followed for long. */
const HOUR_MS = 3_600_000;

/** How long an entry outlives the moment when its bucket is full, in milliseconds: clocks differ. */
const LEEWAY_MS = 60_000;

/** Commits tried: each that failed means that another process got tokens. */
const ATTEMPTS = 12;

/** How long a database that is away isn't asked again, in milliseconds. */
const AWAY_MS = 5000;

interface Lease {
  /** Tokens taken; 0: there were fewer than the least that would do. */
  granted: number;
  /** Tokens left in the bucket. */
  left: number;
}

/** A client's bucket of one limit. */
interface Leased {
  /** Names the limit. */
  limit: string;
  rate: Rate;
  client: string;
}

export interface Leases {
  /**
   * Takes from `least` to `most` tokens out of a client's bucket, whichever process filled or
   * emptied the bucket.
   *
   * @throws {StoreUnavailable} when the database can't answer, and for a while after that.
   */
  take(leased: Leased, least: number, most: number): Promise<Lease>;
  /**
   * Takes `cost` tokens for what is done already, into debt if need be.
   *
   * @returns tokens left; fewer than none are a debt.
   * @throws {StoreUnavailable} as {@link take}.
   */
  owe(leased: Leased, cost: number): Promise<number>;
}

/** Where a client's bucket of one limit is stored. */
const limitKey = (limit: string, client: string, period: number): Deno.KvKey => [
  "limit",
  limit,
  client,
  period,
];

/** @param clock milliseconds since 1970, the same in all processes give or take some seconds. */
export function createLeases(db: Database, clock = Date.now): Leases {
  let awayUntil = -Infinity;

  /**
   * Changes a client's bucket.
   *
   * @param change changes it in place, and says what it took; 0: nothing.
   */
  async function update(
    { limit, rate, client }: Leased,
    change: (bucket: Bucket, now: number) => number,
  ): Promise<Lease> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const now = clock();
      // A debt takes twice as long to fill as an empty bucket.
      const span = Math.max(HOUR_MS, 2 * rate.fillMs);
      const period = Math.floor(now / span);
      const [key, keyBefore] = [period, period - 1].map((period) =>
        limitKey(limit, sha256Hex(`${client}\0${period}`), period)
      ) as [Deno.KvKey, Deno.KvKey];
      const [current, before] = await db.getAll<unknown>([key, keyBefore]) as [Entry, Entry];
      // In a new hour the bucket goes on as it was, under its new name.
      const starts = current.value === null;
      const stored = starts ? before.value : current.value;
      // What a clock wrote that ran ahead says nothing of now, and would fill up only then.
      const holds = isBucket(stored) && stored.at <= now + LEEWAY_MS;
      const bucket = holds ? { ...stored } : fullBucket(rate, now);
      const granted = change(bucket, now);
      if (granted === 0) return { granted, left: bucket.tokens };
      const options = { expireIn: 2 * rate.fillMs + LEEWAY_MS };
      const commit = await db.commit((operation) => {
        operation.check(current).set(key, bucket, options);
        // Whoever's clock is still in the hour before finds nothing there.
        if (starts) operation.check(before).set(keyBefore, { tokens: 0, at: now }, options);
      });
      if (commit.ok) return { granted, left: bucket.tokens };
    }
    return { granted: 0, left: 0 };
  }

  async function unlessAway<T>(work: () => Promise<T>): Promise<T> {
    const wait = awayUntil - clock();
    if (wait > 0 && wait <= AWAY_MS) throw new StoreUnavailable("the database was away just now");
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable) awayUntil = clock() + AWAY_MS;
      throw error;
    }
  }

  return {
    take: (leased, least, most) =>
      unlessAway(() =>
        update(leased, (bucket, now) => draw([bucket, leased.rate], least, most, now))
      ),
    owe: (leased, cost) =>
      unlessAway(async () => {
        const { left } = await update(leased, (bucket, now) => {
          owe(bucket, leased.rate, cost, now);
          return cost;
        });
        return left;
      }),
  };
}

type Entry = Deno.KvEntryMaybe<unknown>;

/** Another version of the service may have left something else there. */
function isBucket(value: unknown): value is Bucket {
  if (typeof value !== "object" || value === null) return false;
  const { tokens, at } = value as Partial<Bucket>;
  return Number.isFinite(tokens) && Number.isFinite(at);
}
