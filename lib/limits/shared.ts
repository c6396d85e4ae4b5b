/**
 * Buckets that several processes share through the database, from memory first.
 *
 * Of each client's limit a quarter, in size and in rate, is every process's own: whoever stays below
 * it costs no database access at all. The other three quarters lie in one bucket in the database.
 * When a client has used up the own part, the process leases tokens out of that bucket, as many as
 * the request lacks and enough to fill the own part again, and then spends those from memory. Leased
 * tokens are in the own part and nowhere else, so they don't add up: what doesn't fit is lost,
 * never saved.
 *
 * So in any t seconds, P processes that share a database admit of one client at most
 *
 *     (1 + (P − 1) / 4) · quota · (1 + t / window)
 *
 * tokens: one process keeps to the limit exactly, two to 5/4 of it, five to twice of it. Time in
 * which a lease is under way counts for t. A process that starts, or that has forgotten a client
 * (there is room for {@link CLIENTS}), brings a full own part with it. A database that is away stops
 * nobody: each process then goes by what it knew of the shared bucket last, and keeps to the limit
 * for itself.
 *
 * What turns out to have cost more than was paid for is owed: the own part pays first, and what it
 * lacks is a debt of the shared bucket. A process that knows of the debt admits nothing until both
 * parts together hold what a request costs; another one finds out with its next lease.
 */
import { LRUCache } from "lru-cache";
import { upTo } from "../async/lru.ts";
import { StoreUnavailable } from "../kv/retry.ts";
import {
  type Bucket,
  covers,
  draw,
  fullBucket,
  owe,
  type Part,
  type Rate,
  refill,
} from "./bucket.ts";
import { type Charge, chargeOf, CLIENTS } from "./charge.ts";
import type { Leases } from "./leases.ts";
import type { Policy } from "./policy.ts";

/** A process's own part. */
const OWN = 1 / 4;

export interface SharedLimiter {
  readonly policy: Policy;
  /**
   * Takes `cost` tokens of a client, or none.
   *
   * @param whole what the request costs in all, when this is a later part of it: it is sent again as
   * a whole, and whether and when that may succeed is what `retryAfter` says.
   */
  charge(client: string, cost: number, whole?: number): Promise<Charge>;
  /** Takes `cost` tokens for what is done already, into debt if need be. */
  owe(client: string, cost: number): Promise<Charge>;
}

/** What a process knows of one client. */
interface Client {
  id: string;
  own: Bucket;
  /** What the shared bucket holds, if nobody else has taken from it since this process saw it. */
  rest: Bucket;
  /** The lease under way; everybody waits for it. */
  leasing: Promise<boolean> | null;
}

interface Context {
  policy: Policy;
  leases: Leases;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
  ownRate: Rate;
  restRate: Rate;
  clients: LRUCache<string, Client>;
}

/** A limit for each client. @param now milliseconds of a clock that never goes back. */
export function createSharedLimiter(
  policy: Policy,
  leases: Leases,
  now = () => performance.now(),
): SharedLimiter {
  const { quota, window } = policy;
  const fillMs = window * 1000;
  const context: Context = {
    policy,
    leases,
    now,
    ownRate: { capacity: quota * OWN, fillMs },
    restRate: { capacity: quota * (1 - OWN), fillMs },
    clients: new LRUCache(upTo(CLIENTS)),
  };
  return {
    policy,
    charge: (id, cost, whole = cost) => charge(context, clientOf(context, id), cost, whole),
    owe: (id, cost) => oweBoth(context, clientOf(context, id), cost),
  };
}

function clientOf({ clients, ownRate, restRate, now }: Context, id: string): Client {
  let client = clients.get(id);
  if (client === undefined) {
    const at = now();
    client = { id, own: fullBucket(ownRate, at), rest: fullBucket(restRate, at), leasing: null };
    clients.set(id, client);
  }
  return client;
}

async function charge(
  context: Context,
  client: Client,
  cost: number,
  whole: number,
): Promise<Charge> {
  const { ownRate, now } = context;
  for (;;) {
    while (client.leasing !== null) await client.leasing.catch(() => {});
    refillBoth(context, client);
    // Others can only have taken from the shared bucket: asking the database could bring nothing.
    if (!covers(client.own.tokens + client.rest.tokens, cost)) {
      return chargedNow(context, client, false, whole);
    }
    if (draw([client.own, ownRate], cost, cost, now()) > 0) {
      return chargedNow(context, client, true, whole);
    }
    client.leasing = lease(context, client, cost).finally(() => client.leasing = null);
    if (await client.leasing) return chargedNow(context, client, true, whole);
  }
}

/** Takes tokens for what is done already: out of the own part first, the rest as a shared debt. */
async function oweBoth(context: Context, client: Client, cost: number): Promise<Charge> {
  const { ownRate, now } = context;
  while (client.leasing !== null) await client.leasing.catch(() => {});
  refill(client.own, ownRate, now());
  const paid = Math.min(cost, Math.max(0, client.own.tokens));
  client.own.tokens -= paid;
  if (paid < cost) {
    client.leasing = oweRest(context, client, cost - paid).finally(() => client.leasing = null);
    await client.leasing;
  }
  return chargedNow(context, client, true, cost);
}

/** Gets what the own part lacks, and pays. False: the shared bucket doesn't hold so much. */
async function lease(context: Context, client: Client, cost: number): Promise<boolean> {
  const { policy, leases, ownRate, restRate, now } = context;
  const least = cost - client.own.tokens;
  const most = least + ownRate.capacity;
  // The time is from before: the bucket may have filled meanwhile, and must not be held for emptier
  // than it is.
  const asked = now();
  let granted: number;
  try {
    const leased = { limit: policy.name, rate: restRate, client: client.id };
    const lease = await leases.take(leased, least, most);
    granted = lease.granted;
    client.rest = { tokens: lease.left, at: asked };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    granted = draw([client.rest, restRate], least, most, now());
  }
  if (granted === 0) return false;
  refill(client.own, ownRate, now());
  client.own.tokens = Math.min(
    ownRate.capacity,
    Math.max(0, client.own.tokens + granted - cost),
  );
  return true;
}

/** Adds to a client's debt in the database. */
async function oweRest(context: Context, client: Client, cost: number): Promise<boolean> {
  const { policy, leases, restRate, now } = context;
  const asked = now();
  try {
    const leased = { limit: policy.name, rate: restRate, client: client.id };
    client.rest = { tokens: await leases.owe(leased, cost), at: asked };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    owe(client.rest, restRate, cost, now());
  }
  return true;
}

function refillBoth({ ownRate, restRate, now }: Context, { own, rest }: Client): void {
  const at = now();
  refill(own, ownRate, at);
  refill(rest, restRate, at);
}

function chargedNow(
  context: Context,
  client: Client,
  admitted: boolean,
  whole: number,
): Charge {
  refillBoth(context, client);
  const parts: Part[] = [[client.own, context.ownRate], [client.rest, context.restRate]];
  return chargeOf(admitted, parts, whole);
}
