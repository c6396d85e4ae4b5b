/**
 * Limits for each client. Source: draft-ietf-httpapi-ratelimit-headers-10 for the headers `RateLimit`
 * and `RateLimit-Policy`.
 */
import type { Context, MiddlewareHandler } from "hono";
import type { Charge } from "../../lib/limits/charge.ts";
import { createLeases } from "../../lib/limits/leases.ts";
import { createMemoryLimiter } from "../../lib/limits/memory.ts";
import {
  type BucketName,
  costOf,
  type Policies,
  type Policy,
  TOKEN_MS,
  type Work,
} from "../../lib/limits/policy.ts";
import { createSharedLimiter, type SharedLimiter } from "../../lib/limits/shared.ts";
import { LIMITS } from "../../lib/protocol/limits.ts";
import { createDatabase } from "../../lib/kv/database.ts";
import { type Asker, createAsker, type Spent, workFor } from "../../lib/workers/asker.ts";
import type { Asking, ClientOf } from "./client.ts";
import { ProblemError } from "./problems.ts";
import { isStatic } from "./static.ts";

/** How long a lease may take, in milliseconds: rather no database than a slow one. */
const PATIENCE_MS = 1500;

/** Whoever can't be told from others is limited together with them, and shares their turn. */
const UNKNOWN = "unknown";

/** Whoever asks, where nobody pays. */
export function askerOf(c: Asking, clientOf: ClientOf): Asker {
  return createAsker(clientOf(c) ?? UNKNOWN);
}

/** No body is larger: what is announced beyond it is refused for its size, not for its cost. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** Where a request's {@link Bill} is found. */
const BILL = "bill";

export type RequestBucket = Exclude<BucketName, "badge" | "draw" | "look">;

export interface Limits {
  /** Of requests, shared by the processes that share the database. */
  requests: Readonly<Record<RequestBucket, SharedLimiter>>;
  /**
   * Charges a badge's reader, from memory alone: what badges cost is this process's time. Null:
   * admitted; otherwise the headers of the answer that says to come back.
   */
  refuseBadge(c: Asking): Record<string, string> | null;
  /** The same for drawing a badge that isn't remembered, which costs `tokens`. */
  refuseDrawing(c: Asking, tokens: number): Record<string, string> | null;
  /** Charges a badge's reader for what was read to answer, into debt if need be. */
  chargeBadge(c: Asking, tokens: number): void;
  /** A badge's reader, who pays for fetches and checks that the badge sets off. */
  readerOf(c: Asking): Asker;
}

export function createLimits(policies: Policies, kv: Deno.Kv, clientOf: ClientOf): Limits {
  const leases = createLeases(createDatabase(kv, PATIENCE_MS));
  const memory = {
    badge: createMemoryLimiter(policies.badge),
    draw: createMemoryLimiter(policies.draw),
    look: createMemoryLimiter(policies.look),
  };
  function refuse(c: Asking, name: "badge" | "draw", cost: number) {
    const charge = memory[name].charge(clientOf(c) ?? UNKNOWN, cost);
    if (charge.admitted) return null;
    return { ...headersOf(policies[name], charge), "retry-after": `${charge.retryAfter}` };
  }
  return {
    requests: {
      verify: createSharedLimiter(policies.verify, leases),
      publish: createSharedLimiter(policies.publish, leases),
      read: createSharedLimiter(policies.read, leases),
    },
    refuseBadge: (c) => refuse(c, "badge", 1),
    refuseDrawing: (c, tokens) => refuse(c, "draw", tokens),
    chargeBadge(c, tokens) {
      if (tokens > 0) memory.badge.owe(clientOf(c) ?? UNKNOWN, tokens);
    },
    readerOf(c) {
      const client = clientOf(c) ?? UNKNOWN;
      const work = workOf({});
      let paid = 0;
      return createAsker(client, {
        admits() {
          const { admitted } = memory.look.charge(client, 1);
          if (admitted) paid++;
          return admitted;
        },
        pay(spent) {
          note(work, spent);
          const owed = costOf(work, TOKEN_MS.look) - paid;
          if (owed > 0) memory.look.owe(client, owed);
          paid = Math.max(paid, paid + owed);
          return Promise.resolve();
        },
      });
    },
  };
}

/**
 * The bucket that pays for a request; null: none does. `byUrl`: the query names a document. Badges are charged in their own routes, which
 * know whether their reader pays or the host that a badge's document is fetched from.
 */
export function bucketOf(
  method: string,
  path: string,
  byUrl = false,
): RequestBucket | null {
  if (method === "OPTIONS" || path === "/healthz" || isStatic(path)) return null;
  if (path.startsWith("/badge/") || path.startsWith("/badge.")) return null;
  if (path === "/api/verify" || path === "/verify" && (method === "POST" || byUrl)) return "verify";
  if (method === "POST") {
    if (["/api/results", "/api/refresh"].includes(path)) return "verify";
    if (["/pools", "/api/pools"].includes(path)) return "publish";
  }
  return "read";
}

/** What a request has been charged so far. */
interface Bill {
  limiter: SharedLimiter;
  client: string;
  /** As far as it is known. */
  work: Work;
  /** Tokens. */
  paid: number;
  charge: Charge;
}

/**
 * Charges requests before any work is done for them, by what they announce; {@link payFor} charges
 * what is found out later, and what the work took is charged when it is done. Whatever follows is
 * done in the client's name: it takes turns with others.
 *
 * @param limits null: nothing is charged.
 * @param refuse makes the answer out of a problem.
 */
export function limitRequests(
  limits: Limits | null,
  clientOf: ClientOf,
  refuse: (c: Context, error: ProblemError) => Promise<Response>,
): MiddlewareHandler {
  return async (c, next) => {
    const name = bucketOf(c.req.method, c.req.path, c.req.query("url") !== undefined);
    if (limits === null || name === null) return await workFor(askerOf(c, clientOf), next);
    const client = clientOf(c) ?? UNKNOWN;
    const limiter = limits.requests[name];
    // However long it waits, it would be refused: it isn't told to come back.
    if (name === "publish" && isTooLarge(c)) return await refuse(c, poolTooLarge());
    const work = workOf({ bytes: announcedBytes(c) });
    const cost = costOf(work, TOKEN_MS[name]);
    const charge = await limiter.charge(client, cost);
    if (!charge.admitted) {
      const answer = await refuse(c, overLimit(limiter.policy, charge, cost));
      setHeaders(answer.headers, limiter.policy, charge);
      return answer;
    }
    const bill: Bill = { limiter, client, work, paid: cost, charge };
    c.set(BILL, bill);
    await workFor(createAsker(client, { pay: (spent) => payAfter(bill, spent) }), next);
    // What shared caches keep would tell others about this client.
    const shared = c.res.headers.get("cache-control")?.startsWith("public") ?? false;
    if (!shared) setHeaders(c.res.headers, limiter.policy, bill.charge);
  };
}

/**
 * Charges what a request turned out to hold, as far as it isn't paid for.
 *
 * @param content `documents` at least 1, `bytes` as received or unpacked, whichever is more;
 * `milliseconds` that checking it is expected to take.
 * @throws {ProblemError} `rate-limited`.
 */
export async function payFor(
  c: Context,
  content: { documents: number; bytes: number; milliseconds?: number },
): Promise<void> {
  const bill = c.get(BILL) as Bill | undefined;
  if (bill === undefined) return;
  const { limiter, client } = bill;
  const known = { documents: content.documents, bytes: content.bytes, milliseconds: 0 };
  const cost = costOf({ ...known, milliseconds: content.milliseconds ?? 0 }, tokenMsOf(bill));
  // What is only expected keeps nobody out for good.
  const due = Math.max(costOf(known, Infinity), Math.min(cost, limiter.policy.quota));
  if (due > bill.paid) {
    bill.charge = await limiter.charge(client, due - bill.paid, due);
    // What is refused isn't done, and only having read it is paid for.
    if (!bill.charge.admitted) throw overLimit(limiter.policy, bill.charge, due);
    bill.paid = due;
  }
  note(bill.work, known);
}

/** Charges for work that is done, as far as it isn't paid for. */
async function payAfter(bill: Bill, spent: Spent): Promise<void> {
  note(bill.work, spent);
  const cost = costOf(bill.work, tokenMsOf(bill));
  const owed = cost - bill.paid;
  if (owed <= 0) return;
  bill.paid = cost;
  try {
    bill.charge = await bill.limiter.owe(bill.client, owed);
  } catch {
    // The work is done, and its answer isn't lost over who pays.
  }
}

/** Time adds up; documents and bytes are found out again and again. */
function note(work: Work, { documents = 1, bytes = 0, milliseconds = 0 }: Spent): void {
  work.documents = Math.max(work.documents, documents);
  work.bytes = Math.max(work.bytes, bytes);
  work.milliseconds += milliseconds;
}

function workOf({ documents = 1, bytes = 0, milliseconds = 0 }: Spent): Work {
  return { documents, bytes, milliseconds };
}

function tokenMsOf({ limiter }: Bill): number {
  return TOKEN_MS[limiter.policy.name as RequestBucket];
}

/** Of what publishes a pool: a form holds besides the pool what surrounds it. */
function isTooLarge(c: Context): boolean {
  const most = LIMITS.poolBytes * (c.req.path === "/pools" ? 2 : 1);
  return Number(c.req.header("content-length") ?? 0) > most;
}

function poolTooLarge(): ProblemError {
  return new ProblemError("pool-too-large", `a pool has at most ${LIMITS.poolBytes} bytes`);
}

function announcedBytes(c: Context): number {
  const length = Number(c.req.header("content-length") ?? 0);
  return Number.isFinite(length) ? Math.min(LARGEST_BODY, Math.max(0, length)) : 0;
}

function overLimit({ quota, window }: Policy, { retryAfter }: Charge, cost: number): ProblemError {
  const limit = `this request costs ${cost}, and one client has ${quota} in ${window} s`;
  const detail = retryAfter === null ? `${limit}: send less at a time` : limit;
  return new ProblemError("rate-limited", detail, {}, retryAfter);
}

function headersOf({ name, quota, window }: Policy, charge: Charge) {
  const { remaining, fullIn, nextIn, retryAfter } = charge;
  // A client that follows `t` comes back as soon as that helps, and Retry-After lies never before it.
  const t = remaining === 0 ? nextIn : Math.min(fullIn, retryAfter ?? fullIn);
  return {
    "ratelimit-policy": `"${name}";q=${quota};w=${window}`,
    "ratelimit": `"${name}";r=${remaining};t=${t}`,
  };
}

function setHeaders(headers: Headers, policy: Policy, charge: Charge): void {
  for (const [name, value] of Object.entries(headersOf(policy, charge))) headers.set(name, value);
}
